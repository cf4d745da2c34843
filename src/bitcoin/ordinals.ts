/**
 * Ordinals: the new locations of inscriptions when a transaction moves their satoshis, and the inscriptions that it
 * reveals.
 *
 * A transaction's inputs form one row of satoshis and its outputs another; an inscription at an offset of the first row
 * goes to the same offset of the second. The part beyond the outputs is the fee: an inscription there floats (flotsam) to
 * the row of the block's coinbase, which starts with the subsidy and continues with the fees in processing order, and is
 * lost if the miner claims less. A coinbase is therefore processed after all other transactions of its block.
 *
 * All functions here are pure; the transactions of a block pass on an `InscriptionUpdater`.
 *
 * Quirks of the reference that are kept: a coinbase without inscriptions counts its whole reward as lost; a second new
 * inscription on one satoshi in one transaction does not get the Reinscription charm; a pointer that was out of range
 * where its inscription was revealed is applied to the coinbase if the inscription floats there. Two are not kept: if a
 * coinbase's outputs exceed its known reward (blocks fed without history), the reference's subtraction aborts and the
 * block can never be finished; here the count of lost satoshis stops at zero. The same happens there if sums exceed 64
 * bits, since outputs worth more than the inputs are not refused; here they stop at the largest number.
 * Source: inscription_updater.move of the reference.
 * @module
 */
import { assert } from '../base/error.ts';
import { contentLength, type Envelope, firstEnvelopes } from './envelope.ts';
import {
  CHARM,
  formatInscriptionId,
  hasCharm,
  type Inscription,
  type InscriptionId,
  type InscriptionStore,
} from './inscription.ts';
import {
  countsOf,
  type Flotsam,
  InscriptionRoom,
  type InscriptionUpdater,
  type Revealed,
} from './inscription-updater.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork, subsidyOf } from './network.ts';
import { isNullOutPoint, NULL_OUTPOINT, type OutPoint, type SatPoint, UNBOUND_OUTPOINT } from './outpoint.ts';
import { isOpReturn } from './script.ts';
import { type BitcoinTransaction, isCoinbase } from './transaction.ts';

/** The part of an inscription that moving it reads. */
type MovableInscription = Pick<Inscription, 'id' | 'location' | 'isCursed' | 'charms'>;

/** An output spent by a transaction: one for each input, in order; none for the null outpoint of a coinbase. */
export interface SpentOutput {
  /** In satoshis; 0 for an unknown output. */
  readonly value: bigint;
  /**
   * Whether to ignore everything after it in the row of satoshis, whose position is unknown: a chain that watches
   * owners does so for outputs it did not keep. Default: false, an unknown output counts as worthless.
   */
  readonly hidesOthers?: boolean;
  /** The inscriptions that the output carries, in the order of its seals. */
  readonly inscriptions: readonly MovableInscription[];
}

interface Placement {
  /** Where the inscription was placed, even if it is unbound. */
  readonly placed: SatPoint;
  /** The output whose owner gets it; undefined if it is burned or lost. */
  readonly ownerOutput: number | undefined;
  /** The output that lists it among its seals; undefined if it is burned, lost or unbound. */
  readonly sealOutput: number | undefined;
  readonly isBurned: boolean;
}

/** A new inscription, as stored. */
export interface InscriptionCreation extends Placement {
  readonly kind: 'create';
  readonly inscription: Inscription;
}

/** An inscription that existed before. */
export interface InscriptionTransfer extends Placement {
  readonly kind: 'transfer';
  readonly id: InscriptionId;
  readonly old: SatPoint;
}

export type InscriptionMove = InscriptionCreation | InscriptionTransfer;

interface InscriptionMoves {
  /** In the order in which they take effect: by offset, existing ones before new ones. */
  readonly moves: readonly InscriptionMove[];
  /** The initial value for the next transaction of the block. After the coinbase nothing floats. */
  readonly updater: InscriptionUpdater;
}

