/**
 * A Rooch node as the origin of a fork: the answers of its `rooch_*` methods, as rows of one point of its chain.
 *
 * Objects and fields are read at the state root of that point, and transactions by their orders. Answers hold no hashes
 * of neighbours in the tree, so all that can be verified is that they answer the request.
 *
 * Source: crates/rooch-rpc-api of the reference, for the methods and the forms of their answers.
 * @module
 */
import { decode, encode } from '../../base/bcs.ts';
import { compareBytes, equalBytes, fromHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { DATA_FORMAT_VERSION } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { unknownHash } from '../../base/hash/unknown-hash.ts';
import type { HttpAddress } from '../../base/http-address.ts';
import { type Head, head as headCodec } from '../../chain/ledger/head.ts';
import { type TransactionRecord, writeTransaction } from '../../chain/ledger/transactions.ts';
import {
  childObjectId,
  equalObjectIds,
  formatObjectId,
  MODULE_STORE_ID,
  type ObjectId,
  objectId,
  parentObjectId,
  parseObjectId,
} from '../../chain/object/object-id.ts';
import { type ObjectState, objectState } from '../../chain/object/object-state.ts';
import type { ExecutionInfo, KeptStatus, Location } from '../../chain/transaction/execution-info.ts';
import { type LedgerTransactionData, ledgerTransactionHash } from '../../chain/transaction/ledger.ts';
import { signedTransaction } from '../../chain/transaction/signed.ts';
import { parseAddress, parseAddressHex } from '../../move/address.ts';
import { parseStructTag } from '../../move/type-tag.ts';
import { type AccumulatorInfo, append } from '../../store/accumulator/accumulator.ts';
import { COLUMN, keyTail, orderBytes, readOrder } from '../../store/column.ts';
import { RowBatch } from '../../store/row-batch.ts';
import type { KeyRange, Row } from '../../store/store.ts';
import type { Place } from './fork-cache.ts';
import { NodeClient } from './node-client.ts';
import type { NodeOrigin, OriginRow, OriginRows } from './origin.ts';
import {
  FIELDS_ROW,
  type FieldsPage,
  fieldsPage,
  OBJECT_ROW,
  type ObjectPlace,
  objectRowKey,
  readObjectPlace,
} from './pinned-objects.ts';
import { ROWS_VERSION, untrueAnswer, type WireForkPoint } from './wire.ts';

/** How many transactions back from the newest the last executed one, or the one of a root, is looked for. */
const HEAD_TRANSACTIONS_MAX = 20;
const ROOT_TRANSACTIONS_MAX = 2_000;
/** The longest page of a node. */
const PAGE_MAX = 200;

const ROOCH = {
  kind: 'a Rooch node',
  withoutMethod: 'lacks a method that a fork of a Rooch node needs: is it one?',
};

/** What a fork of a Rooch node lacks, by column. */
const NOT_HAD: Readonly<Record<number, string>> = {
  [COLUMN.event]: 'events of transactions before the fork',
  [COLUMN.eventByHandle]: 'events of transactions before the fork',
  [COLUMN.changeSet]: 'change sets of transactions before the fork',
  [COLUMN.accumulatorNode]: 'proofs of transactions',
};

export class RoochOrigin implements NodeOrigin {
  readonly #node: NodeClient;
  #head: Head | undefined;

  constructor(address: HttpAddress, timeoutMs: number) {
    this.#node = new NodeClient(address, timeoutMs, ROOCH);
  }

  get requests(): number {
    return this.#node.requests;
  }

  /**
   * The point at which a fork begins.
   * @throws {EngineError} `not-found`, `transport-failed`, `remote-untrue`
   */
  async point(at: Place): Promise<WireForkPoint> {
    const status = (await this.#node.request('rooch_status', [])) as WireStatus;
    const chainId = await this.#node.request('rooch_getChainID', []);
    const found = await this.#find(at);
    const order = this.#node.read(() => BigInt(found.transaction.sequence_info.tx_order));
    const sizes = await this.#node.request('rooch_syncStates', changesParams(order));
    return this.#node.read(() => {
      const record = this.#record(found, sizeIn(sizes, order));
      const { sequenceInfo } = record.transaction;
      const { stateRoot, size } = record.executionInfo;
      const { txAccumulatorRoot: root, txTimestamp: timestamp } = sequenceInfo;
      const last = accumulatorOf(status);
      // The status may be of a later transaction.
      const isOfOrder = last?.numLeaves === order + 1n && equalBytes(last.root, root);
      const head: Head = {
        formatVersion: DATA_FORMAT_VERSION,
        genesisHash: unknownHash(stateRoot),
        chainId: BigInt(chainId as string),
        order,
        stateRoot,
        size,
        accumulator: isOfOrder ? last : unknownAccumulator(root, order + 1n),
        timestamp,
        unloadedRoots: [],
      };
      const more = rowsOf(record).map(({ key, value }) => [toHexPrefixed(key), toHexPrefixed(value!)] as const);
      const row = toHexPrefixed(encode(headCodec, head));
      return {
        version: ROWS_VERSION,
        kind: 'rooch',
        head: row,
        clock_offset: null,
        history: null,
        has_lists: false,
        more,
      };
    });
  }

  begin(head: Head): void {
    this.#head = head;
  }

  async #find(at: Place): Promise<WireTransaction> {
    if (typeof at === 'bigint') {
      const found = await this.#page(byOrderParams(at));
      const own = found.find(({ transaction }) => BigInt(transaction.sequence_info.tx_order) === at);
      if (own?.execution_info != null) return own;
      throw this.#notFound(`no executed transaction at order ${at}`);
    }
    const isSought = ({ execution_info: info }: WireTransaction): boolean =>
      info !== null && (at === undefined || equalBytes(fromHex(info.state_root), at));
    const max = at === undefined ? HEAD_TRANSACTIONS_MAX : ROOT_TRANSACTIONS_MAX;
    let cursor: string | null = null;
    for (let seen = 0; seen < max; ) {
      const page: readonly WireTransaction[] = await this.#page([cursor, String(Math.min(PAGE_MAX, max)), true]);
      const found = page.find(isSought);
      if (found !== undefined) return found;
      if (page.length === 0) break;
      seen += page.length;
      cursor = page.at(-1)!.transaction.sequence_info.tx_order;
    }
    throw this.#notFound(
      at === undefined
        ? `no executed transaction among its last ${max}`
        : `no state root ${toHexPrefixed(at)} among those of its last ${max} transactions: name the order`,
    );
  }

  async #page(params: readonly unknown[]): Promise<readonly WireTransaction[]> {
    const page = await this.#node.request('rooch_getTransactionsByOrder', params);
    return this.#node.read(() => [...(page as WirePage<WireTransaction>).data]);
  }

  rows([key]: readonly Uint8Array[]): OriginRows {
    const { value, more } = this.#row(key!);
    return { values: [value], more };
  }

  #row(key: Uint8Array): FoundRow {
    const { order } = this.#head!;
    switch (key[0]) {
      case OBJECT_ROW:
        return this.#object(key);
      case FIELDS_ROW: {
        const place = readObjectPlace(key);
        return { value: encode(fieldsPage, this.#fields(place, place.after)), more: [] };
      }
      case COLUMN.transactionOrder:
        return { value: this.#orderOf(keyTail(key, 0)), more: [] };
      case COLUMN.eventHandle:
        return { value: this.#countOf(decode(objectId, keyTail(key, 0))), more: [] };
      case COLUMN.transaction:
      case COLUMN.executionInfo: {
        const more = readOrder(key, 1) > order ? [] : this.#transaction(readOrder(key, 1));
        return { value: more.find((row) => compareBytes(row.key, key) === 0)?.value, more };
      }
      case COLUMN.event:
      case COLUMN.changeSet:
        if (readOrder(key, 1) <= order) throw this.#notHad(key);
        return NONE;
      case COLUMN.eventByHandle:
      case COLUMN.accumulatorNode:
        throw this.#notHad(key);
      default:
        return NONE;
    }
  }

  #object(key: Uint8Array): FoundRow {
    const { state, id } = readObjectPlace(key);
    const parent = parentObjectId(id)!;
    // One module of an account is soon followed by the others.
    const isModule = equalObjectIds(parentObjectId(parent) ?? [], MODULE_STORE_ID);
    const more = isModule ? this.#fieldsOf({ state, id: parent }) : [];
    const known = more.find((row) => equalBytes(row.key, key));
    if (known !== undefined) return { value: known.value, more };
    const options = optionsAt(state);
    const answer =
      parent.length === 0
        ? this.#node.ask('rooch_getStates', [`/object/${formatObjectId(id)}`, options])
        : this.#node.ask('rooch_getFieldStates', [formatObjectId(parent), [toHexPrefixed(id.at(-1)!)], options]);
    const value = this.#node.read(() => {
      const [view] = answer as readonly (WireObject | null)[];
      if (view === undefined) throw new TypeError('an object is missing');
      return view === null ? undefined : this.#leafOf(view, id);
    });
    return { value, more };
  }

  /** The fields on the first page, as rows of objects. */
  #fieldsOf(parent: ObjectPlace): readonly OriginRow[] {
    const { objects } = this.#fields(parent, undefined);
    return objects.map((value) => {
      const { id } = decode(objectState, value).meta;
      return { key: objectRowKey({ state: parent.state, id }), value };
    });
  }

  #fields({ state, id }: ObjectPlace, after: Uint8Array | undefined): FieldsPage {
    const paging = [after === undefined ? null : toHexPrefixed(after), String(PAGE_MAX), optionsAt(state)];
    const answer =
      id.length === 0
        ? this.#node.ask('rooch_listStates', ['/object', ...paging])
        : this.#node.ask('rooch_listFieldStates', [formatObjectId(id), ...paging]);
    return this.#node.read(() => {
      const { data, has_next_page: hasMore } = answer as WirePage<WireField>;
      const objects = data.map(({ field_key: name, state: view }) =>
        this.#leafOf(view, childObjectId(id, fromHex(name))),
      );
      return { objects, hasMore: hasMore && objects.length > 0 };
    });
  }

  /** An object as a leaf has it. */
  #leafOf(view: WireObject, id: ObjectId): Uint8Array {
    const object = readObject(view);
    if (!equalObjectIds(object.meta.id, id)) {
      throw untrueAnswer(this.#node.name, `it gave ${view.id} where ${formatObjectId(id)} was asked for`);
    }
    return encode(objectState, object);
  }

  #orderOf(hash: Uint8Array): Uint8Array | undefined {
    const answer = this.#node.ask('rooch_getTransactionsByHash', [[toHexPrefixed(hash)]]);
    return this.#node.read(() => {
      const [found] = answer as readonly (WireTransaction | null)[];
      const order = found && BigInt(found.transaction.sequence_info.tx_order);
      // Transactions after the point are not part of the fork.
      return order == null || order > this.#head!.order ? undefined : orderBytes(order);
    });
  }

  /** The number of events of a handle at the point: one more than the sequence number of the last. */
  #countOf(handle: ObjectId): Uint8Array | undefined {
    const before = { tx_order: String(this.#head!.order + 1n), event_index: '0' };
    const filter = { event_handle: formatObjectId(handle) };
    const answer = this.#node.ask('rooch_queryEvents', [filter, before, '1', { descending: true }]);
    return this.#node.read(() => {
      const [last] = (answer as WirePage<WireEvent>).data;
      return last && orderBytes(BigInt(last.event_id.event_seq) + 1n);
    });
  }

  #transaction(order: bigint): readonly OriginRow[] {
    const answer = this.#node.ask('rooch_getTransactionsByOrder', byOrderParams(order)) as WirePage<WireTransaction>;
    const sizes = this.#node.ask('rooch_syncStates', changesParams(order));
    return this.#node.read(() => {
      const [found] = answer.data;
      if (found?.transaction.sequence_info.tx_order !== String(order)) throw new TypeError(`order ${order} is missing`);
      return rowsOf(this.#record(found, sizeIn(sizes, order)));
    });
  }

  #record(view: WireTransaction, size: bigint): TransactionRecord {
    const record = readRecord(view, size);
    const { executionInfo, transaction } = record;
    if (!equalBytes(executionInfo.txHash, ledgerTransactionHash(transaction.data))) {
      throw untrueAnswer(this.#node.name, `the transaction at order ${record.order} has another hash than it says`);
    }
    return record;
  }

  async range(range: KeyRange): Promise<{ readonly rows: readonly Row[]; readonly more: readonly OriginRow[] }> {
    const first = range.gte ?? range.gt;
    const isByOrder = first !== undefined && first.length > 8 && BY_ORDER.has(first[0]!);
    if (isByOrder && readOrder(first, 1) > this.#head!.order) return { rows: [], more: [] };
    throw this.#notHad(first ?? new Uint8Array(1));
  }

  close(): void {
    this.#node.close();
  }

  #notHad(key: Uint8Array): EngineError {
    const what = NOT_HAD[key[0]!] ?? 'lists of transactions, events and objects';
    return new EngineError(
      'not-supported',
      `${what}: a fork of a Rooch node has its objects and fields by id, its modules, and its transactions by order or hash; ask ${this.#node.name} itself, or fork a movelet that has the chain`,
      { details: { remote: this.#node.name, what } },
    );
  }

  #notFound(what: string): EngineError {
    return new EngineError('not-found', `${this.#node.name} has ${what}`, { details: { remote: this.#node.name } });
  }
}

const NONE: FoundRow = { value: undefined, more: [] };

/** The requested row, and others. */
interface FoundRow {
  readonly value: Uint8Array | undefined;
  readonly more: readonly OriginRow[];
}

/** Columns whose keys begin with an order. */
const BY_ORDER: ReadonlySet<number> = new Set([COLUMN.transaction, COLUMN.event, COLUMN.changeSet]);

function optionsAt(state: Uint8Array): unknown {
  return { decode: false, showDisplay: false, stateRoot: toHexPrefixed(state) };
}

function byOrderParams(order: bigint): readonly unknown[] {
  return [order === 0n ? null : String(order - 1n), '1', false];
}

function changesParams(order: bigint): readonly unknown[] {
  return ['all', order === 0n ? null : String(order - 1n), '1', { descending: false }];
}

/** The number of top-level objects after a transaction, which only its change set has. */
function sizeIn(answer: unknown, order: bigint): bigint {
  const [found] = (answer as WirePage<WireChanges>).data;
  if (found === undefined || BigInt(found.tx_order) !== order)
    throw new TypeError(`the changes of order ${order} are missing`);
  return BigInt(found.state_change_set.global_size);
}

/** The accumulator that a status tells; undefined if its parts contradict each other. */
function accumulatorOf({ rooch_status: { sequencer_info: info } }: WireStatus): AccumulatorInfo | undefined {
  const given = info.last_accumulator_info;
  const accumulator: AccumulatorInfo = {
    root: fromHex(given.accumulator_root),
    frozenSubtreeRoots: given.frozen_subtree_roots.map(fromHex),
    numLeaves: BigInt(given.num_leaves),
    numNodes: BigInt(given.num_nodes),
  };
  return equalBytes(append(accumulator, []).info.root, accumulator.root) ? accumulator : undefined;
}

/** An accumulator of which only the root is known, which is not enough to append to it. */
function unknownAccumulator(root: Uint8Array, numLeaves: bigint): AccumulatorInfo {
  const frozenSubtreeRoots = unknownRoots(root, numLeaves);
  const numNodes = 2n * numLeaves - BigInt(frozenSubtreeRoots.length);
  return append({ root, frozenSubtreeRoots, numLeaves, numNodes }, []).info;
}

function unknownRoots(root: Uint8Array, numLeaves: bigint): readonly Uint8Array[] {
  const ones = [...numLeaves.toString(2)].filter((digit) => digit === '1');
  return ones.map((_, index) => unknownHash(Uint8Array.of(...root, index)));
}

function rowsOf(record: TransactionRecord): readonly OriginRow[] {
  const batch = new RowBatch();
  writeTransaction(batch, record);
  return batch.operations().flatMap((operation) => (operation.type === 'put' ? [operation] : []));
}

function readObject(view: WireObject): ObjectState {
  const { state_root: root } = view;
  return {
    meta: {
      id: parseObjectId(view.id),
      owner: parseAddress(view.owner),
      flag: view.flag,
      stateRoot: root === null ? undefined : hashOf(root),
      size: BigInt(view.size),
      createdAt: BigInt(view.created_at),
      updatedAt: BigInt(view.updated_at),
      objectType: parseStructTag(view.object_type),
    },
    value: fromHex(view.value),
  };
}

function readRecord({ transaction, execution_info: info }: WireTransaction, size: bigint): TransactionRecord {
  if (info === null) throw new TypeError('a transaction was not executed');
  const { sequence_info: place } = transaction;
  const order = BigInt(place.tx_order);
  const root = hashOf(place.tx_accumulator_root);
  const { frozenSubtreeRoots, numLeaves, numNodes } = unknownAccumulator(root, order + 1n);
  const executionInfo: ExecutionInfo = {
    txHash: hashOf(info.tx_hash),
    stateRoot: hashOf(info.state_root),
    size,
    eventRoot: hashOf(info.event_root),
    gasUsed: BigInt(info.gas_used),
    status: readStatus(info.status),
  };
  const sequenceInfo = {
    txOrder: order,
    txOrderSignature: fromHex(place.tx_order_signature),
    txAccumulatorRoot: root,
    txTimestamp: BigInt(place.tx_timestamp),
    txAccumulatorFrozenSubtreeRoots: frozenSubtreeRoots,
    txAccumulatorNumLeaves: numLeaves,
    txAccumulatorNumNodes: numNodes,
  };
  return { order, transaction: { data: readData(transaction.data), sequenceInfo }, executionInfo };
}

function readData(data: WireData): LedgerTransactionData {
  switch (data.type) {
    case 'l1_block': {
      const { chain_id: chain, block_height: height, block_hash: hash } = data;
      return { kind: 'l1-block', chainId: BigInt(chain), blockHeight: BigInt(height), blockHash: fromHex(hash) };
    }
    case 'l1_tx': {
      const { chain_id: chain, block_hash: block, txid } = data;
      return { kind: 'l1-transaction', chainId: BigInt(chain), blockHash: fromHex(block), txid: fromHex(txid) };
    }
    case 'l2_tx':
      return { kind: 'l2-transaction', ...decode(signedTransaction, fromHex(data.raw)) };
  }
}

function readStatus(status: WireStatusOf): KeptStatus {
  switch (status.type) {
    case 'executed':
      return { kind: 'executed' };
    case 'outofgas':
      return { kind: 'out-of-gas' };
    case 'miscellaneouserror':
      return { kind: 'miscellaneous-error' };
    case 'moveabort':
      return { kind: 'move-abort', location: readLocation(status.location), code: BigInt(status.abort_code) };
    case 'executionfailure': {
      const { location, function: index, code_offset: codeOffset } = status;
      return { kind: 'execution-failure', location: readLocation(location), function: index, codeOffset };
    }
  }
}

function readLocation(text: string): Location {
  if (text === 'script') return { kind: 'script' };
  const [owner = '', name = ''] = text.split('::');
  return { kind: 'module', address: parseAddressHex(owner), name };
}

function hashOf(text: string): Uint8Array {
  const hash = fromHex(text);
  if (hash.length !== 32) throw new TypeError(`expected a hash of 32 bytes, got ${text}`);
  return hash;
}

interface WirePage<T> {
  readonly data: readonly T[];
  readonly has_next_page: boolean;
}

interface WireObject {
  readonly id: string;
  readonly owner: string;
  readonly flag: number;
  readonly state_root: string | null;
  readonly size: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly object_type: string;
  readonly value: string;
}

interface WireField {
  readonly field_key: string;
  readonly state: WireObject;
}

interface WireEvent {
  readonly event_id: { readonly event_seq: string | number };
}

interface WireChanges {
  readonly tx_order: string | number;
  readonly state_change_set: { readonly global_size: string };
}

interface WireStatus {
  readonly rooch_status: {
    readonly sequencer_info: {
      readonly last_accumulator_info: {
        readonly accumulator_root: string;
        readonly frozen_subtree_roots: readonly string[];
        readonly num_leaves: string;
        readonly num_nodes: string;
      };
    };
  };
}

type WireData =
  | { readonly type: 'l1_block'; readonly chain_id: string; readonly block_height: string; readonly block_hash: string }
  | { readonly type: 'l1_tx'; readonly chain_id: string; readonly block_hash: string; readonly txid: string }
  | { readonly type: 'l2_tx'; readonly raw: string };

type WireStatusOf =
  | { readonly type: 'executed' | 'outofgas' | 'miscellaneouserror' }
  | { readonly type: 'moveabort'; readonly location: string; readonly abort_code: string }
  | {
      readonly type: 'executionfailure';
      readonly location: string;
      readonly function: number;
      readonly code_offset: number;
    };

interface WireTransaction {
  readonly transaction: {
    readonly data: WireData;
    readonly sequence_info: {
      readonly tx_order: string;
      readonly tx_order_signature: string;
      readonly tx_accumulator_root: string;
      readonly tx_timestamp: string;
    };
  };
  readonly execution_info: {
    readonly tx_hash: string;
    readonly state_root: string;
    readonly event_root: string;
    readonly gas_used: string | number;
    readonly status: WireStatusOf;
  } | null;
}
