/**
 * What every codec must hold, as properties: it reads what it wrote; it reads nothing that it would not write; and any
 * bytes at all either decode or are refused with `malformed-bytes`, by no other error.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Codec, decode, encode } from '../../../src/base/bcs.ts';
import { equalBytes, toHex } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import { runs } from '../../effort.ts';

export function describeCodec<T>(name: string, codec: Codec<T>, values: fc.Arbitrary<T>): void {
  describe(`codec of ${name}`, () => {
    it('reads what it wrote, to the last byte', () => {
      fc.assert(
        fc.property(values, (value) => {
          const bytes = encode(codec, value);
          const read = decode(codec, bytes);
          expect(read).toEqual(value);
          expect(toHex(encode(codec, read))).toBe(toHex(bytes));
        }),
      );
    });

    it('refuses every proper prefix of what it wrote', () => {
      fc.assert(
        fc.property(values, (value) => {
          const bytes = encode(codec, value);
          const stride = Math.ceil(bytes.length / 500);
          for (let length = 0; length < bytes.length; length += stride) {
            const code = refusalOf(codec, bytes.subarray(0, length));
            if (code !== 'malformed-bytes') expect.fail(`${length} of ${bytes.length} bytes: ${code ?? 'decoded'}`);
          }
        }),
        { numRuns: runs(10) },
      );
    });

    it('decodes changed bytes to what they encode, or refuses them', () => {
      fc.assert(
        fc.property(values, editsArbitrary, (value, edits) => {
          expectTotal(codec, edits.reduce(applyEdit, encode(codec, value)));
        }),
        { numRuns: runs(100, 300) },
      );
    });

    it('decodes arbitrary bytes to what they encode, or refuses them', () => {
      fc.assert(
        fc.property(rawArbitrary, (bytes) => expectTotal(codec, bytes)),
        { numRuns: runs(100, 300) },
      );
    });

    it('keeps nothing of its input', () => {
      fc.assert(
        fc.property(values, (value) => {
          const bytes = Buffer.from(encode(codec, value));
          const read = decode(codec, bytes);
          bytes.fill(0xa5);
          expect(read).toEqual(value);
        }),
        { numRuns: runs(20) },
      );
    });
  });
}

/** Fails unless `bytes` either decode to a value that encodes to them, or are refused as malformed. */
export function expectTotal<T>(codec: Codec<T>, bytes: Uint8Array): void {
  const read = attempt(codec, bytes);
  if (read instanceof EngineError) {
    if (read.code !== 'malformed-bytes' || !/expected|has no variant/.test(read.message)) {
      expect.fail(`expected a malformed-bytes that says what was expected, got ${read.code}: ${read.message}`);
    }
    return;
  }
  const again = encode(codec, read.value);
  if (!equalBytes(again, bytes)) expect(toHex(again), 'decoded from other bytes').toBe(toHex(bytes));
}

/** The code with which `bytes` are refused, or undefined if they decode. */
export function refusalOf<T>(codec: Codec<T>, bytes: Uint8Array): string | undefined {
  const read = attempt(codec, bytes);
  return read instanceof EngineError ? read.code : undefined;
}

function attempt<T>(codec: Codec<T>, bytes: Uint8Array): EngineError | { readonly value: T } {
  try {
    return { value: decode(codec, bytes) };
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

interface Edit {
  readonly kind: 'set' | 'insert' | 'remove' | 'cut' | 'double';
  /** Where, as a share of the length. */
  readonly place: number;
  readonly byte: number;
}

const editsArbitrary: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Edit['kind']>('set', 'set', 'set', 'insert', 'remove', 'cut', 'double'),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    byte: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff)),
  }),
  { minLength: 1, maxLength: 3 },
);

function applyEdit(bytes: Uint8Array, { kind, place, byte }: Edit): Uint8Array {
  const at = Math.min(bytes.length, Math.floor(place * (bytes.length + 1)));
  const list = [...bytes];
  if (kind === 'set' && at < list.length) list[at] = byte;
  if (kind === 'insert') list.splice(at, 0, byte);
  if (kind === 'remove') list.splice(at, 1);
  if (kind === 'cut') list.length = at;
  if (kind === 'double') list.push(...list.slice(at));
  return Uint8Array.from(list);
}

/** Noise, long runs of one byte (deep nesting, large counts), and huge lengths over little data. */
const rawArbitrary: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 2000 })).map(([byte, length]) => new Uint8Array(length).fill(byte)),
  fc.uint8Array({ maxLength: 60 }).map((tail) => Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f, ...tail])),
);
