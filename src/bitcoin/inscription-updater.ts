/**
 * The inscription state that each transaction of a block passes to the next. The chain keeps it as a field of the pending
 * block, under the type's canonical name; the coinbase, processed last, removes it.
 * Source: inscription_updater.move of the reference.
 *
 * The number of inscriptions that a transaction creates and moves is limited. Seven witness bytes make an inscription, and
 * a small transaction may move all inscriptions on the outputs it spends; a block may have many such transactions, which no
 * node can process without a limit. Inscriptions beyond it are omitted permanently: an envelope then creates no inscription,
 * and an inscription that would move stays at its last location, which no output lists any more. After the first one that
 * does not fit, none does, so the omitted ones are always the end of the transaction's sequence: the inscriptions on its
 * inputs, then its envelopes, each in order.
 *
 * The limits are far beyond any block so far: see TRANSACTION_INSCRIPTION_BYTES_MAX and BLOCK_INSCRIPTION_BYTES_MAX.
 * @module
 */
import { bool, type Codec, encodeInPlace, option, string, struct, u32, u64, vector } from '../base/bcs.ts';
import { concatBytes } from '../base/bytes/bytes.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { BLOCK_INSCRIPTION_BYTES_MAX, TRANSACTION_INSCRIPTION_BYTES_MAX } from '../base/config.ts';
import { contentLength, type Envelope, envelope } from './envelope.ts';
import { type InscriptionId, type InscriptionStore, inscriptionId } from './inscription.ts';
import { subsidyOf } from './network.ts';
import { bitcoinTypeName, INSCRIPTION_PROTOCOL } from './object-key.ts';
import { type SatPoint, satPoint } from './outpoint.ts';

/** `0x4::inscription_updater::InscriptionUpdater`: a copy of the store's counts, and the inscriptions in transit. */
export interface InscriptionUpdater extends InscriptionStore {
  readonly blockHeight: bigint;
  /** Inscriptions that went to fees; offsets count from the start of the coinbase's row. */
  readonly flotsams: readonly Flotsam[];
  /** Subsidy and fees so far, in satoshis. */
  readonly reward: bigint;
}

/** `0x4::inscription_updater::Flotsam`: an inscription in transit, from `old` or, if it is new, as `revealed`. */
export interface Flotsam {
  readonly id: InscriptionId;
  /** Counted from the start of a row of satoshis. */
  readonly offset: bigint;
  readonly revealed: Revealed | undefined;
  readonly old: SatPoint | undefined;
}

/** `0x4::inscription_updater::FlotsamNew`: a new inscription that has no location yet. */
export interface Revealed {
  readonly isCursed: boolean;
  readonly isReinscription: boolean;
  readonly isUnbound: boolean;
  readonly isVindicated: boolean;
  readonly envelope: Envelope;
}

/** The field of a pending block that holds the updater, as a Move `String` key. */
export const INSCRIPTION_UPDATER_KEY: string = bitcoinTypeName('inscription_updater', 'InscriptionUpdater');

/** The initial value, for the first transaction of a block. */
export function startBlock(height: number, store: InscriptionStore): InscriptionUpdater {
  return { ...countsOf(store), blockHeight: BigInt(height), flotsams: [], reward: subsidyOf(height) };
}

/** The counters that each transaction writes back to the store, after its moves. */
export function countsOf(counts: InscriptionStore): InscriptionStore {
  return {
    cursedInscriptionCount: counts.cursedInscriptionCount,
    blessedInscriptionCount: counts.blessedInscriptionCount,
    unboundInscriptionCount: counts.unboundInscriptionCount,
    lostSats: counts.lostSats,
    nextSequenceNumber: counts.nextSequenceNumber,
  };
}

/** On chain, the envelope's fields that the updater reads are repeated beside it, along with two that are never set. */
interface StoredRevealed extends Revealed {
  readonly fee: bigint;
  readonly hidden: boolean;
  readonly parents: readonly InscriptionId[];
  readonly pointer: bigint | undefined;
}

const storedRevealed: Codec<StoredRevealed> = struct({
  isCursed: bool,
  fee: u64,
  hidden: bool,
  parents: vector(inscriptionId),
  pointer: option(u64),
  isReinscription: bool,
  isUnbound: bool,
  isVindicated: bool,
  envelope,
});

const revealedCodec: Codec<Revealed> = {
  write: (writer, value) => {
    const { parents, pointer } = value.envelope.payload;
    storedRevealed.write(writer, { ...value, fee: 0n, hidden: false, parents, pointer });
  },
  read: (reader) => {
    const { isCursed, isReinscription, isUnbound, isVindicated, envelope: found } = storedRevealed.read(reader);
    return { isCursed, isReinscription, isUnbound, isVindicated, envelope: found };
  },
};

