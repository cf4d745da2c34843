import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, string } from '../../src/base/bcs.ts';
import { identifier, isIdentifier } from '../../src/move/identifier.ts';
import { identifierArbitrary } from '../arbitraries/identifier.ts';
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
