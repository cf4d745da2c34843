/**
 * Natives of `0x3::bitcoin_address`.
 *
 * A schedule without a price for one of the two natives on keys belongs to a chain that does not have that native.
 * Source: frameworks/rooch-framework/src/natives/rooch_framework/bitcoin_address.rs of the reference.
 *
 * Native of `0x4::ord`: the inscriptions that a witness holds.
 * Source: frameworks/bitcoin-move/src/natives/ord of the reference.
 * @module
 */

import { encode, vector } from '../../base/bcs.ts';
import { decodeUtf8 } from '../../base/bytes/bytes.ts';
import { type BitcoinAddress, readBitcoinAddress } from '../../bitcoin/address.ts';
import { addressOfTaproot, isAddressOfPublicKey } from '../../bitcoin/address-derivation.ts';
import { envelope, envelopesOfWitness } from '../../bitcoin/envelope.ts';
import { isPublicKey } from '../../bitcoin/public-key.ts';
import { ADDRESS_BYTES, BITCOIN_MOVE_ADDRESS, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { optionValue } from './known-struct.ts';
import type { LinearCost, ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { attempt, panic, requireStack } from './panic.ts';

const INVALID_ADDRESS = 1;
const INVALID_PUBLIC_KEY = 3;

/** Microseconds for reading an address, and bytes per additional microsecond; measured. */
const PARSE_WORK = 20;
const PARSED_PER_WORK = 20;

/** Microseconds, measured with Taproot. */
const DERIVE_WORK = 800;

const WITNESS_PROGRAM = 2;
/** The length charged without a merkle root. */
const NO_MERKLE_ROOT_BYTES = 1;

export const BITCOIN_ADDRESS: ModuleNatives = {
  module: { address: FRAMEWORK_ADDRESS, name: 'bitcoin_address' },
  natives: bitcoinAddressNatives,
};

function bitcoinAddressNatives(prices: NativePrices): Natives {
  const parseCost = prices.linear('bitcoin_address.parse');
  const verifyCost = prices.linearIfThere('bitcoin_address.verify_bitcoin_address_with_public_key');
  const deriveCost = prices.linearIfThere('bitcoin_address.derive_bitcoin_taproot_address');
  return {
    parse: (context, { returns }, text: ByteVector): StructInstance => {
      context.charge(parseCost(text.length));
      context.host.work.spend(PARSE_WORK + Math.ceil(text.length / PARSED_PER_WORK));
      const address = readAddress(text.view()) ?? context.abort(INVALID_ADDRESS);
      return returns[0]!.make(new ByteVector(address.slice()));
    },
    ...(verifyCost && { verify_bitcoin_address_with_public_key: verification(verifyCost) }),
    ...(deriveCost && { derive_bitcoin_taproot_address: derivation(deriveCost) }),
  };
}

function verification(cost: LinearCost): Natives[string] {
  return (
    context: NativeContext<SessionHost>,
    { parameters }: NativeSignature,
    address: StructInstance,
    publicKey: ByteVector,
  ): boolean => {
    const bytes = (address.f0 as ByteVector).view();
    const key = publicKey.view();
    if (lacksKind(bytes) && attempt(() => isPublicKey(key)) === true) {
      const status = StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR;
      return panic(context, status, `expected a Bitcoin address, got ${bytes.length} bytes`);
    }
    context.charge(cost(key.length + parameters[0]!.item.encode(address).length));
    context.host.work.spend(DERIVE_WORK);
    return attempt(() => isAddressOfPublicKey(bytes, key)) ?? false;
  };
}

function derivation(cost: LinearCost): Natives[string] {
  return (
    context: NativeContext<SessionHost>,
    { returns }: NativeSignature,
    internalKey: ByteVector,
    merkleRoot: StructInstance,
  ): StructInstance => {
    const root = optionValue(merkleRoot) as Uint8Array | undefined;
    context.charge(cost(internalKey.length + (root === undefined ? NO_MERKLE_ROOT_BYTES : ADDRESS_BYTES)));
    context.host.work.spend(DERIVE_WORK);
    const address = attempt(() => addressOfTaproot(internalKey.view(), root)) ?? context.abort(INVALID_PUBLIC_KEY);
    return returns[0]!.make(new ByteVector(address));
  };
}

/** The result is shared and must not be written to. */
function readAddress(bytes: Uint8Array): BitcoinAddress | undefined {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : attempt(() => readBitcoinAddress(text))?.bitcoinAddress;
}

/** Whether the reference would read the kind, or the witness version, past the end of these bytes. */
function lacksKind(address: Uint8Array): boolean {
  return address.length === 0 || (address.length === 1 && address[0] === WITNESS_PROGRAM);
}

/** Input number of every envelope: the Move module numbers inputs itself. */
const INPUT = 0;

/** Bytes per microsecond, measured on empty envelopes. */
const BYTES_PER_WORK = 2;

const envelopes = vector(envelope);

export const ORD: ModuleNatives = {
  module: { address: BITCOIN_MOVE_ADDRESS, name: 'ord' },
  natives: (prices) => {
    const cost = prices.linear('ord.from_witness');
    return {
      from_witness: (context, { returns }, witness: StructInstance): unknown => {
        const items = itemsOf(witness);
        const bytes = items.reduce((length, item) => length + item.length, 0);
        context.charge(cost(bytes));
        context.host.work.spend(Math.ceil(bytes / BYTES_PER_WORK));
        requireStack();
        return returns[0]!.decode(encode(envelopes, envelopesOfWitness(items, INPUT)));
      },
    };
  },
};

function itemsOf(witness: StructInstance): Uint8Array[] {
  const items = witness.f0 as VectorValue;
  return Array.from({ length: items.length }, (_, index) => (items.get(index) as ByteVector).view());
}
