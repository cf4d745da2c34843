/**
 * The machines of the engines of a process, by the code that they run.
 *
 * A machine serves one set of modules and one gas schedule, and what it translated is worth keeping: so states that
 * agree in both share one, and a state with other modules starts from what the last machine has and forgets only what
 * differs.
 * @module
 */

import { MACHINES_MAX } from '../config.ts';
import { ABILITY_KEY } from '../move/ability.ts';
import { MODULE_STORE_ID } from '../object/module-store.ts';
import type { State } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { readGasSchedule } from '../vm/gas/schedule.ts';
import type { CountsReferences } from '../vm/link/loaded-module.ts';
import { type ExecutionMode, Machine } from '../vm/machine.ts';
import type { NativeTable } from '../vm/native-table.ts';
import { ModuleCache } from './module-cache.ts';
import { StateModules } from './module-source.ts';
import type { SessionHost } from './session-host.ts';

export type SessionMachine = Machine<SessionHost>;

/** Gas units by parameter name. */
export type GasEntries = ReadonlyMap<string, bigint>;

export interface MachineCacheOptions {
  /** The natives at the prices of a schedule. */
  readonly natives: (entries: GasEntries) => NativeTable<SessionHost>;
  /** The gas schedule of a state: the same object for as long as the state has the same. */
  readonly gasEntries: (state: State) => GasEntries;
  /** By default, what the host allows. */
  readonly engine?: ExecutionMode | undefined;
  /** Calls after which a function is translated; the machine's own default is for use, this for tests. */
  readonly translateAfter?: number | undefined;
}

interface Entry {
  readonly entries: GasEntries;
  readonly machine: SessionMachine;
}

/** What a state keeps, which asks for each call. */
interface FoundMachine {
  readonly cache: MachineCache;
  readonly machine: SessionMachine;
}

export class MachineCache {
  /** All modules that were read. */
  readonly modules: ModuleCache = new ModuleCache();
  readonly #options: MachineCacheOptions;
  /** By the root of the module store, least recently used first. */
  readonly #machines = new Map<string, Entry>();
  /** The last that was used, by the very array of the root, which stays with the object as long as nothing is published. */
  #last: { readonly stateRoot: Uint8Array; readonly entry: Entry } | undefined;

  constructor(options: MachineCacheOptions) {
    this.#options = options;
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
    this.#machines.delete(root);
    const entry = known?.entries === entries ? known : { entries, machine: this.#make(state, entries) };
    this.#machines.set(root, entry);
    const [oldest] = this.#machines.keys();
    if (this.#machines.size > MACHINES_MAX && oldest !== undefined) this.#machines.delete(oldest);
    this.#last = stateRoot && { stateRoot, entry };
    return entry.machine;
  }

  /** A machine of the schedule, from nothing. */
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
 * The runtime asks whether references to the handle or to the value of an object live. The values have the ability key,
 * as do the handles, which say so themselves.
 */
export const countsReferences: CountsReferences = (_module, _name, abilities) => (abilities & ABILITY_KEY) !== 0;
