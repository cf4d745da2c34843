/**
 * What queries read: the chain as of one commit.
 *
 * Synchronous queries read the present chain. Queries that page through an index wait between reads, so they get a view
 * that commits do not change: rows, objects and head always match. Pages are rendered with the same reader.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
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
   * @throws {EngineError} `not-found` if the chain never had that root, `pruned` if it no longer keeps it.
   */
  stateAt(root: Uint8Array): State;
  /** The layouts of types by the modules of a state. */
  layouts(state: State): LayoutSource;
  /** The machines that run the code of states. */
  machines(): MachineCache;
}

/** A source of readers: the engine, or one moment of it. */
export interface ReaderSource {
  /** The chain that synchronous reads see. */
  current(): Reader;
  /** Runs `query` on a view that does not change until the returned promise settles. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
  /** The chain at the time of the call, for results that are decoded later. */
  present(): Reader;
}

/** A source that always gives this one reader of `source`. */
export function sourceAt(reader: Reader, source: ReaderSource): ReaderSource {
  return { current: () => reader, read: (query) => query(reader), present: () => source.present() };
}

/** The state at a root, without a look-up if it is the head's. */
export function stateOf(reader: Reader, root: Uint8Array | undefined): State {
  return root === undefined || equalBytes(root, reader.head.stateRoot) ? reader.state : reader.stateAt(root);
}

/**
 * The state at a root, for the types of values made there; the present one if that was pruned. A module upgrade keeps
 * its struct layouts, so the present modules describe every earlier type in the same way.
 */
export function stateOfTypes(reader: Reader, root: Uint8Array | undefined): State {
  try {
    return stateOf(reader, root);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'pruned') return reader.state;
    throw error;
  }
}

/**
 * Decodes values read at one state, at once or later: by the modules of that state, not the present ones, while it is
 * kept. A root identifies its state for good, so nothing is held; after a revert the root may be `not-found`.
 */
export class Decoder {
  readonly #source: ReaderSource;
  readonly #root: Uint8Array;

  constructor(source: ReaderSource, { root }: Pick<State, 'root'>) {
    this.#source = source;
    this.#root = root;
  }

  get layouts(): LayoutSource {
    const reader = this.#source.present();
    return reader.layouts(stateOfTypes(reader, this.#root));
  }
}
