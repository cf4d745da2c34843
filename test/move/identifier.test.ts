import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, string } from '../../src/base/bcs.ts';
import { fileNameOf, identifier, isIdentifier } from '../../src/move/identifier.ts';
import { identifierArbitrary } from '../arbitraries/primitive.ts';
import { describeCodec } from '../base/bcs/codec-laws.ts';
import { expectRefusal } from '../refusal.ts';

describeCodec('identifier', identifier, identifierArbitrary);

describe('identifiers', () => {
  it.each(['a', 'Z', 'a1', 'snake_case', 'CamelCase', '_a', '__', '_1', 'a_', '<SELF>', 'a'.repeat(255)])(
    '%s is an identifier',
    (text) => {
      expect(isIdentifier(text)).toBe(true);
    },
  );

  it.each(['', '_', '1', '1a', 'a-b', 'a b', 'a::b', 'é', 'a\n', '<self>', '<SELF', '$a', 'a'.repeat(256)])(
    '%j is not an identifier, read or written',
    (text) => {
      expect(isIdentifier(text)).toBe(false);
      expectRefusal(() => encode(identifier, text), 'invalid-argument', 'expected a Move identifier, got');
      expectRefusal(
        () => decode(identifier, encode(string, text)),
        'malformed-bytes',
        'expected a Move identifier, got',
      );
    },
  );

  it('are ASCII letters, digits and underscores after the first character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3 }), (tail) => {
        expect(isIdentifier(`a${tail}`)).toBe([...tail].every((character) => /[0-9A-Z_a-z]/.test(character)));
      }),
    );
  });
});

const module = (id: string) => {
  const [address = '', name = ''] = id.split('::');
  return { address, name };
};
const namesOf = (...ids: string[]) => ids.map((id) => fileNameOf(module(id), ids.map(module)));

it('is that of the module where it can be', () => {
  expect(namesOf('0x42::coin', '0x42::coins', '0x43::Other')).toEqual(['coin', 'coins', 'Other']);
});

it('has the address of a module whose name another has', () => {
  expect(namesOf('0x42::coin', '0x43::coin')).toEqual(['0x42-coin', '0x43-coin']);
});

it('differs in more than case', () => {
  expect(namesOf('0x42::Coin', '0x42::coin')).toEqual(['0x42-Coin', '0x42-coin-2']);
  expect(namesOf('0x42::coin', '0x43::COIN', '0x42::Coin')).toEqual(['0x42-coin-2', '0x43-COIN', '0x42-Coin']);
});

it('is the same for a module that is given twice', () => {
  expect(namesOf('0x42::coin', '0x42::coin')).toEqual(['0x42-coin', '0x42-coin']);
});
