// Writes the scripts of a build, and beside each what V8 made of it after a first view, a first transaction and a first package:
// what src/code-cache.ts and src/engine-script.ts load.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ENGINE_CHUNK, engineModule, engineScript, lateScript } from './chunk-scripts.mjs';

/** What runs in a new process: a first view, transaction and package from the scripts, whose functions V8 has compiled then. */
const FIRST_USE = `
  import { createHash } from 'node:crypto';
  import { readFileSync, writeFileSync } from 'node:fs';
  import vm from 'node:vm';
  const [index, module, ...units] = process.argv.slice(1);
  const target = process.versions.v8 + '-' + process.arch;
  const cached = units.map((unit) => ({
    text: readFileSync(unit, 'latin1'),
    cache: unit.replace('.script.js', '.' + target + '.cache'),
  }));
  // One that does not fit: its script takes the place of the module.
  for (const { cache } of cached) writeFileSync(cache, '');
  const scripts = new Map();
  vm.Script = class extends vm.Script {
    constructor(text, options) {
      super(text, options);
      scripts.set(text, this);
    }
  };
  const { Engine, GAS_COIN_TYPE } = await import(index);
  const engine = await Engine.open();
  const account = new Uint8Array(32).fill(0x11);
  engine.balances.get(account, GAS_COIN_TYPE);
  engine.view({ function: '0x3::gas_coin::balance', arguments: [account] });
  const [from, to] = engine.accounts;
  const transfer = from.signed({
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [to.address, 1n],
  });
  const { status } = await engine.execute(transfer);
  if (status.kind !== 'executed') throw new Error('the first transaction was not executed');
  const published = await engine.publish(from.address, [new Uint8Array(readFileSync(module))]);
  if (published.status.kind !== 'executed') throw new Error('the first package was not published');
  for (const { text, cache } of cached) {
    if (!scripts.has(text)) throw new Error('no script was loaded for ' + cache);
    const data = scripts.get(text).createCachedData();
    const digest = createHash('sha256').update(text).update(data).digest();
    writeFileSync(cache, Buffer.concat([digest, data]));
  }
  await engine.close();
`;

/** A module of the first account. */
const MODULE = fileURLToPath(new URL('../examples/counter/counter.mv', import.meta.url));

/** Writes the scripts of a build and their code caches. `loader` is the code of src/engine-script.ts. */
export function writeScripts(dist, loader) {
  const engine = readFileSync(join(dist, ENGINE_CHUNK), 'utf8');
  const scripts = { engine: engineScript(engine), execution: lateScript(dist) };
  const units = Object.entries(scripts).map(([unit, text]) => {
    const file = join(dist, `${unit}.script.js`);
    writeFileSync(file, text);
    return file;
  });
  writeFileSync(join(dist, 'engine.node.js'), engineModule(engine, loader));
  return units;
}

export function writeCodeCaches(dist, units) {
  const index = pathToFileURL(join(dist, 'index.js')).href;
  execFileSync(process.execPath, ['--input-type=module', '--eval', FIRST_USE, index, MODULE, ...units]);
}
