/**
 * UTXOs and inscriptions: by owner, by outpoint or inscription id, by object id, or all, in the order in which they
 * were last touched.
 *
 * A partial chain names trees of UTXOs and inscriptions that it does not hold, and their index is not complete: every
 * query that would need them is refused, never answered with what happens to be there.
 * Source: spec/rpc.md 8.13 and 8.14.
 * @module
 */
import { decode } from '../bcs/codec.ts';
import { type BlockHeightHash, bitcoinBlockStore, pendingStore } from '../bitcoin/block-store.ts';
import type { BlockHeader } from '../bitcoin/header.ts';
import { type Inscription, inscription } from '../bitcoin/inscription.ts';
import { type InscriptionId, parseInscriptionId } from '../bitcoin/inscription-id.ts';
import type { MinedBlock, MineOptions } from '../bitcoin/mine.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { type OutPoint, parseOutPoint } from '../bitcoin/outpoint.ts';
import { type Utxo, utxo } from '../bitcoin/utxo.ts';
import { ADDRESS_MAPPING_ID, addressMappingField, addressMappingKey } from '../bitcoin-move/address-mapping.ts';
import { type BlockReference, findBlock, type KnownBlock } from '../bitcoin-move/known-block.ts';
import { followedNetwork } from '../bitcoin-move/network.ts';
import {
  BLOCK_STORE_ID,
  INSCRIPTION_STORE_ID,
  inscriptionObjectId,
  PENDING_STORE_ID,
  UTXO_STORE_ID,
  utxoObjectId,
} from '../bitcoin-move/object-id.ts';
import { EngineError } from '../error.ts';
import { type ObjectClass, objectClassByte } from '../index/objects.ts';
import { type Address, isSystemAddress } from '../move/address.ts';
import { formatObjectId, type ObjectId } from '../object/object-id.ts';
import type { State } from '../state/state.ts';
import type { Position } from '../store/column.ts';
import { assertClass, type IndexedObject, indexedObjects, objectsById } from './object.ts';
import { assertPage, type Page, type PageRequest } from './page.ts';
import type { Reader, ReaderSource } from './reader.ts';

export type BitcoinFilter<Id> =
  | { readonly kind: 'all' }
  | { readonly kind: 'owner'; readonly owner: Address }
  | { readonly kind: 'id'; readonly id: Id }
  | { readonly kind: 'object-ids'; readonly ids: readonly ObjectId[] };

export type UtxoFilter = BitcoinFilter<OutPoint>;
export type InscriptionFilter = BitcoinFilter<InscriptionId>;

/** The newest blocks that the chain knows. */
export interface BitcoinStatus {
  readonly confirmed: BlockHeightHash | undefined;
  readonly pending: BlockHeightHash | undefined;
}

/** An unspent output and who owns it. */
export interface OwnedUtxo extends Utxo {
  readonly owner: Address;
  readonly objectId: ObjectId;
}

/** An inscription and who owns it. */
export interface OwnedInscription extends Inscription {
  readonly owner: Address;
  readonly objectId: ObjectId;
}

/** What mines on the chain; the engine gives it, since queries know nothing that writes. */
export type Miner<O extends MineOptions = MineOptions> = (options: O) => Promise<MinedBlock>;

export class BitcoinQueries<O extends MineOptions = MineOptions> {
  /**
   * Mines a block for a test on the best block, or on another one, and ingests it:
   * `await engine.bitcoin.mine({ to: address, transactions: [spend(...)] })`.
   * @throws {EngineError} as `Engine.ingest`; `not-found` for a parent that is not known.
   */
  readonly mine: Miner<O>;
  readonly #source: ReaderSource;

  constructor(source: ReaderSource, mine: Miner<O>) {
    this.#source = source;
    this.mine = mine;
  }

  /** @throws {EngineError} `state-not-loaded` on a partial chain. */
  async utxos(filter: UtxoFilter, page: PageRequest<Position>): Promise<Page<IndexedObject, Position>> {
    assertPage(page);
    return this.#source.read((reader) => query(reader, 'utxo', UTXO_STORE_ID, filter, utxoObjectId, page));
  }

  /** @throws {EngineError} `state-not-loaded` on a partial chain. */
  async inscriptions(filter: InscriptionFilter, page: PageRequest<Position>): Promise<Page<IndexedObject, Position>> {
    assertPage(page);
    return this.#source.read((reader) =>
      query(reader, 'inscription', INSCRIPTION_STORE_ID, filter, inscriptionObjectId, page),
    );
  }

  /**
   * The unspent output of an outpoint, also given as `<txid>:<vout>`.
   * @throws {EngineError} `malformed-bytes` for text that is none, `state-not-loaded` on a partial chain.
   */
  utxo(outpoint: OutPoint | string): OwnedUtxo | undefined {
    const named = typeof outpoint === 'string' ? parseOutPoint(outpoint) : outpoint;
    const object = this.#source.current().state.object(utxoObjectId(named));
    if (object === undefined) return undefined;
    return { ...decode(utxo, object.value), owner: object.meta.owner, objectId: object.meta.id };
  }

  /**
   * The inscription of an id, also given as `<txid>i<index>`.
   * @throws {EngineError} `malformed-bytes` for text that is none, `state-not-loaded` on a partial chain.
   */
  inscription(id: InscriptionId | string): OwnedInscription | undefined {
    const named = typeof id === 'string' ? parseInscriptionId(id) : id;
    const object = this.#source.current().state.object(inscriptionObjectId(named));
    if (object === undefined) return undefined;
    return { ...decode(inscription, object.value), owner: object.meta.owner, objectId: object.meta.id };
  }

  /**
   * A confirmed or pending block, by hash or height.
   * @throws {EngineError} `invalid-argument`, `malformed-bytes` for what is neither.
   */
  block(reference: BlockReference): KnownBlock | undefined {
    return findBlock(this.#source.current().state, reference);
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
  addressOf(owner: Address): Uint8Array | undefined {
    return bitcoinAddressOf(this.#source.current(), owner);
  }

  status(): BitcoinStatus {
    const { state } = this.#source.current();
    const blocks = state.object(BLOCK_STORE_ID);
    const pending = state.object(PENDING_STORE_ID);
    return {
      confirmed: blocks === undefined ? undefined : decode(bitcoinBlockStore, blocks.value).latestBlock,
      pending: pending === undefined ? undefined : decode(pendingStore, pending.value).bestBlock,
    };
  }
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

function query<Id>(
  reader: Reader,
  kind: Exclude<ObjectClass, 'object'>,
  store: ObjectId,
  filter: BitcoinFilter<Id>,
  objectIdOf: (id: Id) => ObjectId,
  page: PageRequest<Position>,
): Promise<Page<IndexedObject, Position>> {
  const classByte = objectClassByte(kind);
  switch (filter.kind) {
    case 'all':
      assertLoaded(reader.state, store);
      return indexedObjects(reader, 'objectByPosition', [classByte], page);
    case 'owner':
      assertLoaded(reader.state, store);
      return indexedObjects(reader, 'objectByOwner', [classByte, filter.owner], page);
    case 'id':
      return Promise.resolve(named(reader, kind, [objectIdOf(filter.id)], page));
    case 'object-ids':
      return Promise.resolve(named(reader, kind, filter.ids, page));
  }
}

function named(
  reader: Reader,
  kind: ObjectClass,
  ids: readonly ObjectId[],
  page: PageRequest<Position>,
): Page<IndexedObject, Position> {
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
