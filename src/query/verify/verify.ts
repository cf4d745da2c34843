/**
 * Verifies a store: every row must agree with the others, and no row may be missing or superfluous.
 *
 * The transactions are checked in order: their hashes, the accumulator, the sequencer's signatures, the event roots;
 * and every change set is applied again, which shows that each state root follows from genesis. The rows that all of
 * this must have written are collected and compared with those in the store. At the end, the whole state at the head is
 * walked. Problems are listed, up to VERIFY_PROBLEMS_MAX; a row that fails its checksum is one of them. What no hash
 * covers could be checked only by executing the transactions again: authenticators, gas, statuses, and whether the value
 * of an object last written at the time of its transaction was written again unchanged. Checksums protect these rows.
 *
 * On a chain with a bounded history, everything that is kept is checked: all transactions, the change sets from the
 * oldest state on, each state that can be read, node by node (kept-states.ts), and that the indexes agree with each
 * other and with the present state (kept-states.ts).
 *
 * Cost: every row is read once or twice, and every change is applied again. The rows that follow from others are in
 * memory while they are compared, and so are the hashes of all tree nodes.
 * @module
 */
import { decode, encode } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { loadSecp256k1 } from '../../base/hash/secp256k1.ts';
import { fieldIndexOperations, type RegisteredField, registeredFields } from '../../chain/index/fields.ts';
import { writeObjectIndex } from '../../chain/index/objects.ts';
import { transactionSender, writeEventIndex, writeTransactionIndex } from '../../chain/index/transactions.ts';
import { countChangeSetParts, readChangeSet } from '../../chain/ledger/change-sets.ts';
import { decodeEvent, EventCounts, eventRecords, writeEvent } from '../../chain/ledger/events.ts';
import { type Head, readHead } from '../../chain/ledger/head.ts';
import { type History, readHistory } from '../../chain/ledger/history.ts';
import {
  readStoredTransaction,
  readTransaction,
  type TransactionRecord,
  writeLookups,
} from '../../chain/ledger/transactions.ts';
import type { ChangedFields, StateChangeSet, StateChangeSetExt } from '../../chain/object/change-set.ts';
import { applyChangeSet, type ChangedTrees } from '../../chain/state/apply.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import { State } from '../../chain/state/state.ts';
import { type Control, recordedControl } from '../../chain/transaction/control.ts';
import type { Event } from '../../chain/transaction/event.ts';
import { ledgerTransactionHash } from '../../chain/transaction/ledger.ts';
import { isOrderSignature, isSignedAsDev } from '../../chain/transaction/order-signature.ts';
import { accumulatorAfter, orderWitness } from '../../chain/transaction/sequence-info.ts';
import { followedNetwork, reorganisationDepthOf } from '../../execution/bitcoin-move/object-id.ts';
import { DEV_ACCOUNTS } from '../../execution/framework/accounts.ts';
import { accountCoinStoreId, coinStore, GAS_COIN_TYPE } from '../../execution/framework/coin.ts';
import { devGenesisAccounts } from '../../execution/genesis/genesis.ts';
import { parseAddressHex } from '../../move/address.ts';
import { writeAccumulator } from '../../pipeline/commit.ts';
import {
  type AccumulatorInfo,
  accumulatorInfo,
  append,
  EMPTY_ACCUMULATOR,
  eventRoot,
} from '../../store/accumulator/accumulator.ts';
import { COLUMN, columnRange, keyTail, orderBytes, readPosition } from '../../store/column.ts';
import { RowBatch } from '../../store/row-batch.ts';
import type { Operation, ReadableStore } from '../../store/store.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../store/tree/tree.ts';
import { replayChangeSet } from './change-set-replay.ts';
import { ExpectedRows, guarded, guardedRows } from './expected-rows.ts';
import {
  countFields,
  indexRows,
  isKeptOrder,
  KeptStates,
  nextTurn,
  ReplayedNodes,
  registeredAt,
} from './kept-states.ts';

/** Problems that a verification lists. */
const VERIFY_PROBLEMS_MAX = 100;

