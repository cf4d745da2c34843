/**
 * Babylon stakes in the state: one is created when a transaction declares and holds it, and removed when its output is
 * spent.
 *
 * A chain whose genesis has no parameters ignores stakes. A stake whose key is not a point of the curve is also
 * ignored, since no account can own it; the reference aborts there. Source: bbn.move of the reference.
 *
 * The parameters of Babylon's first staking protocol that genesis puts on chain, by version.
 *
 * Source: bbn-1/parameters/global-params.json of github.com/babylonlabs-io/networks, as adapted in bbn.move of the
 * reference: there the keys of version 0 are 33 bytes long, and its type, `BBNGlobalParamV0`, has a cap in satoshis
 * where later versions have the last height.
 * @module
 */
import { equalBytes, fromHex } from '../../base/bytes/bytes.ts';
import { assert } from '../../base/error.ts';
import { nodeAddressOf } from '../../bitcoin/address.ts';
import { addressOfTaproot } from '../../bitcoin/address-derivation.ts';
import {
  type BabylonParameters,
  type BabylonStake,
  babylonVersionAt,
  findStake,
  STAKE_PROTOCOL,
  type StakeDeclaration,
  stakeDeclarationOf,
  stakeTempStateDropEvent,
  stakingEvent,
  stakingFailedEvent,
  stakingUnbondingEvent,
} from '../../bitcoin/babylon.ts';
import { isPublicKey } from '../../bitcoin/public-key.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { freshAddress, type ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { type BitcoinEventLog, bitcoinEvent, emitQueued, queuedEvent } from './event-queue.ts';
import { utxoObjectId } from './object-id.ts';
import { BABYLON_PARAMETERS, BABYLON_PARAMETERS_ID, dropTemporaryArea, STAKE, UTXO } from './object-type.ts';

const STAKED = bitcoinEvent('bbn', 'BBNStakingEvent', stakingEvent);
const FAILED = bitcoinEvent('bbn', 'BBNStakingFailedEvent', stakingFailedEvent);
const UNBONDED = bitcoinEvent('bbn', 'BBNStakingUnbondingEvent', stakingUnbondingEvent);
const AREA_DROPPED = queuedEvent(bitcoinEvent('bbn', 'TempStateDropEvent', stakeTempStateDropEvent));

/**
 * Creates the stake that a processed transaction declares, if any.
 * @param transactionHash the ledger's hash; computed only if there is a stake.
 */
export function takeStake(
  runtime: ObjectRuntime,
  events: BitcoinEventLog,
  blockHeight: bigint,
  transaction: BitcoinTransaction,
  transactionHash: () => Uint8Array,
): void {
  const version = babylonVersionAt(blockHeight);
  if (version === undefined) return;
  const { txid, outputs } = transaction;
  const declaration = stakeDeclarationOf(outputs);
  if (declaration === undefined || !runtime.exists(BABYLON_PARAMETERS_ID)) return;
  const parameters = runtime.getField(BABYLON_PARAMETERS_ID, BABYLON_PARAMETERS, version);
  assert(parameters !== undefined, `the chain has Babylon's parameters of version ${version}`);
  if (!equalBytes(declaration.tag, parameters.tag)) return;
  const found = findStake(declaration, outputs, parameters);
  if ('refusal' in found) {
    events.emit(FAILED, { blockHeight, txid, error: found.refusal });
    return;
  }
  if (!isPublicKey(Uint8Array.of(2, ...declaration.stakerKey))) return;
  const id: ObjectId = [freshAddress(transactionHash(), 0n)];
  addStake(runtime, id, stakeOf(declaration, blockHeight, txid, found));
  events.emit(STAKED, { blockHeight, txid, stakeObjectId: id });
}

