/**
 * The work of natives that write values out, counted while they go along.
 *
 * How much there is to write is known only when it has been gone through: a small value may take a thousand nodes. So
 * each node is counted before it is written, a few at a time, and what would take too long is stopped in the middle.
 * @module
 */
import type { NativeWork } from '../runtime/native-work.ts';

/** Nodes that take a microsecond at most, measured on the dearest: texts, options, maps. */
const NODES_PER_WORK = 1;

/** Bytes of text or byte strings that count as a node: they are copied and looked at, never made into objects. */
const BYTES_PER_NODE = 50;

/** Nodes that are counted together. */
const NODES_TOGETHER = 64;

export class NodeWork {
  readonly #work: Pick<NativeWork, 'spend'>;
  #nodes = 0;

  constructor(work: Pick<NativeWork, 'spend'>) {
    this.#work = work;
  }

  /** Counts a node before it is written, with the bytes that stand in it. */
  node(bytes = 0): void {
    this.#nodes += 1 + Math.floor(bytes / BYTES_PER_NODE);
    if (this.#nodes >= NODES_TOGETHER) this.settle();
  }

  /** Counts what was not counted yet. */
  settle(): void {
    if (this.#nodes > 0) this.#work.spend(Math.ceil(this.#nodes / NODES_PER_WORK));
    this.#nodes = 0;
  }
}
