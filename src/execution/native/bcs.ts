/**
 * Natives of `0x1::bcs`. Source: third_party/move/language/move-stdlib/src/natives/bcs.rs of the reference.
 *
 * Natives of `0x2::bcs`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/bcs.rs of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { dereference } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import { makeNone, makeSome } from './known-struct.ts';
import { linearCost, type ModuleNatives } from './module-natives.ts';
import { panicWithoutLayout } from './panic.ts';

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
      to_bytes: (context, { typeArguments }, reference: unknown): ByteVector => {
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

/** Bytes per microsecond, measured on the smallest items that are objects. */
const BYTES_PER_WORK = 10;
/** The price of the call covers fewer bytes, whose results may be cached. */
const BYTES_UNCOUNTED_MAX = 256;

export const MOVEOS_BCS: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'bcs' },
  pure: { native_from_bytes: 'cheap' },
  natives: (prices) => {
    const cost = prices.linear('bcs.from_bytes', 'per_byte_deserialize');
    return {
      native_from_bytes: (context, { typeArguments, returns }, bytes: ByteVector): StructInstance => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.charge(cost(bytes.length));
        if (bytes.length > BYTES_UNCOUNTED_MAX) {
          context.keepNoResult();
          context.host.work.spend(Math.ceil(bytes.length / BYTES_PER_WORK));
        }
        const value = type.decode(bytes.view());
        return value === undefined ? makeNone(returns[0]!) : makeSome(returns[0]!, value);
      },
    };
  },
};