function stakeOf(
  { tag, stakerKey, providerKey, stakingTime }: StakeDeclaration,
  blockHeight: bigint,
  txid: Uint8Array,
  { vout, value }: { readonly vout: number; readonly value: bigint },
): BabylonStake {
  return { blockHeight, txid, stakingOutputIndex: vout, tag, stakerKey, providerKey, stakingTime, stakingValue: value };
}

/** Gives the stake to the account of the staker's own key, and seals the output with it. */
function addStake(runtime: ObjectRuntime, id: ObjectId, stake: BabylonStake): void {
  const { txid, stakingOutputIndex: vout, stakerKey } = stake;
  const output = utxoObjectId({ txid, vout });
  const utxo = runtime.get(output, UTXO);
  assert(utxo !== undefined, 'the output of a stake exists');
  runtime.add(id, STAKE, stake);
  runtime.transfer(id, nodeAddressOf(addressOfTaproot(stakerKey)));
  runtime.set(output, UTXO, { ...utxo, seals: [...utxo.seals, { protocol: STAKE_PROTOCOL, objects: [id] }] });
}

/** Removes a stake whose output is spent. */
export function removeStake(runtime: ObjectRuntime, events: BitcoinEventLog, id: ObjectId): void {
  const names = dropTemporaryArea(runtime, id);
  const { blockHeight, txid, stakingOutputIndex, stakingTime, stakingValue } = runtime.remove(id, STAKE);
  for (const name of names) {
    emitQueued(runtime, events, AREA_DROPPED, name, { stakeObjectId: id, stakingTime, stakingValue });
  }
  events.emit(UNBONDED, { blockHeight, txid, stakingOutputIndex, stakingTime, stakingValue, stakeObjectId: id });
}

const COVENANT_KEYS: readonly Uint8Array[] = [
  '03d45c70d28f169e1f0c7f4a78e2bc73497afe585b70aa897955989068f3350aaa',
  '034b15848e495a3a62283daaadb3f458a00859fe48e321f0121ebabbdd6698f9fa',
  '0223b29f89b45f4af41588dcaf0ca572ada32872a88224f311373917f1b37d08d1',
  '02d3c79b99ac4d265c2f97ac11e3232c07a598b020cf56c6f055472c893c0967ae',
  '038242640732773249312c47ca7bdb50ca79f15f2ecc32b9c83ceebba44fb74df7',
  '03e36200aaa8dce9453567bba108bdc51f7f1174b97a65e4dc4402fc5de779d41c',
  '03cbdd028cfe32c1c1f2d84bfec71e19f92df509bba7b8ad31ca6c1a134fe09204',
  '03f178fcce82f95c524b53b077e6180bd2d779a9057fdff4255a0af95af918cee0',
  '03de13fc96ea6899acbdc5db3afaa683f62fe35b60ff6eb723dad28a11d2b12f8c',
].map(fromHex);

const COMMON = {
  tag: fromHex('62626e31'),
  covenantKeys: COVENANT_KEYS.map((key) => key.subarray(1)),
  covenantQuorum: 6,
  unbondingTime: 1_008,
  unbondingFee: 32_000n,
  stakingAmountMin: 500_000n,
  stakingTimeMin: 64_000,
  stakingTimeMax: 64_000,
  confirmationDepth: 10,
} as const;

/** In version order. `capHeight` of version 0 is its cap in satoshis. */
export const BABYLON_VERSIONS: readonly BabylonParameters[] = [
  {
    ...COMMON,
    version: 0n,
    activationHeight: 857_910n,
    capHeight: 100_000_000_000n,
    covenantKeys: COVENANT_KEYS,
    unbondingFee: 64_000n,
    stakingAmountMax: 5_000_000n,
  },
  {
    ...COMMON,
    version: 1n,
    activationHeight: 864_790n,
    capHeight: 864_799n,
    stakingAmountMax: 50_000_000_000n,
  },
  {
    ...COMMON,
    version: 2n,
    activationHeight: 874_088n,
    capHeight: 875_087n,
    stakingAmountMax: 500_000_000_000n,
  },
];
