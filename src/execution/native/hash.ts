/**
 * Natives of `0x1::hash`. Source: FIPS 180-4 and FIPS 202.
 *
 * Natives of `0x2::hash`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/hash.rs of the reference.
 * @module
 */

import { blake2b256 } from '../../base/hash/blake2.ts';
import { keccak256, sha3 } from '../../base/hash/sha3.ts';
import { ripemd160, sha256 } from '../../base/hash/sha256.ts';
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { type LinearCost, linearCost, type ModuleNatives, type NativePrices } from './module-natives.ts';

export const HASH: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'hash' },
  pure: { sha2_256: 'costly', sha3_256: 'costly' },
  natives: (prices) => ({
    sha2_256: stdHash(sha256, prices, 'move_stdlib.hash.sha2_256'),
    sha3_256: stdHash(sha3, prices, 'move_stdlib.hash.sha3_256'),
  }),
};

function stdHash(hash: (data: Uint8Array) => Uint8Array, prices: NativePrices, name: string): NativeFunction {
  const cost = linearCost(0, prices.of(`${name}.per_byte`));
  const lengthMin = prices.of(`${name}.legacy_min_input_len`);
  return (context: NativeContext, _signature: NativeSignature, data: ByteVector): ByteVector => {
    context.charge(cost(Math.max(data.length, lengthMin)));
    return new ByteVector(hash(data.view()));
  };
}

/** Microseconds per hash, and bytes per additional microsecond; measured. */
interface HashWork {
  readonly base: number;
  readonly bytesPerWork: number;
}

const KECCAK_WORK: HashWork = { base: 4, bytesPerWork: 25 };
const BLAKE2B_WORK: HashWork = { base: 3, bytesPerWork: 40 };
const RIPEMD_WORK: HashWork = { base: 1, bytesPerWork: 60 };

export const MOVEOS_HASH: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'hash' },
  natives: (prices) => ({
    keccak256: moveosHash(keccak256, KECCAK_WORK, prices.linear('hash.keccak256')),
    blake2b256: moveosHash(blake2b256, BLAKE2B_WORK, prices.linear('hash.blake2b256')),
    ripemd160: moveosHash(ripemd160, RIPEMD_WORK, prices.linear('hash.ripemd160')),
  }),
};

function moveosHash(
  hash: (data: Uint8Array) => Uint8Array,
  { base, bytesPerWork }: HashWork,
  cost: LinearCost,
): (context: NativeContext<SessionHost>, signature: NativeSignature, data: ByteVector) => ByteVector {
  return (context, _signature, data) => {
    context.charge(cost(data.length));
    context.host.work.spend(base + Math.ceil(data.length / bytesPerWork));
    return new ByteVector(hash(data.view()));
  };
}
