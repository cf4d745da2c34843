/**
 * Makes function instances, each once, and forgets the oldest when there are too many.
 *
 * Whoever can name types can ask for any number of specialisations, so their number is bounded. Forgetting one costs its
 * code and its place in the map: callers that are linked to it make its code anew when they call it, new callers get a
 * new instance. That two instances of one function may live for a while changes nothing that code can see.
 * @module
 */
import type { SignatureToken } from '../binary/signature-token.ts';
import type { Type } from '../value/type.ts';
import { FunctionInstance, type Runnable } from './function-instance.ts';
import type { LoadedFunction } from './loaded-module.ts';
import type { TypeStore } from './type-store.ts';

/** Share of the instances that is forgotten at once. */
const FORGOTTEN_SHARE = 4;

export class InstanceStore {
  readonly #types: TypeStore;
  readonly #instancesMax: number;
  readonly #link: (instance: FunctionInstance) => Runnable;
  /** In the order of making. */
  readonly #instances = new Map<FunctionInstance, string>();

  /** @param link makes the code of an instance */
  constructor(types: TypeStore, instancesMax: number, link: (instance: FunctionInstance) => Runnable) {
    this.#types = types;
    this.#instancesMax = instancesMax;
    this.#link = link;
  }

  get size(): number {
    return this.#instances.size;
  }

  /** The instance of a function; its `run` makes the code when it is called first. */
  get(loaded: LoadedFunction, typeArguments: readonly Type[]): FunctionInstance {
    const key = typeArguments.map((type) => type.id).join();
    return loaded.instances.get(key) ?? this.#make(loaded, typeArguments, key);
  }

  #make(loaded: LoadedFunction, typeArguments: readonly Type[], key: string): FunctionInstance {
    if (this.#instances.size >= this.#instancesMax) this.#forgetOldest();
    const resolve = (token: SignatureToken): Type => this.#types.resolve(loaded.module, token, typeArguments);
    const types = {
      parameters: loaded.parameters.map(resolve),
      returns: loaded.returns.map(resolve),
      resolveLocals: () => loaded.locals.map(resolve),
    };
    const instance = new FunctionInstance(loaded, typeArguments, types);
    this.#unlink(instance);
    loaded.instances.set(key, instance);
    this.#instances.set(instance, key);
    return instance;
  }

  #unlink(instance: FunctionInstance): void {
    instance.body = undefined;
    instance.heat = 0;
    instance.entries.clear();
    instance.run = (...parameters) => {
      instance.run = this.#link(instance);
      return instance.run(...parameters);
    };
  }

  #forgetOldest(): void {
    let left = Math.ceil(this.#instances.size / FORGOTTEN_SHARE);
    for (const [instance, key] of this.#instances) {
      if (left-- === 0) return;
      this.#instances.delete(instance);
      instance.loaded.instances.delete(key);
      this.#unlink(instance);
    }
  }
}
