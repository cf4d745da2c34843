/** The client of the official SDK, unmodified: one test for each of its public methods. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RoochClient } from '@roochnetwork/rooch-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../../src/bitcoin/index.ts';
import { Engine } from '../../src/index.ts';
import { CONNECTIONS, type Connection } from './connections.ts';
import { READS } from './reads.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';
import { PEOPLE } from './world.ts';
import { WRITES } from './writes.ts';

const [alice, bob, , , , , , , , judy] = PEOPLE;
/** A mined block emits one for each of its outputs. */
const RECEIVED = '0x2::event_queue::OffChainEvent<0x4::utxo::ReceiveUTXOEvent>';
const TESTS = { ...READS, ...WRITES, ...SUBSCRIPTIONS };

/** Comes last: a client is useless afterwards. */
const DESTROY = 'destroy';

/** Names of the public members that the package declares for its client, methods or not. */
function declaredMembers(): string[] {
  const main = createRequire(import.meta.url).resolve('@roochnetwork/rooch-sdk');
  const text = readFileSync(join(dirname(main), 'client/client.d.ts'), 'utf8');
  const body = text.slice(text.indexOf('export declare class RoochClient {'));
  // One member stands at four spaces; what is protected or private has a word before its name.
  const names = body.slice(0, body.indexOf('\n}')).matchAll(/^ {4}(?:get |set |readonly |static )*(\w+)\??[(:<]/gm);
  return [...new Set([...names].map(([, name]) => name!))].filter((name) => name !== 'constructor');
}

it('every public method of RoochClient has a test, both at run time and by the declarations', () => {
  const tested = [...Object.keys(TESTS), DESTROY].sort();
  const methods = Object.getOwnPropertyNames(RoochClient.prototype).filter((name) => name !== 'constructor');
  expect(tested).toEqual(methods.sort());
  expect(tested).toEqual(declaredMembers().sort());
});

describe.each(CONNECTIONS)('RoochClient over $name', ({ connect }) => {
  let engine: Engine;
  let connection: Connection;

  beforeAll(async () => {
    engine = await Engine.open();
    const { transactions } = await engine.dev.mine({ to: alice.regtestAddress });
    const content = { contentType: 'text/plain', body: 'hello' };
    const payees = [{ to: bob.regtestAddress, value: 10_000n }];
    const inscribed = reveal({ txid: transactions[0]!.txid, vout: 0 }, content, payees);
    await engine.dev.mine({ to: alice.regtestAddress, transactions: [inscribed] });
    connection = await connect(engine);
  });

  afterAll(async () => {
    await connection.close();
    await engine.close();
  });

  it.each(Object.entries(TESTS))('%s', async (_, test) => {
    const act = () => engine.dev.mine({ to: judy.regtestAddress });
    await test({ engine, client: connection.client, stir: { eventType: RECEIVED, act } });
  });

  it(DESTROY, async () => {
    const { client, close } = await connect(engine);
    client.destroy();
    await close();
    expect(engine.status().service).toBe('active');
  });
});