/** From this height on the main chain does not look for inscriptions. */
const ORDINALS_PAUSE_HEIGHT = 859_001;

/**
 * Whether to search transactions at a height for inscriptions.
 * @param isMainChain whether this is chain 1, which has paused the search.
 */
export function indexesInscriptions(height: number, network: BitcoinNetwork, isMainChain: boolean): boolean {
  const isPaused = isMainChain && network === 'bitcoin' && height >= ORDINALS_PAUSE_HEIGHT;
  return !isPaused && height >= BITCOIN_NETWORKS[network].firstInscriptionHeight;
}

/**
 * Moves the inscriptions of a transaction's inputs and creates those that it reveals.
 * @param spent one for each input that does not spend the null outpoint, in order.
 * @param room the room for new inscriptions; moving ones already have theirs.
 */
export function moveInscriptions(
  updater: InscriptionUpdater,
  network: BitcoinNetwork,
  transaction: BitcoinTransaction,
  spent: readonly SpentOutput[],
  room: InscriptionRoom = new InscriptionRoom(),
): InscriptionMoves {
  const row = floatInscriptions(Number(updater.blockHeight), network, transaction, spent, room);
  const isLast = isCoinbase(transaction);
  const floating = isLast ? [...row.floating, ...updater.flotsams] : row.floating;
  // The sort is stable: at the same offset, existing inscriptions stay before new ones.
  floating.sort((left, right) => (left.offset < right.offset ? -1 : left.offset > right.offset ? 1 : 0));
  const { landed, past, outputValue } = placeOnOutputs(floating, transaction);
  const counts: Counts = countsOf(updater);
  const moves = landed.map(([flotsam, placement]) => finish(counts, flotsam, placement));
  if (isLast) {
    for (const flotsam of past) {
      moves.push(finish(counts, flotsam, lostAt(bounded(updater.lostSats + flotsam.offset - outputValue))));
    }
    const lostSats = bounded(updater.lostSats + updater.reward - outputValue);
    return { moves, updater: { ...updater, ...counts, lostSats, flotsams: [] } };
  }
  const carried = past.map((flotsam) => {
    return { ...flotsam, offset: bounded(updater.reward + flotsam.offset - outputValue) };
  });
  const flotsams = carried.length === 0 ? updater.flotsams : [...updater.flotsams, ...carried];
  const fee = row.inputValue - totalOf(transaction);
  const reward = bounded(updater.reward + bounded(fee));
  return { moves, updater: { ...updater, ...counts, flotsams, reward } };
}

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** `value`, or the nearest number that the chain can hold. */
function bounded(value: bigint): bigint {
  if (value < 0n) return 0n;
  return value < U64_MAX ? value : U64_MAX;
}

type Counts = { -readonly [K in keyof InscriptionStore]: InscriptionStore[K] };

interface Inscribed {
  readonly first: MovableInscription;
  count: number;
}

