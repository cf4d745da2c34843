/**
 * The work of natives that serialize values, counted as they proceed.
 *
 * How much there is to write is known only at the end: a small value may have a thousand nodes. So nodes are counted
 * before they are written, a few at a time, and work that would take too long is stopped midway.
 * @module
 */
import type { NativeWork } from '../runtime/native-work.ts';

/** Nodes per microsecond, measured on the most expensive kinds: texts, options, maps. */
const NODES_PER_WORK = 1;

/** Bytes of text or byte strings that count as a node: they are copied and scanned, but create no objects. */
const BYTES_PER_NODE = 50;

/** Nodes that are counted together. */
const NODES_TOGETHER = 64;

export class NodeWork {
  readonly #work: Pick<NativeWork, 'spend'>;
  #nodes = 0;

  constructor(work: Pick<NativeWork, 'spend'>) {
    this.#work = work;
  }

  /** Counts a node before it is written, with the bytes in it. */
  node(bytes = 0): void {
    this.#nodes += 1 + Math.floor(bytes / BYTES_PER_NODE);
    if (this.#nodes >= NODES_TOGETHER) this.settle();
  }

  /** Charges what has not been charged yet. */
  settle(): void {
    if (this.#nodes > 0) this.#work.spend(Math.ceil(this.#nodes / NODES_PER_WORK));
    this.#nodes = 0;
  }
}
