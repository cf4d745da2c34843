/**
 * Hosts that load modules in their own way: each must get one copy of the built package, even if two engines are
 * opened at the same time; a view must run at once, and a transaction must be executed.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const engines = await Promise.all([Engine.open({ viewMsMax: 600_000 }), Engine.open({ chainId: 5n, viewMsMax: 600_000 })]);
  const said: string[] = [];
  for (const engine of engines) {
    const [coins] = engine.view({ function: '0x3::gas_coin::balance', arguments: [new Uint8Array(32).fill(1)] });
    const [alice, bob] = engine.accounts;
    const signed = alice!.signTransaction({
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [bob!.address, 1n],
    });
    const receipt = await engine.execute(signed);
    const { balance } = engine.balances.get(bob!.address, '0x3::gas_coin::RGas');
    said.push(typeof coins, receipt.status.kind, String(balance));
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
const SAID = Array(2).fill('bigint,executed,100000000000001,invalid-argument').join();

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

  /** The package in Node itself. */
  function inNode(): string {
    const folder = project('');
    writeFileSync(join(folder, 'main.mjs'), compiled);
    return folder;
  }

  it('in Node', async () => {
    expect(await output(inNode(), 'main.mjs')).toBe(SAID);
  });

  it('on a host that has no `require` of its own', async () => {
    const folder = inNode();
    writeFileSync(join(folder, 'host.mjs'), 'process.getBuiltinModule = undefined;');
    expect(await output(folder, '--import', './host.mjs', 'main.mjs')).toBe(SAID);
  });

  it('in Node, by whatever door: `require` and `import` of two doors give one engine', async () => {
    const folder = inNode();
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

  it('in Node: the stack of an error begins with the line that called', async () => {
    const folder = inNode();
    const program = `import { Engine } from 'movelet';
      import { createRpc } from 'movelet/rpc';
      const engine = await Engine.open();
      const [alice, bob] = engine.accounts;
      const call = { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [bob.address] };
      const old = alice.signTransaction({ ...call, arguments: [bob.address, 1n] }, { sequenceNumber: 9n });
      const fails = [
        () => Engine.open({ unknown: 1 }),
        () => engine.executeAs(alice.address, call),
        async () => engine.execute(old),
        async () => engine.view({ function: '0x3::transfer::nothing' }),
        async () => engine.at(9n),
        async () => createRpc(5),
      ];
      for (const fail of fails) await fail().catch(({ stack }) => console.log(/ at .*/.exec(stack)?.[0]));`;
    writeFileSync(join(folder, 'fails.mjs'), program);
    const lines = (await output(folder, 'fails.mjs')).split('\n').map((frame) => /fails\.mjs:(\d+)/.exec(frame)?.[1]);
    expect(lines).toEqual(['8', '9', '10', '11', '12', '13']);
  });

  it('under node:test: what it prints of a mistake is the line of the test', async () => {
    const folder = inNode();
    const program = `import { test } from 'node:test';
      import { Engine } from 'movelet';
      import { PreparedChain } from 'movelet/testing';
      const engine = await Engine.open();
      const alice = engine.accounts[0];
      test('a mistake', async () => { await engine.executeAs(alice, { function: '0x3::empty::emty' }); });
      test('a refusal', async () => { await engine.execute(new Uint8Array(3)); });
      const chain = new PreparedChain({
        prepare: async (own) => {
          await own.publish('0x42', []).catch(() => undefined);
          await own.executeAs(alice, { function: '0x3::gas_coin::faucet_entry', arguments: [2n ** 256n - 1n] });
        },
      });
      test('a preparation', async () => { await chain.fork(); });`;
    writeFileSync(join(folder, 'fails.test.mjs'), program);
    const failed = await output(folder, '--test', '--test-reporter=tap', 'fails.test.mjs').catch((error) => error);
    const { stdout } = failed as { stdout: string };
    const lines = [...stdout.matchAll(/stack: \|-\n\s+(.*)/g)].map(
      ([, frame]) => /fails\.test\.mjs:(\d+)/.exec(frame!)?.[1],
    );
    expect(lines, stdout).toEqual(['6', '7', '11']);
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
    const printed = await output(folder, vitest, 'run', '--pool', pool, '--testTimeout', '600000');
    expect(printed).toMatch(/Tests +1 passed/);
  });
});