/** Lays the inputs out as one row of satoshis and finds the inscriptions on it, including newly revealed ones. */
function floatInscriptions(
  height: number,
  network: BitcoinNetwork,
  transaction: BitcoinTransaction,
  spent: readonly SpentOutput[],
  room: InscriptionRoom,
): { floating: Flotsam[]; inputValue: bigint } {
  const floating: Flotsam[] = [];
  const inscribed = new Map<bigint, Inscribed>();
  const isJubilant = height >= BITCOIN_NETWORKS[network].jubileeHeight;
  const outputValue = totalOf(transaction);
  let inputValue = 0n;
  let nextSpent = 0;
  let nextEnvelope = 0;
  let isHidden = false;
  for (const [input, { previousOutput, witness }] of transaction.inputs.entries()) {
    if (isNullOutPoint(previousOutput)) {
      inputValue += subsidyOf(height);
      continue;
    }
    const { value, inscriptions, hidesOthers = false } = spentOutput(spent, nextSpent++);
    for (const carried of isHidden ? [] : inscriptions) {
      const offset = inputValue + carried.location.offset;
      floating.push({ id: carried.id, offset, old: carried.location, revealed: undefined });
      const known = inscribed.get(offset);
      if (known === undefined) inscribed.set(offset, { first: carried, count: 1 });
      else known.count += 1;
    }
    const { envelopes, more } = firstEnvelopes(witness, input, room.places);
    for (const envelope of envelopes) {
      const { pointer, unrecognizedEvenField } = envelope.payload;
      if (!room.takeNew(contentLength(envelope.payload))) continue;
      const isPointed = pointer !== undefined && pointer < outputValue;
      const index = nextEnvelope++;
      if (isHidden && !isPointed) continue;
      const isOdd = hasCurse(envelope, inscribed.get(inputValue));
      const offset = isPointed ? pointer : inputValue;
      floating.push({
        id: { txid: transaction.txid, index },
        offset,
        old: undefined,
        revealed: {
          isCursed: isOdd && !isJubilant,
          isReinscription: inscribed.has(offset),
          isUnbound: value === 0n || unrecognizedEvenField,
          isVindicated: isOdd && isJubilant,
          envelope,
        },
      });
    }
    room.leaveOut(more);
    inputValue += value;
    isHidden ||= hidesOthers;
  }
  return { floating, inputValue };
}

function spentOutput(spent: readonly SpentOutput[], index: number): SpentOutput {
  const output = spent[index];
  assert(output !== undefined, `expected the spent output of every input, got ${spent.length}`);
  return output;
}

/**
 * Whether an inscription is cursed before the jubilee, and vindicated after it.
 * @param inscribed the inscriptions already on the satoshi at the start of the envelope's input, whatever its pointer.
 */
function hasCurse({ input, offset, pushnum, stutter, payload }: Envelope, inscribed: Inscribed | undefined): boolean {
  const { unrecognizedEvenField, duplicateField, incompleteField, pointer } = payload;
  if (unrecognizedEvenField || duplicateField || incompleteField || pointer !== undefined) return true;
  if (input !== 0 || offset !== 0 || pushnum || stutter) return true;
  if (inscribed === undefined) return false;
  // A second inscription on a satoshi is no reinscription if early indexers would not have seen the only one there.
  const wasUnseen = inscribed.first.isCursed || hasCharm(inscribed.first.charms, 'vindicated');
  return inscribed.count !== 1 || !wasUnseen;
}

interface PlacedRow {
  readonly landed: (readonly [Flotsam, Placement])[];
  /** What lies beyond the outputs. */
  readonly past: readonly Flotsam[];
  /** The length of the row of outputs; 0 if nothing floats, as if there were none. */
  readonly outputValue: bigint;
}

/** Lays the outputs out as one row of satoshis and places what floats on it. */
function placeOnOutputs(floating: readonly Flotsam[], transaction: BitcoinTransaction): PlacedRow {
  const landed: (readonly [Flotsam, Placement])[] = [];
  if (floating.length === 0) return { landed, past: floating, outputValue: 0n };
  const { txid, outputs } = transaction;
  const ends = outputEnds(transaction);
  const outputValue = ends.at(-1) ?? 0n;
  const outpoints = new Map<number, OutPoint>();
  const outpointOf = (vout: number): OutPoint => {
    const known = outpoints.get(vout);
    if (known !== undefined) return known;
    const outpoint = { txid, vout };
    outpoints.set(vout, outpoint);
    return outpoint;
  };
  let next = 0;
  for (const [vout, { value, scriptPubkey }] of outputs.entries()) {
    const end = ends[vout]!;
    const isBurned = isOpReturn(scriptPubkey);
    for (; next < floating.length && floating[next]!.offset < end; next++) {
      const flotsam = floating[next]!;
      const place = pointedPlace(flotsam, transaction, ends) ?? { vout, offset: flotsam.offset - (end - value) };
      const placed = { outpoint: outpointOf(place.vout), offset: place.offset };
      const isSealed = !isOpReturn(outputs[place.vout]!.scriptPubkey);
      const ownerOutput = isBurned ? undefined : vout;
      landed.push([flotsam, { placed, ownerOutput, sealOutput: isSealed ? place.vout : undefined, isBurned }]);
    }
  }
  return { landed, past: floating.slice(next), outputValue };
}

