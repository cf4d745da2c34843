/**
 * Every family of queries for something that was written, and what its answer must include.
 */

import { expect } from 'vitest';
import { packageObjectId } from '../../../src/chain/object/object-id.ts';
import { utxoObjectId } from '../../../src/execution/bitcoin-move/object-id.ts';
import { GAS_COIN_TYPE, multiCoinFieldKey, multiCoinStoreId } from '../../../src/execution/framework/coin.ts';
import type { Engine } from '../../../src/index.ts';
import {
  formatFieldKey,
  formatObjectId,
  parseAddress,
  stringFieldKey,
} from '../../../src/query/transaction-builder.ts';
import type { JsonValue } from '../../../src/server/index.ts';

const RGAS = '0x3::gas_coin::RGas';
const DEPOSIT = '0x3::multi_coin_store::DepositEvent';

/** A transaction that was acknowledged. */
export interface Written {
  readonly order: bigint;
  readonly hash: string;
  readonly sender: string;
}

/** An account that nobody knew before, and what it was sent. */
export interface Recipient {
  readonly address: string;
  readonly amount: bigint;
}

/** A request, and a check of the answer. */
export interface Query {
  readonly ask: readonly [method: string, ...params: unknown[]];
  readonly check: (result: JsonValue) => void;
}

const some = (item: object): unknown => expect.arrayContaining([expect.objectContaining(item)]);

function query(method: string, params: readonly unknown[], expected: object): Query {
  return { ask: [method, ...params], check: (result) => expect(result, method).toMatchObject(expected) };
}

const NEWEST = { descending: true, decode: true };

function queriesOf({ order, hash, sender }: Written): Query[] {
  const before = String(order - 1n);
  const info = { execution_info: expect.objectContaining({ tx_hash: hash }) };
  return [
    query('rooch_getTransactionsByHash', [[hash]], [{ transaction: { sequence_info: { tx_order: `${order}` } } }]),
    query('rooch_getTransactionsByOrder', [before, '1', false], { data: [info] }),
    query('rooch_queryTransactions', [{ sender }, null, '50', NEWEST], { data: some(info) }),
    query('rooch_queryEvents', [{ sender }, null, '100', NEWEST], { data: some({ tx_hash: hash }) }),
    query('rooch_syncStates', ['all', before, '1'], { data: [{ tx_order: `${order}` }] }),
    { ask: ['rooch_status'], check: (result) => expectCounted(result, order) },
  ];
}

/** The accumulator has a leaf for each order to the head. */
function expectCounted(result: JsonValue, order: bigint): void {
  const { sequencer_info: sequencer } = (
    result as {
      rooch_status: { sequencer_info: { last_order: string; last_accumulator_info: { num_leaves: string } } };
    }
  ).rooch_status;
  expect(BigInt(sequencer.last_order)).toBeGreaterThanOrEqual(order);
  expect(BigInt(sequencer.last_accumulator_info.num_leaves)).toBe(BigInt(sequencer.last_order) + 1n);
}

