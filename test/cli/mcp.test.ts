/** movelet mcp, driven by the protocol's own client: an agent's session, from a contract with a mistake to one without. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../../src/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const command = join(import.meta.dirname, '../../dist/cli.js');
const alice = DEV_ACCOUNTS[0]!.address;
const folder = temporaryDirectories()();
const client = new Client({ name: 'test', version: '1' });
/** The client's own patience, a minute, is less than a busy machine may need. */
const PATIENT = { timeout: 600_000 };

beforeAll(async () => {
  cpSync(join(import.meta.dirname, '../../examples/splitter'), folder, { recursive: true });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [command, 'mcp'] }), PATIENT);
});
afterAll(() => client.close());

async function ask(name: string, given: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: given }, PATIENT);
  const text = content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
  return `${isError === true ? 'refused: ' : ''}${text}`;
}

test('each tool has a schema', async () => {
  const { tools } = await client.listTools(undefined, PATIENT);
  expect(tools.map(({ name }) => name)).toEqual([
    'publish',
    'call',
    'simulate',
    'view',
    'trace',
    'find',
    'time',
    'fork',
  ]);
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: 'object' });
  expect(await ask('call', { function: 'x', argument: [] })).toContain('there is no parameter argument');
});

test('a contract is published, called, found to lose something, mended and called again', async () => {
  const source = join(folder, 'sources/splitter.move');
  const pay = { function: `${alice}::splitter::pay`, arguments: [`${alice}::splitter::Splitter`, '1'] };
  const totals = { function: `${alice}::splitter::totals` };

  const written = readFileSync(source, 'utf8');
  writeFileSync(source, written.replace('amount * 30 / 100', 'amount * 30 / percent'));
  expect(await ask('publish', { directory: folder })).toMatch(/^refused: [\s\S]*percent/);

  writeFileSync(source, written);
  // An agent goes on with the id, which people read shortened.
  expect(await ask('publish', { directory: folder })).toMatch(/^created splitter::Splitter 0x[0-9a-f]{64}$/m);
  expect(await ask('find', { id: `${alice}::splitter` })).toContain('entry pay(');
  expect(await ask('fork', { do: 'begin' })).toContain('fork 1');
  expect(await ask('call', pay)).toContain('executed');
  expect(await ask('view', totals)).toBe('["1","0","0"]');
  expect(await ask('fork', { do: 'end' })).toContain('the chain itself');
  expect(await ask('view', totals)).toBe('["0","0","0"]');

  writeFileSync(source, written.replace('amount * 70 / 100', '(amount - amount * 30 / 100)'));
  expect(await ask('publish', { directory: folder })).toContain('executed');
  expect(await ask('simulate', pay)).toContain('executed');
  expect(await ask('call', { ...pay, sender: 'account 1' })).toContain('executed');
  expect(await ask('view', totals)).toBe('["1","0","1"]');
  expect(await ask('trace', { transaction: '3' })).toContain('splitter::pay');
});

test('failures give their reason', async () => {
  const wrong = { function: `${alice}::splitter::pay`, arguments: [`${alice}::splitter::Splitter`, '-1'] };
  expect(await ask('call', wrong)).toMatch(/^refused: argument 1, amount \(u64\)/);
  expect(await ask('find', { id: alice })).toMatch(/^balance \d+ of 0x0*3::gas_coin::RGas\n/);
  expect(await ask('find', { id: `${alice}::splitter::Splitter` })).toMatch(/^splitter::Splitter 0x[0-9a-f]{64} of 0x/);
  expect(await ask('find', { id: '1' })).toMatch(/^transaction \{.*\ntrace 1 shows what it did$/);
  expect(await ask('find', { id: '0x123456' })).toMatch(/^refused: 0x123456: there is no/);
  expect(await ask('fork', { do: 'end' })).toMatch(/^refused: there is no fork/);
  const before = BigInt(await ask('time'));
  expect(BigInt(await ask('time', { advanceMs: 1000 }))).toBe(before + 1_000n);
  expect(await ask('find')).toContain(`account 0: ${alice}`);
});
