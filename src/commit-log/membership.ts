/**
 * The part that an engine has in a commit log: it writes it, or follows it.
 * @module
 */
import { EngineError } from '../error.ts';
import type { Head } from '../ledger/head.ts';
import type { Log } from '../log.ts';
import type { Commit } from '../pipeline/commit.ts';
import type { OrderSigner } from '../pipeline/order-signatures.ts';
import type { CommitSink } from '../pipeline/writer.ts';
import type { LogStatus } from '../query/status.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../tree/cache.ts';
import type { CommitLog } from './commit-log.ts';
import type { LogHead } from './log-head.ts';
import { catchUp, placeInLog, sequencerKeyOf } from './log-place.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import type { LogPlace } from './record.ts';
import { Replica } from './replica.ts';

/** Whether an engine writes its log or follows it. */
export type LogRole = 'writer' | 'reader';

/** What an engine does for its log, and what its log does for it. */
export interface LogMembership {
  readonly status: LogStatus;
  /** Of a writer: what gets each group before the store. */
  readonly sink: CommitSink | undefined;
  /** Of a reader: why it takes no turns. */
  readonly refusal: (() => EngineError) | undefined;
  /** Begins to bring the commits of others into the chain. */
  start(replicate: (write: () => Promise<readonly Commit[]>) => Promise<void>): void;
  /** Ends that. */
  leave(): Promise<void>;
  /** Closes the log, when nothing is written any more. */
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
  /** Where submits are taken, for whoever sends one to a reader. */
  readonly writerUrl: string | undefined;
  readonly outageMsMax: number;
}

/** A chain that takes part, and the head that it has now: a writer begins with what the log has. */
export interface JoinedChain {
  readonly membership: LogMembership;
  readonly head: Head;
}

/**
 * Takes part in a log. A writer takes it over and catches up with it first; a reader catches up while it answers.
 * @throws {EngineError} `log-mismatch`, `corrupt`, `log-failed`, `store-failed`.
 */
export async function joinLog(candidate: LogCandidate): Promise<JoinedChain> {
  const { log, role, store, nodes, head } = candidate;
  const logHead = role === 'writer' ? await log.takeOver() : await log.head();
  const place = await placeInLog(log, logHead, head);
  const replica = new Replica({ store, nodes, head, place, writer: sequencerKeyOf(store, head) });
  return role === 'writer' ? joinWriter(candidate, replica, logHead) : joinReader(candidate, replica);
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
  const writer = new LogWriter({ log, sign, outageMsMax, head: writingHead(logHead, place, head) });
  const membership: LogMembership = {
    get status() {
      return writer.status;
    },
    sink: writer,
    refusal: undefined,
    start() {},
    leave: async () => {},
    close: () => log.close(),
  };
  return { membership, head };
}

/** What the first append names: for a log that holds nothing, the chain that it begins after. */
function writingHead(logHead: LogHead, { digest }: LogPlace, { order, stateRoot }: Head): LogHead {
  return logHead.order === 0n ? { epoch: logHead.epoch, order, digest, stateRoot } : logHead;
}

function joinReader({ log, say, writerUrl }: LogCandidate, replica: Replica): JoinedChain {
  let reader: LogReader | undefined;
  const membership: LogMembership = {
    get status() {
      return reader!.status;
    },
    sink: undefined,
    refusal: () => readOnly(writerUrl),
    start(replicate) {
      reader = new LogReader({ log, replica, replicate, say });
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
