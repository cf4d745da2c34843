/**
 * Creates function instances, each once, and drops the oldest when there are too many.
 *
 * Transactions can cause any number of specialisations by naming types, so their number is bounded. Dropping one
 * removes its code and its entry in the map: callers linked to it recreate its code when they call it, and new callers
 * get a new instance. Two instances of a function may coexist, which code cannot observe. A dropped instance that is
 * called again is counted again: all code that is ready to run is counted.
 * @module
 */
import type { Type } from '../value/type.ts';
import { FunctionInstance, type Runnable } from './function-instance.ts';
import type { LoadedFunction } from './loaded-module.ts';
import { bodyUnits, instanceUnits, type Preparation } from './preparation.ts';
import type { TypeStore } from './type-store.ts';

/** The share of the instances that is dropped together. */
const FORGOTTEN_SHARE = 4;

interface InstanceStoreOptions {
  readonly instancesMax: number;
  /** The units that all kept instances may have together. */
  readonly unitsMax: number;
  readonly preparation: Preparation;
  /** Makes the code of an instance. */
  readonly link: (instance: FunctionInstance) => Runnable;
}

export class InstanceStore {
  readonly #types: TypeStore;
  readonly #options: InstanceStoreOptions;
  /** In the order of their creation. */
  readonly #instances = new Map<FunctionInstance, string>();
  #units = 0;

  constructor(types: TypeStore, options: InstanceStoreOptions) {
    this.#types = types;
    this.#options = options;
  }

  get size(): number {
    return this.#instances.size;
  }

  /** The instance of a function; the first call of its `run` creates the code. */
  get(loaded: LoadedFunction, typeArguments: readonly Type[]): FunctionInstance {
    const key = keyOf(typeArguments);
    return loaded.instances.get(key) ?? this.#make(loaded, typeArguments, key);
  }

  #make(loaded: LoadedFunction, typeArguments: readonly Type[], key: string): FunctionInstance {
    this.#options.preparation.spend(instanceUnits(loaded));
    const types = this.#types;
    const parameters = types.resolveAll(loaded.module, loaded.parameters, typeArguments);
    const returns = types.resolveAll(loaded.module, loaded.returns, typeArguments);
    const instance = new FunctionInstance(loaded, typeArguments, { parameters, returns, types });
    this.#unlink(instance);
    loaded.instances.set(key, instance);
    this.#keep(instance, key, instanceUnits(loaded));
    return instance;
  }

  /**
   * Counts the body of an instance, which is about to be resolved.
   * @throws {TooMuchPrepared | ThrownFailure} as `Preparation.spend`
   */
  prepare(instance: FunctionInstance): void {
    const { loaded, typeArguments } = instance;
    const units = bodyUnits(loaded);
    this.#options.preparation.spend(units);
    const known = this.#instances.get(instance);
    const key = known ?? keyOf(typeArguments);
    if (instance.units <= instanceUnits(loaded)) this.#keep(instance, key, instanceUnits(loaded) + units);
  }

  /** Counts the code of an instance once more: the rest of a call from a loop on is translated separately. */
  countAgain(instance: FunctionInstance): void {
    const { loaded, units } = instance;
    const key = this.#instances.get(instance);
    if (key !== undefined) this.#keep(instance, key, units + instanceUnits(loaded) + bodyUnits(loaded));
  }

  /** Keeps an instance and sets its units. */
  #keep(instance: FunctionInstance, key: string, units: number): void {
    this.#units += units - instance.units;
    instance.units = units;
    this.#instances.set(instance, key);
    const { instancesMax, unitsMax } = this.#options;
    if (this.#instances.size <= instancesMax && this.#units <= unitsMax) return;
    this.#forgetOldest(instance, (1 - 1 / FORGOTTEN_SHARE) * unitsMax);
  }

  #unlink(instance: FunctionInstance): void {
    instance.body = undefined;
    instance.heat = 0;
    instance.entries = undefined;
    instance.run = (...parameters) => {
      instance.run = this.#options.link(instance);
      return instance.run(...parameters);
    };
  }

  #forgetOldest(newest: FunctionInstance, unitsMax: number): void {
    let left = Math.ceil(this.#instances.size / FORGOTTEN_SHARE);
    for (const [instance, key] of this.#instances) {
      if (left-- <= 0 && this.#units <= unitsMax) return;
      if (instance === newest) continue;
      this.#instances.delete(instance);
      this.#units -= instance.units;
      instance.units = 0;
      if (instance.loaded.instances.get(key) === instance) instance.loaded.instances.delete(key);
      this.#unlink(instance);
    }
  }
}

/** An instance's key among those of its function. */
function keyOf(typeArguments: readonly Type[]): string {
  return typeArguments.length === 0 ? '' : typeArguments.map((type) => type.id).join();
}
