/** Account addresses. */
import fc from 'fast-check';
import { type Address, addressOf } from '../../src/move/address.ts';
import { bytes32Arbitrary } from './bytes.ts';

/** A reserved or small address as often as one of 32 random bytes. */
export const addressArbitrary: fc.Arbitrary<Address> = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(addressOf),
  bytes32Arbitrary,
);
