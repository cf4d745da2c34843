// Chunks of the build as scripts, which V8's code cache is for (code-cache.mjs): the engine's chunk, and the late unit, which is
// made of the chunks that only it needs and is given what the engine exports. A third text is the module that exports what the
// engine's script gives: what Node imports as `#engine`.
//
// A script is a function in parentheses, which V8 compiles at once. An arrow function it would read twice, where no cache fits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** The chunks of the late unit, each behind those that it imports. */
const UNIT = ['./curves.js', './late-curves.js', './shared.js', './machine.js', './execution.js'];

/** Those that are evaluated when a function of them is first called. They export nothing else. */
const LATE = new Set(['./late-curves.js']);

/** The engine's chunk, and how all others import it (package.json, `imports`). */
export const ENGINE_CHUNK = 'engine.js';
const ENGINE = '#engine';

const variableOf = (file) => `$${file.replace(/\W/g, '_')}`;
const nameOf = (node) => node.name ?? node.value;
const programOf = (text) => parseAst(text, { lang: 'js' });

/** The nodes of a syntax tree that are of some types, from the last to the first. */
function nodesOf(program, ...types) {
  const found = [];
  const look = (node) => {
    if (types.includes(node.type)) found.push(node);
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const each of child) each?.type && look(each);
      else if (child?.type) look(child);
    }
  };
  look(program);
  return found.sort((left, right) => right.start - left.start);
}

/** A text with something else where a node stands. */
const replaced = (text, { start, end }, by) => text.slice(0, start) + by + text.slice(end);

/** In ASCII, which V8 takes as it is: text in UTF-8 it would have to decode first. Only strings have other letters. */
const ascii = (text) => text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What a chunk exports, by the name there: the name in the chunk. */
function exportsOf(program) {
  const statements = program.body.filter(({ type }) => /^Export/.test(type));
  return new Map(
    statements.flatMap(({ type, source, declaration, specifiers }) => {
      if (type !== 'ExportNamedDeclaration' || source !== null || declaration !== null)
        throw new Error(`the chunk has a statement that no script has: ${type}`);
      return specifiers.map(({ exported, local }) => [nameOf(exported), nameOf(local)]);
    }),
  );
}

/**
 * The engine's chunk as a script, each line where it is in the chunk, for its source map. The script is given what imports a
 * chunk, and where it is, since `import()` and `import.meta` are not what they are in a module.
 */
export function engineScript(text) {
  const program = programOf(text);
  if (/\$chunk|\$importMeta/.test(text)) throw new Error('the chunk has names that its script is given');
  let script = text.replace(/\/\/# sourceMappingURL=.*/, '');
  for (const node of nodesOf(
    program,
    'ImportExpression',
    'MetaProperty',
    'ImportDeclaration',
    'ExportNamedDeclaration',
  )) {
    if (node.type === 'ImportExpression')
      script = replaced(script, { start: node.start, end: node.start + 6 }, '$chunk');
    else if (node.type === 'MetaProperty' && text.startsWith('import', node.start))
      script = replaced(script, node, '$importMeta');
    else if (node.type === 'ImportDeclaration') {
      if (node.specifiers.length > 0) throw new Error(`the engine imports ${node.source.value} before it is asked to`);
      script = replaced(script, node, '');
    } else if (node.type === 'ExportNamedDeclaration') {
      const all = [...exportsOf(program)].map(([name, local]) => `${name}: ${local}`);
      script = replaced(script, node, `return { ${all.join(', ')} };`);
    }
  }
  return ascii(`(function ($chunk, $importMeta) { 'use strict'; ${script}\n})\n`);
}

/** The module that Node imports for the chunk: `loader` is the code of src/engine-script.ts. */
export function engineModule(text, loader) {
  const program = programOf(text);
  const chunks = nodesOf(program, 'ImportExpression').map(({ source, start }) => {
    if (typeof source.value !== 'string')
      throw new Error(`the chunk imports what is not known: ${text.slice(start, start + 60)}`);
    return source.value;
  });
  const names = [...exportsOf(program).keys()];
  const lines = (list, line) => list.map((item, index) => `  ${line(item, index)},`).join('\n');
  return `${loader}
const chunks = {
${lines([...new Set(chunks)], (file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(file)})`)}
};
const unit = engineChunk((file) => chunks[file](), import.meta.url, () => require('./${ENGINE_CHUNK}'));
const {
${lines(names, (name, index) => `${name}: _${index}`)}
} = unit;
export {
${lines(names, (name, index) => `_${index} as ${name}`)}
};
`;
}

/** A chunk that imports the engine's by its name in package.json; `file` is its path in the build. */
export function namingEngine(file, text) {
  if (!text.includes(`/${ENGINE_CHUNK}"`)) return text;
  const statements = nodesOf(programOf(text), 'ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration');
  return statements
    .filter(({ source }) => source && join(file, '..', source.value) === ENGINE_CHUNK)
    .reduce((code, { source }) => replaced(code, source, JSON.stringify(ENGINE)), text);
}

/** A chunk as a function body that returns what the chunk exports; `imported` gets the files that it imports. */
function bodyOf(text, imported) {
  const [bindings, exported] = [[], []];
  let body = text;
  for (const node of programOf(text).body.toReversed()) {
    const file = node.source?.value;
    if (file !== undefined) imported.add(file);
    if (node.type === 'ImportDeclaration') {
      for (const { type, imported: from, local } of node.specifiers) {
        if (type !== 'ImportSpecifier') throw new Error(`the late unit imports ${file} as a whole`);
        const exported = `${variableOf(file)}${LATE.has(file) ? '()' : ''}.${nameOf(from)}`;
        const given = LATE.has(file) ? `(...given) => ${exported}(...given)` : exported;
        bindings.push(`const ${local.name} = ${given};`);
      }
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      for (const { local, exported: as } of node.specifiers) {
        exported.push(`${nameOf(as)}: ${file === undefined ? '' : `${variableOf(file)}.`}${nameOf(local)}`);
      }
    } else if (/^(?:Import|Export)/.test(node.type)) {
      throw new Error(`the late unit has a statement that no script has: ${node.type}`);
    } else continue;
    body = replaced(body, node, '');
  }
  if (/\bimport\s*[.(]/.test(body)) throw new Error('the late unit imports more, or asks for its own URL');
  return `${bindings.join('\n')}\n${body.replace(/\/\/# sourceMappingURL=.*/, '')}\nreturn { ${exported.join(', ')} };`;
}

/** A chunk that is evaluated when it is first asked for. A declared function is compiled then, too. */
function lateChunk(variable, body) {
  return `let ${variable}_made;
function ${variable}_make() {\n${body}\n}
function ${variable}() {
  ${variable}_made ??= ${variable}_make();
  return ${variable}_made;
}`;
}

/** The late unit as a script, which is given what the engine exports. */
export function lateScript(dist) {
  const imported = new Set();
  const made = UNIT.map((file) => {
    const body = bodyOf(readFileSync(join(dist, file), 'utf8'), imported);
    return LATE.has(file)
      ? lateChunk(variableOf(file), body)
      : `const ${variableOf(file)} = (function () {\n${body}\n})();`;
  });
  const others = [...imported].filter((file) => !UNIT.includes(file) && file !== ENGINE);
  if (others.length > 0) throw new Error(`the late unit imports ${others}, which its script is not given`);
  return ascii(
    `(function (${variableOf(ENGINE)}) {\n'use strict';\n${made.join('\n')}\nreturn ${variableOf(UNIT.at(-1))};\n})\n`,
  );
}
