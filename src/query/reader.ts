/**
 * What queries read: the chain as one commit left it.
 *
 * Synchronous queries read the present one. Queries that page through an index wait between reads; they get a view that
 * no commit moves, so that rows, objects and head always belong together.
 * @module
 */
import type { Head } from '../ledger/head.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { MachineCache } from '../runtime/machine-cache.ts';
import type { State } from '../state/state.ts';
import type { ReadableStore } from '../store/store.ts';

/** The chain at one head. */
export interface Reader {
  readonly head: Head;
  readonly rows: ReadableStore;
  /** The state at the head. */
  readonly state: State;
  /**
   * The state at an earlier root.
   * @throws {EngineError} `not-found` when the chain does not hold that root.
   */
  stateAt(root: Uint8Array): State;
  /** The layouts of types by the modules of a state. */
  layouts(state: State): LayoutSource;
  /** What runs the code of states. */
  machines(): MachineCache;
}

/** Where readers come from: the engine. */
export interface ReaderSource {
  /** The present chain, for reads that do not wait. */
  current(): Reader;
  /** Runs `query` on a view that stays as it is until the returned promise settles. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
}
