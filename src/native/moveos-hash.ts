/**
 * Natives of `0x2::hash`. Source: spec/execution.md 4.2.
 * @module
 */
import { blake2b256 } from '../hash/blake2b.ts';
import { keccak256 } from '../hash/keccak.ts';
import { ripemd160 } from '../hash/ripemd160.ts';
import { MOVEOS_STD_ADDRESS } from '../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../vm/native.ts';
import { ByteVector } from '../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import type { NativePrices } from './prices.ts';

export const MOVEOS_HASH: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'hash' },
  natives: (prices) => ({
    keccak256: hashing(keccak256, prices, 'hash.keccak256'),
    blake2b256: hashing(blake2b256, prices, 'hash.blake2b256'),
    ripemd160: hashing(ripemd160, prices, 'hash.ripemd160'),
  }),
};

function hashing(hash: (data: Uint8Array) => Uint8Array, prices: NativePrices, name: string): NativeFunction {
  const cost = prices.linear(name);
  return (context: NativeContext, _signature: NativeSignature, data: ByteVector): ByteVector => {
    context.charge(cost(data.length));
    return new ByteVector(hash(data.view()));
  };
}
