/**
 * Natives of `0x2::hash`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/hash.rs of the reference.
 * @module
 */
import { blake2b256 } from '../../base/hash/blake2.ts';
import { keccak256 } from '../../base/hash/sha3.ts';
import { ripemd160 } from '../../base/hash/sha256.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';
import type { LinearCost } from './prices.ts';

/** Microseconds of one hash, and bytes that take one more; measured. */
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
    keccak256: hashing(keccak256, KECCAK_WORK, prices.linear('hash.keccak256')),
    blake2b256: hashing(blake2b256, BLAKE2B_WORK, prices.linear('hash.blake2b256')),
    ripemd160: hashing(ripemd160, RIPEMD_WORK, prices.linear('hash.ripemd160')),
  }),
};

function hashing(
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
