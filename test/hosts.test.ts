/**
 * Hosts that load modules in their own way: each must get one copy of the built package, even if two engines are
 * opened at the same time; a view must run at once, and a transaction must be executed.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceOrigin } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from './store/temporary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = temporaryDirectories();
const execute = promisify(execFile);

/**
 * What a user writes, with time for a busy machine. An error from another copy of the package would be no `EngineError`
 * of this one.
 */
const PROGRAM = `
import { Engine, EngineError } from 'movelet';

export async function run(): Promise<string> {
  const engines = await Promise.all([Engine.open({ viewMsMax: 60_000 }), Engine.open({ chainId: 5n, viewMsMax: 60_000 })]);
  const said: string[] = [];
  for (const engine of engines) {
    const { status } = engine.view({ function: '0x3::gas_coin::balance', arguments: [new Uint8Array(32).fill(1)] });
    const [alice, bob] = engine.accounts;
    const signed = alice!.signed({
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [bob!.address, 1n],
    });
    const receipt = await engine.execute(signed);
    const { balance } = engine.balances.get(bob!.address, '0x3::gas_coin::RGas');
    said.push(status.kind, receipt.status.kind, String(balance));
    try {
      engine.view({ function: 'nothing' });
    } catch (error) {
      said.push(error instanceof EngineError ? error.code : String(error));
    }
    await engine.close();
  }
  return said.join();
}
`;
/** A signature of 'test' over P-256. Source: RFC 6979, A.2.5. */
const P256 = {
  key: '0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
  signature:
    'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
};
const SAID = Array(2).fill('executed,executed,100000000000001,invalid-argument').join();

/** A folder with the program, and the package installed as npm would. */
function project(main: string): string {
  const folder = directory();
  const installed = join(folder, 'node_modules', 'movelet');
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), {
    recursive: true,
    filter: (path) => !/\.(?:d\.ts|map)$/.test(path),
  });
  for (const name of Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'main.ts'), main);
  return folder;
}

/** What Node prints with these arguments in a folder. */
async function output(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
  return stdout.trim();
}

