/**
 * The messages between the engine's thread and a worker: jobs and their answers on the worker's own port, questions and
 * rows on another, and two numbers in shared memory.
 * @module
 */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../base/error.ts';
import type { ModuleSource } from '../../execution/module-sources.ts';
import type { ViewBasis } from '../../query/chain-view.ts';
import type { PathNode } from '../../store/tree/path.ts';

/** Index in the shared memory: 0 while the worker waits for a row, 1 otherwise. */
export const ANSWERED = 0;

/** Index in the shared memory: whole milliseconds that the worker has waited for rows during this job. */
export const WAITED_MS = 1;

export const SHARED_PLACES = 2;

/** The initial settings of a worker. */
export interface WorkerSettings {
  readonly shared: Int32Array;
  /** The port on which it asks for rows. */
  readonly rows: MessagePort;
}

/** One call. */
export interface Job {
  /** The row of the head, which every call reads. */
  readonly head: Uint8Array | undefined;
  readonly basis: Omit<ViewBasis, 'rows'>;
  /** Sources of modules that programs added and the worker does not know yet. */
  readonly sources?: readonly ModuleSource[];
  /** The request, for the program on the worker. */
  readonly task: unknown;
}

/** A failed read: the parts of an `EngineError`, since messages keep no classes. */
export interface RowFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The nodes on the path from a root to a key, starting at one of them. */
export interface AskedPath {
  readonly root: Uint8Array;
  readonly key: Uint8Array;
  /** Hash of the first requested node. */
  readonly from: Uint8Array;
}

/** A place in the ledger that the sequencer signs. */
export interface AskedSignature {
  readonly hash: Uint8Array;
  readonly order: bigint;
}

/** A worker's request: the row of a key, nodes, or a signature. */
export type Question = Uint8Array | AskedPath | AskedSignature;

export type RowAnswer = Uint8Array | readonly PathNode[] | RowFailure | undefined;
