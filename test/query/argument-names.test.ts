import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSources, DEV_ACCOUNTS, type DevAccount, Engine } from '../../src/index.ts';
import type { CallInput } from '../../src/query/function-call.ts';
import { assembleFor } from '../pipeline/contract.ts';

const [ALICE_ACCOUNT] = DEV_ACCOUNTS as unknown as [DevAccount];
const [ALICE] = DEV_ACCOUNTS.map(({ address }) => String(address)) as [string];
let engine: Engine;

beforeAll(async () => {
  engine = await Engine.open();
  await engine.publish(ALICE, [await readFile(new URL('../../examples/counter/counter.mv', import.meta.url))]);
});
afterAll(() => engine.close());

/** `add(account: &signer, counter: &mut Object<Counter>, amount: u64)` */
const add = (counter: string, amount: bigint): CallInput => ({
  function: `${ALICE}::counter::add`,
  arguments: [counter, amount],
});

describe('an argument that does not fit', () => {
  it('is called by its position, and by the name of its parameter if the source is known', async () => {
    // Other tests of this process expect code of their own without sources.
    const code = assembleFor(ALICE_ACCOUNT, 'module 0xa11ce::named entry fun pay(&signer, u64) { Ret }');
    await engine.publish(ALICE, [code]);
    const pay = () => engine.executeAs(ALICE, { function: `${ALICE}::named::pay`, arguments: [-1n] });
    await expect(pay()).rejects.toThrow('argument 0 (u64): expected an integer');
    const parameters = { 0: ['account', 'amount'] };
    addSources([{ bytes: code, lines: { path: 'sources/named.move', functions: {}, parameters } }]);
    await expect(pay()).rejects.toThrow('argument 0, amount (u64): expected an integer');
  });

  it('says that no object has the type by which it is given, and which one was probably meant', async () => {
    await expect(engine.executeAs(ALICE, add(`${ALICE}::counter::Countre`, 1n))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`no object is called ${ALICE}::counter::Countre; did you mean 'Counter'?`),
    });
  });

  it('is one argument if one is expected', () => {
    expect(() => engine.view({ function: '0x3::gas_coin::balance' })).toThrow('expected 1 argument (address), got 0');
  });
});
