/**
 * A replica: a store that applies another writer's commits from their records, without executing them unless told to.
 *
 * Each record is checked by itself and against the chain: that it follows the previous record, that it is signed with a
 * key that may sign this chain, that appending its transaction to the accumulator gives the root it names, and that its
 * change set leads from the previous state to the state root it names. Nothing of a record that fails is written. The
 * rows are the same as in the writer's own store: nodes, ledger, events and indexes are derived in the same way.
 *
 * Cost: that of the commit on its writer, minus the execution, plus applying a change set and checking a signature.
 *
 * A reader that re-executes the inputs of records trusts the writer only with their order, not with their
 * effects. The input runs on the same state with the recorded clock reading, so everything must come out the same:
 * status, gas, changes, roots and events. The engine must be opened with the writer's `ingest` options, which say what
 * is kept of Bitcoin blocks.
 * @module
 */
import { encode } from '../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { loadSecp256k1 } from '../base/hash/secp256k1.ts';
import type { Head } from '../chain/ledger/head.ts';
import { applyChangeSet } from '../chain/state/apply.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { State } from '../chain/state/state.ts';
import { accumulatorAfter } from '../chain/transaction/sequence-info.ts';
import {
  type Commit,
  CommitGroup,
  indexedParents,
  isLarge,
  type PreparedCommit,
  prepareApplied,
  writeAlone,
  writeCommit,
} from '../pipeline/commit.ts';
import type { WriterTools } from '../pipeline/group-filler.ts';
import { gatheredRows } from '../pipeline/group-rows.ts';
import { keptRows } from '../pipeline/kept-rows.ts';
import type { Present, SequencedOutcome } from '../pipeline/step.ts';
import { replayChangeSet } from '../query/verify/change-set-replay.ts';
import { accumulatorInfo, append, eventRoot } from '../store/accumulator/accumulator.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { Operation, Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import { Tree } from '../store/tree/tree.ts';
import { type CommitLog, LOG_READ_RECORDS, type LogRecord } from './commit-log.ts';
import {
  checkRecord,
  decodeRecord,
  inputOf,
  type LogPlace,
  type RecordBody,
  recordBody,
  recordedRowOf,
  type SignedRecord,
  writerKeyOf,
} from './record.ts';

/** Which records are re-executed: all, or those whose order is a multiple of this number. */
export type ReexecutedShare = 'all' | number;

export type ExecutionTools = Pick<WriterTools, 'step' | 'machines' | 'settings'>;

export class Reexecution {
  readonly #every: bigint;
  readonly #tools: () => ExecutionTools;

  constructor(share: ReexecutedShare, tools: () => ExecutionTools) {
    this.#every = share === 'all' ? 1n : BigInt(share);
    this.#tools = tools;
  }

  /**
   * Re-executes the input of a record, if it belongs to the share.
   * @param present the chain before it
   * @throws {EngineError} `replay-differs`, naming what differs, with both state roots; what the store throws
   */
  check(record: SignedRecord, present: Pick<Present, 'head' | 'state' | 'rows'>): void {
    const { order } = record;
    if (order % this.#every !== 0n) return;
    const { step, machines, settings: own } = this.#tools();
    // What the writer refused is not in the log.
    const settings = { ...own, gasGift: true };
    const { input, now, clockOffset } = inputOf(record);
    const outcome = step(input, { ...present, machines, settings, now, clockOffset, sign: undefined });
    if (outcome.kind === 'refused') {
      throw differs(order, 'outcome', `a refusal (${outcome.error.message})`, record.executionInfo.status.kind);
    }
    compare(record, bodyAgain(record, outcome, present));
  }
}

/** The body that this node would have recorded. */
function bodyAgain(record: SignedRecord, { sequenced, output }: SequencedOutcome, { state }: Pick<Present, 'state'>) {
  const { changeSet } = applyChangeSet(state, output.changeSet);
  const { events, status, gasUsed } = output;
  const { txOrderSignature } = record.transaction.sequenceInfo;
  const body: RecordBody = {
    ...record,
    transaction: { data: sequenced.data, sequenceInfo: { ...sequenced.sequenceInfo, txOrderSignature } },
    executionInfo: {
      txHash: sequenced.hash,
      stateRoot: changeSet.stateRoot,
      size: changeSet.globalSize,
      eventRoot: eventRoot(events),
      gasUsed,
      status,
    },
    changeSet,
    events,
    rows: (output.rows ?? []).map(recordedRowOf),
  };
  return body;
}

function compare(record: SignedRecord, again: RecordBody): void {
  if (equalBytes(encode(recordBody, record), encode(recordBody, again))) return;
  const { order, executionInfo: theirs } = record;
  const ours = again.executionInfo;
  const pairs: readonly (readonly [what: string, expected: string, received: string])[] = [
    ['status', ours.status.kind, theirs.status.kind],
    ['gas', String(ours.gasUsed), String(theirs.gasUsed)],
    ['state root', toHexPrefixed(ours.stateRoot), toHexPrefixed(theirs.stateRoot)],
    ['event root', toHexPrefixed(ours.eventRoot), toHexPrefixed(theirs.eventRoot)],
  ];
  const found = pairs.find(([, expected, received]) => expected !== received);
  const [what, expected, received] = found ?? ['result', 'the same in all its parts', 'others'];
  const error = differs(order, what, expected, received);
  const roots = { ourStateRoot: toHexPrefixed(ours.stateRoot), stateRoot: toHexPrefixed(theirs.stateRoot) };
  throw new EngineError(
    error.code,
    `${error.message}; the state root is ${roots.ourStateRoot} here and ${roots.stateRoot} in the record`,
    { details: { ...error.details, ...roots } },
  );
}

function differs(order: bigint, what: string, expected: string, received: string): EngineError {
  return new EngineError(
    'replay-differs',
    `executed here it has another ${what}: expected ${expected}, got ${received}`,
    {
      details: { order: String(order), what, expected, received },
    },
  );
}

interface ReplicaStart {
  readonly store: Store;
  readonly nodes: NodeCache;
  readonly head: Head;
  /** The record of the head; for a log that begins after the head, `originDigest` replaces its digest. */
  readonly place: LogPlace;
  /** The public keys that may sign this chain; none if the first record decides. */
  readonly writers: readonly Uint8Array[];
}

/** The result of applying records: the commits that were written, and why the rest were not. */
export interface Replicated {
  readonly commits: readonly Commit[];
  readonly failure: EngineError | undefined;
}

export class Replica {
  readonly #store: Store;
  readonly #nodes: NodeCache;
  #reexecution: Reexecution | undefined;
  #head: Head;
  #place: LogPlace;
  #writers: readonly Uint8Array[];

