/**
 * Results of queries for programs: names are text (addresses, ids, hashes, types), data is bytes, and Move values are
 * decoded on demand. Beside each class is the record of bytes that it is made from, which JSON-RPC reads.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import type { BlockHeader } from '../bitcoin/header.ts';
import type { Inscription } from '../bitcoin/inscription.ts';
import { formatInscriptionId } from '../bitcoin/inscription.ts';
import type { MinedBlock } from '../bitcoin/mine.ts';
import type { Utxo } from '../bitcoin/outpoint.ts';
import { formatOutPoint } from '../bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';
import { type EventRecord, readEvents } from '../chain/ledger/events.ts';
import type { Head } from '../chain/ledger/head.ts';
import { readTransactionOrder, type TransactionRecord } from '../chain/ledger/transactions.ts';
import { formatObjectId } from '../chain/object/object-id.ts';
import { FLAG_FROZEN, FLAG_SHARED, type ObjectMeta, type ObjectState } from '../chain/object/object-state.ts';
import type { Field } from '../chain/state/state.ts';
import type { Action } from '../chain/transaction/action.ts';
import type { Event } from '../chain/transaction/event.ts';
import type { ExecutionInfo } from '../chain/transaction/execution-info.ts';
import type { L1Block, L1Transaction, LedgerTransactionData } from '../chain/transaction/ledger.ts';
import { plainSequenceInfo, type SequenceInfo } from '../chain/transaction/sequence-info.ts';
import type { SignedTransaction, TransactionData } from '../chain/transaction/signed.ts';
import { type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { LazyReadable, Readable, readableRecord } from '../chain/value/readable.ts';
import { rootMember } from '../chain/value/root-member.ts';
import { type StatusOf, statusValue } from '../chain/value/status.ts';
import type { KnownBlock } from '../execution/bitcoin-move/known-block.ts';
import type { CoinInfo } from '../execution/framework/coin.ts';
import { formatAddress } from '../move/address.ts';
import { annotate, UNDECODABLE } from '../move/layout.ts';
import { ownerName, type StructTag, structName, structType, typeName } from '../move/type-tag.ts';
import type { AccumulatorInfo } from '../store/accumulator/accumulator.ts';
import type { Position } from '../store/column.ts';
import type { Decoder, ReaderSource } from './reader.ts';

/** A record whose members `Names` are text instead of bytes. */
export type WithText<T, Names extends keyof T> = Omit<T, Names> & { readonly [Name in Names]: string };

/** An object's metadata. */
export class ObjectMetaValue extends Readable {
  readonly id: string;
  readonly owner: string;
  /** 1 shared, 2 frozen, 0 neither. */
  readonly flag: number;
  /** Root of its fields; undefined if it never had any. */
  declare readonly stateRoot: string | undefined;
  readonly size: bigint;
  readonly createdAt: bigint;
  readonly updatedAt: bigint;
  readonly objectType: string;

  constructor(meta: ObjectMeta) {
    super();
    this.id = formatObjectId(meta.id);
    this.owner = formatAddress(meta.owner);
    this.flag = meta.flag;
    if (meta.stateRoot === undefined) this.stateRoot = undefined;
    else rootMember(this, 'stateRoot', meta.stateRoot);
    this.size = meta.size;
    this.createdAt = meta.createdAt;
    this.updatedAt = meta.updatedAt;
    this.objectType = structName(meta.objectType);
  }
}

/** An object: its metadata and its value. */
export class ObjectValue extends LazyReadable {
  readonly meta: ObjectMetaValue;
  /** BCS of the Move value. Do not write to it. */
  readonly value: Uint8Array;
  readonly #type: StructTag;
  readonly #decoder: Decoder;

  constructor({ meta, value }: ObjectState, decoder: Decoder) {
    super();
    this.meta = new ObjectMetaValue(meta);
    this.value = value;
    this.#type = meta.objectType;
    this.#decoder = decoder;
  }

  /** The account that owns it; all zeros for a shared or frozen object. */
  get owner(): string {
    return this.meta.owner;
  }

  /** Whether any transaction may change it. */
  get isShared(): boolean {
    return (this.meta.flag & FLAG_SHARED) !== 0;
  }

  /** Whether no transaction can change it. */
  get isFrozen(): boolean {
    return (this.meta.flag & FLAG_FROZEN) !== 0;
  }

