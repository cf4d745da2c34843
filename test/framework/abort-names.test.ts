/** The table of abort codes is what the framework's sources declare. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABORT_NAMES } from '../../src/framework/abort-names.ts';

const SOURCES = new URL('../../src/framework/move/', import.meta.url);
const PACKAGES = { 'move-stdlib': '0x1', 'moveos-stdlib': '0x2', 'rooch-framework': '0x3', 'bitcoin-move': '0x4' };
/** `ENAME` of Move's library, `ErrorName` of the chain's own packages. */
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
