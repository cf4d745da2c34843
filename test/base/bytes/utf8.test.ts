/** UTF-8 as RFC 3629 has it, compared with Node's own validator. */
import { isUtf8 as hostSays } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decodeUtf8,
  encodeUtf8,
  fromHex,
  hasLoneSurrogate,
  isAscii,
  isAsciiText,
  isUtf8,
} from '../../../src/base/bytes/bytes.ts';

/** Sequences of RFC 3629 section 7, and the text that each is. */
const EXAMPLES: readonly (readonly [string, string])[] = [
  ['41e289a2ce912e', 'A\u2262\u0391.'],
  ['ed959ceab5adec96b4', '\ud55c\uad6d\uc5b4'],
  ['e697a5e69cace8aa9e', '\u65e5\u672c\u8a9e'],
  ['efbbbff0a38eb4', '\ufeff\u{233b4}'],
];

it.each(EXAMPLES)('%s is text, a byte order mark included', (digits, text) => {
  const bytes = fromHex(digits);
  expect(decodeUtf8(bytes)).toBe(text);
  expect(encodeUtf8(text)).toEqual(bytes);
});

it.each([
  ['an overlong form', 'c080'],
  ['a surrogate', 'eda080'],
  ['more than U+10FFFF', 'f4908080'],
  ['a cut-off character', 'e282'],
  ['a lone continuation', '80'],
  ['a byte that occurs in no text', 'ff'],
])('%s is not text', (_, digits) => {
  expect(decodeUtf8(fromHex(digits))).toBeUndefined();
  expect(isUtf8(fromHex(digits))).toBe(false);
});

it('bytes are text exactly where the host says so', () => {
  const nearText = fc.string({ unit: 'binary', maxLength: 6 }).chain((text) =>
    fc.tuple(fc.constant(Buffer.from(text)), fc.nat(), fc.nat({ max: 255 })).map(([bytes, at, byte]) => {
      const changed = Uint8Array.from(bytes);
      if (changed.length > 0) changed[at % changed.length] = byte;
      return changed;
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 8 }), nearText), (bytes) => {
      expect(isUtf8(bytes)).toBe(hostSays(bytes));
      const text = decodeUtf8(bytes);
      expect(text === undefined).toBe(!hostSays(bytes));
      if (text !== undefined) expect(encodeUtf8(text)).toEqual(bytes);
      expect(isAscii(bytes)).toBe(bytes.every((byte) => byte < 0x80));
    }),
  );
});

it('half a surrogate pair is found wherever it stands, and a whole pair is not mistaken for it', () => {
  for (const text of ['\ud800', 'a\udfff', '\udc00\ud800', '\ud83d\ud83d\ude00'])
    expect(hasLoneSurrogate(text)).toBe(true);
  for (const text of ['', 'abc', '\ud83d\ude00', '\uffff']) expect(hasLoneSurrogate(text)).toBe(false);
  expect(['', 'a\0\x7f', '\x80', 'a\u00e9', '\ud83d\ude00'].map(isAsciiText)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
