/**
 * The machines of an engine and its forks, by the code that they run.
 *
 * A machine serves one set of modules and one gas schedule, and its translated code is worth keeping. So states that
 * agree in both share a machine, and a machine for other modules starts from the last one and drops only what differs.
 * @module
 */

import { textOfBytes } from '../../base/bytes/bytes.ts';
import { keepRecent } from '../../base/recent.ts';
import { MODULE_STORE_ID } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { ABILITY_KEY } from '../../move/ability.ts';
import type { ExecutionMode } from '../../vm/call.ts';
import { readGasSchedule } from '../../vm/gas/schedule.ts';
import type { CountsReferences } from '../../vm/link/loaded-module.ts';
import { Machine } from '../../vm/machine.ts';
import type { NativeTable } from '../../vm/native.ts';
import { ModuleCache, type ShippedModules } from './module-cache.ts';
import { StateModules } from './module-source.ts';
import type { SessionHost } from './session-host.ts';

/**
 * Number of states of the code whose machines are kept: the current one, and some for reads of the past and of forks.
 */
const MACHINES_MAX = 16;

export type SessionMachine = Machine<SessionHost>;

/** Gas units by parameter name. */
export type GasEntries = ReadonlyMap<string, bigint>;

interface MachineCacheOptions {
  /** The natives with the prices of a schedule. */
  readonly natives: (entries: GasEntries) => NativeTable<SessionHost>;
  /** The gas schedule of a state: the same object as long as the schedule does not change. */
  readonly gasEntries: (state: State) => GasEntries;
  /** Default: what the host allows. */
  readonly engine?: ExecutionMode | undefined;
  /** Calls after which a function is translated. Tests set it; otherwise the machine's default applies. */
  readonly translateAfter?: number | undefined;
  /** The modules that the package holds. Default: none. */
  readonly shippedModules?: () => ShippedModules | undefined;
}

interface Entry {
  readonly entries: GasEntries;
  readonly machine: SessionMachine;
}

/** Kept with a state, since every call needs it. */
interface FoundMachine {
  readonly cache: MachineCache;
  readonly machine: SessionMachine;
}

export class MachineCache {
  /** All modules that were read. */
  readonly modules: ModuleCache;
  readonly #options: MachineCacheOptions;
  /** By the root of the module store, least recently used first. */
  readonly #machines = new Map<string, Entry>();
  /** The last one used, by the identity of the root's array, which stays the same until something is published. */
  #last: { readonly stateRoot: Uint8Array; readonly entry: Entry } | undefined;

  constructor(options: MachineCacheOptions) {
    this.#options = options;
    this.modules = new ModuleCache(options.shippedModules);
  }

  /** The machine for the code of a state. */
  at(state: State): SessionMachine {
    const known = state.derived.machine as FoundMachine | undefined;
    if (known?.cache === this) return known.machine;
    const machine = this.#find(state);
    state.derived.machine = { cache: this, machine } satisfies FoundMachine;
    return machine;
  }

  #find(state: State): SessionMachine {
    const entries = this.#options.gasEntries(state);
    const stateRoot = state.object(MODULE_STORE_ID)?.meta.stateRoot;
    if (stateRoot !== undefined && this.#last?.stateRoot === stateRoot && this.#last.entry.entries === entries) {
      return this.#last.entry.machine;
    }
    const root = stateRoot === undefined ? '' : textOfBytes(stateRoot);
    const known = this.#machines.get(root);
    const entry = known?.entries === entries ? known : { entries, machine: this.#make(state, entries) };
    keepRecent(this.#machines, root, entry, MACHINES_MAX);
    this.#last = stateRoot && { stateRoot, entry };
    return entry.machine;
  }

  /** A new machine for the schedule. */
  create(entries: GasEntries): SessionMachine {
    const { natives, engine, translateAfter } = this.#options;
    return Machine.create({
      natives: natives(entries),
      schedule: readGasSchedule(entries),
      countsReferences,
      ...(engine === undefined ? {} : { engine }),
      ...(translateAfter === undefined ? {} : { translateAfter }),
    });
  }

  #make(state: State, entries: GasEntries): SessionMachine {
    const last = [...this.#machines.values()].reverse().find((entry) => entry.entries === entries);
    if (last === undefined) return this.create(entries);
    const machine = last.machine.fork();
    machine.refresh(new StateModules(state, this.modules));
    return machine;
  }
}

/**
 * The runtime needs to know whether references to an object's handle or value are alive. Both values and handles have
 * the ability key.
 */
export const countsReferences: CountsReferences = (_module, _name, abilities) => (abilities & ABILITY_KEY) !== 0;