describe('the built package is loaded once', () => {
  const PRINT = "import { run } from './program.ts';\nrun().then((said) => console.log(said));\n";
  const compiled = `${transformSync(PROGRAM, { loader: 'ts' }).code}\nconsole.log(await run());`;

  /** The package in Node itself, its build, and the code caches in it: of the engine, and of the late unit. */
  function inNode(): { readonly folder: string; readonly dist: string; readonly caches: readonly [string, string] } {
    const folder = project('');
    writeFileSync(join(folder, 'main.mjs'), compiled);
    const dist = join(folder, 'node_modules', 'movelet', 'dist');
    const [engine, execution] = ['engine', 'execution'].map((unit) =>
      join(dist, `${unit}.${process.versions.v8}-${process.arch}.cache`),
    );
    return { folder, dist, caches: [engine!, execution!] };
  }

  /** Leaves the scripts without their modules. */
  function removeModules(dist: string): void {
    for (const file of ['engine.js', 'machine.js']) rmSync(join(dist, file));
  }

  it('in Node: from the scripts with the code caches, and not from the modules', async () => {
    const { folder, dist } = inNode();
    removeModules(dist);
    expect(await output(folder, 'main.mjs')).toBe(SAID);
  });

  it('in Node, with flags that V8 made no caches for: from the scripts all the same', async () => {
    const { folder, dist } = inNode();
    removeModules(dist);
    expect(await output(folder, '--no-flush-bytecode', 'main.mjs')).toBe(SAID);
  });

  it('in Node, by whatever door: `require` and `import` of two doors give one engine', async () => {
    const { folder, dist } = inNode();
    removeModules(dist);
    const program = `import { createRequire } from 'node:module';
      import { Engine, EngineError } from 'movelet';
      import { createRpc } from 'movelet/rpc';
      const required = createRequire(import.meta.url)('movelet');
      const engine = await required.Engine.open();
      const rpc = createRpc(engine);
      let code;
      try { engine.view({ function: 'nothing' }); } catch (error) { code = error instanceof EngineError && error.code; }
      console.log(required.Engine === Engine, engine instanceof Engine, code, (await rpc.request('chain_getChainID')));
      await rpc.close();`;
    writeFileSync(join(folder, 'doors.mjs'), program);
    expect(await output(folder, 'doors.mjs')).toMatch(/^true true invalid-argument /);
  });

  it('in Node: stack traces name the lines of engine.js, and those of the sources with --enable-source-maps', async () => {
    const { folder, dist } = inNode();
    cpSync(join(root, 'dist', 'engine.js.map'), join(dist, 'engine.js.map'));
    cpSync(join(root, 'src'), join(dist, '..', 'src'), { recursive: true });
    const program = `import { Engine } from 'movelet';
      await Engine.open({ unknown: 1 }).catch(({ stack }) => console.log(stack));`;
    writeFileSync(join(folder, 'fails.mjs'), program);
    const map = new SourceMap(JSON.parse(readFileSync(join(dist, 'engine.js.map'), 'utf8')));
    const plain = await output(folder, 'fails.mjs');
    const mapped = [...plain.matchAll(/movelet\/dist\/engine\.js:(\d+):(\d+)/g)].map(([, line, column]) => {
      const { fileName, lineNumber, columnNumber } = map.findOrigin(Number(line), Number(column)) as SourceOrigin;
      return `${fileName.replace('../', '')}:${lineNumber}:${columnNumber}`;
    });
    expect(mapped.length).toBeGreaterThan(2);
    const told = await output(folder, '--enable-source-maps', 'fails.mjs');
    expect([...told.matchAll(/movelet\/(src\/.*?\.ts:\d+:\d+)/g)].map(([, place]) => place)).toEqual(mapped);
  });

  it('in Node, with source maps where text may not become code', async () => {
    const { folder } = inNode();
    const flags = ['--disallow-code-generation-from-strings', '--enable-source-maps'];
    expect(await output(folder, ...flags, 'main.mjs')).toBe(SAID);
  });

  it('in Node, without the script: the error says so', async () => {
    const { folder, dist } = inNode();
    rmSync(join(dist, 'engine.script.js'));
    await expect(output(folder, 'main.mjs')).rejects.toThrow(
      /movelet is not whole: .* no engine\.script\.js beside it/,
    );
  });

  it('in Node: nothing of the machine before it is asked for, and from then on without its files', async () => {
    const { folder, dist } = inNode();
    const program = `import { rmSync } from 'node:fs';
      import vm from 'node:vm';
      let scripts = 0;
      vm.Script = class extends vm.Script { constructor(...given) { super(...given); scripts++; } };
      const { Engine } = await import('movelet');
      const engine = await Engine.open({ viewMsMax: 60_000 });
      const said = [engine.balances.get('0x1', '0x3::gas_coin::RGas').balance, scripts];
      for (const file of ${JSON.stringify(['execution.script.js', 'machine.js'])}) rmSync(${JSON.stringify(dist)} + '/' + file);
      const { status } = engine.view({ function: '0x3::gas_coin::balance', arguments: ['0x1'] });
      console.log([...said, status.kind, scripts].join());`;
    writeFileSync(join(folder, 'reads.mjs'), program);
    expect(await output(folder, 'reads.mjs')).toBe('0,1,executed,2');
  });

  it('in Node: curves that are made late, from the script too', async () => {
    const { folder, dist } = inNode();
    removeModules(dist);
    rmSync(join(dist, 'late-curves.js'));
    const program = `import { Engine } from 'movelet';
      const engine = await Engine.open({ viewMsMax: 60_000 });
      const [signature, key] = ['${P256.signature}', '${P256.key}'].map((digits) => new Uint8Array(Buffer.from(digits, 'hex')));
      const verify = (message) => engine.view({
        function: '0x3::ecdsa_r1::verify',
        arguments: [signature, key, new TextEncoder().encode(message)],
      }).values[0].bytes[0];
      console.log([verify('test'), verify('sample')].join());`;
    writeFileSync(join(folder, 'verifies.mjs'), program);
    expect(await output(folder, 'verifies.mjs')).toBe('1,0');
  });

  it.each([
    ['are damaged', (cache: string) => writeFileSync(cache, readFileSync(cache).fill(0xee, 100_000, 100_003))],
    ['are cut', (cache: string) => writeFileSync(cache, readFileSync(cache).subarray(0, 1000))],
    ['are empty', (cache: string) => writeFileSync(cache, '')],
  ])('in Node, where the code caches %s: from the scripts without them', async (_, spoil) => {
    const { folder, dist, caches } = inNode();
    caches.forEach(spoil);
    removeModules(dist);
    expect(await output(folder, 'main.mjs')).toBe(SAID);
  });

  it('in Node, where there are no code caches: the engine from its script, the machine from its module', async () => {
    const { folder, dist, caches } = inNode();
    for (const cache of caches) rmSync(cache);
    rmSync(join(dist, 'engine.js'));
    expect(await output(folder, 'main.mjs')).toBe(SAID);
    rmSync(join(dist, 'machine.js'));
    await expect(output(folder, 'main.mjs')).rejects.toThrow('machine.js');
  });

  it('in a bundle that keeps the URL of the sources, as webpack makes it', async () => {
    const folder = project(PRINT);
    const outfile = join(folder, 'out', 'bundle.cjs');
    const source = join(folder, 'node_modules', 'movelet', 'dist', 'engine.js');
    await build({
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['level'],
      logLevel: 'silent',
      define: { 'import.meta': JSON.stringify({ url: pathToFileURL(source).href }) },
      entryPoints: [join(folder, 'main.ts')],
      outfile,
    });
    expect(await output(folder, outfile)).toBe(SAID);
  });

  it.each(['cjs', 'esm'] as const)('in a bundle for Node alone, with its condition: %s', async (format) => {
    const folder = project(PRINT);
    const outfile = join(folder, 'out', `bundle.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const entryPoints = [join(folder, 'main.ts')];
    const own = { conditions: ['node-addons'], external: ['level'], logLevel: 'silent' as const };
    await build({ bundle: true, platform: 'node', format, ...own, entryPoints, outfile });
    // What it takes from elsewhere would not be there.
    const moved = directory();
    cpSync(join(folder, 'out'), join(moved, 'out'), { recursive: true });
    expect(await output(moved, join(moved, 'out', basename(outfile)))).toBe(SAID);
  });

  it.each(['vmThreads', 'vmForks'])('in a context of node:vm: the pool %s of Vitest', async (pool) => {
    const folder = project('');
    const main = `import { expect, it } from 'vitest';
      import { run } from './program.ts';
      it('runs', async () => expect(await run()).toBe('${SAID}'));`;
    writeFileSync(join(folder, 'main.test.ts'), main);
    for (const name of ['vitest', 'vite']) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const printed = await output(folder, vitest, 'run', '--pool', pool, '--testTimeout', '60000');
    expect(printed).toMatch(/Tests +1 passed/);
  });
});
