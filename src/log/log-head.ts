/**
 * The head of a log: what an append names and returns.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { struct } from '../base/bcs/composite.ts';
import { bytes32, u64 } from '../base/bcs/primitive.ts';
import { equalBytes } from '../base/bytes/compare.ts';

/** The newest record of a log. */
export interface LogHead {
  /** The newest epoch; 0 before the first take-over. */
  readonly epoch: bigint;
  /** Order of the newest record; 0 if there is none. */
  readonly order: bigint;
  /** Digest of the newest record; zeros if there is none. */
  readonly digest: Uint8Array;
  /** The state root after the newest record; zeros if there is none. */
  readonly stateRoot: Uint8Array;
}

export const logHead: Codec<LogHead> = struct<LogHead>({
  epoch: u64,
  order: u64,
  digest: bytes32,
  stateRoot: bytes32,
});

/** The head of a log that holds nothing. */
export function emptyLogHead(): LogHead {
  return { epoch: 0n, order: 0n, digest: new Uint8Array(32), stateRoot: new Uint8Array(32) };
}

/** Whether two heads have the same epoch and the same newest record. */
export function equalLogHeads(left: LogHead, right: LogHead): boolean {
  return left.epoch === right.epoch && isSameRecord(left, right);
}

/** Whether two heads have the same newest record; their epochs may differ. */
export function isSameRecord(left: LogHead, right: LogHead): boolean {
  return left.order === right.order && equalBytes(left.digest, right.digest);
}
