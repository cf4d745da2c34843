/**
 * The chain as the last commit left it, for readers: one view of the store, shared by all of them. It is released after
 * the next commit once its last reader is done, so pinning it takes no snapshot of its own.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { type Head, storedHead } from '../chain/ledger/head.ts';
import { keptRootOrder } from '../chain/ledger/history.ts';
import { readTransaction } from '../chain/ledger/transactions.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { Writer } from '../pipeline/writer.ts';
import type { HeldReader, Reader } from '../query/reader.ts';
import type { ReadableStore, StoreView } from '../store/store.ts';
import { type NodeSource, Tree } from '../store/tree/tree.ts';
import type { Shared } from './open.ts';

/** Shared by the readers of one commit. */
interface Present {
  readonly reader: Reader;
  readonly release: () => void;
  /** Whether its state has changes whose rows are made later. */
  readonly isPending: boolean;
  holders: number;
}

export class PresentChain {
  readonly #writer: () => Writer;
  readonly #shared: Shared;
  #current: Present | undefined;
  #isClosed = false;

  constructor(writer: () => Writer, shared: Shared) {
    this.#writer = writer;
    this.#shared = shared;
  }

  /** @throws {EngineError} `closed` once the engine is. */
  assertOpen(): void {
    if (this.#isClosed) throw new EngineError('closed', 'the engine is closed');
  }

  /** @throws {EngineError} `closed` */
  get reader(): Reader {
    return this.#get().reader;
  }

  #get(): Present {
    if (this.#current === undefined) {
      this.assertOpen();
      const writer = this.#writer();
      const { pending } = writer;
      let view: StoreView | undefined;
      // The first read of rows makes the pending commits.
      const rows = (): StoreView => {
        view ??= writer.store.view();
        return view;
      };
      const reader =
        pending?.state === undefined
          ? new StoreReader(storedHead(rows()), rows, this.#shared)
          : new StoreReader(writer.head, rows, this.#shared, writer.tree, pending.state);
      this.#current = { reader, release: () => view?.release(), isPending: pending?.state !== undefined, holders: 1 };
    }
    return this.#current;
  }

  /**
   * The present, until it is released.
   * @throws {EngineError} `closed`
   */
  hold(): HeldReader {
    // Its holder wants rows, and commits may come meanwhile.
    if (this.#current?.isPending === true) this.letGo();
    this.#writer().pending?.make();
    const present = this.#get();
    present.holders++;
    return { reader: present.reader, release: () => release(present) };
  }

  /** Releases a view without holders: the store is about to be written, and would have to keep the old rows. */
  letGoUnheld(): void {
    if (this.#current?.holders === 1) this.letGo();
  }

  /** The next caller gets the chain as it is then. */
  letGo(): void {
    const present = this.#current;
    this.#current = undefined;
    if (present !== undefined) release(present);
  }

  close(): void {
    this.#isClosed = true;
    this.letGo();
  }
}

export function treeOver(source: NodeSource, { nodes, remote }: Pick<Shared, 'nodes' | 'remote'>): Tree {
  return remote === undefined ? new Tree(source, nodes) : remote.tree(source, nodes);
}

/** Reads are consistent: nodes and rows come from the same view, even if the chain is reverted meanwhile. */
export class StoreReader implements Reader {
  readonly head: Head;
  readonly state: State;
  readonly #rows: () => ReadableStore;
  readonly #shared: Shared;
  readonly #tree: Tree;

  constructor(
    head: Head,
    rows: () => ReadableStore,
    shared: Shared,
    tree: Tree = treeOver(nodeSource(rows()), shared),
    state: State = new State(tree, head.stateRoot, head.size, head.unloadedRoots),
  ) {
    this.head = head;
    this.state = state;
    this.#rows = rows;
    this.#shared = shared;
    this.#tree = tree;
  }

  get rows(): ReadableStore {
    return this.#rows();
  }

  // Properties, since readers destructure them.
  readonly stateAt = (root: Uint8Array): State =>
    new State(this.#tree, root, sizeAt(this.rows, root), this.head.unloadedRoots);

  readonly layouts = (state: State): LayoutSource => this.#shared.execution().layouts.at(state);

  readonly machines = (): MachineCache => this.#shared.execution().machines;
}

function release(present: Present): void {
  if (--present.holders === 0) present.release();
}

/** Number of objects under a state root. */
function sizeAt(rows: ReadableStore, root: Uint8Array): bigint {
  return readTransaction(rows, keptRootOrder(rows, root)).executionInfo.size;
}
