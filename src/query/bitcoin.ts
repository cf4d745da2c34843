/**
 * UTXOs and inscriptions: by owner, by outpoint or inscription id, by object id, or all, in the order in which they
 * were last touched.
 *
 * A partial chain refers to trees of UTXOs and inscriptions that it does not hold, and its index of them is incomplete:
 * queries that need them are refused rather than answered from whatever happens to be there.
 * Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */

import { argumentError, assertMembers, eachOf, U64 } from '../base/argument.ts';
import { decode } from '../base/bcs/codec.ts';
import { EngineError } from '../base/error.ts';
import { type BlockHeightHash, bitcoinBlockStore, pendingStore } from '../bitcoin/block-store.ts';
import type { BlockHeader } from '../bitcoin/header.ts';
import { type Inscription, inscription } from '../bitcoin/inscription.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { type SatPoint, type Seal, type Utxo, utxo } from '../bitcoin/outpoint.ts';
import { type ObjectClass, objectClassByte } from '../chain/index/objects.ts';
import { formatObjectId, type ObjectId } from '../chain/object/object-id.ts';
import type { ObjectState } from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import { type AddressInput, AddressValue, toAddress } from '../chain/value/address.ts';
import {
  type BitcoinHashInput,
  BitcoinHashValue,
  type InscriptionIdInput,
  InscriptionIdValue,
  type OutPointInput,
  OutPointValue,
  toBitcoinHash,
  toInscriptionId,
  toOutPoint,
} from '../chain/value/bitcoin-hash.ts';
import { headerValue } from '../chain/value/mined-block.ts';
import { type ObjectIdInput, ObjectIdValue, toObjectId } from '../chain/value/object-id.ts';
import { Readable } from '../chain/value/readable.ts';
import {
  ADDRESS_MAPPING_ID,
  addressMappingField,
  addressMappingKey,
} from '../execution/bitcoin-move/address-mapping.ts';
import { type BlockReference, findBlock, type KnownBlock } from '../execution/bitcoin-move/known-block.ts';
import {
  BLOCK_STORE_ID,
  followedNetwork,
  INSCRIPTION_STORE_ID,
  inscriptionObjectId,
  PENDING_STORE_ID,
  UTXO_STORE_ID,
  utxoObjectId,
} from '../execution/bitcoin-move/object-id.ts';
import { type Address, isSystemAddress } from '../move/address.ts';
import type { Position } from '../store/column.ts';
import { assertClass, type FoundObject, indexedObjects, objectsById } from './object.ts';
import { mapPage, type Page, type PageOptions, type PageRequest, toPage } from './page.ts';
import { type Reader, type ReaderSource, readHeld } from './reader.ts';

/** Which Bitcoin objects: all, those of an owner, or those named. */
export type BitcoinFilter<Id> =
  | { readonly kind: 'all' }
  | { readonly kind: 'owner'; readonly owner: AddressInput }
  | { readonly kind: 'id'; readonly id: Id }
  | { readonly kind: 'object-ids'; readonly ids: readonly ObjectIdInput[] };

/** Which UTXOs a query returns. */
export type UtxoFilter = BitcoinFilter<OutPointInput>;
/** Which inscriptions a query returns. */
export type InscriptionFilter = BitcoinFilter<InscriptionIdInput>;

/** A parsed filter, with object ids for everything named. */
type ReadFilter =
  | { readonly kind: 'all' }
  | { readonly kind: 'owner'; readonly owner: Address }
  | { readonly kind: 'object-ids'; readonly ids: readonly ObjectId[] };

function toFilter<Id>(filter: BitcoinFilter<Id>, idOf: (id: Id, name: string) => ObjectId): ReadFilter {
  if (typeof filter === 'object' && filter !== null) assertMembers(filter, ['kind', 'owner', 'id', 'ids'], 'filter.');
  switch (filter?.kind) {
    case 'all':
      return filter;
    case 'owner':
      return { kind: 'owner', owner: toAddress(filter.owner, 'filter.owner') };
    case 'id':
      return { kind: 'object-ids', ids: [idOf(filter.id, 'filter.id')] };
    case 'object-ids':
      return { kind: 'object-ids', ids: eachOf(filter.ids, 'filter.ids', toObjectId) };
    default:
      throw argumentError('filter', "an object with a kind: 'all', 'owner', 'id' or 'object-ids'", filter);
  }
}

const ALL = { kind: 'all' } as const;

/** The newest blocks that the chain knows. */
export interface BitcoinStatus {
  readonly confirmed: BlockHeightHash | undefined;
  readonly pending: BlockHeightHash | undefined;
}

