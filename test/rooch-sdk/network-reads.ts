/**
 * What the client reads on the genesis of the reference's test network, once its accounts have coins: the same families
 * as on our framework, where the values differ.
 * @module
 */
import { Args, RoochAddress } from '@roochnetwork/rooch-sdk';
import { expect } from 'vitest';
import { formatBitcoinAddress, parseBitcoinAddress } from '../../src/bitcoin/index.ts';
import { type MethodTests, PEOPLE, RGAS } from './world.ts';

/** Coins that each account was given, in the smallest unit. */
export const NETWORK_COINS = 1_000_000_000n;

const [alice, bob] = PEOPLE;
const COIN_STORE = `0x3::coin_store::CoinStore<${RGAS}>`;
const MINT = '0x3::coin::MintEvent';
const UNKNOWN_HASH = `0x${'77'.repeat(32)}`;
const GIVEN = NETWORK_COINS.toString();

export const NETWORK_READS: MethodTests = {
  getChainId: async ({ client }) => {
    expect(String(await client.getChainId())).toBe('2');
  },

  getBalance: async ({ client }) => {
    const address = new RoochAddress(alice.address);
    const testnetAddress = formatBitcoinAddress(parseBitcoinAddress(alice.mainnetAddress), 'testnet');
    const forms = [alice.address, testnetAddress, alice.mainnetAddress, address.toBech32Address(), address];
    for (const owner of forms) {
      const balance = await client.getBalance({ owner, coinType: RGAS });
      expect(balance).toMatchObject({ balance: GIVEN, decimals: 8, fixedBalance: 10 });
    }
  },

  getBalances: async ({ client }) => {
    const { data } = await client.getBalances({ owner: bob.address });
    expect(data.map(({ coin_type, balance }) => [coin_type, balance])).toEqual([[RGAS, GIVEN]]);
  },

  executeViewFunction: async ({ client }) => {
    const args = [Args.address(alice.address)];
    const { vm_status, return_values } = await client.executeViewFunction({ target: '0x3::gas_coin::balance', args });
    expect([vm_status, return_values?.[0]?.decoded_value]).toEqual(['Executed', GIVEN]);
  },

  getStates: async ({ client }) => {
    const [state] = await client.getStates({ accessPath: '/object/0x3::chain_id::ChainID' });
    expect(state).toMatchObject({ object_type: '0x3::chain_id::ChainID', decoded_value: { value: { id: '2' } } });
  },

  listStates: async ({ client }) => {
    const { data } = await client.listStates({ accessPath: '/resource/0x3', limit: '1' });
    expect(data[0]?.state.object_type).toContain('0x2::object::DynamicField');
  },

  getFieldStates: async ({ client }) => {
    const { data } = await client.listFieldStates({ objectId: '0x3', limit: '1' });
    const [field] = data;
    const states = await client.getFieldStates({ objectId: '0x3', fieldKey: [field!.field_key] });
    expect(states).toEqual([field!.state]);
  },

  getObjectStates: async ({ client }) => {
    const states = await client.getObjectStates({ ids: ['0x2::timestamp::Timestamp', '0x77'] });
    expect(states.map((state) => state?.object_type)).toEqual(['0x2::timestamp::Timestamp', undefined]);
  },

  queryObjectStates: async ({ client }) => {
    const { data } = await client.queryObjectStates({ filter: { object_type: COIN_STORE }, limit: '3' });
    expect(data.map(({ object_type }) => object_type)).toContain(COIN_STORE);
  },

  getModuleAbi: async ({ client }) => {
    const abi = await client.getModuleAbi({ moduleAddr: '0x3', moduleName: 'transfer' });
    expect(abi.functions.find(({ name }) => name === 'transfer_coin')?.params).toEqual(['&signer', 'address', 'u256']);
  },

  getAllModules: async ({ client }) => {
    const modules = await client.getAllModules({ package_address: `0x${'4'.padStart(64, '0')}` });
    expect(modules.get('bitcoin')).toMatch(/^0xa11ceb0b/);
  },

  getEvents: async ({ client }) => {
    const { data } = await client.getEvents({ eventHandle: MINT, limit: '2', descendingOrder: false });
    expect(data.map(({ event_type }) => event_type)).toEqual([MINT, MINT]);
  },

  queryEvents: async ({ client }) => {
    const { data } = await client.queryEvents({ filter: { event_type: MINT }, limit: '3' });
    expect(data.map(({ event_type }) => event_type)).toEqual([MINT, MINT, MINT]);
  },

  getTransactionsByHash: async ({ client, engine }) => {
    const [genesis] = (await engine.transactions.list(undefined, { limit: 1, descending: false })).data;
    const txHashes = [genesis!.executionInfo.txHash, UNKNOWN_HASH];
    const found: unknown = await client.getTransactionsByHash({ txHashes });
    expect(found).toMatchObject([{ transaction: { sequence_info: { tx_order: '0' } } }, null]);
  },

  queryTransactions: async ({ client }) => {
    const filter = { tx_order_range: { from_order: '0', to_order: '2' } };
    const { data } = await client.queryTransactions({ filter, limit: '10' });
    expect(data.map(({ transaction }) => transaction.sequence_info.tx_order)).toEqual(['1', '0']);
  },

  syncStates: async ({ client }) => {
    expect(await client.syncStates({ filter: 'all', limit: '1' })).toMatchObject({ data: [{ tx_order: '0' }] });
  },

  getSequenceNumber: async ({ client }) => {
    expect(await client.getSequenceNumber('0x1234')).toBe(0n);
  },

  sessionIsExpired: async ({ client }) => {
    expect(await client.sessionIsExpired({ address: alice.address, authKey: UNKNOWN_HASH })).toBe(true);
  },

  getSessionKeys: async ({ client }) => {
    expect(await client.getSessionKeys({ address: bob.address })).toEqual({ data: [], hasNextPage: false });
  },
};
