/** The local chain of the build, as a program opens it that imports the build. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { Engine } from '../../src/engine.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const directory = temporaryDirectories();

/** What a program prints that opens an engine of a build, or why it cannot. */
function opened(build: string, print: string): Buffer {
  const program = `const { Engine } = await import(${JSON.stringify(pathToFileURL(join(build, 'index.js')))});
    try { const engine = await Engine.open(); ${print} } catch ({ code, message }) { process.stdout.write(code + ' ' + message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { maxBuffer: 2 ** 24 });
}

it('has the same rows as the genesis that the sources compute', async () => {
  await using engine = await Engine.open();
  const computed: Uint8Array[] = [];
  for await (const chunk of engine.dump()) computed.push(chunk);
  const read = opened(dist, 'for await (const chunk of engine.dump()) process.stdout.write(chunk);');
  expect(Buffer.compare(read, Buffer.concat(computed))).toBe(0);
});

it('is refused where its file is damaged', () => {
  const build = join(directory(), 'dist');
  cpSync(dist, build, { recursive: true });
  cpSync(join(dist, '..', 'package.json'), join(build, '..', 'package.json'));
  const file = join(build, 'local-genesis.rows');
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  for (const damaged of [bytes, bytes.subarray(0, 31), new Uint8Array(0)]) {
    writeFileSync(file, damaged);
    expect(String(opened(build, ''))).toMatch(/^corrupt .*local-genesis\.rows: its digest does not match/);
  }
});
