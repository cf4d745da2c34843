import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resolveNames } from '../../../src/compile/names/resolve.ts';
import type { ResolvedProgram } from '../../../src/compile/names/resolved-tree.ts';
import { parseFile } from '../../../src/compile/syntax/parser.ts';
import type { SyntaxFile } from '../../../src/compile/syntax/tree.ts';
import { Diagnostics } from '../../../src/compile/text/diagnostic.ts';
import type { Span } from '../../../src/compile/text/source-text.ts';
import { addressOf } from '../../../src/move/address.ts';

/** The names of addresses in sources of tests, and in those of the framework. */
export const ADDRESSES: ReadonlyMap<string, Uint8Array> = new Map([
  ['std', addressOf(1)],
  ['moveos_std', addressOf(2)],
  ['rooch_framework', addressOf(3)],
  ['bitcoin_move', addressOf(4)],
  ['a', addressOf(0xa)],
  ['b', addressOf(0xb)],
]);

/** `E01002 3:5`: the code of a diagnostic, the line and the column. */
export function codesOf(diagnostics: Diagnostics): string[] {
  return diagnostics.sorted().map(({ kind, primary }) => `${kind.code} ${placeOf(primary.span)}`);
}

function placeOf({ source, start }: Span): string {
  const lines = source.text.slice(0, start).split('\n');
  return `${lines.length}:${lines.at(-1)!.length + 1}`;
}

export function parse(text: string): {
  readonly file: SyntaxFile;
  readonly codes: string[];
  readonly diagnostics: Diagnostics;
} {
  const diagnostics = new Diagnostics();
  const file = parseFile({ path: 'test.move', text, index: 0 }, diagnostics);
  return { file, codes: codesOf(diagnostics), diagnostics };
}

interface Resolved {
  readonly program: ResolvedProgram;
  readonly codes: string[];
  readonly diagnostics: Diagnostics;
}

/** Resolves sources, all of which can be read. */
export function resolve(targets: readonly string[], dependencies: readonly string[] = [], hasTests = false): Resolved {
  const diagnostics = new Diagnostics();
  const filesOf = (texts: readonly string[], first: number): SyntaxFile[] =>
    texts.map((text, at) => parseFile({ path: `${first + at}.move`, text, index: first + at }, diagnostics));
  const input = {
    targets: [{ files: filesOf(targets, 0), addresses: ADDRESSES }],
    dependencies: [{ files: filesOf(dependencies, targets.length), addresses: ADDRESSES }],
    mode: { hasTests, hasVerification: false },
  };
  if (codesOf(diagnostics).length > 0) throw new Error(`the source does not parse: ${codesOf(diagnostics)}`);
  const program = resolveNames(input, diagnostics);
  return { program, codes: codesOf(diagnostics), diagnostics };
}

/** The sources of a package of the framework, sorted by path. */
export function frameworkSources(name: string): string[] {
  const folder = fileURLToPath(new URL(`../../../src/execution/framework/move/${name}/`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.move'));
  return paths.sort().map((path) => readFileSync(`${folder}${path}`, 'utf8'));
}

export const FRAMEWORK_PACKAGES = ['move-stdlib', 'moveos-stdlib', 'rooch-framework', 'bitcoin-move'] as const;
