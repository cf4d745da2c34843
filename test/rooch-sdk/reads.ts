/** The client's methods that read. */
import { Args, BitcoinNetowkType, BitcoinNetwork, RoochAddress } from '@roochnetwork/rooch-sdk';
import { expect } from 'vitest';
import { type MethodTests, PEOPLE, RGAS } from './world.ts';

const [alice, bob] = PEOPLE;
const DEPOSIT = '0x3::coin_store::DepositEvent';
const UNKNOWN_HASH = `0x${'77'.repeat(32)}`;

export const READS: MethodTests = {
  getTransport: ({ client }) => {
    expect(client.getTransport().request).toBeTypeOf('function');
  },

  getRpcApiVersion: async ({ client }) => {
    expect(await client.getRpcApiVersion()).toBe('0.13.0');
  },

  getChainId: async ({ client }) => {
    // The SDK declares a bigint and gives what the node sends.
    expect(String(await client.getChainId())).toBe('4');
  },

  executeViewFunction: async ({ client }) => {
    const result = await client.executeViewFunction({
      target: '0x3::gas_coin::balance',
      args: [Args.address(alice.address)],
    });
    expect(result.vm_status).toBe('Executed');
    expect(result.return_values?.[0]?.decoded_value).toBe('100000000000000');
    await expect(client.executeViewFunction({ target: '0x3::nothing::balance', args: [] })).rejects.toThrow(
      'Module does not exist',
    );
  },

  syncStates: async ({ client }) => {
    // From the first on, though the SDK's default options reverse the order on the real node (rpc.md section 15).
    const page = await client.syncStates({ filter: 'all', limit: '1' });
    expect(page).toMatchObject({ data: [{ tx_order: '0' }], next_cursor: '0', has_next_page: true });
  },

  getStates: async ({ client }) => {
    const [state] = await client.getStates({ accessPath: '/object/0x3' });
    expect(state?.object_type).toBe('0x2::account::Account');
    expect(await client.getStates({ accessPath: '/object/0x100' })).toEqual([]);
  },

  listStates: async ({ client }) => {
    const page = await client.listStates({ accessPath: '/resource/0x3', limit: '1' });
    expect(page.data[0]?.state.object_type).toContain('0x2::object::DynamicField');
  },

  getModuleAbi: async ({ client }) => {
    const abi = await client.getModuleAbi({ moduleAddr: '0x3', moduleName: 'transfer' });
    const transfer = abi.functions.find(({ name }) => name === 'transfer_coin');
    expect(transfer?.params).toEqual(['&signer', 'address', 'u256']);
  },

  getEvents: async ({ client }) => {
    const page = await client.getEvents({ eventHandle: DEPOSIT, limit: '1', descendingOrder: false });
    expect(page).toMatchObject({ next_cursor: '0', has_next_page: true });
    expect(page.data[0]?.event_type).toBe(DEPOSIT);
  },

  queryEvents: async ({ client }) => {
    const { data } = await client.queryEvents({ filter: { event_type: DEPOSIT }, limit: '3' });
    expect(data.map(({ event_type }) => event_type)).toEqual([DEPOSIT, DEPOSIT, DEPOSIT]);
    await expect(client.queryEvents({ filter: { sender: '' } })).rejects.toThrow('Invalid Address');
  },

  queryInscriptions: async ({ client }) => {
    const { data } = await client.queryInscriptions({ filter: { owner: bob.regtestAddress } });
    expect(data.map(({ value }) => value.content_type)).toEqual(['text/plain']);
  },

  queryUTXO: async ({ client }) => {
    const { data } = await client.queryUTXO({ filter: { owner: bob.regtestAddress } });
    expect(data.map(({ value }) => value.value)).toEqual(['10000']);
    expect(data[0]?.owner_bitcoin_address).toBe(bob.regtestAddress);
  },

  broadcastBitcoinTX: async ({ client }) => {
    await expect(client.broadcastBitcoinTX({ hex: '00' })).rejects.toThrow('Bitcoin client is not configured');
  },

  getObjectStates: async ({ client }) => {
    const states = await client.getObjectStates({ ids: ['0x3', '0x2::timestamp::Timestamp'] });
    expect(states.map(({ object_type }) => object_type)).toEqual([
      '0x2::account::Account',
      '0x2::timestamp::Timestamp',
    ]);
  },

  getFieldStates: async ({ client }) => {
    const { data } = await client.listFieldStates({ objectId: '0x3', limit: '1' });
    const [field] = data;
    const states = await client.getFieldStates({ objectId: '0x3', fieldKey: [field!.field_key] });
    expect(states).toEqual([field!.state]);
  },

  listFieldStates: async ({ client }) => {
    const { data } = await client.listFieldStates({ objectId: '0x2::module_store::ModuleStore' });
    expect(data.map(({ state }) => state.object_type)).toContain('0x2::module_store::Package');
  },

  queryObjectStates: async ({ client }) => {
    const { data } = await client.queryObjectStates({ filter: { owner: alice.address } });
    expect(data.map(({ object_type }) => object_type)).toContain(`0x3::coin_store::CoinStore<${RGAS}>`);
  },

  getTransactionsByHash: async ({ client, engine }) => {
    const [record] = (await engine.transactions.list(undefined, { limit: 1, descending: false })).data;
    const found: unknown = await client.getTransactionsByHash({
      txHashes: [record!.executionInfo.txHash, UNKNOWN_HASH],
    });
    expect(found).toMatchObject([{ transaction: { sequence_info: { tx_order: '0' } } }, null]);
  },

  getTransactionsByOrder: async ({ client }) => {
    // The SDK sends these parameters to another method (rooch_queryTransactions), which no node answers.
    await expect(client.getTransactionsByOrder({})).rejects.toThrow('Invalid params');
  },

  queryTransactions: async ({ client }) => {
    const filter = { tx_order_range: { from_order: '0', to_order: '2' } };
    const { data } = await client.queryTransactions({ filter, limit: '10' });
    expect(data.map(({ transaction }) => transaction.sequence_info.tx_order)).toEqual(['1', '0']);
  },

  getSequenceNumber: async ({ client }) => {
    expect(await client.getSequenceNumber('0x1234')).toBe(0n);
  },

  getBalance: async ({ client }) => {
    const owners = [
      alice.address,
      alice.regtestAddress,
      alice.mainnetAddress,
      new RoochAddress(alice.address).toBech32Address(),
      new RoochAddress(alice.address),
    ];
    for (const owner of owners) {
      const balance = await client.getBalance({ owner, coinType: RGAS });
      expect(balance).toMatchObject({ balance: '100000000000000', decimals: 8, fixedBalance: 1_000_000 });
    }
    await expect(client.getBalance({ owner: alice.address, coinType: '0x3::no::COIN' })).rejects.toThrow('CoinInfo');
  },

  getBalances: async ({ client }) => {
    const { data } = await client.getBalances({ owner: alice.regtestAddress });
    expect(data.map(({ coin_type, fixedBalance }) => [coin_type, fixedBalance])).toEqual([[RGAS, 1_000_000]]);
  },

  resolveBTCAddress: async ({ client }) => {
    const network = BitcoinNetowkType.Regtest;
    const resolved = await client.resolveBTCAddress({ roochAddress: bob.address, network });
    expect(resolved?.toStr()).toBe(bob.regtestAddress);
    expect(new BitcoinNetwork(network).bech32HRP()).toBe('bcrt');
  },

  sessionIsExpired: async ({ client }) => {
    expect(await client.sessionIsExpired({ address: alice.address, authKey: UNKNOWN_HASH })).toBe(true);
  },

  getAllModules: async ({ client }) => {
    const modules = await client.getAllModules({ package_address: `0x${'3'.padStart(64, '0')}` });
    expect(modules.get('transfer')).toMatch(/^0xa11ceb0b/);
  },

  getSessionKeys: async ({ client }) => {
    expect(await client.getSessionKeys({ address: bob.address })).toEqual({ data: [], hasNextPage: false });
  },

  events: ({ client }) => {
    expect(() => client.events()).toThrow('Method not implemented');
  },

  repairIndexer: async ({ client }) => {
    const request = client.repairIndexer({ repairType: 'object_state', repairParams: { object_id: '0x3' } });
    await expect(request).rejects.toThrow('Method not found');
  },
};
