/**
 * Babylon stakes in the state: one is created when a transaction declares and holds it, and removed when its output is
 * spent.
 *
 * A chain whose genesis has no parameters ignores stakes. A stake of a key that is no point of the curve is ignored,
 * too, since no account can own it; the reference aborts there. Source: bbn.move of the reference.
 * @module
 */

import { equalBytes } from '../../base/bytes/compare.ts';
import { assert } from '../../base/error.ts';
import { nodeAddressOf } from '../../bitcoin/address.ts';
import { addressOfTaproot } from '../../bitcoin/address-derivation.ts';
import {
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
import { type BitcoinEventLog, bitcoinEvent } from './bitcoin-event-log.ts';
import { emitQueued, queuedEvent } from './event-queue.ts';
import { utxoObjectId } from './object-id.ts';
import { BABYLON_PARAMETERS, BABYLON_PARAMETERS_ID, STAKE, UTXO } from './object-type.ts';
import { dropTemporaryArea } from './temporary-area.ts';

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
  assert(utxo !== undefined, 'the output that holds a stake was made before');
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
