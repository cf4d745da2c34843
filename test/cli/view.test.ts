/** movelet view and movelet object: what they print of a chain, and of what is not there. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { objectCommand, viewCommand } from '../../src/cli/view.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { structTag } from '../../src/move/type-tag.ts';
import { formatObjectId, namedObjectId, parseAddress } from '../../src/query/transaction-builder.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { type Ran, ran } from './ran.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const TYPE = `${ALICE}::counter::Counter`;
const COUNTER = formatObjectId(namedObjectId(structTag(parseAddress(ALICE), 'counter', 'Counter')));
const TABLE = `0x${'5a'.repeat(32)}`;

const engine = await Engine.open({ clock: () => 1_800_000_000_000n });
await engine.publish(ALICE, [readFileSync(new URL('../../examples/counter/counter.mv', import.meta.url))]);
await engine.executeAs(ALICE, { function: `${ALICE}::counter::add`, arguments: [COUNTER, 7n] });
await engine.dev.setObject(TABLE, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 1n }, owner: BOB });
for (const key of [1n, 2n]) {
  await engine.dev.setField(TABLE, { keyType: 'u64', key, valueType: '0x1::string::String', value: `entry ${key}` });
}
const server = await serveHttp(createRpc(engine), { port: 0 });
afterAll(async () => {
  await server.close();
  await engine.close();
});

const view = (...args: string[]): Promise<Ran> => ran(viewCommand, ...args, '--url', server.url);
const object = (...args: string[]): Promise<Ran> => ran(objectCommand, ...args, '--url', server.url);

describe('movelet view', () => {
  it.each([
    [[`${ALICE}::counter::value`], '7\n'],
    [['0x1::vector::singleton', '5', '--type-args', 'u64'], '["5"]\n'],
    [['0x1::string::utf8', '0x6d65'], 'me\n'],
    [['0x1::vector::singleton', 'me', '--type-args', '0x1::string::String'], '["me"]\n'],
    [['0x2::timestamp::now_milliseconds'], '1800000000000\n'],
  ])('prints what is returned: %j', async (args, out) => {
    expect(await view(...args)).toEqual({ code: 0, out, err: '' });
  });

  it('says why it failed', async () => {
    const failed = await view('0x1::option::borrow', 'null', '--type-args', 'u64');
    expect(failed).toEqual({
      code: 1,
      out: 'failed: aborted with code 262145 (EOPTION_NOT_SET)\nNo value is there where one must be.\n  in 0x1::option::borrow, offset 7\n',
      err: '',
    });
    await expect(view(`${ALICE}::counter::valeu`)).rejects.toThrow(
      /no public or entry function valeu; did you mean value\?$/,
    );
    await expect(view('0x42::counter::value')).rejects.toThrow('there is no module 0x42::counter on this chain');
  });

  it('--json is the answer of the node', async () => {
    const { out } = await view(`${ALICE}::counter::value`, '--json');
    expect(JSON.parse(out)).toMatchObject({ vm_status: 'Executed', return_values: [{ decoded_value: '7' }] });
  });
});

describe('movelet object', () => {
  it.each([TYPE, COUNTER])('prints what an object is: %s', async (name) => {
    expect((await object(name)).out.split('\n')).toEqual([
      `id       ${COUNTER}`,
      `type     ${TYPE}`,
      'owner    shared: anybody may use it',
      'created  2027-01-15T08:00:00.000Z, changed 2027-01-15T08:00:00.000Z',
      'value    {"value":"7"}',
      '',
    ]);
  });

  it('prints its owner and fields by name', async () => {
    const { out } = await object(TABLE);
    expect(out).toContain(`\nowner    ${BOB} (account 1)\n`);
    expect(out).toContain('\nfields   2\n');
    expect(out.split('\n').slice(-3, -1).sort()).toEqual(['  1: entry 1', '  2: entry 2']);
    expect((await object(TABLE, '--fields', '1')).out).toMatch(
      /\n {2}\d: entry \d\n {2}\.\.\. --fields N shows more\n$/,
    );
    expect((await object(TABLE, '--fields', '0')).out).toMatch(/\nfields {3}2\n$/);
    const answers = (await object(TABLE, '--json')).out;
    expect(answers).toContain('"decoded_value"');
    expect(answers).toContain('"field_key"');
  });

  it('says that there is none', async () => {
    await expect(object('0x99')).rejects.toThrow('there is no object 0x99 on this chain');
    await expect(object(`${ALICE}::counter::Nobody`)).rejects.toThrow(': Nobody is not a named object; give an id');
    await expect(object('nonsense')).rejects.toThrow('nonsense');
  });
});
