/** Byte strings. */
import fc from 'fast-check';
import { type Address, addressOf } from '../../src/move/address.ts';

/** Up to 300 bytes: below and above 128, where a length takes a second byte. */
export const bytesArbitrary: fc.Arbitrary<Uint8Array> = fc
  .oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 120, maxLength: 300 }))
  .map((bytes) => Uint8Array.from(bytes));

/** 32 bytes: a hash, a field key, an address. */
export const bytes32Arbitrary: fc.Arbitrary<Uint8Array> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Uint8Array.from(bytes));

/** A reserved or small address as often as one of 32 random bytes. */
export const addressArbitrary: fc.Arbitrary<Address> = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(addressOf),
  bytes32Arbitrary,
);

/** A letter first, as every name in a type has that was compiled from source. */
export const nameArbitrary: fc.Arbitrary<string> = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,30}$/);

/** Every form: a leading underscore, the longest name and the reserved `<SELF>` among them. */
export const identifierArbitrary: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: nameArbitrary },
  { weight: 2, arbitrary: fc.stringMatching(/^_[a-zA-Z0-9_]{1,30}$/) },
  { weight: 1, arbitrary: fc.constantFrom('<SELF>', 'a'.repeat(255), '__', '_0') },
);

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
