/**
 * Native of `0x4::ord`: the inscriptions that a witness holds.
 * Source: frameworks/bitcoin-move/src/natives/ord of the reference.
 * @module
 */
import { encode } from '../../base/bcs/codec.ts';
import { vector } from '../../base/bcs/composite.ts';
import { envelope, envelopesOfWitness } from '../../bitcoin/envelope.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ByteVector, VectorValue } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { requireStack } from './attempt.ts';
import type { ModuleNatives } from './module-natives.ts';

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
      from_witness: (
        context: NativeContext<SessionHost>,
        { returns }: NativeSignature,
        witness: StructValue,
      ): unknown => {
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

function itemsOf(witness: StructValue): Uint8Array[] {
  const items = witness.f0 as VectorValue;
  return Array.from({ length: items.length }, (_, index) => (items.get(index) as ByteVector).view());
}
