/** Unsigned integers; fast-check leans towards the bounds, where encodings break. */
import fc from 'fast-check';

export const u8Arbitrary: fc.Arbitrary<number> = fc.integer({ min: 0, max: 0xff });
export const u16Arbitrary: fc.Arbitrary<number> = fc.integer({ min: 0, max: 0xffff });
export const u32Arbitrary: fc.Arbitrary<number> = fc.integer({ min: 0, max: 0xffff_ffff });
export const u64Arbitrary: fc.Arbitrary<bigint> = unsigned(64n);
export const u128Arbitrary: fc.Arbitrary<bigint> = unsigned(128n);
export const u256Arbitrary: fc.Arbitrary<bigint> = unsigned(256n);

/** Numbers of any length up to `bits`, not only those near the bounds. */
function unsigned(bits: bigint): fc.Arbitrary<bigint> {
  const full = fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
  const shortened = fc.tuple(full, fc.bigInt({ min: 0n, max: bits })).map(([value, by]) => value >> by);
  return fc.oneof(full, shortened);
}