/** An unspent output and who owns it. */
export class OwnedUtxo extends Readable implements Utxo {
  readonly txid: BitcoinHashValue;
  readonly vout: number;
  readonly value: bigint;
  readonly seals: readonly Seal[];
  readonly owner: AddressValue;
  readonly objectId: ObjectIdValue;
  readonly #object: ObjectState;

  constructor(object: ObjectState) {
    super();
    const { txid, vout, value, seals } = decode(utxo, object.value);
    this.txid = new BitcoinHashValue(txid);
    this.vout = vout;
    this.value = value;
    this.seals = seals.map((seal) => ({ ...seal, objects: seal.objects.map((id) => new ObjectIdValue(id)) }));
    this.owner = new AddressValue(object.meta.owner);
    this.objectId = new ObjectIdValue(object.meta.id);
    this.#object = object;
  }

  /** The object that it is on the chain. Do not write to its bytes: the engine has them too. */
  get object(): ObjectState {
    return this.#object;
  }
}

/** An inscription and who owns it. */
export class OwnedInscription extends Readable implements Inscription {
  readonly id: InscriptionIdValue;
  readonly location: SatPoint;
  readonly sequenceNumber: number;
  readonly inscriptionNumber: number;
  readonly isCursed: boolean;
  readonly charms: number;
  readonly body: Uint8Array;
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata: Uint8Array;
  readonly metaprotocol: string | undefined;
  readonly parents: readonly InscriptionIdValue[];
  readonly pointer: bigint | undefined;
  readonly rune: bigint | undefined;
  readonly owner: AddressValue;
  readonly objectId: ObjectIdValue;
  readonly #object: ObjectState;

  constructor(object: ObjectState) {
    super();
    const value = decode(inscription, object.value);
    const { outpoint, offset } = value.location;
    this.id = new InscriptionIdValue(value.id);
    this.location = { outpoint: new OutPointValue(outpoint), offset };
    this.sequenceNumber = value.sequenceNumber;
    this.inscriptionNumber = value.inscriptionNumber;
    this.isCursed = value.isCursed;
    this.charms = value.charms;
    this.body = value.body;
    this.contentEncoding = value.contentEncoding;
    this.contentType = value.contentType;
    this.metadata = value.metadata;
    this.metaprotocol = value.metaprotocol;
    this.parents = value.parents.map((id) => new InscriptionIdValue(id));
    this.pointer = value.pointer;
    this.rune = value.rune;
    this.owner = new AddressValue(object.meta.owner);
    this.objectId = new ObjectIdValue(object.meta.id);
    this.#object = object;
  }

  /** The object that it is on the chain. Do not write to its bytes: the engine has them too. */
  get object(): ObjectState {
    return this.#object;
  }
}

/** A list item: the result of a single look-up, plus where it was last touched. */
export type Indexed<T> = T & { readonly position: Position };

