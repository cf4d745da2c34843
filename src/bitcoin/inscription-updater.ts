/**
 * The inscription state that each transaction of a block passes on to the next. In between, the chain keeps it as a
 * field of the pending block, under the type's canonical name; the coinbase, processed last, removes it.
 * Source: inscription_updater.move of the reference.
 * @module
 */
import type { Codec } from '../bcs/codec.ts';
import { option, struct, vector } from '../bcs/composite.ts';
import { bool, string, u32, u64 } from '../bcs/primitive.ts';
import { type Envelope, envelope } from './envelope.ts';
import type { InscriptionStore } from './inscription.ts';
import { type InscriptionId, inscriptionId } from './inscription-id.ts';
import { subsidyOf } from './network.ts';
import { bitcoinTypeName, INSCRIPTION_PROTOCOL } from './object-key.ts';
import { type SatPoint, satPoint } from './sat-point.ts';

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

/** `0x4::inscription_updater::FlotsamNew`: what is known about a new inscription before it has a location. */
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

const storedRevealed: Codec<StoredRevealed> = struct<StoredRevealed>({
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

export const flotsam: Codec<Flotsam> = struct<Flotsam>({
  id: inscriptionId,
  offset: u64,
  revealed: option(revealedCodec),
  old: option(satPoint),
});

interface StoredUpdater extends InscriptionUpdater {
  readonly sealProtocol: string;
}

const storedUpdater: Codec<StoredUpdater> = struct<StoredUpdater>({
  blockHeight: u64,
  sealProtocol: string,
  flotsams: vector(flotsam),
  lostSats: u64,
  reward: u64,
  blessedInscriptionCount: u32,
  cursedInscriptionCount: u32,
  unboundInscriptionCount: u32,
  nextSequenceNumber: u32,
});

export const inscriptionUpdater: Codec<InscriptionUpdater> = {
  write: (writer, value) => storedUpdater.write(writer, { ...value, sealProtocol: INSCRIPTION_PROTOCOL }),
  read: (reader) => {
    const { blockHeight, flotsams, reward, ...stored } = storedUpdater.read(reader);
    return { ...countsOf(stored), blockHeight, flotsams, reward };
  },
};