  constructor({ store, nodes, head, place, writers }: ReplicaStart) {
    this.#store = store;
    this.#nodes = nodes;
    this.#head = head;
    this.#place = place;
    this.#writers = writers;
  }

  /** Also executes records from now on. */
  executeAlso(reexecution: Reexecution): void {
    this.#reexecution = reexecution;
  }

  get head(): Head {
    return this.#head;
  }

  /** The last record applied. */
  get place(): LogPlace {
    return this.#place;
  }

  /** Corrects the record of the head, while no record has been applied and the log was not known in full. */
  placeAt(place: LogPlace): void {
    this.#place = place;
  }

  /**
   * Writes the commits of the next records as one batch; a commit too large to share a batch is written alone.
   * @throws {EngineError} `store-failed`, after which the replica must not be used: the store may or may not hold the batch
   */
  async apply(records: readonly LogRecord[]): Promise<Replicated> {
    await loadSecp256k1();
    const made: Commit[] = [];
    let rest = records;
    while (rest.length > 0) {
      const { commits, failure } = await this.#applyGroup(rest);
      made.push(...commits);
      if (failure !== undefined) return { commits: made, failure };
      rest = rest.slice(commits.length);
    }
    return { commits: made, failure: undefined };
  }

  /**
   * Applies the records that `log` has after the last one that was applied, up to the order `to`.
   * @param onApplied called with the order of the last record of each group
   * @returns why the rest could not be applied, if so
   * @throws {EngineError} as `apply`; what the log throws
   */
  async follow(
    log: Pick<CommitLog, 'read'>,
    to: bigint,
    onApplied?: (order: bigint) => void,
  ): Promise<EngineError | undefined> {
    if (this.#place.order >= to) return undefined;
    let records: LogRecord[] = [];
    const flush = async (): Promise<EngineError | undefined> => {
      const { failure } = await this.apply(records);
      if (failure === undefined) onApplied?.(this.#place.order);
      records = [];
      return failure;
    };
    for await (const record of log.read(this.#place.order + 1n)) {
      records.push(record);
      const isLast = record.order >= to;
      const failure = isLast || records.length >= LOG_READ_RECORDS ? await flush() : undefined;
      if (isLast || failure !== undefined) return failure;
    }
    return flush();
  }

  /** Applies records up to the first that fails or that must be written alone. */
  async #applyGroup(records: readonly LogRecord[]): Promise<Replicated> {
    const rows = keptRows(this.#store, gatheredRows(this.#store));
    const group = new CommitGroup(rows, rows.keepsNodes);
    const tree = new Tree(nodeSource(rows), this.#nodes);
    const commits: Commit[] = [];
    let [head, place, writers] = [this.#head, this.#place, this.#writers];
    let failure: EngineError | undefined;
    for (const given of records) {
      try {
        const record = decodedRecord(given);
        this.#check(record, place, writers);
        const isAlone = isLarge({ changeSet: record.changeSet, events: record.events });
        if (isAlone && commits.length > 0) break;
        const state = new State(tree, head.stateRoot, head.size, head.unloadedRoots);
        const prepared = commitOf(group, state, head, record);
        this.#reexecution?.check(record, { head, state, rows });
        const { order, epoch, digest } = record;
        [head, place] = [prepared.commit.head, { order, epoch, digest }];
        if (writers.length === 0) writers = [writerKeyOf(record)];
        commits.push(prepared.commit);
        if (isAlone) {
          await writeAlone(this.#store, prepared);
          this.#moveTo(head, place, writers);
          return { commits, failure };
        }
        const batch = new RowBatch();
        batch.writeAll(writeCommit(batch, prepared));
        group.add(prepared);
        rows.add(batch);
      } catch (error) {
        failure = unsound(error, given.order);
        break;
      }
    }
    if (commits.length > 0) {
      const last = new RowBatch();
      last.writeAll(group.write(last, head));
      await rows.write(last, head.order);
    }
    this.#moveTo(head, place, writers);
    return { commits, failure };
  }

  #moveTo(head: Head, place: LogPlace, writers: readonly Uint8Array[]): void {
    [this.#head, this.#place, this.#writers] = [head, place, writers];
  }

  #check(record: SignedRecord, place: LogPlace, writers: readonly Uint8Array[]): void {
    const { order, transaction } = record;
    checkRecord(record, place);
    const signer = writerKeyOf(record);
    if (writers.length > 0 && !writers.some((writer) => equalBytes(writer, signer))) {
      throw unfit(order, 'key of the writer', writers.map(toHexPrefixed).join(' or '), toHexPrefixed(signer));
    }
    // The writer's signature covers the bytes of the order signature; checking that too would double the cost.
    const ordered = writerKeyOf({ signature: transaction.sequenceInfo.txOrderSignature });
    if (!equalBytes(signer, ordered)) {
      throw unfit(order, 'key of the order signature', toHexPrefixed(signer), toHexPrefixed(ordered));
    }
  }
}

/** The commit that a record makes on the state before it. */
function commitOf(group: CommitGroup, state: State, before: Head, record: SignedRecord): PreparedCommit {
  const { order, transaction, executionInfo, changeSet, events } = record;
  const { data, sequenceInfo } = transaction;
  const { info, nodes } = append(before.accumulator, [executionInfo.txHash]);
  const named = accumulatorAfter(sequenceInfo);
  if (!equalBytes(encode(accumulatorInfo, named), encode(accumulatorInfo, info))) {
    throw unfit(order, 'accumulator root', toHexPrefixed(info.root), toHexPrefixed(named.root));
  }
  if (sequenceInfo.txTimestamp < before.timestamp) {
    throw unfit(order, 'time', `${before.timestamp} or a later one`, sequenceInfo.txTimestamp);
  }
  const indexed = indexedParents(state, changeSet);
  const trees = replayChangeSet(state, changeSet);
  const sequenced = {
    data,
    hash: executionInfo.txHash,
    sequenceInfo,
    accumulator: info,
    accumulatorNodes: nodes,
  };
  const { status, gasUsed } = executionInfo;
  const output = { status, gasUsed, events, rows: record.rows.map(rowOperation) };
  return prepareApplied(group, before, sequenced, output, { changeSet, trees, indexed }, inputOf(record));
}

function rowOperation(row: SignedRecord['rows'][number]): Operation {
  return row.kind === 'put' ? { type: 'put', key: row.key, value: row.value } : { type: 'delete', key: row.key };
}

/**
 * Decodes a record of a log, whose order and epoch must match its place.
 * @throws {EngineError} `corrupt`, and as `decodeRecord`
 */
export function decodedRecord({ order, epoch, bytes }: LogRecord): SignedRecord {
  const record = decodeRecord(bytes);
  if (record.order !== order) throw unfit(order, 'order', order, record.order);
  if (record.epoch !== epoch) throw unfit(order, 'epoch', epoch, record.epoch);
  return record;
}

function unfit(order: bigint, what: string, expected: unknown, received: unknown): EngineError {
  return new EngineError('corrupt', `${what}: expected ${expected}, got ${received}`, {
    details: { order: String(order), what, expected: String(expected), received: String(received) },
  });
}

/** The error for an invalid record. Errors of the store are not the record's fault and are rethrown. */
function unsound(error: unknown, order: bigint): EngineError {
  if (!(error instanceof EngineError) || error.code === 'store-failed' || error.code === 'closed') throw error;
  return new EngineError('corrupt', `the record of order ${order} is not sound: ${error.message}`, {
    details: { ...error.details, order: String(order) },
    cause: error,
  });
}
