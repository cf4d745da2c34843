/** What a process loads before its first receipt: finding, reading and compiling code is most of what a start takes. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryDirectories } from './store/temporary.ts';

const directory = temporaryDirectories();

const PROGRAM = `
import { Engine } from 'movelet';
const engine = await Engine.open();
const [alice, bob] = engine.accounts;
const receipt = await engine.executeAs(alice.address, {
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [bob.address, 1n],
});
if (receipt.status.kind !== 'executed') throw new Error(String(receipt));
`;

/** The scripts that a program loads, of files. */
async function loadedBy(program: string): Promise<string[]> {
  const folder = directory();
  const options = { env: { ...process.env, NODE_V8_COVERAGE: folder } };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], options);
  return readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });
}

it('needs no code of packages that only some programs call for a first receipt', async () => {
  const loaded = await loadedBy(PROGRAM);
  expect(loaded.some((url) => url.endsWith('/dist/engine.js'))).toBe(true);
  expect(loaded.filter((url) => /@noble\/curves|hashes\/(?:blake2|legacy)/.test(url))).toEqual([]);
});
