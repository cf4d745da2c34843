/** The table of abort codes is what the framework's sources declare. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ABORT_CODES } from '../../../src/execution/framework/abort-codes.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';

const SOURCES = new URL('../../../src/execution/framework/move/', import.meta.url);
const PACKAGES = { 'move-stdlib': '0x1', 'moveos-stdlib': '0x2', 'rooch-framework': '0x3', 'bitcoin-move': '0x4' };
/** `ENAME` in Move's library, mostly `ErrorName` in the chain's own packages. */
const declarations = (name: string): RegExp =>
  name === 'move-stdlib'
    ? /const (E[A-Z_]+): u64 = (\w+);/g
    : /const (E(?:rror|RROR_|_|API_|INVALID_|Test)\w+): u64 = (\w+);/g;

describe('abort codes', () => {
  it.each(Object.entries(PACKAGES))('have the names that %s declares, and the comments on them', (name, owner) => {
    const folder = new URL(`${name}/sources/`, SOURCES);
    const declared = readdirSync(folder).flatMap((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const codes = [...text.matchAll(declarations(name))].map(([, error, code]) => {
        const comment = commentOf(text, error!);
        return [Number(code), comment === '' ? [error!] : [error!, comment]] as const;
      });
      return codes.length === 0 ? [] : [[`${owner}::${file.replace('.move', '')}`, Object.fromEntries(codes)] as const];
    });
    expect(declared.length).toBeGreaterThan(0);
    const table = Object.entries(ABORT_CODES).filter(([module]) => module.startsWith(`${owner}::`));
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

describe.skipIf(!hasReference)(`names of abort codes of the reference${referenceNote}`, () => {
  it.each(Object.entries(PACKAGES))('are declared in %s, with their numbers', (name, owner) => {
    const folder = `${process.env['MOVELET_REFERENCE']}/frameworks/${name}/sources/`;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.move'));
    for (const file of files) {
      const module = `${owner}::${basename(file, '.move')}`;
      const text = readFileSync(folder + file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      // A module of tests alone, which no chain has.
      if (module === '0x3::rs256_test') continue;
      for (const [, error, code] of text.matchAll(declarations(name))) {
        expect([module, code, ABORT_CODES[module]?.[Number(code)]?.[0]]).toEqual([module, code, error]);
      }
    }
  });
});