  /**
   * The Move value as a JavaScript value (value/decoded.ts), by the modules of the state it was read from.
   * @throws {EngineError} `not-found` for a type that no module defines, or if the chain has been reverted since;
   * `limit-exceeded`; `malformed-bytes` if its module was upgraded with other fields.
   */
  get decoded(): DecodedValue {
    const layout = this.#decoder.layouts.layout(structType(this.#type));
    try {
      return decodedValue(annotate(layout, this.value));
    } catch (cause) {
      if (!(cause instanceof EngineError) || cause.code !== 'malformed-bytes') throw cause;
      const message = `the value of ${this.meta.id} does not decode as ${this.meta.objectType}: ${UNDECODABLE}`;
      throw new EngineError('malformed-bytes', message, { cause });
    }
  }

  override shown(): object {
    return withDecoded(this);
  }
}

/** The members of a result with its decoded value or, for bytes that do not decode, the reason. */
function withDecoded(value: { readonly decoded: DecodedValue }): object {
  try {
    return { ...value, decoded: value.decoded };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return error.code === 'malformed-bytes' ? { ...value, undecodable: error.message } : { ...value };
  }
}

/** An object as a query finds it, and where it was last touched. */
export interface FoundObject {
  readonly object: ObjectState;
  readonly position: Position;
}

/** An object and where it was last touched. */
export type IndexedObject = Omit<FoundObject, 'object'> & { readonly object: ObjectValue };

/** A field of an object: its key and the object that holds it. */
export interface FieldValue {
  readonly key: string;
  readonly object: ObjectValue;
}

export interface FoundField extends Field {
  readonly sortKey: bigint;
}

/** A field, its object and the integer it is sorted by. */
export interface IndexedField extends FieldValue {
  readonly sortKey: bigint;
}

function fieldValue({ key, object }: Field, decoder: Decoder): FieldValue {
  return { key: toHexPrefixed(key), object: new ObjectValue(object, decoder) };
}

/** A coin and how much of it an account has. */
export interface CoinAmount {
  readonly coinType: StructTag;
  readonly info: CoinInfo;
  /** In the coin's smallest unit. */
  readonly balance: bigint;
}

/** A coin and how much of it an account has. */
export type Balance = WithText<CoinAmount, 'coinType'>;

/** What the ledger knows of the transaction that emitted an event. */
export interface EventOrigin {
  readonly txHash: Uint8Array;
  readonly sender: Uint8Array;
  /** Milliseconds on the sequencer's clock. */
  readonly createdAt: bigint;
}

export type FoundEvent = EventRecord & EventOrigin;

/** An event under its handle. */
export type EventValue = WithText<Event, 'handle' | 'eventType'>;

function eventValue({ handle, eventSeq, eventType, eventData, eventIndex }: Event): EventValue {
  const names = { handle: formatObjectId(handle), eventSeq, eventType: structName(eventType) };
  return readableRecord({ ...names, eventData, eventIndex });
}

/** An event, its position, and what the ledger knows of its transaction. */
export class IndexedEvent extends LazyReadable {
  readonly position: Position;
  readonly event: EventValue;
  readonly txHash: string;
  readonly sender: string;
  /** Milliseconds on the sequencer's clock. */
  readonly createdAt: bigint;
  readonly #type: StructTag;
  readonly #decoder: Decoder;

  constructor({ position, event, txHash, sender, createdAt }: FoundEvent, decoder: Decoder) {
    super();
    this.position = position;
    this.event = eventValue(event);
    this.txHash = toHexPrefixed(txHash);
    this.sender = formatAddress(sender);
    this.createdAt = createdAt;
    this.#type = event.eventType;
    this.#decoder = decoder;
  }

