/**
 * Natives of `0x1::hash`. Source: FIPS 180-4 and FIPS 202.
 * @module
 */
import { sha3 } from '../../base/hash/sha3.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import { linearCost, type NativePrices } from './prices.ts';

export const HASH: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'hash' },
  pure: { sha2_256: 'costly', sha3_256: 'costly' },
  natives: (prices) => ({
    sha2_256: hashing(sha256, prices, 'move_stdlib.hash.sha2_256'),
    sha3_256: hashing(sha3, prices, 'move_stdlib.hash.sha3_256'),
  }),
};

function hashing(hash: (data: Uint8Array) => Uint8Array, prices: NativePrices, name: string): NativeFunction {
  const cost = linearCost(0, prices.of(`${name}.per_byte`));
  const lengthMin = prices.of(`${name}.legacy_min_input_len`);
  return (context: NativeContext, _signature: NativeSignature, data: ByteVector): ByteVector => {
    context.charge(cost(Math.max(data.length, lengthMin)));
    return new ByteVector(hash(data.view()));
  };
}