export const flotsam: Codec<Flotsam> = struct({
  id: inscriptionId,
  offset: u64,
  revealed: option(revealedCodec),
  old: option(satPoint),
});

/** The items of a vector of flotsams, still encoded. */
export interface PackedFlotsams {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/**
 * An updater as the chain keeps it. Of the thousands of transactions that rewrite it, only the coinbase needs the flotsams;
 * the others append to them in encoded form.
 */
export interface StoredUpdater extends Omit<InscriptionUpdater, 'flotsams'> {
  readonly flotsams: PackedFlotsams;
}

export const NO_FLOTSAMS: PackedFlotsams = { count: 0, bytes: new Uint8Array(0) };

/** `packed`, and `more` after it. */
export function appendFlotsams(packed: PackedFlotsams, more: readonly Flotsam[]): PackedFlotsams {
  if (more.length === 0) return packed;
  const added = encodeInPlace(flotsamItems, more);
  return { count: packed.count + more.length, bytes: concatBytes(packed.bytes, added) };
}

export function unpackFlotsams({ count, bytes }: PackedFlotsams): Flotsam[] {
  const reader = new ByteReader(bytes);
  const flotsams = Array.from({ length: count }, () => flotsam.read(reader));
  reader.finish();
  return flotsams;
}

const flotsamItems: Pick<Codec<readonly Flotsam[]>, 'write'> = {
  write: (writer, flotsams) => {
    for (const item of flotsams) flotsam.write(writer, item);
  },
};

type UpdaterEnd = InscriptionStore & Pick<InscriptionUpdater, 'reward'>;

const updaterEnd: Codec<UpdaterEnd> = struct({
  lostSats: u64,
  reward: u64,
  blessedInscriptionCount: u32,
  cursedInscriptionCount: u32,
  unboundInscriptionCount: u32,
  nextSequenceNumber: u32,
});

const UPDATER_END_BYTES = 2 * 8 + 4 * 4;

/** Reads to the end of the input: the part after the flotsams has a fixed length, so they need not be parsed. */
export const storedUpdater: Codec<StoredUpdater> = {
  write: (writer, value) => {
    u64.write(writer, value.blockHeight);
    string.write(writer, INSCRIPTION_PROTOCOL);
    writer.uleb128(value.flotsams.count);
    writer.bytes(value.flotsams.bytes);
    updaterEnd.write(writer, value);
  },
  read: (reader) => {
    const blockHeight = u64.read(reader);
    string.read(reader);
    const count = reader.uleb128();
    const bytes = reader.view(Math.max(0, reader.remaining - UPDATER_END_BYTES));
    return { ...updaterEnd.read(reader), blockHeight, flotsams: { count, bytes } };
  },
};

/** The cost of moving an inscription, besides the bytes of its value: about the size of its location. */
const INSCRIPTION_COST_BYTES = 380;
/** The cost of creating an inscription, which makes two objects: the inscription and its number. */
const NEW_INSCRIPTION_COST_BYTES = 700;

export class InscriptionRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  #isClosed = false;
  #leftOut = 0;

  /** `usedByBlock`: the room used by earlier transactions of the block. */
  constructor(usedByBlock = 0) {
    this.#bytesMax = Math.max(
      0,
      Math.min(TRANSACTION_INSCRIPTION_BYTES_MAX, BLOCK_INSCRIPTION_BYTES_MAX - usedByBlock),
    );
  }

  /** The room taken so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many inscriptions were omitted. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Bytes that may still be taken. */
  get bytesLeft(): number {
    return this.#isClosed ? 0 : this.#bytesMax - this.#bytes;
  }

  /** How many new inscriptions without any content still fit. */
  get places(): number {
    return this.#isClosed ? 0 : Math.floor((this.#bytesMax - this.#bytes) / NEW_INSCRIPTION_COST_BYTES);
  }

  /** Takes room for a moving inscription whose value has `bytes` bytes; false if there is none. */
  takeMoved(bytes: number): boolean {
    return this.#take(INSCRIPTION_COST_BYTES + bytes);
  }

  /** Takes room for a new inscription that went to fees; false if there is none. */
  takeRevealed({ envelope }: Revealed): boolean {
    return this.takeNew(contentLength(envelope.payload));
  }

  /** Takes room for a new inscription whose content has about `bytes` bytes; false if there is none. */
  takeNew(bytes: number): boolean {
    return this.#take(NEW_INSCRIPTION_COST_BYTES + bytes);
  }

  /** Counts omitted inscriptions for which no room was requested. */
  leaveOut(count: number): void {
    if (count === 0) return;
    this.#isClosed = true;
    this.#leftOut += count;
  }

  #take(cost: number): boolean {
    if (this.#isClosed || cost > this.#bytesMax - this.#bytes) {
      this.leaveOut(1);
      return false;
    }
    this.#bytes += cost;
    return true;
  }
}