  /**
   * The event's data as a JavaScript value (value/decoded.ts), by the modules of the state it was read from.
   * @throws {EngineError} `not-found` for a type that no module defines, or if the chain has been reverted since;
   * `limit-exceeded`, `malformed-bytes`.
   */
  get decoded(): DecodedValue {
    return decodedValue(annotate(this.#decoder.layouts.layout(structType(this.#type)), this.event.eventData));
  }

  override shown(): object {
    return withDecoded(this);
  }
}

/** The action of a transaction; its arguments are BCS. */
export type ActionValue =
  | {
      readonly kind: 'function';
      /** `<address>::<module>::<name>` */
      readonly function: string;
      readonly typeArguments: readonly string[];
      readonly arguments: readonly Uint8Array[];
    }
  | {
      readonly kind: 'script';
      readonly code: Uint8Array;
      readonly typeArguments: readonly string[];
      readonly arguments: readonly Uint8Array[];
    }
  | { readonly kind: 'modules'; readonly modules: readonly Uint8Array[] };

/** What a ledger's transaction is: a Bitcoin block, one of its transactions, or a signed transaction. */
export type LedgerTransactionValue =
  | ({ readonly kind: 'l1-block' } & WithText<L1Block, 'blockHash'>)
  | ({ readonly kind: 'l1-transaction' } & WithText<L1Transaction, 'blockHash' | 'txid'>)
  | ({ readonly kind: 'l2-transaction' } & Omit<SignedTransaction, 'data'> & {
        readonly data: Omit<TransactionData, 'sender' | 'action'> & {
          readonly sender: string;
          readonly action: ActionValue;
        };
      });

/** The place of a transaction in the ledger. */
export type SequenceInfoValue = Omit<SequenceInfo, 'txAccumulatorRoot' | 'txAccumulatorFrozenSubtreeRoots'> & {
  readonly txAccumulatorRoot: string;
  readonly txAccumulatorFrozenSubtreeRoots: readonly string[];
};

/** The outcome of a transaction. */
export type ExecutionInfoValue = Omit<WithText<ExecutionInfo, 'txHash' | 'stateRoot' | 'eventRoot'>, 'status'> & {
  readonly status: StatusOf<ExecutionInfo['status']>;
};

/** A transaction of the ledger with its outcome. */
export class TransactionValue extends Readable {
  readonly order: bigint;
  readonly transaction: { readonly data: LedgerTransactionValue; readonly sequenceInfo: SequenceInfoValue };
  readonly executionInfo: ExecutionInfoValue;

  constructor({ order, transaction: { data, sequenceInfo }, executionInfo: info }: TransactionRecord) {
    super();
    this.order = order;
    const { txAccumulatorRoot, txAccumulatorFrozenSubtreeRoots } = sequenceInfo;
    const place = {
      ...plainSequenceInfo(sequenceInfo),
      txAccumulatorRoot: '',
      txAccumulatorFrozenSubtreeRoots: [],
    };
    rootMember(place, 'txAccumulatorRoot', txAccumulatorRoot);
    rootMember(place, 'txAccumulatorFrozenSubtreeRoots', txAccumulatorFrozenSubtreeRoots);
    this.transaction = { data: ledgerTransactionValue(data), sequenceInfo: place };
    this.executionInfo = {
      txHash: toHexPrefixed(info.txHash),
      stateRoot: '',
      size: info.size,
      eventRoot: toHexPrefixed(info.eventRoot),
      gasUsed: info.gasUsed,
      status: statusValue(info.status),
    };
    rootMember(this.executionInfo, 'stateRoot', info.stateRoot);
  }

  /** The hash by which the transaction is found. */
  get hash(): string {
    return this.executionInfo.txHash;
  }
}

function ledgerTransactionValue(data: LedgerTransactionData): LedgerTransactionValue {
  switch (data.kind) {
    case 'l1-block':
      return { ...data, blockHash: bitcoinHash(data.blockHash) };
    case 'l1-transaction':
      return { ...data, blockHash: bitcoinHash(data.blockHash), txid: bitcoinHash(data.txid) };
    case 'l2-transaction': {
      const { sender, action } = data.data;
      return { ...data, data: { ...data.data, sender: formatAddress(sender), action: actionValue(action) } };
    }
  }
}

/** Bytes that are not as long as a hash are shown as plain hex. */
function bitcoinHash(bytes: Uint8Array): string {
  return bytes.length === 32 ? formatBitcoinHash(bytes) : toHexPrefixed(bytes);
}

function actionValue(action: Action): ActionValue {
  if (action.kind === 'modules') return action;
  const typeArguments = action.typeArguments.map(typeName);
  if (action.kind === 'script') return { ...action, typeArguments };
  const { address, module, name } = action.function;
  return { ...action, function: `${ownerName(address)}::${module}::${name}`, typeArguments };
}

export interface FoundUtxo extends Utxo {
  readonly object: ObjectState;
}

/** An unspent output and its owner. */
export interface OwnedUtxo extends WithText<Omit<Utxo, 'seals'>, 'txid'> {
  /** The ids of the objects that each protocol put on it, such as inscriptions. */
  readonly seals: readonly { readonly protocol: string; readonly objects: readonly string[] }[];
  readonly owner: string;
  readonly objectId: string;
}

function ownedUtxo({ txid, vout, value, seals, object }: FoundUtxo): OwnedUtxo {
  return readableRecord({
    txid: formatBitcoinHash(txid),
    vout,
    value,
    seals: seals.map((seal) => ({ ...seal, objects: seal.objects.map(formatObjectId) })),
    owner: formatAddress(object.meta.owner),
    objectId: formatObjectId(object.meta.id),
  });
}

export interface FoundInscription extends Inscription {
  readonly object: ObjectState;
}

/** An inscription and its owner. */
export interface OwnedInscription extends WithText<Omit<Inscription, 'location' | 'parents'>, 'id'> {
  readonly location: { readonly outpoint: string; readonly offset: bigint };
  /** As given in the envelope, never checked. */
  readonly parents: readonly string[];
  readonly owner: string;
  readonly objectId: string;
}

function ownedInscription({ object, ...value }: FoundInscription): OwnedInscription {
  const { outpoint, offset } = value.location;
  return readableRecord({
    ...value,
    id: formatInscriptionId(value.id),
    location: { outpoint: formatOutPoint(outpoint), offset },
    parents: value.parents.map(formatInscriptionId),
    owner: formatAddress(object.meta.owner),
    objectId: formatObjectId(object.meta.id),
  });
}

/** The header of a Bitcoin block. */
export type BlockHeaderValue = WithText<BlockHeader, 'previousHash' | 'merkleRoot'>;

function headerValue(header: BlockHeader): BlockHeaderValue {
  const { previousHash, merkleRoot } = header;
  return { ...header, previousHash: formatBitcoinHash(previousHash), merkleRoot: formatBitcoinHash(merkleRoot) };
}

/** A Bitcoin block known to the chain, confirmed or pending. */
export interface BlockValue extends WithText<Omit<KnownBlock, 'header'>, 'blockHash'> {
  readonly header: BlockHeaderValue;
}

export function blockValue({ blockHeight, blockHash, isConfirmed, header }: KnownBlock): BlockValue {
  const place = { blockHeight, blockHash: formatBitcoinHash(blockHash), isConfirmed };
  return readableRecord({ ...place, header: headerValue(header) });
}

/** A block that was mined for a test. */
export interface MinedBlockValue extends WithText<Omit<MinedBlock, 'header' | 'transactions'>, 'hash'> {
  readonly header: BlockHeaderValue;
  /** The coinbase first. */
  readonly transactions: readonly WithText<BitcoinTransaction, 'txid'>[];
}

export function minedBlockValue({ height, hash, header, transactions, bytes }: MinedBlock): MinedBlockValue {
  return readableRecord({
    height,
    hash: formatBitcoinHash(hash),
    header: headerValue(header),
    transactions: transactions.map((transaction) => ({ ...transaction, txid: formatBitcoinHash(transaction.txid) })),
    bytes,
  });
}

interface IngestedRecord {
  readonly record: TransactionRecord;
  readonly events: readonly EventRecord[] | undefined;
}

/** A ledger transaction of a Bitcoin block, and its events. A block has thousands, so each is made on access. */
export class Ingested extends LazyReadable {
  readonly #record: TransactionRecord;
  readonly #events: readonly EventRecord[] | undefined;
  readonly #source: ReaderSource;

  /** `events`: those that are in memory; undefined if they have to be read from the ledger. */
  constructor({ record, events }: IngestedRecord, source: ReaderSource) {
    super();
    this.#record = record;
    this.#events = events;
    this.#source = source;
  }

  get record(): TransactionValue {
    return new TransactionValue(this.#record);
  }

  /**
   * If a block has more than INGESTED_EVENTS_MAX events in total, they are read from the ledger.
   * @throws {EngineError} only then: `not-found` once the chain was reverted to before the transaction, `closed`
   */
  get events(): readonly { readonly position: Position; readonly event: EventValue }[] {
    const events = this.#events ?? this.#storedEvents();
    return events.map(({ position, event }) => ({ position, event: eventValue(event) }));
  }

  #storedEvents(): readonly EventRecord[] {
    const { rows } = this.#source.present();
    const { order, executionInfo } = this.#record;
    if (readTransactionOrder(rows, executionInfo.txHash) === order) return readEvents(rows, order);
    throw new EngineError(
      'not-found',
      `the transaction at order ${order} is gone: the chain was reverted to before it`,
    );
  }

  override shown(): object {
    return { record: this.record, events: this.events };
  }
}

/** The accumulator of all transactions up to a head. */
export type AccumulatorValue = Omit<AccumulatorInfo, 'root' | 'frozenSubtreeRoots'> & {
  readonly root: string;
  readonly frozenSubtreeRoots: readonly string[];
};

/** Where a chain stands after a commit. */
export class HeadValue extends Readable {
  readonly formatVersion: number;
  declare readonly genesisHash: string;
  readonly chainId: bigint;
  /** The order of the last transaction. */
  readonly order: bigint;
  declare readonly stateRoot: string;
  /** Number of objects. */
  readonly size: bigint;
  readonly accumulator: AccumulatorValue;
  /** Milliseconds on the sequencer's clock. */
  readonly timestamp: bigint;
  /** Roots of trees that a partial chain refers to and does not hold. */
  readonly unloadedRoots: readonly string[];

  private constructor(head: Head) {
    super();
    this.formatVersion = head.formatVersion;
    rootMember(this, 'genesisHash', head.genesisHash);
    this.chainId = head.chainId;
    this.order = head.order;
    rootMember(this, 'stateRoot', head.stateRoot);
    this.size = head.size;
    const { root, frozenSubtreeRoots, numLeaves, numNodes } = head.accumulator;
    this.accumulator = { root: '', frozenSubtreeRoots: [], numLeaves, numNodes };
    rootMember(this.accumulator, 'root', root);
    rootMember(this.accumulator, 'frozenSubtreeRoots', frozenSubtreeRoots);
    this.timestamp = head.timestamp;
    this.unloadedRoots = head.unloadedRoots.map(toHexPrefixed);
  }

  /** The same value for the same head, since it is read often. */
  static of(head: Head): HeadValue {
    let value = heads.get(head);
    if (value === undefined) {
      value = new HeadValue(head);
      heads.set(head, value);
    }
    return value;
  }
}

const heads = new WeakMap<Head, HeadValue>();

/** Results of queries for programs. */
export interface Values {
  readonly object: ObjectValue;
  readonly indexedObject: IndexedObject;
  readonly field: FieldValue;
  readonly indexedField: IndexedField;
  readonly balance: Balance;
  readonly event: IndexedEvent;
  readonly transaction: TransactionValue;
  readonly utxo: OwnedUtxo;
  readonly inscription: OwnedInscription;
  readonly hash: string;
}

/** Results of queries for internal use: the records as they were read. */
export interface Records {
  readonly object: ObjectState;
  readonly indexedObject: FoundObject;
  readonly field: Field;
  readonly indexedField: FoundField;
  readonly balance: CoinAmount;
  readonly event: FoundEvent;
  readonly transaction: TransactionRecord;
  readonly utxo: FoundUtxo;
  readonly inscription: FoundInscription;
  readonly hash: Uint8Array;
}

/** Makes the results of queries from records. */
export type Makers<Results extends Values | Records> = {
  readonly [Name in keyof Values]: (record: Records[Name], decoder: Decoder) => Results[Name];
};

export const VALUES: Makers<Values> = {
  object: (object, decoder) => new ObjectValue(object, decoder),
  indexedObject: ({ object, position }, decoder) =>
    readableRecord({ object: new ObjectValue(object, decoder), position }),
  field: (field, decoder) => readableRecord(fieldValue(field, decoder)),
  indexedField: (field, decoder) => readableRecord({ ...fieldValue(field, decoder), sortKey: field.sortKey }),
  balance: ({ coinType, info, balance }) => readableRecord({ coinType: structName(coinType), info, balance }),
  event: (event, decoder) => new IndexedEvent(event, decoder),
  transaction: (record) => new TransactionValue(record),
  utxo: ownedUtxo,
  inscription: ownedInscription,
  hash: toHexPrefixed,
};

const same = <T>(record: T): T => record;

export const RECORDS: Makers<Records> = {
  object: same,
  indexedObject: same,
  field: same,
  indexedField: same,
  balance: same,
  event: same,
  transaction: same,
  utxo: same,
  inscription: same,
  hash: same,
};