export interface VerifyReport {
  readonly transactions: number;
  readonly nodes: number;
  /** Objects and fields of the state at the head. */
  readonly objects: number;
  /** Index rows, and all others that follow from the transactions, their change sets and events. */
  readonly derivedRows: number;
  /** Sentences, at most VERIFY_PROBLEMS_MAX. Empty for a sound store. */
  readonly problems: readonly string[];
  /**
   * A batch that repairs the store, if every problem is a row that others determine. Undefined if the content of any
   * wrong, damaged or missing row is not known from others.
   */
  readonly remedy: readonly Operation[] | undefined;
}

/** The progress of a verification: its stages, in this order. */
export interface VerifyProgress {
  readonly name: 'transactions' | 'rows' | 'objects and fields';
  readonly done: number;
  /** Unknown for objects and fields until they are counted; for rows, the number in a sound store. */
  readonly total: number | undefined;
}

export interface VerifyOptions {
  /**
   * Called often, from within the check, so it should return quickly. If it throws, the verification ends with that
   * error.
   */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/**
 * Checks everything in a store. It only reads; if the store is written to in the meantime, pass a view of it.
 * @throws {EngineError} `not-found` for a store without a chain, `format-unknown`, `corrupt` for a head or a history that
 * cannot be read.
 */
export async function verifyStore(store: ReadableStore, options: VerifyOptions = {}): Promise<VerifyReport> {
  const head = readHead(store);
  if (head === undefined) throw new EngineError('not-found', 'the store holds no chain: its head row is missing');
  await loadSecp256k1();
  return new Verification(store, head, options).run();
}

/** Rows per transaction that are not compared: the transaction, its info, its change set. */
const LEDGER_ROWS = 3;

/** Rows, or objects and fields, between two progress reports. */
const PROGRESS_STEP = 256;

class Verification {
  readonly #store: ReadableStore;
  readonly #head: Head;
  readonly #onProgress: VerifyOptions['onProgress'];
  readonly #problems: string[] = [];
  /** Undefined once a problem is found that cannot be repaired. */
  #remedy: Operation[] | undefined = [];
  readonly #expected: ExpectedRows;
  readonly #tree: Tree;
  /** Undefined if all history is kept. */
  readonly #history: History | undefined;
  readonly #replayed: ReplayedNodes;
  #registered: readonly RegisteredField[] = [];
  #accumulator: AccumulatorInfo = EMPTY_ACCUMULATOR;
  #timestamp = 0n;
  #stateRoot: Uint8Array = EMPTY_ROOT;
  #size = 0n;
  #eventRows = 0;
  /** Whether the last signature was made with another key than that of dev chains. */
  #hasOwnKey = false;

  constructor(store: ReadableStore, head: Head, { onProgress }: VerifyOptions) {
    this.#onProgress = onProgress;
    this.#store = store;
    this.#head = head;
    this.#history = readHistory(store);
    this.#expected = new ExpectedRows(this.#history !== undefined, head.formatVersion);
    this.#replayed = new ReplayedNodes(store);
    this.#tree = new Tree(this.#history === undefined ? nodeSource(store) : this.#replayed.source, new NodeCache());
  }

  async run(): Promise<VerifyReport> {
    const transactions = await this.#transactions();
    this.#checkHead();
    await this.#checkGenesis();
    const rows = this.#expected.size + LEDGER_ROWS * transactions + this.#eventRows + 1;
    await this.#expected.compare(this.#store, this.#head.order, this.#report, (seen) =>
      this.#progress('rows', seen, rows),
    );
    if (this.#history !== undefined)
      await new KeptStates(this.#store, this.#head, this.#report).check(this.#history, nextTurn);
    const present = this.#stateAt(this.#head.stateRoot, this.#head.size);
    const objects = await countFields(present, this.#report, (seen) =>
      this.#progress('objects and fields', seen, undefined),
    );
    const { nodeRows: nodes, derivedRows } = this.#expected;
    return { transactions, nodes, objects, derivedRows, problems: this.#problems, remedy: this.#remedy };
  }

  #progress(name: VerifyProgress['name'], done: number, total: number | undefined): void {
    if (name === 'transactions' || done % PROGRESS_STEP === 1) this.#onProgress?.({ name, done, total });
  }

  readonly #report = (problem: string, remedy?: Operation): void => {
    if (remedy === undefined) this.#remedy = undefined;
    else this.#remedy?.push(remedy);
    if (this.#problems.length < VERIFY_PROBLEMS_MAX && !this.#problems.includes(problem)) this.#problems.push(problem);
  };

  #check(condition: boolean, problem: string): void {
    if (!condition) this.#report(problem);
  }

