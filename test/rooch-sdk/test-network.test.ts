/**
 * The client on the genesis of the reference's test network, where its own Move code rules: what reads, sends and
 * subscribes, but for Bitcoin, of which that chain would want real blocks. Nobody has coins there: the framework's own function gives some to the accounts that the tests send from.
 */

import { existsSync, readFileSync } from 'node:fs';
import { Secp256k1Keypair } from '@roochnetwork/rooch-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode, u256 } from '../../src/base/bcs.ts';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { EMPTY_AUTHENTICATOR } from '../../src/chain/transaction/signed.ts';
import { runSession } from '../../src/execution/runtime/session.ts';
import { Engine } from '../../src/index.ts';
import { address as addressCodec, FRAMEWORK_ADDRESS, parseAddress, SYSTEM_ADDRESS } from '../../src/move/address.ts';
import { forge } from '../forge.ts';
import { CONNECTIONS, type Connection } from './connections.ts';
import { NETWORK_COINS, NETWORK_READS } from './network-reads.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';
import { PEOPLE, RGAS, type World } from './world.ts';
import { WRITES } from './writes.ts';

const { MOVELET_REFERENCE: reference } = process.env;
const file = `${reference ?? ''}/crates/rooch-genesis/released/test`;
/** No test sends in its name: it produces what is subscribed to. */
const [, bob] = PEOPLE;
const note = reference !== undefined && existsSync(file) ? '' : ' (skipped: MOVELET_REFERENCE is not set)';

describe.skipIf(note !== '').each(CONNECTIONS)(`on the test network's genesis, over $name${note}`, ({ connect }) => {
  let engine: Engine;
  let connection: Connection;

  beforeAll(async () => {
    engine = await Engine.open({ genesis: readFileSync(file) });
    connection = await connect(engine);
    await fundAll(engine);
  });

  afterAll(async () => {
    await connection?.close();
    await engine?.close();
  });

  // What is read is as it was funded: before anybody sends.
  it.each(Object.entries(NETWORK_READS))('%s', async (_, test) => {
    await test(world());
  });

  it.each(Object.entries({ ...WRITES, ...SUBSCRIPTIONS }))('%s', async (_, test) => {
    await test(world());
  });

  function world(): World {
    const { client } = connection;
    const signer = Secp256k1Keypair.fromSecretKey(fromHex(bob.privateKey));
    const act = (): Promise<unknown> =>
      client.transfer({ signer, recipient: '0x99', amount: 1n, coinType: { target: RGAS } });
    return { engine, client, stir: { eventType: '0x3::coin_store::DepositEvent', act } };
  }
});

/** Coins for everybody, by a function that only the framework may call. */
async function fundAll(engine: Engine): Promise<void> {
  for (const [index, { address }] of PEOPLE.entries()) {
    const owner = parseAddress(address);
    const data = {
      kind: 'l2-transaction',
      data: {
        sender: FRAMEWORK_ADDRESS,
        sequenceNumber: BigInt(index),
        chainId: engine.chainId,
        maxGasAmount: 0n,
        action: { kind: 'modules', modules: [] },
      },
      authenticator: EMPTY_AUTHENTICATOR,
    } satisfies LedgerTransactionData;
    const context = {
      ...data.data,
      sender: SYSTEM_ADDRESS,
      txHash: new Uint8Array(32),
      txSize: 0n,
      idsCreated: 0n,
      entries: [],
    };
    await forge(engine, data, (state) => {
      const machines = engine.inside.core.current().machines();
      const settings = { state, machine: machines.at(state), modules: machines.modules, context };
      return runSession({ ...settings, gasBudget: undefined }, (session) => {
        const { kind } = session.call({
          module: { address: FRAMEWORK_ADDRESS, name: 'gas_coin' },
          function: 'faucet',
          typeArguments: [],
          arguments: [encode(addressCodec, owner), encode(u256, NETWORK_COINS)],
        });
        expect(kind).toBe('returned');
        const { changeSet, events } = session.finish();
        return { changeSet, events, gasUsed: 0n, status: { kind: 'executed' } };
      });
    });
  }
}
