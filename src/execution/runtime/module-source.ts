/**
 * The modules of a session: those that it published, and those of its state.
 * @module
 */
import { string } from '../../base/bcs.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { MODULE_STORE_ID, packageObjectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import type { Address } from '../../move/address.ts';
import { type Module, type ModuleId, moduleKey } from '../../vm/binary/module.ts';
import type { ModuleLoader } from '../../vm/link/linker.ts';
import type { ModuleCache, ShippedModule, ShippedModules } from './module-cache.ts';
import type { ObjectRuntime } from './object-runtime.ts';

/** Number of modules of an address that an error lists: the framework has about sixty at each. */
const MODULE_NAMES_MAX = 200;

/** The modules of a state, which were verified when they were published. */
export class StateModules implements ModuleLoader {
  readonly #state: State;
  readonly #cache: ModuleCache;
  /** All modules of the state, if the package holds them; null if it does not. */
  #shipped: ShippedModules | null | undefined;

  constructor(state: State, cache: ModuleCache) {
    this.#state = state;
    this.#cache = cache;
  }

  load(id: ModuleId): Module | undefined {
    const shipped = this.#findShipped(id);
    if (shipped !== undefined) return this.#cache.shipped(shipped);
    const field = this.#state.moduleField(id.address, id.name);
    return field === undefined ? undefined : this.#cache.stored(field);
  }

  /** Whether the module exists. */
  has(id: ModuleId): boolean {
    return this.#findShipped(id) !== undefined || this.#state.moduleField(id.address, id.name) !== undefined;
  }

  /** The names of the modules that an address has published, the first MODULE_NAMES_MAX by their keys. */
  namesAt(address: Address): string[] {
    const fields = this.#state.fields(packageObjectId(address), { after: undefined, limit: MODULE_NAMES_MAX });
    return fields.map(({ object }) => string.read(new ByteReader(object.value)));
  }

  #findShipped(id: ModuleId): ShippedModule | undefined {
    if (this.#shipped === undefined) {
      const root = this.#state.object(MODULE_STORE_ID)?.meta.stateRoot;
      this.#shipped = (root && this.#cache.shippedUnder(root)) ?? null;
    }
    return this.#shipped?.find(moduleKey(id));
  }
}

/** The modules of a running session. */
export class SessionModules implements ModuleLoader {
  /** The modules of the session's initial state. */
  readonly stored: StateModules;
  readonly #objects: ObjectRuntime;
  readonly #cache: ModuleCache;

  constructor(objects: ObjectRuntime, cache: ModuleCache) {
    this.stored = new StateModules(objects.state, cache);
    this.#objects = objects;
    this.#cache = cache;
  }

  load(id: ModuleId): Module | undefined {
    const bytes = this.#objects.modules.held(id.address, id.name);
    return bytes === undefined ? this.stored.load(id) : this.#cache.read(bytes);
  }

  /** A snapshot: these modules as they are now, whatever the session publishes later, and all others from the state. */
  freeze(changed: readonly ModuleId[]): ModuleLoader {
    const { stored } = this;
    const published = new Map(changed.map((id) => [moduleKey(id), this.load(id)]));
    return { load: (id) => published.get(moduleKey(id)) ?? stored.load(id) };
  }

  /**
   * A module that is being published.
   * @throws {EngineError} `malformed-module`
   */
  read(bytes: Uint8Array): Module {
    return this.#cache.read(bytes);
  }
}