export function queriesOfTransfer(written: Written, { address, amount }: Recipient): Query[] {
  const owner = parseAddress(address);
  const store = formatObjectId(multiCoinStoreId(owner));
  const key = formatFieldKey(multiCoinFieldKey(GAS_COIN_TYPE));
  const balance = { coin_type: RGAS, balance: `${amount}` };
  const deposit = {
    decoded_event_data: expect.objectContaining({ value: expect.objectContaining({ coin_store_id: store }) }),
  };
  const view = { function_id: '0x3::gas_coin::balance', ty_args: [], args: [address] };
  return [
    ...queriesOf(written),
    query('rooch_getEventsByEventHandle', [DEPOSIT, null, '100', true, { decode: true }], { data: some(deposit) }),
    query('rooch_queryEvents', [{ event_type: DEPOSIT }, null, '100', NEWEST], { data: some(deposit) }),
    query('rooch_getObjectStates', [store], [{ id: store }]),
    query('rooch_getStates', [`/object/${store}`], [{ id: store }]),
    query('rooch_getStates', [`/fields/${store}/${key}`], [{ owner: expect.any(String) }]),
    query('rooch_getFieldStates', [store, [key]], [{ owner: expect.any(String) }]),
    query('rooch_listFieldStates', [store, null, '10'], { data: [{ field_key: key }] }),
    query('rooch_executeViewFunction', [view], { return_values: [{ decoded_value: `${amount}` }] }),
    query('rooch_getBalance', [address, RGAS], balance),
    query('rooch_getBalances', [address, null, '10'], { data: [balance] }),
    query('rooch_queryObjectStates', [{ owner: address }, null, '10', NEWEST], { data: some({ id: store }) }),
    query('rooch_queryObjectStates', [{ object_id: store }, null, '10', NEWEST], { data: [{ id: store }] }),
  ];
}

export function queriesOfModule(written: Written, name: string): Query[] {
  const { sender } = written;
  const store = formatObjectId(packageObjectId(parseAddress(sender)));
  const key = formatFieldKey(stringFieldKey(name));
  const call = { function_id: `${sender}::${name}::number`, ty_args: [], args: [] };
  return [
    ...queriesOf(written),
    query('rooch_getModuleABI', [sender, name], { name }),
    query('rooch_getStates', [`/module/${sender}/${name}`], [{ owner: expect.any(String) }]),
    query('rooch_listStates', [`/module/${sender}`, null, '100'], { data: some({ field_key: key }) }),
    query('rooch_getFieldStates', [store, [key]], [{ owner: expect.any(String) }]),
    query('rooch_executeViewFunction', [call], { vm_status: 'Executed', return_values: [{ decoded_value: '1' }] }),
  ];
}

/** Of a block mined on the best one, and its first output. */
export function queriesOfBlock(owner: string, txid: Uint8Array): Query[] {
  const utxo = formatObjectId(utxoObjectId({ txid, vout: 0 }));
  return [
    query('btc_queryUTXOs', [{ owner }, null, '100', true], { data: some({ id: utxo }) }),
    query('rooch_getObjectStates', [utxo], [{ id: utxo }]),
    query('rooch_status', [], { bitcoin_status: { confirmed_block: { block_height: expect.any(String) } } }),
  ];
}

/** The same of the engine itself. */
export async function expectRead(engine: Engine, { order, hash, sender }: Written, to?: Recipient): Promise<void> {
  const newest = { limit: 100, descending: true };
  expect(engine.transactions.get(hash)?.order).toBe(order);
  expect(String(engine.transactions.get(order)?.executionInfo.txHash)).toBe(hash);
  expect(engine.head.order).toBeGreaterThanOrEqual(order);
  expect(engine.head.accumulator.numLeaves).toBe(engine.head.order + 1n);
  expect(engine.at(engine.transactions.get(order)!.executionInfo.stateRoot).inside.state.object([])).toBeDefined();
  const { data: sent } = await engine.transactions.list({ kind: 'sender', sender }, newest);
  expect(sent.map((each) => each.order)).toContain(order);
  const { data: emitted } = await engine.events.list({ kind: 'sender', sender }, newest);
  expect(emitted.map(({ txHash }) => String(txHash))).toContain(hash);
  if (to === undefined) return;
  expect(engine.balances.get(to.address, GAS_COIN_TYPE).balance).toBe(to.amount);
  expect(engine.view({ function: '0x3::gas_coin::balance', arguments: [to.address] })[0]).toBe(to.amount);
  const store = formatObjectId(multiCoinStoreId(parseAddress(to.address)));
  expect(engine.objects.get(store)).toBeDefined();
  const { data: owned } = await engine.objects.list({ kind: 'owner', owner: to.address }, newest);
  expect(owned.map(({ object }) => String(object.meta.id))).toContain(store);
}