export class BitcoinQueries {
  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /**
   * Unspent outputs, by default all of them, newest first.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  async utxos(filter: UtxoFilter = ALL, page?: PageOptions<Position>): Promise<Page<Indexed<OwnedUtxo>, Position>> {
    const read = toFilter(filter, (id, name) => utxoObjectId(toOutPoint(id, name)));
    const request = toPage(page);
    return readHeld(this.#source, async (reader) => {
      const found = await query(reader, 'utxo', UTXO_STORE_ID, read, request);
      return mapPage(found, ({ object, position }) => Object.assign(new OwnedUtxo(object), { position }));
    });
  }

  /**
   * Inscriptions, by default all of them, newest first.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  async inscriptions(
    filter: InscriptionFilter = ALL,
    page?: PageOptions<Position>,
  ): Promise<Page<Indexed<OwnedInscription>, Position>> {
    const read = toFilter(filter, (id, name) => inscriptionObjectId(toInscriptionId(id, name)));
    const request = toPage(page);
    return readHeld(this.#source, async (reader) => {
      const found = await query(reader, 'inscription', INSCRIPTION_STORE_ID, read, request);
      return mapPage(found, ({ object, position }) => Object.assign(new OwnedInscription(object), { position }));
    });
  }

  /**
   * The unspent output of an outpoint.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  utxo(outpoint: OutPointInput): OwnedUtxo | undefined {
    const object = this.#source.current().state.object(utxoObjectId(toOutPoint(outpoint, 'outpoint')));
    return object === undefined ? undefined : new OwnedUtxo(object);
  }

  /**
   * The inscription of an id.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  inscription(id: InscriptionIdInput): OwnedInscription | undefined {
    const object = this.#source.current().state.object(inscriptionObjectId(toInscriptionId(id, 'id')));
    return object === undefined ? undefined : new OwnedInscription(object);
  }

  /**
   * A confirmed or pending block, by hash or height.
   * @throws {EngineError} `invalid-argument` for anything else.
   */
  block(reference: BlockReference): KnownBlock | undefined {
    const block = findBlock(this.#source.current().state, toBlockReference(reference, 'reference'));
    return block === undefined ? undefined : new BlockValue(block);
  }

  /** The header of a confirmed or pending block, by hash or height. */
  header(reference: BlockReference): BlockHeader | undefined {
    return this.block(reference)?.header;
  }

  /** The Bitcoin network that the chain follows. */
  network(): BitcoinNetwork {
    return followedNetwork(this.#source.current().state);
  }

  /**
   * The Bitcoin address behind a node address, in its internal form; undefined for system addresses and for those whose
   * Bitcoin address the chain has not seen or does not hold.
   */
  addressOf(owner: AddressInput): Uint8Array | undefined {
    return bitcoinAddressOf(this.#source.current(), toAddress(owner, 'owner'));
  }

  status(): BitcoinStatus {
    const { state } = this.#source.current();
    const blocks = state.object(BLOCK_STORE_ID);
    const pending = state.object(PENDING_STORE_ID);
    return {
      confirmed: named(blocks === undefined ? undefined : decode(bitcoinBlockStore, blocks.value).latestBlock),
      pending: named(pending === undefined ? undefined : decode(pendingStore, pending.value).bestBlock),
    };
  }
}

/** A block known to the chain, as programs get it. */
class BlockValue extends Readable implements KnownBlock {
  readonly blockHeight: bigint;
  readonly blockHash: BitcoinHashValue;
  readonly isConfirmed: boolean;
  readonly header: BlockHeader;

  constructor({ blockHeight, blockHash, isConfirmed, header }: KnownBlock) {
    super();
    this.blockHeight = blockHeight;
    this.blockHash = new BitcoinHashValue(blockHash);
    this.isConfirmed = isConfirmed;
    this.header = headerValue(header);
  }
}

function named(block: BlockHeightHash | undefined): BlockHeightHash | undefined {
  return block === undefined ? undefined : { ...block, blockHash: new BitcoinHashValue(block.blockHash) };
}

/** @throws {EngineError} `invalid-argument` for anything that is neither a height nor a hash */
export function toBlockReference(given: BlockReference, name: string): BlockReference {
  const [, isU64] = U64;
  const isHeight = isU64(given) || (Number.isSafeInteger(given) && Number(given) >= 0);
  return isHeight ? given : toBitcoinHash(given as BitcoinHashInput, name, 'a height below 2^64, or a block hash');
}

function bitcoinAddressOf(reader: Reader, owner: Address): Uint8Array | undefined {
  if (isSystemAddress(owner) || !isLoaded(reader.state, ADDRESS_MAPPING_ID)) return undefined;
  const field = reader.state.field(ADDRESS_MAPPING_ID, addressMappingKey(owner));
  return field === undefined ? undefined : decode(addressMappingField, field.value).bitcoinAddress;
}

function isLoaded(state: State, id: ObjectId): boolean {
  const object = state.object(id);
  return object !== undefined && state.isLoaded(object);
}

function query(
  reader: Reader,
  kind: Exclude<ObjectClass, 'object'>,
  store: ObjectId,
  filter: ReadFilter,
  page: PageRequest<Position>,
): Promise<Page<FoundObject, Position>> {
  const classByte = objectClassByte(kind);
  switch (filter.kind) {
    case 'all':
      assertLoaded(reader.state, store);
      return indexedObjects(reader, 'objectByPosition', [classByte], page);
    case 'owner':
      assertLoaded(reader.state, store);
      return indexedObjects(reader, 'objectByOwner', [classByte, filter.owner], page);
    case 'object-ids':
      return Promise.resolve(objectsOfClass(reader, kind, filter.ids, page));
  }
}

function objectsOfClass(
  reader: Reader,
  kind: ObjectClass,
  ids: readonly ObjectId[],
  page: PageRequest<Position>,
): Page<FoundObject, Position> {
  const found = objectsById(reader, ids, page);
  for (const { object } of found.data) assertClass(object, kind);
  return found;
}

function assertLoaded(state: State, id: ObjectId): void {
  if (isLoaded(state, id)) return;
  throw new EngineError(
    'state-not-loaded',
    `the objects of ${formatObjectId(id)} are not part of this chain's data: the network imported them before genesis`,
  );
}