  #stateAt(root: Uint8Array, size: bigint): State {
    return new State(this.#tree, root, size, this.#head.unloadedRoots);
  }

  /** Checks all transactions, unless the list of problems is full; returns how many there are. */
  async #transactions(): Promise<number> {
    let count = 0;
    for (let order = 0n; order <= this.#head.order; order++) {
      if (this.#problems.length >= VERIFY_PROBLEMS_MAX) break;
      const record = guarded(this.#report, () => readStoredTransaction(this.#store, order));
      const isKept = order === 0n || order > (this.#history?.oldest ?? 0n);
      const change = isKept
        ? guarded(this.#report, () => readChangeSet(this.#store, nodeSource(this.#store), order))
        : undefined;
      if (record !== undefined) {
        count++;
        await this.#transaction(record);
      }
      this.#expected.addChangeSetParts(
        order,
        guarded(this.#report, () => countChangeSetParts(this.#store, order)) ?? 1,
      );
      if (isKept) await this.#change(order, record, change);
      else await this.#pruned(order, record);
      this.#progress('transactions', Number(order) + 1, Number(this.#head.order) + 1);
    }
    return count;
  }

  /** Stands in for a pruned change set: the state that it led to and, at the oldest kept state, its index rows. */
  async #pruned(order: bigint, record: TransactionRecord | undefined): Promise<void> {
    if (record === undefined) return;
    this.#stateRoot = record.executionInfo.stateRoot;
    this.#size = record.executionInfo.size;
    // The row of the clock offset outlives the state in which it was written.
    this.#expectClock(guarded(this.#report, () => recordedControl(record.transaction.data)?.control));
    if (order !== this.#history?.oldest) return;
    const present = this.#stateAt(this.#head.stateRoot, this.#head.size);
    for await (const rows of indexRows(this.#store, present, this.#report)) await this.#expected.add(rows);
    const oldest = this.#stateAt(this.#stateRoot, this.#size);
    this.#registered = guarded(this.#report, () => registeredAt(oldest)) ?? [];
  }

  /** Checks a transaction and its events, and expects the rows that follow from them. */
  async #transaction(record: TransactionRecord): Promise<void> {
    const { order, transaction, executionInfo } = record;
    const { data, sequenceInfo } = transaction;
    const at = `the transaction at order ${order}`;
    const hash = ledgerTransactionHash(data);
    this.#check(equalBytes(hash, executionInfo.txHash), `${at} does not hash to what its execution info says`);
    this.#check(sequenceInfo.txTimestamp >= this.#timestamp, `${at} is earlier than the one before`);
    this.#timestamp = sequenceInfo.txTimestamp;
    this.#check(this.#isSigned(order, sequenceInfo.txOrderSignature, hash), `${at} has no signature of its order`);
    const { info, nodes } = append(this.#accumulator, [hash]);
    this.#accumulator = info;
    const isSame = equalBytes(encode(accumulatorInfo, accumulatorAfter(sequenceInfo)), encode(accumulatorInfo, info));
    this.#check(isSame, `${at} names another accumulator than the hashes up to it give`);
    const stored = await this.#events(order);
    const root = eventRoot(stored);
    this.#check(equalBytes(root, executionInfo.eventRoot), `the events of order ${order} do not give its event root`);
    const counts = new EventCounts(this.#expected.rows);
    const { records, counted } = eventRecords(counts, order, stored);
    counts.take(counted);
    for (const [index, { event }] of records.entries()) {
      const { eventSeq } = stored[index]!;
      this.#check(
        eventSeq === event.eventSeq,
        `event ${index} of order ${order} says it is number ${eventSeq} of its handle instead of ${event.eventSeq}`,
      );
    }
    const batch = new RowBatch();
    writeLookups(batch, record);
    writeAccumulator(batch, nodes);
    for (const event of records) writeEvent(batch, event);
    batch.writeAll(counts.write(batch));
    writeTransactionIndex(batch, record);
    const sender = transactionSender(data);
    for (const event of records) writeEventIndex(batch, sender, event);
    await this.#expected.add(batch.operations().filter(({ key }) => key[0] !== COLUMN.event));
  }

  /** A signature with the public dev key may be left out, but not right after one with another key. */
  #isSigned(order: bigint, signature: Uint8Array, hash: Uint8Array): boolean {
    if (order === 0n) return signature.length === 0;
    if (signature.length === 0) return !this.#hasOwnKey;
    this.#hasOwnKey = !isSignedAsDev(signature);
    return isOrderSignature(signature, orderWitness(hash, order));
  }

  async #events(order: bigint): Promise<Event[]> {
    const events: Event[] = [];
    const range = columnRange('event', orderBytes(order));
    for await (const { key, value } of guardedRows(this.#store, range, this.#report)) {
      const place = guarded(this.#report, () => readPosition(keyTail(key, 0), 0));
      if (place === undefined) continue;
      const { index } = place;
      const name = `event ${index} of order ${order}`;
      const event = guarded(this.#report, () => decodeEvent(value, name));
      if (event === undefined) continue;
      this.#eventRows++;
      this.#check(event.eventIndex === BigInt(index), `${name} says it has index ${event.eventIndex}`);
      // The row's key decides what follows from it; the index it contains may be anything.
      events.push({ ...event, eventIndex: BigInt(index) });
    }
    return events;
  }

  /** Applies a change set again, and expects the rows that follow from it. */
  async #change(
    order: bigint,
    record: TransactionRecord | undefined,
    stored: StateChangeSetExt | undefined,
  ): Promise<void> {
    const change = stored?.stateChangeSet;
    if (change === undefined) {
      await this.#expected.addNodes(order, undefined);
    } else {
      if (record !== undefined) this.#checkChange(record, change, stored?.sequenceNumber ?? 0n);
      const before = this.#stateAt(this.#stateRoot, this.#size);
      const replay = guarded(this.#report, () => replayChangeSet(before, change));
      await this.#expected.addNodes(order, replay);
      if (this.#history !== undefined && replay !== undefined) this.#takeNodes(order, replay);
      if (record !== undefined) guarded(this.#report, () => this.#checkControl(record, before));
      // If index rows are expected as of the oldest kept state, those of genesis are among them.
      if (order >= (this.#history?.oldest ?? 0n)) {
        await this.#expected.add([
          ...RowBatch.operationsOf((batch) => writeObjectIndex(batch, this.#expected.rows, order, change)),
          ...fieldIndexOperations(this.#expected.rows, this.#registered, change),
        ]);
      }
      this.#registered = registeredFields(this.#registered, change);
    }
    this.#stateRoot = record?.executionInfo.stateRoot ?? change?.stateRoot ?? this.#stateRoot;
    this.#size = record?.executionInfo.size ?? change?.globalSize ?? this.#size;
  }

  #takeNodes(order: bigint, replay: ChangedTrees): void {
    this.#replayed.add(order, replay);
    if (guarded(this.#report, () => isKeptOrder(this.#store, order)) === true) this.#replayed.reachedKeptState();
  }

  #checkChange(
    { order, transaction, executionInfo }: TransactionRecord,
    change: StateChangeSet,
    sequenceNumber: bigint,
  ): void {
    const isOwn = equalBytes(change.stateRoot, executionInfo.stateRoot) && change.globalSize === executionInfo.size;
    this.#check(isOwn, `the change set of order ${order} leads to another state than its execution info`);
    const { data } = transaction;
    const own = data.kind === 'l2-transaction' ? data.data.sequenceNumber : 0n;
    this.#check(
      sequenceNumber === own,
      `the change set of order ${order} names another sequence number than its sender`,
    );
  }

  /** A control's record alone must lead to its state. */
  #checkControl({ order, transaction, executionInfo }: TransactionRecord, before: State): void {
    const recorded = recordedControl(transaction.data);
    if (recorded === undefined) return;
    const { control } = recorded;
    this.#expectClock(control);
    const { changeSet } = applyChangeSet(before, recorded.changeSet);
    this.#check(
      equalBytes(changeSet.stateRoot, executionInfo.stateRoot),
      `the record of the control at order ${order} leads to another state than its execution info`,
    );
  }

  #expectClock(control: Control | undefined): void {
    if (control?.kind === 'set-time') this.#expected.addTimeSet(control.milliseconds);
  }

  /** The head must match the last transaction. */
  #checkHead(): void {
    const { stateRoot, size, timestamp, accumulator, chainId, unloadedRoots } = this.#head;
    this.#check(equalBytes(stateRoot, this.#stateRoot), 'the head names another state root than its transaction');
    this.#check(size === this.#size, `the head counts ${size} objects instead of ${this.#size}`);
    this.#check(timestamp === this.#timestamp, `the head is of ${timestamp} instead of ${this.#timestamp}`);
    const isSame = equalBytes(encode(accumulatorInfo, accumulator), encode(accumulatorInfo, this.#accumulator));
    this.#check(isSame, 'the head names another accumulator than the transactions give');
    const genesis = guarded(this.#report, () => readTransaction(this.#store, 0n));
    const { data } = genesis?.transaction ?? {};
    if (data?.kind === 'l2-transaction') {
      this.#check(data.data.chainId === chainId, `the head says chain ${chainId}, genesis chain ${data.data.chainId}`);
    }
    const first = guarded(this.#report, () => readChangeSet(this.#store, nodeSource(this.#store), 0n));
    const named = first === undefined ? [] : namedRoots(first.stateChangeSet.changes);
    const isNamed = unloadedRoots.every((root) => first === undefined || named.some((one) => equalBytes(one, root)));
    this.#check(isNamed, 'the head names a tree as not loaded that genesis does not name');
  }

  /** The head's genesis hash says which chain it belongs to. */
  async #checkGenesis(): Promise<void> {
    const genesis = guarded(this.#report, () => readTransaction(this.#store, 0n));
    if (genesis === undefined) return;
    const { stateRoot, size } = genesis.executionInfo;
    try {
      const hash = await genesisHashOf(genesis, this.#stateAt(stateRoot, size));
      const isOwn = hash === undefined || equalBytes(hash, this.#head.genesisHash);
      this.#check(isOwn, 'the head names another genesis than the chain has');
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#report(error.message);
    }
  }
}

/** Every root that a change set names, at any depth. */
function namedRoots(changes: ChangedFields): Uint8Array[] {
  return [...changes].flatMap(([, { meta, fields }]) => [
    ...(meta.stateRoot === undefined ? [] : [meta.stateRoot]),
    ...namedRoots(fields),
  ]);
}

/**
 * The hash of a framework genesis, from its transaction and the state after it; undefined for the genesis of a file,
 * whose hash is that of the file.
 * @throws {EngineError} as `State.object`.
 */
async function genesisHashOf(
  { executionInfo, transaction }: TransactionRecord,
  state: State,
): Promise<Uint8Array | undefined> {
  const { data, sequenceInfo } = transaction;
  const depth = reorganisationDepthOf(state);
  const [known] = DEV_ACCOUNTS;
  const coins = known && state.object(accountCoinStoreId(parseAddressHex(known.address), GAS_COIN_TYPE));
  if (data.kind !== 'l2-transaction' || depth === undefined || coins === undefined) return undefined;
  const { frameworkGenesisHash } = await import('../../execution/genesis/framework-genesis.ts');
  return frameworkGenesisHash(executionInfo.txHash, {
    chainId: data.data.chainId,
    timestamp: sequenceInfo.txTimestamp,
    bitcoinNetwork: followedNetwork(state),
    reorganisationDepth: depth,
    accounts: devGenesisAccounts(decode(coinStore, coins.value).balance),
  });
}
