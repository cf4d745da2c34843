/** movelet account: what one account owns. */
import { afterAll, expect, it } from 'vitest';
import { accountCommand } from '../../src/cli/account.ts';
import { UsageError } from '../../src/cli/arguments.ts';
import { objectCommand } from '../../src/cli/view.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { ran } from './ran.ts';

const BOB = DEV_ACCOUNTS[1]!.address;
const CLOCK = `0x${'5a'.repeat(32)}`;
const engine = await Engine.open();
await engine.dev.setObject(CLOCK, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 7n }, owner: BOB });
const server = await serveHttp(createRpc(engine), { port: 0 });
afterAll(async () => {
  await server.close();
  await engine.close();
});

it('prints the coins and objects of an account, by its number or its address', async () => {
  const { code, out, err } = await ran(accountCommand, '1', '--url', server.url);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [first, title, coins, objects, clock] = out.split('\n');
  expect([first, title, objects]).toEqual([`${BOB}  account 1`, 'coins', 'objects, the last changed first']);
  expect(coins).toMatch(/^ {2}\d+ RGAS$/);
  expect(clock).toBe(`  0x2::timestamp::Timestamp ${CLOCK}  {"milliseconds":"7"}`);
  expect((await ran(accountCommand, BOB, '--url', server.url)).out).toBe(out);
  const nobody = await ran(accountCommand, '0xabcdef', '--url', server.url);
  expect(nobody.out).toBe(`0x${'abcdef'.padStart(64, '0')}\nno coins\nno objects\n`);
});

it('a malformed account is refused with the accepted forms', async () => {
  await expect(accountCommand.run(['nobody', '--url', server.url])).rejects.toThrow(UsageError);
  const { err } = await ran(objectCommand, '1', '--url', server.url);
  expect(err).toBe('this is 0x1; the funded account is movelet account 1\n');
});
