/** The local chain of the build, as a program that imports the build opens it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { MODULE_STORE_ID } from '../../../src/chain/object/object-id.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { Engine } from '../../../src/index.ts';
import { moduleKey } from '../../../src/vm/binary/module.ts';
import { collected } from '../../collected.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const directory = temporaryDirectories();

/** What a program that opens an engine of a build prints, or why it cannot open one. */
function opened(build: string, print: string): Buffer {
  const program = `const { Engine } = await import(${JSON.stringify(pathToFileURL(join(build, 'index.js')))});
    try { const engine = await Engine.open(); ${print} } catch ({ code, message }) { process.stdout.write(code + ' ' + message); }`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { maxBuffer: 2 ** 24 });
}

it('has the same rows as the genesis that the sources compute', async () => {
  await using engine = await Engine.open();
  const computed = await collected(engine.dump());
  const read = opened(dist, 'for await (const chunk of engine.dump()) process.stdout.write(chunk);');
  expect(Buffer.compare(read, Buffer.concat(computed))).toBe(0);
});

it('says where in its rows each module of the framework is, and which root their store has', async () => {
  await using engine = await Engine.open();
  const file = readFileSync(join(dist, 'local-genesis.rows'));
  const tableEnd = file.length - 36;
  const rows = file.subarray(0, file.readUInt32LE(tableEnd));
  const table = JSON.parse(String(file.subarray(rows.length, tableEnd)));
  const { stateRoot } = engine.objects.get(MODULE_STORE_ID)!.meta;
  expect(table.root).toBe(stateRoot!.slice(2));
  const found = Object.entries(table.modules as Record<string, [number, number, string]>);
  const read = found.map(([key, [at, length, digest]]) => [key, rows.subarray(at, at + length), digest]);
  const modules = FRAMEWORK_PACKAGES.flatMap(({ address, modules }) =>
    modules.map(({ name, bytes }) => [
      moduleKey({ address, name }),
      Buffer.from(bytes),
      createHash('sha3-256').update(bytes).digest('hex'),
    ]),
  );
  expect(read).toEqual(modules);
});

it('gives a new process the modules that it runs', () => {
  const program = `const [alice, bob] = engine.accounts;
    const { status } = await engine.execute(alice.signTransaction({ function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [bob.address, 1n] }));
    process.stdout.write(JSON.stringify([status.kind, engine.inside.core.usage().treeNodes.entries]));`;
  const [status, nodes] = JSON.parse(String(opened(dist, program)));
  expect(status).toBe('executed');
  // Walking to each of the modules that a first transaction loads would read a hundred more than 200.
  expect(nodes).toBeLessThan(250);
});

it('is refused if its file is damaged', () => {
  const build = join(directory(), 'dist');
  cpSync(dist, build, { recursive: true });
  cpSync(join(dist, '..', 'package.json'), join(build, '..', 'package.json'));
  symlinkSync(join(dist, '..', 'node_modules'), join(build, '..', 'node_modules'));
  const file = join(build, 'local-genesis.rows');
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  for (const damaged of [bytes, bytes.subarray(0, 31), new Uint8Array(0)]) {
    writeFileSync(file, damaged);
    expect(String(opened(build, ''))).toMatch(/^corrupt .*local-genesis\.rows: its digest does not match/);
  }
});

/** Numbers of 0x2::features: a local chain, dev, test, templates, allowlist, WASM, gas by size, friends in upgrades. */
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];

it.each([
  ['main', 1n, [5]],
  ['test', 2n, [3, 4, 7]],
  ['dev', 3n, [2, 3, 4, 7, 8]],
  ['local', 4n, [1, 2, 3, 4, 7, 8]],
  ['of its own number', 1234n, [4]],
])('of a chain that is %s', async (_name, chainId, expected) => {
  await using engine = await Engine.open({ chainId });
  const isOn = (feature: number): unknown =>
    engine.view({ function: '0x2::features::is_enabled', arguments: [feature] })[0];
  expect(ALL.filter(isOn)).toEqual(expected);
});
