import { describe, expect, it } from 'vitest';
import { type Module, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { TypeDepth } from '../../../src/vm/verify/data-struct.ts';
import { assembleModule } from '../assemble.ts';

/** Deeper than the JavaScript stack allows a function to call itself. */
const LEVELS = 12_000;

/** Whether the last field of the last struct of `module` is within the bound. */
function lastFits(module: Module, ...others: Module[]): boolean {
  const byKey = new Map(others.map((other) => [moduleKey(selfIdOf(other)), other]));
  const last = module.structDefinitions.at(-1)!.fields!.at(-1)!.type;
  return new TypeDepth((id) => byKey.get(moduleKey(id)), new Map()).fits(module, last);
}

const vectors = (count: number, inner: string): string => `${'vector<'.repeat(count)}${inner}${'>'.repeat(count)}`;

it('measures structs in structs, however many', () => {
  const fits = (levels: number): boolean => {
    const structs = ['struct S0 has copy, drop { x: u64 }'];
    for (let level = 1; level <= levels; level++) structs.push(`struct S${level} has copy, drop { a: S${level - 1} }`);
    return lastFits(assembleModule(`module 0x1::m ${structs.join('\n')}`));
  };
  expect(fits(15)).toBe(true);
  expect(fits(16)).toBe(false);
  expect(fits(LEVELS)).toBe(false);
});

describe('of a generic struct', () => {
  // A struct is one level, and so is each vector and the innermost type; a type argument is measured from the depth at
  // which the struct stands.
  it.each<[string, string, (levels: number) => string, number]>([
    // 1 for the struct and 1 + n for the argument.
    ['holds its argument', 'struct G<T> { t: T }', (n) => `G<${vectors(n, 'u8')}>`, 14],
    // The struct stands at n + 1, and its argument is measured from there: twice n + 1.
    ['stands in vectors', 'struct G<T> { t: T }', (n) => vectors(n, 'G<u8>'), 7],
    ['holds the first of two', 'struct G<A, B> { a: A, b: vector<B> }', (n) => `G<${vectors(n, 'u8')}, u8>`, 14],
    ['holds the second in a vector', 'struct G<A, B> { a: A, b: vector<B> }', (n) => `G<u8, ${vectors(n, 'u8')}>`, 13],
    ['holds it twice', 'struct G<T> { a: vector<T>, b: T }', (n) => `G<${vectors(n, 'u8')}>`, 13],
    // 1 for S, 1 for G, 1 + n.
    ['stands in another struct', 'struct G<T> { t: T } struct S<T> { g: G<T> }', (n) => `S<${vectors(n, 'u8')}>`, 13],
    // The argument is not held, but is no deeper than any other type may be.
    ['ignores its argument', 'struct G<phantom T> { x: u8 }', (n) => `G<${vectors(n, 'u8')}>`, 15],
    [
      'holds more than its argument',
      'struct G<T> { v: vector<vector<u8>>, t: T }',
      (n) => `G<${vectors(n, 'u8')}>`,
      14,
    ],
  ])('which %s', (_, structs, type, most) => {
    const fits = (levels: number): boolean =>
      lastFits(assembleModule(`module 0x1::m ${structs} struct Last { last: ${type(levels)} }`));
    expect(fits(most)).toBe(true);
    expect(fits(most + 1)).toBe(false);
  });

  /** A module that names the struct G of another with as many arguments as there are here. */
  const naming = (parameters: string, type: string): Module =>
    assembleModule(`module 0x1::m extern 0x1::other { struct G${parameters} has copy, drop }
      struct Inner { g: 0x1::other::G${type} } struct Last { last: Inner }`);

  it('that lacks an argument which it holds, fits nowhere', () => {
    const owner = (text: string): Module => assembleModule(`module 0x1::other ${text}`);
    const one = owner('struct G<T> has copy, drop { t: T }');
    const second = owner('struct G<A, B> has copy, drop { b: B }');
    const first = owner('struct G<A, B> has copy, drop { a: A }');
    expect(lastFits(naming('', ''), one)).toBe(false);
    expect(lastFits(naming('<T>', '<u8>'), one)).toBe(true);
    expect(lastFits(naming('<T>', '<u8>'), second)).toBe(false);
    // What is not held need not be given, and one too many is not looked at.
    expect(lastFits(naming('<T>', '<u8>'), first)).toBe(true);
    expect(lastFits(naming('<A, B>', '<u8, u8>'), one)).toBe(true);
  });

  it('that no module has, counts as one level', () => {
    expect(lastFits(naming('<T>', '<u8>'))).toBe(true);
    const deep = (levels: number): Module =>
      assembleModule(`module 0x1::m extern 0x1::other { struct G has copy, drop }
        struct Last { last: ${vectors(levels, '0x1::other::G')} }`);
    expect(lastFits(deep(15))).toBe(true);
    expect(lastFits(deep(16))).toBe(false);
  });
});

it('takes no reference, type parameter or struct that holds itself for plain data', () => {
  const last = (structs: string, type: string): boolean =>
    lastFits(assembleModule(`module 0x1::m ${structs} struct Last<T> { last: ${type} }`));
  expect(last('', 'T')).toBe(false);
  expect(last('', 'signer')).toBe(true);
  expect(last('struct Own { own: vector<Own> }', 'Own')).toBe(false);
  expect(last('struct A { b: B } struct B { a: A }', 'A')).toBe(false);
});
