// Writes the late unit once more, as a script, and beside it V8's code cache of that script after a first view, a first
// transaction and a first package: what src/code-cache.ts loads. The script is made of the chunks that only the unit needs, and takes
// what the engine exports.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** The chunks of the unit, each behind those that it imports. */
const UNIT = ['./curves.js', './shared.js', './machine.js', './execution.js'];

/** The chunk that the script is given. */
const ENGINE = './engine.js';

const variableOf = (file) => `$${file.replace(/\W/g, '_')}`;
const nameOf = (node) => node.name ?? node.value;

/** A chunk as a function body that returns what the chunk exports; `imported` gets the files that it imports. */
function bodyOf(text, imported) {
  const [bindings, exported] = [[], []];
  let body = text;
  for (const node of parseAst(text, { lang: 'js' }).body.toReversed()) {
    const file = node.source?.value;
    if (file !== undefined) imported.add(file);
    if (node.type === 'ImportDeclaration') {
      for (const { type, imported: from, local } of node.specifiers) {
        if (type !== 'ImportSpecifier') throw new Error(`the late unit imports ${file} as a whole`);
        bindings.push(`const ${local.name} = ${variableOf(file)}.${nameOf(from)};`);
      }
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      for (const { local, exported: as } of node.specifiers) {
        exported.push(`${nameOf(as)}: ${file === undefined ? '' : `${variableOf(file)}.`}${nameOf(local)}`);
      }
    } else if (/^(?:Import|Export)/.test(node.type)) {
      throw new Error(`the late unit has a statement that no script has: ${node.type}`);
    } else continue;
    body = body.slice(0, node.start) + body.slice(node.end);
  }
  if (/\bimport\s*[.(]/.test(body)) throw new Error('the late unit imports more, or asks for its own URL');
  return `${bindings.join('\n')}\n${body.replace(/\/\/# sourceMappingURL=.*/, '')}\nreturn { ${exported.join(', ')} };`;
}

/** In ASCII, which V8 takes as it is: text in UTF-8 it would have to decode first. Only strings have other letters. */
const ascii = (text) => text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function scriptOf(dist) {
  const imported = new Set();
  const made = UNIT.map((file) => {
    const body = bodyOf(readFileSync(join(dist, file), 'utf8'), imported);
    return `const ${variableOf(file)} = (() => {\n${body}\n})();`;
  });
  const others = [...imported].filter((file) => !UNIT.includes(file) && file !== ENGINE);
  if (others.length > 0) throw new Error(`the late unit imports ${others}, which its script is not given`);
  return ascii(
    `((${variableOf(ENGINE)}) => {\n'use strict';\n${made.join('\n')}\nreturn ${variableOf(UNIT.at(-1))};\n})\n`,
  );
}

/** What runs in a new process: a first view, transaction and package from the script, whose functions V8 has compiled then. */
const FIRST_USE = `
  import { createHash } from 'node:crypto';
  import { readFileSync, writeFileSync } from 'node:fs';
  import vm from 'node:vm';
  const [index, source, cache, module] = process.argv.slice(1);
  const text = readFileSync(source, 'utf8');
  const write = (data) => {
    const digest = createHash('sha256').update(text).update(data).digest();
    writeFileSync(cache, Buffer.concat([digest, data]));
  };
  write(new vm.Script(text, { filename: 'execution.script.js' }).createCachedData());
  const scripts = [];
  vm.Script = class extends vm.Script {
    constructor(...given) {
      super(...given);
      scripts.push(this);
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
  if (scripts.length !== 1) throw new Error('the late unit did not come from its script');
  write(scripts[0].createCachedData());
  await engine.close();
`;

/** A module of the first account. */
const MODULE = fileURLToPath(new URL('../examples/counter/counter.mv', import.meta.url));

export function writeCodeCache(dist) {
  const source = join(dist, 'execution.script.js');
  const cache = join(dist, `execution.${process.versions.v8}-${process.arch}.cache`);
  writeFileSync(source, scriptOf(dist));
  const index = pathToFileURL(join(dist, 'index.js')).href;
  execFileSync(process.execPath, ['--input-type=module', '--eval', FIRST_USE, index, source, cache, MODULE]);
}
