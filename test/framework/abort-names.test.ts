/** The table of abort codes is what the framework's sources declare. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABORT_MEANINGS } from '../../src/framework/abort-meanings.ts';
import { ABORT_NAMES } from '../../src/framework/abort-names.ts';

const SOURCES = new URL('../../src/framework/move/', import.meta.url);
const PACKAGES = { 'move-stdlib': '0x1', 'moveos-stdlib': '0x2', 'rooch-framework': '0x3', 'bitcoin-move': '0x4' };
/** `ENAME` in Move's library, `ErrorName` in the chain's own packages. */
const declarations = (name: string): RegExp =>
  name === 'move-stdlib' ? /const (E[A-Z_]+): u64 = (\w+);/g : /const (Error\w+): u64 = (\w+);/g;

describe('names of abort codes', () => {
  it.each(Object.entries(PACKAGES))('are those that %s declares', (name, owner) => {
    const folder = new URL(`${name}/sources/`, SOURCES);
    const declared = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const codes = [...text.matchAll(declarations(name))].map(([, error, code]) => [Number(code), error!] as const);
      return codes.length === 0 ? [] : [[`${owner}::${file.replace('.move', '')}`, Object.fromEntries(codes)] as const];
    });
    expect(declared.length).toBeGreaterThan(0);
    const table = Object.entries(ABORT_NAMES).filter(([module]) => module.startsWith(`${owner}::`));
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(declared));
  });
});

/** The comment that stands before a declaration, attributes aside, in one line. */
function commentOf(text: string, error: string): string {
  const lines = text
    .slice(0, text.indexOf(`const ${error}:`))
    .trimEnd()
    .split('\n');
  const words: string[] = [];
  for (const line of lines.reverse().map((each) => each.trim())) {
    if (line.startsWith('///')) words.unshift(line.slice(3).trim());
    else if (!line.startsWith('#[')) break;
  }
  return words.join(' ');
}

describe('meanings of abort codes', () => {
  it.each(Object.entries(PACKAGES))('are the comments in %s at each name', (name, owner) => {
    const folder = new URL(`${name}/sources/`, SOURCES);
    for (const [module, names] of Object.entries(ABORT_NAMES)) {
      if (!module.startsWith(`${owner}::`)) continue;
      const text = readFileSync(new URL(`${module.slice(owner.length + 2)}.move`, folder), 'utf8');
      const comments = Object.entries(names).map(([code, error]) => [Number(code), commentOf(text, error)] as const);
      expect(ABORT_MEANINGS[module], module).toEqual(
        Object.fromEntries(comments.filter(([, comment]) => comment !== '')),
      );
    }
    const other = Object.keys(ABORT_MEANINGS).filter((module) => ABORT_NAMES[module] === undefined);
    expect(other).toEqual([]);
  });
});
