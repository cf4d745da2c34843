/** The field of secp256k1 in WebAssembly against BigInt: any elements, and limbs as large as they may be. */
import { describe, expect, it } from 'vitest';
import {
  addition,
  carrying,
  ELEMENT_BYTES,
  limbsOf,
  multiplication,
  PRIME,
  readElement,
  squaring,
  subtraction,
  writeElement,
} from '../../src/hash/secp256k1-field.ts';
import { instantiate } from '../../src/hash/wasm.ts';
import { randomBytes, runs, seed } from '../effort.ts';

const { memory, functions } = instantiate(
  {
    multiply: multiplication(),
    square: squaring(),
    add: addition(),
    carry: carrying(),
    subtract: subtraction(2n),
    subtract7: subtraction(8n),
  },
  1,
)!;
const words = new Uint32Array(memory);
const [A, B, C, D] = [0, 1, 2, 3].map((index) => index * ELEMENT_BYTES) as [number, number, number, number];
const LIMBS = ELEMENT_BYTES / 4;
const random = randomBytes(seed);

const SPECIAL = [0n, 1n, 2n, PRIME - 1n, PRIME - 2n, 0x1000003d1n, 1n << 255n, PRIME >> 1n, (1n << 26n) - 1n];

function element(): bigint {
  const bytes = random(33);
  if (bytes[0]! < 50) return SPECIAL[bytes[0]! % SPECIAL.length]!;
  return bytes.subarray(1).reduce((number, byte) => (number << 8n) | BigInt(byte), 0n) % PRIME;
}

function positive(number: bigint): bigint {
  return ((number % PRIME) + PRIME) % PRIME;
}

/** Limbs as large as `n` times what a multiplication gives. */
function writeLargest(at: number, n: number): void {
  const limbs = limbsOf((1n << 256n) - 1n);
  for (const [index, limb] of limbs.entries()) words[at / 4 + index] = Math.floor(n * 1.07 * (Number(limb) + 1));
}

/** Whether an element is as multiplications give it. */
function isCarried(at: number): boolean {
  const limbs = limbsOf((1n << 256n) - 1n);
  return limbs.every((limb, index) => words[at / 4 + index]! <= 1.07 * (Number(limb) + 1));
}

describe('the field of secp256k1', () => {
  it('is that of its prime', () => {
    for (let run = 0; run < runs(2_000, 200_000); run++) {
      const [a, b] = [element(), element()];
      writeElement(words, A, a);
      writeElement(words, B, b);
      expect(readElement(words, A)).toBe(a);
      functions.multiply(C, A, B);
      expect(readElement(words, C), `${a} * ${b}`).toBe((a * b) % PRIME);
      functions.subtract7(D, C, A);
      functions.subtract(D, D, B);
      expect(readElement(words, D), `${a} * ${b} - ${a} - ${b}`).toBe(positive(a * b - a - b));
      functions.add(C, D, A);
      functions.square(C, C, C);
      expect(readElement(words, C)).toBe(positive((a * b - b) ** 2n));
      functions.carry(D, D, D);
      expect(readElement(words, D)).toBe(positive(a * b - a - b));
      expect(isCarried(C) && isCarried(D)).toBe(true);
    }
  });

  it.each([
    [1, 1],
    [9, 9],
    [14, 14],
    [3, 25],
  ])('holds at the largest limbs: up to %d and %d', (m, n) => {
    writeLargest(A, m);
    writeLargest(B, n);
    const [a, b] = [readElement(words, A), readElement(words, B)];
    functions.multiply(C, A, B);
    expect(readElement(words, C)).toBe((a * b) % PRIME);
    expect(isCarried(C)).toBe(true);
    functions.square(C, A, A);
    expect(readElement(words, C)).toBe((a * a) % PRIME);
    expect(isCarried(C)).toBe(true);
    functions.carry(D, B, B);
    expect(readElement(words, D)).toBe(b);
    expect(words.subarray(D / 4, D / 4 + LIMBS).every((limb) => limb < 2 ** 27)).toBe(true);
  });

  it('has differences without negative limbs', () => {
    writeElement(words, A, 0n);
    writeLargest(B, 7);
    functions.subtract7(C, A, B);
    expect(words.subarray(C / 4, C / 4 + LIMBS).every((limb) => limb < 2 ** 30)).toBe(true);
    expect(readElement(words, C)).toBe(positive(-readElement(words, B)));
    writeLargest(B, 1);
    functions.subtract(C, A, B);
    expect(words.subarray(C / 4, C / 4 + LIMBS).every((limb) => limb < 2 ** 28)).toBe(true);
    expect(readElement(words, C)).toBe(positive(-readElement(words, B)));
  });
});
