/**
 * UTXOs and inscriptions: by owner, by outpoint or inscription id, by object id, or all, in the order in which they
 * were last touched.
 *
 * A partial chain refers to trees of UTXOs and inscriptions that it does not hold, and its index of them is incomplete:
 * queries that need them are refused rather than answered from whatever happens to be there.
 * Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */

import { A_U64, listOf, type ReadOf, readByKind } from '../base/argument.ts';
import { decode } from '../base/bcs.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, formatBitcoinAddress, toAddress } from '../bitcoin/address.ts';
import { type BlockHeightHash, bitcoinBlockStore, pendingStore } from '../bitcoin/block-store.ts';
import { type BitcoinHashInput, formatBitcoinHash, toBitcoinHash } from '../bitcoin/hash.ts';
import { type InscriptionIdInput, inscription, toInscriptionId } from '../bitcoin/inscription.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { type OutPointInput, toOutPoint, utxo } from '../bitcoin/outpoint.ts';
import { objectClassByte } from '../chain/index/objects.ts';
import { formatObjectId, type ObjectId, type ObjectIdInput, toObjectId } from '../chain/object/object-id.ts';
import type { ObjectState } from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import {
  ADDRESS_MAPPING_ID,
  addressMappingField,
  addressMappingKey,
} from '../execution/bitcoin-move/address-mapping.ts';
import { type BlockReference, findBlock } from '../execution/bitcoin-move/known-block.ts';
import {
  BLOCK_STORE_ID,
  followedNetwork,
  INSCRIPTION_STORE_ID,
  inscriptionObjectId,
  PENDING_STORE_ID,
  UTXO_STORE_ID,
  utxoObjectId,
} from '../execution/bitcoin-move/object-id.ts';
import { isSystemAddress } from '../move/address.ts';
import type { Position } from '../store/column.ts';
import { assertClass, indexedObjects, objectsById } from './object.ts';
import { followed, mapPage, type Page, type PageOptions, type PageRequest, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';
import {
  type BlockHeaderValue,
  type BlockValue,
  blockValue,
  type FoundInscription,
  type FoundObject,
  type FoundUtxo,
  type Makers,
  type Records,
  type Values,
  type WithText,
} from './values.ts';

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

/** @param idOf the object that `id` names */
const filtersBy = <Id>(idOf: (id: Id, name: string) => ObjectId) => ({
  all: {},
  owner: { owner: toAddress },
  id: { id: idOf },
  'object-ids': { ids: listOf(toObjectId) },
});

const UTXO_FILTERS = filtersBy((id: OutPointInput, name) => utxoObjectId(toOutPoint(id, name)));
const INSCRIPTION_FILTERS = filtersBy((id: InscriptionIdInput, name) => inscriptionObjectId(toInscriptionId(id, name)));

type ReadFilter = ReadOf<typeof UTXO_FILTERS>;

const ALL = { kind: 'all' } as const;

/** A block that the chain knows of. */
export type BlockPlace = WithText<BlockHeightHash, 'blockHash'>;

/** The newest blocks that the chain knows. */
export interface BitcoinStatus {
  readonly confirmed: BlockPlace | undefined;
  readonly pending: BlockPlace | undefined;
}

/** A list item: the result of a single look-up, plus where it was last touched. */
export type Indexed<T> = T & { readonly position: Position };

export class BitcoinQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(BitcoinQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;

  constructor(source: ReaderSource, make: Makers<Results>) {
    this.#source = source;
    this.#make = make;
  }

  /**
   * Unspent outputs, by default all of them, newest first.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  async utxos(
    filter: UtxoFilter = ALL,
    page?: PageOptions<Position>,
  ): Promise<Page<Indexed<Results['utxo']>, Position>> {
    const read = readByKind(filter, 'filter', UTXO_FILTERS);
    const make = (object: ObjectState, decoder: Decoder) => this.#make.utxo(utxoOf(object), decoder);
    const listed = await this.#listed('utxo', read, toPage(page), make);
    return followed(listed, (cursor) => this.utxos(filter, { ...page, cursor }));
  }

  /**
   * Inscriptions, by default all of them, newest first.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  async inscriptions(
    filter: InscriptionFilter = ALL,
    page?: PageOptions<Position>,
  ): Promise<Page<Indexed<Results['inscription']>, Position>> {
    const read = readByKind(filter, 'filter', INSCRIPTION_FILTERS);
    const make = (object: ObjectState, decoder: Decoder) => this.#make.inscription(inscriptionOf(object), decoder);
    const listed = await this.#listed('inscription', read, toPage(page), make);
    return followed(listed, (cursor) => this.inscriptions(filter, { ...page, cursor }));
  }

  #listed<T>(
    kind: BitcoinClass,
    filter: ReadFilter,
    page: PageRequest<Position>,
    make: (object: ObjectState, decoder: Decoder) => T,
  ): Promise<Page<Indexed<T>, Position>> {
    return readHeld(this.#source, async (reader) => {
      const found = await query(reader, kind, filter, page);
      const decoder = new Decoder(this.#source, reader.state);
      return mapPage(
        found,
        ({ object, position }) => Object.assign(make(object, decoder) as object, { position }) as Indexed<T>,
      );
    });
  }

  /**
   * The unspent output of an outpoint.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  utxo(outpoint: OutPointInput): Results['utxo'] | undefined {
    const { state } = this.#source.current();
    const object = state.object(utxoObjectId(toOutPoint(outpoint, 'outpoint')));
    return object && this.#make.utxo(utxoOf(object), new Decoder(this.#source, state));
  }

  /**
   * The inscription of an id.
   * @throws {EngineError} `invalid-argument`, `state-not-loaded` on a partial chain.
   */
  inscription(id: InscriptionIdInput): Results['inscription'] | undefined {
    const { state } = this.#source.current();
    const object = state.object(inscriptionObjectId(toInscriptionId(id, 'id')));
    return object && this.#make.inscription(inscriptionOf(object), new Decoder(this.#source, state));
  }

  /**
   * A confirmed or pending block, by hash or height.
   * @throws {EngineError} `invalid-argument` for anything else.
   */
  block(reference: BlockReference): BlockValue | undefined {
    const block = findBlock(this.#source.current().state, toBlockReference(reference, 'reference'));
    return block && blockValue(block);
  }

  /** The header of a confirmed or pending block, by hash or height. */
  header(reference: BlockReference): BlockHeaderValue | undefined {
    return this.block(reference)?.header;
  }

  /** The Bitcoin network that the chain follows. */
  network(): BitcoinNetwork {
    return followedNetwork(this.#source.current().state);
  }

  /**
   * The Bitcoin address behind a node address, as text of the network that the chain follows; undefined for system
   * addresses and for those whose Bitcoin address the chain has not seen or does not hold.
   */
  addressOf(owner: AddressInput): string | undefined {
    const { state } = this.#source.current();
    const address = toAddress(owner, 'owner');
    if (isSystemAddress(address) || !isLoaded(state, ADDRESS_MAPPING_ID)) return undefined;
    const field = state.field(ADDRESS_MAPPING_ID, addressMappingKey(address));
    return field && formatBitcoinAddress(decode(addressMappingField, field.value).bitcoinAddress, this.network());
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

function utxoOf(object: ObjectState): FoundUtxo {
  return { ...decode(utxo, object.value), object };
}

function inscriptionOf(object: ObjectState): FoundInscription {
  return { ...decode(inscription, object.value), object };
}

function named(block: BlockHeightHash | undefined): BlockPlace | undefined {
  return block === undefined ? undefined : { ...block, blockHash: formatBitcoinHash(block.blockHash) };
}

/** @throws {EngineError} `invalid-argument` for anything that is neither a height nor a hash */
export function toBlockReference(given: BlockReference, name: string): BlockReference {
  const [, isU64] = A_U64;
  const isHeight = isU64(given) || (Number.isSafeInteger(given) && Number(given) >= 0);
  return isHeight ? given : toBitcoinHash(given as BitcoinHashInput, name, 'a height below 2^64, or a block hash');
}

function isLoaded(state: State, id: ObjectId): boolean {
  const object = state.object(id);
  return object !== undefined && state.isLoaded(object.meta);
}

/** The parents of all objects of a class. */
const STORES = { utxo: UTXO_STORE_ID, inscription: INSCRIPTION_STORE_ID };
type BitcoinClass = keyof typeof STORES;

function query(
  reader: Reader,
  kind: BitcoinClass,
  filter: ReadFilter,
  page: PageRequest<Position>,
): Promise<Page<FoundObject, Position>> {
  const classByte = objectClassByte(kind);
  switch (filter.kind) {
    case 'all':
      assertLoaded(reader.state, STORES[kind]);
      return indexedObjects(reader, 'objectByPosition', [classByte], page);
    case 'owner':
      assertLoaded(reader.state, STORES[kind]);
      return indexedObjects(reader, 'objectByOwner', [classByte, filter.owner], page);
    case 'id':
      return Promise.resolve(objectsOfClass(reader, kind, [filter.id], page));
    case 'object-ids':
      return Promise.resolve(objectsOfClass(reader, kind, filter.ids, page));
  }
}

function objectsOfClass(
  reader: Reader,
  kind: BitcoinClass,
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
