import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { addSources } from '../../src/execution/module-sources.ts';
import type { CallInput } from '../../src/query/function-call.ts';
import { readModule } from '../../src/vm/binary/read.ts';

const [ALICE] = DEV_ACCOUNTS.map(({ address }) => String(address)) as [string];
let engine: Engine;
let bytes: Uint8Array;

beforeAll(async () => {
  engine = await Engine.open();
  bytes = await readFile(new URL('../../examples/counter/counter.mv', import.meta.url));
  await engine.publish(ALICE, [bytes]);
});
afterAll(() => engine.close());

/** `add(account: &signer, counter: &mut Object<Counter>, amount: u64)` */
const add = (counter: string, amount: bigint): CallInput => ({
  function: `${ALICE}::counter::add`,
  arguments: [counter, amount],
});
const COUNTER = `${ALICE}::counter::Counter`;

describe('an argument that does not fit', () => {
  it('is called by its position, and by the name of its parameter if the source is known', async () => {
    const refused = expect(engine.executeAs(ALICE, add(COUNTER, -1n))).rejects;
    await refused.toThrow('argument 1 (u64): expected an integer');
    const { functionDefinitions, functionHandles, identifiers } = readModule(bytes);
    const index = functionDefinitions.findIndex(({ handle }) => identifiers[functionHandles[handle]!.name] === 'add');
    const parameters = { [index]: ['account', 'counter', 'amount'] };
    addSources([{ bytes, lines: { path: 'sources/counter.move', functions: {}, parameters } }]);
    await expect(engine.executeAs(ALICE, add(COUNTER, -1n))).rejects.toThrow(
      'argument 1, amount (u64): expected an integer',
    );
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
