/**
 * How an engine takes part in a commit log: it writes the log or follows it.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { OrderSigner } from '../chain/transaction/order-signature.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { CommitSink } from '../pipeline/commit-sink.ts';
import type { LogStatus } from '../query/status.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import type { CommitLog, LogHead } from './commit-log.ts';
import { catchUp, placeInLog, sequencerKeysOf } from './log-place.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { type LogPlace, writerKeyOf } from './record.ts';
import { type ExecutionTools, type ReexecutedShare, Reexecution, Replica } from './replica.ts';

/** Whether an engine writes its log or follows it. */
export type LogRole = 'writer' | 'reader';

/** An engine's part in a log. */
export interface LogMembership {
  readonly status: LogStatus;
  /** For a writer: receives each group of commits before the store does. */
  readonly sink: CommitSink | undefined;
  /** For a reader: the refusal of transactions. */
  readonly refusal: (() => EngineError) | undefined;
  /** Starts bringing the writer's commits into the chain. `tools` executes their inputs, if this reader does so. */
  start(replicate: (write: () => Promise<readonly Commit[]>) => Promise<void>, tools: () => ExecutionTools): void;
  /** Stops that. */
  leave(): Promise<void>;
  /** Closes the log, once nothing more will be written. */
  close(): Promise<void>;
}

/** A chain that is about to take part in a log. */
export interface LogCandidate {
  readonly log: CommitLog;
  readonly role: LogRole;
  readonly store: Store;
  readonly nodes: NodeCache;
  readonly head: Head;
  readonly sign: OrderSigner;
  readonly say: Log;
  /** Where the writer accepts transactions, for clients that send one to a reader. */
  readonly writerUrl: string | undefined;
  /** Of a reader: which records it also executes, if any. */
  readonly reexecute: ReexecutedShare | undefined;
  readonly outageMsMax: number;
  /** The public keys that may sign records; undefined for that of the newest transaction, or of the first record. */
  readonly writerKeys: readonly Uint8Array[] | undefined;
}

/** A chain that takes part, with its present head: a writer has caught up with the log. */
export interface JoinedChain {
  readonly membership: LogMembership;
  readonly head: Head;
}

/**
 * Joins a log. A writer takes the log over and catches up with it first; a reader catches up while it answers.
 * @throws {EngineError} `log-mismatch`, `corrupt`, `log-failed`, `store-failed`.
 */
export async function joinLog(candidate: LogCandidate): Promise<JoinedChain> {
  const { log, role, store, nodes, head, writerKeys } = candidate;
  const logHead = role === 'writer' ? await log.takeOver() : await log.head();
  const place = await placeInLog(log, logHead, head);
  const writers = writerKeys ?? sequencerKeysOf(store, head);
  const replica = new Replica({ store, nodes, head, place, writers });
  return role === 'writer' ? joinWriter(candidate, replica, logHead) : joinReader(candidate, replica, logHead);
}

async function joinWriter(
  { log, sign, outageMsMax, say }: LogCandidate,
  replica: Replica,
  logHead: LogHead,
): Promise<JoinedChain> {
  const before = replica.head.order;
  await catchUp(replica, log, logHead);
  const { head, place } = replica;
  const behind = head.order - before;
  if (behind > 0n)
    say({ level: 'info', message: `the store got ${behind} commits from the log, up to order ${head.order}` });
  const writer = new LogWriter({ log, sign, outageMsMax, say, head: writingHead(logHead, place, head) });
  say({ level: 'info', message: `this writer signs the log with the key ${keyOf(sign)}` });
  const membership: LogMembership = {
    get status() {
      return writer.status;
    },
    sink: writer,
    refusal: undefined,
    start() {},
    leave: async () => writer.leave(),
    close: () => log.close(),
  };
  return { membership, head };
}

/** The public key of a signer, taken from its signature. */
function keyOf(sign: OrderSigner): string {
  return toHexPrefixed(writerKeyOf({ signature: sign(new Uint8Array(32)) }));
}

/** The head named by the first append: for an empty log, the head of the chain after which the log begins. */
function writingHead(logHead: LogHead, { digest }: LogPlace, { order, stateRoot }: Head): LogHead {
  return logHead.order === 0n ? { epoch: logHead.epoch, order, digest, stateRoot } : logHead;
}

function joinReader({ log, say, writerUrl, reexecute }: LogCandidate, replica: Replica, logHead: LogHead): JoinedChain {
  const isPlaced = logHead.order > 0n;
  let reader: LogReader | undefined;
  const membership: LogMembership = {
    get status() {
      return reader!.status;
    },
    sink: undefined,
    refusal: () => readOnly(writerUrl),
    start(replicate, tools) {
      if (reexecute !== undefined) replica.executeAlso(new Reexecution(reexecute, tools));
      reader = new LogReader({ log, replica, isPlaced, replicate, say });
      reader.start();
    },
    leave: async () => reader?.leave(),
    close: () => log.close(),
  };
  return { membership, head: replica.head };
}

function readOnly(writer: string | undefined): EngineError {
  const where = writer === undefined ? 'the writer of its log' : `the writer, ${writer}`;
  return new EngineError(
    'read-only',
    `this node follows a commit log and takes no transactions: send them to ${where}`,
    {
      details: writer === undefined ? {} : { writer },
    },
  );
}
