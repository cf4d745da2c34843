/**
 * What passes between the engine's thread and a worker: jobs and their answers on the worker's own port, keys and rows on
 * another, and two numbers in shared memory.
 * @module
 */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../error.ts';
import type { MomentBasis } from '../query/moment.ts';

/** Place in the shared memory: 0 while the worker waits for a row, 1 otherwise. */
export const ANSWERED = 0;

/** Place in the shared memory: whole milliseconds that the worker waited for rows during this job. */
export const WAITED_MS = 1;

export const SHARED_PLACES = 2;

/** What a worker begins with. */
export interface WorkerSettings {
  readonly shared: Int32Array;
  /** Where it asks for rows. */
  readonly rows: MessagePort;
}

/** One call. */
export interface Job {
  /** The row of the head, which every call reads. */
  readonly head: Uint8Array | undefined;
  readonly basis: Omit<MomentBasis, 'rows'>;
  /** What is asked, for whoever runs on the worker. */
  readonly task: unknown;
}

/** A row that could not be read: an `EngineError` in parts, since a message keeps no classes. */
export interface RowFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type AskedRow = Uint8Array | RowFailure | undefined;
