// A step of a build, and alone `node scripts/framework-page.mjs`: writes docs/framework.md from the sources of the framework.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MOVE = fileURLToPath(new URL('../src/execution/framework/move/', import.meta.url));

/** In the order of their dependencies: the folder, the name in Move.toml, the address and how sources call that. */
const PACKAGES = [
  ['move-stdlib', 'MoveStdlib', '0x1', 'std'],
  ['moveos-stdlib', 'MoveosStdlib', '0x2', 'moveos_std'],
  ['rooch-framework', 'RoochFramework', '0x3', 'rooch_framework'],
  ['bitcoin-move', 'BitcoinMove', '0x4', 'bitcoin_move'],
];

const HEAD = `# The framework

What contracts can call: all public functions of the Move packages that come with movelet, with the comments of their sources, which
are in \`node_modules/movelet/src/execution/framework/move\`. A package names them as \`std\`, \`moveos_std\`, \`rooch_framework\` and
\`bitcoin_move\`. \`entry\` marks functions that transactions can call, too. After \`private_generics(T)\`, only the module that declares
the type T may call a function with it. [Move packages](move.md) lists functions that are only for tests.
`;

const DOC = String.raw`((?:^[ \t]*\/\/\/.*\n)*)`;
const MODULE = new RegExp(String.raw`^(#\[test_only\]\s*)?${DOC}^(#\[test_only\]\s*)?module \w+::(\w+)`, 'm');
const MEMBER = new RegExp(
  String.raw`${DOC}((?:^ {4}#\[[^\n]*\]\n)*)^ {4}(?:(?:native )?(public (?:entry )?(?:native )?(?:inline )?fun [^{;]*)|(struct \w+[^{;]*))`,
  'gm',
);

const proseOf = (doc) =>
  doc
    .replace(/^[ \t]*\/\/\/ ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
const lineOf = (code) => code.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')').trim();

/** A line of the page: the code of a declaration, and its comment. */
const item = (code, doc) => `- \`${code}\`${doc === '' ? '' : `  \n  ${doc}`}\n`;

function moduleText(address, source) {
  const [, first, doc, second, name] = MODULE.exec(source);
  if (first !== undefined || second !== undefined) return '';
  const members = [...source.matchAll(MEMBER)].filter(([, , attributes]) => !attributes.includes('test_only'));
  const items = members.flatMap(([, comment, attributes, fun, struct]) => {
    const prose = proseOf(comment);
    if (struct !== undefined) return prose === '' && !/\bhas\b/.test(struct) ? [] : [item(lineOf(struct), prose)];
    const rules = /private_generics\([^\]]*\)/.exec(attributes)?.[0];
    const code = lineOf(fun.replace(/^public (entry )?(?:native |inline )*fun /, '$1'));
    return [item(rules === undefined ? code : `${rules} ${code}`, prose)];
  });
  return items.length === 0
    ? ''
    : `\n### ${address}::${name}\n\n${doc === '' ? '' : `${proseOf(doc)}\n\n`}${items.join('')}`;
}

export function frameworkPage() {
  const sections = PACKAGES.map(([folder, name, address, named]) => {
    const sources = readdirSync(`${MOVE}${folder}/sources`)
      .filter((file) => file.endsWith('.move'))
      .sort();
    const modules = sources.map((file) =>
      moduleText(address, readFileSync(`${MOVE}${folder}/sources/${file}`, 'utf8')),
    );
    return `\n## ${name}: ${address}, \`${named}\`\n${modules.join('')}`;
  });
  return `${HEAD}${sections.join('')}`;
}

export function writeFrameworkPage() {
  writeFileSync(fileURLToPath(new URL('../docs/framework.md', import.meta.url)), frameworkPage());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFrameworkPage();