/** The end of each output in the row of satoshis. */
function outputEnds({ outputs }: BitcoinTransaction): bigint[] {
  let end = 0n;
  return outputs.map(({ value }) => {
    end += value;
    return end;
  });
}

/**
 * The location that a new inscription's pointer names. The inscription is already there, unless it floated here with a
 * pointer beyond the end of its own transaction; its owner is still that of the output it floated to.
 */
function pointedPlace(
  flotsam: Flotsam,
  { outputs }: BitcoinTransaction,
  ends: readonly bigint[],
): { vout: number; offset: bigint } | undefined {
  const pointer = flotsam.revealed?.envelope.payload.pointer;
  if (pointer === undefined || pointer === flotsam.offset || pointer >= (ends.at(-1) ?? 0n)) return undefined;
  const vout = firstAbove(ends, pointer);
  return { vout, offset: pointer - (ends[vout]! - outputs[vout]!.value) };
}

/** Index of the first number above `value`; there must be one, and the numbers must not decrease. */
function firstAbove(numbers: readonly bigint[], value: bigint): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function lostAt(offset: bigint): Placement {
  const placed = { outpoint: NULL_OUTPOINT, offset };
  return { placed, ownerOutput: undefined, sealOutput: undefined, isBurned: false };
}

/** Gives a new inscription its numbers, or an old one its new place. */
function finish(counts: Counts, flotsam: Flotsam, placement: Placement): InscriptionMove {
  const { id, old, revealed } = flotsam;
  if (revealed === undefined) {
    // Builds the message only on failure: formatting an id takes longer than the rest.
    if (old === undefined)
      assert(false, `expected inscription ${formatInscriptionId(id)} to be new or to have a place`);
    return { kind: 'transfer', id, old, ...placement };
  }
  const { isCursed, isUnbound, envelope } = revealed;
  const inscriptionNumber = isCursed ? ++counts.cursedInscriptionCount : counts.blessedInscriptionCount++;
  const location = isUnbound
    ? { outpoint: UNBOUND_OUTPOINT, offset: BigInt(counts.unboundInscriptionCount++) }
    : placement.placed;
  const { body, contentEncoding, contentType, metadata, metaprotocol, parents, pointer } = envelope.payload;
  const created: Inscription = {
    id,
    location,
    sequenceNumber: counts.nextSequenceNumber++,
    inscriptionNumber,
    isCursed,
    charms: charmsOf(revealed, placement),
    body,
    contentEncoding,
    contentType,
    metadata,
    metaprotocol,
    parents,
    pointer,
    rune: undefined,
  };
  return {
    kind: 'create',
    inscription: created,
    ...placement,
    sealOutput: isUnbound ? undefined : placement.sealOutput,
  };
}

function charmsOf(revealed: Revealed, { placed, isBurned }: Placement): number {
  return (
    (revealed.isCursed ? CHARM.cursed : 0) |
    (revealed.isReinscription ? CHARM.reinscription : 0) |
    (revealed.isUnbound ? CHARM.unbound : 0) |
    (revealed.isVindicated ? CHARM.vindicated : 0) |
    (isBurned ? CHARM.burned : 0) |
    (isNullOutPoint(placed.outpoint) ? CHARM.lost : 0)
  );
}

function totalOf(transaction: BitcoinTransaction): bigint {
  return transaction.outputs.reduce((sum, output) => sum + output.value, 0n);
}
