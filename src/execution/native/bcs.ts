/**
 * Natives of `0x1::bcs`. Source: third_party/move/language/move-stdlib/src/natives/bcs.rs of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { dereference } from '../../vm/value/reference.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import { linearCost } from './prices.ts';

/** The reference's code for a value that cannot be serialized. */
const SERIALIZATION_FAILURE = 0x1c5;

export const BCS: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'bcs' },
  pure: { to_bytes: 'cheap' },
  natives: (prices) => {
    const cost = linearCost(0, prices.of('move_stdlib.bcs.to_bytes.per_byte_serialized'));
    const lengthMin = prices.of('move_stdlib.bcs.to_bytes.legacy_min_output_size');
    const failure = prices.of('move_stdlib.bcs.to_bytes.failure');
    return {
      to_bytes: (context: NativeContext, { typeArguments }: NativeSignature, reference: unknown): ByteVector => {
        const type = typeArguments[0]!;
        if (type.layoutFault !== 0) {
          context.charge(failure);
          return context.abort(SERIALIZATION_FAILURE);
        }
        const bytes = type.encode(dereference(type, reference));
        context.charge(cost(Math.max(bytes.length, lengthMin)));
        return new ByteVector(bytes);
      },
    };
  },
};
