/**
 * What queries read: the chain as of one commit.
 *
 * Queries that page through an index wait between reads, so they get a reader that commits do not change: rows, objects
 * and head always match. Pages are rendered with the same reader.
 * @module
 */
import { equalBytes } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { State } from '../chain/state/state.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import type { LayoutSource } from '../move/layout.ts';
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

/** A reader that stays as it is until it is released. */
export interface HeldReader {
  readonly reader: Reader;
  readonly release: () => void;
}

/** What a view reads from: the head of an engine, one commit, or an earlier state. */
export interface ReaderSource {
  /** Whether it is an earlier state, of which there are no index rows. */
  readonly isEarlier?: boolean;
  /** The chain that synchronous reads see. */
  current(): Reader;
  /** The same, for reads that wait. */
  hold(): HeldReader;
  /** The chain at the time of the call, for results that are decoded later. */
  present(): Reader;
}

/** A source that has to be released. */
export type PinnedSource = ReaderSource & Pick<HeldReader, 'release'>;

/** A source that gives what `source` gives now; reads that wait may outlast its release. */
export function pinnedSource(source: ReaderSource): PinnedSource {
  const { reader, release: releaseAll } = source.hold();
  let isReleased = false;
  let holders = 1;
  const letGo = (): void => {
    if (--holders === 0) releaseAll();
  };
  const pinned = (): Reader => {
    if (!isReleased) return reader;
    throw new EngineError('closed', 'this view was disposed of: take another one by engine.at()');
  };
  return {
    isEarlier: source.isEarlier === true,
    current: pinned,
    hold: () => {
      const held = { reader: pinned(), release: letGo };
      holders++;
      return held;
    },
    present: () => source.present(),
    release: () => {
      if (!isReleased) letGo();
      isReleased = true;
    },
  };
}

/** Runs `query` on a reader that stays as it is. */
export async function readHeld<T>(source: ReaderSource, query: (reader: Reader) => Promise<T>): Promise<T> {
  const { reader, release } = source.hold();
  try {
    return await query(reader);
  } finally {
    release();
  }
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
