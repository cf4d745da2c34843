/** Byte strings. */
import fc from 'fast-check';

/** Up to 300 bytes: below and above 128, where a length takes a second byte. */
export const bytesArbitrary: fc.Arbitrary<Uint8Array> = fc
  .oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 120, maxLength: 300 }))
  .map((bytes) => Uint8Array.from(bytes));

/** 32 bytes: a hash, a field key, an address. */
export const bytes32Arbitrary: fc.Arbitrary<Uint8Array> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Uint8Array.from(bytes));
