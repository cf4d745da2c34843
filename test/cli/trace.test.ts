/** movelet trace: what it prints, and what names it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { publishCommand, runCommand } from '../../src/cli/submit.ts';
import { traceCommand } from '../../src/cli/trace.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { type Ran, ran } from './ran.ts';

const ALICE = DEV_ACCOUNTS[0]!.address;
const directory = temporaryDirectories()();
const engine = await Engine.open();
const server = await serveHttp(createRpc(engine, { dev: true }), { port: 0 });
afterAll(async () => {
  await server.close();
  await engine.close();
});

const trace = (...args: string[]): Promise<Ran> => ran(traceCommand, ...args);
const transfer = (amount: bigint, ...place: string[]): Promise<Ran> =>
  ran(
    runCommand,
    '0x3::transfer::transfer_coin',
    '0x42',
    amount.toString(),
    '--type-args',
    '0x3::gas_coin::RGas',
    ...place,
  );

describe('movelet trace', () => {
  const at = (): string[] => ['--url', server.url];

  it('prints the trace of a transaction as text, by its order or hash', async () => {
    const { out: sent } = await transfer(5n, ...at());
    const hash = /^hash (0x[0-9a-f]{64})$/m.exec(sent)![1]!;
    const { code, out } = await trace('1', ...at());
    expect(code).toBe(0);
    expect(out).toBe(`${engine.trace(1n)}\n`);
    expect(out).toMatch(/^executed; gas \d+/);
    expect((await trace(hash, ...at())).out).toBe(out);
    expect((await trace('1', '--all', ...at())).out).toBe(`${engine.trace(1n).text({ all: true })}\n`);
    expect(JSON.parse((await trace('1', '--json', ...at())).out)).toMatchObject({ text: String(engine.trace(1n)) });
  });

  it('is named by a transaction that failed, with the chain where it is', async () => {
    const { code, out } = await transfer(10n ** 30n, ...at());
    expect(code).toBe(1);
    const { order } = engine.head;
    expect(out).toMatch(
      new RegExp(`\nhash 0x[0-9a-f]{64}\nmovelet trace ${order} --url ${server.url} shows what it did\n$`),
    );
    expect((await trace(`${order}`, ...at())).out).toContain('ErrorInsufficientBalance');
    expect((await transfer(10n ** 30n, '--dry-run', ...at())).out).not.toContain('movelet trace');
  });

  it('has the lines and constants of a package that was published from its sources', async () => {
    const auction = join(directory, 'auction');
    mkdirSync(join(auction, 'sources'), { recursive: true });
    writeFileSync(join(auction, 'Move.toml'), `[package]\nname = "auction"\n[addresses]\nauction = "${ALICE}"\n`);
    const source = `module auction::auction {
    /// Less than somebody gave before.
    const ErrorTooLow: u64 = 1;

    public entry fun bid(amount: u64) {
        assert!(amount > 5, ErrorTooLow);
    }
}
`;
    writeFileSync(join(auction, 'sources', 'auction.move'), source);
    const published = await ran(publishCommand, auction, ...at());
    expect({ code: published.code, err: published.err }).toEqual({ code: 0, err: '' });
    const { out } = await ran(runCommand, `${ALICE}::auction::bid`, '5', ...at());
    expect(out).toContain('aborted with code 1 (ErrorTooLow)');
    expect(out).toContain('Less than somebody gave before.');
    expect(out).toMatch(/in auction::bid, sources\/auction\.move:6/);
    expect((await trace(`${engine.head.order}`, ...at())).out).toContain('sources/auction.move:6');
    await using plain = await Engine.open();
    await using other = await serveHttp(createRpc(plain), { port: 0 });
    expect((await ran(publishCommand, auction, '--url', other.url)).code).toBe(0);
  });

  it('opens a chain in a directory', async () => {
    const data = join(directory, 'data');
    await (await Engine.open({ store: data })).close();
    const { out } = await transfer(10n ** 30n, '--data', data);
    expect(out).toContain(`\nmovelet trace 1 --data ${data} shows what it did\n`);
    expect((await trace('1', '--data', data)).out).toContain('ErrorInsufficientBalance');
  });

  it('is neither mentioned nor served without controls', async () => {
    await using plain = await Engine.open();
    await using other = await serveHttp(createRpc(plain), { port: 0 });
    expect((await transfer(10n ** 30n, '--url', other.url)).out).not.toContain('movelet trace');
    await expect(trace('1', '--url', other.url)).rejects.toThrow(/start it with --dev/);
  });

  it('accepts only an order or a transaction hash', async () => {
    await expect(trace('0x12', ...at())).rejects.toThrow(UsageError);
    await expect(trace('999', ...at())).rejects.toMatchObject({ reason: expect.stringContaining('999') });
  });
});
