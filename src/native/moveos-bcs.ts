/**
 * Natives of `0x2::bcs`. Source: spec/execution.md 4.2.
 * @module
 */
import { MOVEOS_STD_ADDRESS } from '../move/address.ts';
import type { NativeContext, NativeSignature } from '../vm/native.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { ByteVector } from '../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import { makeNone, makeSome } from './option.ts';
import { panicWithoutLayout } from './panic.ts';

export const MOVEOS_BCS: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'bcs' },
  pure: { native_from_bytes: 'cheap' },
  natives: (prices) => {
    const cost = prices.linear('bcs.from_bytes', 'per_byte_deserialize');
    return {
      native_from_bytes: (
        context: NativeContext,
        { typeArguments, returns }: NativeSignature,
        bytes: ByteVector,
      ): StructValue => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.charge(cost(bytes.length));
        const value = type.decode(bytes.view());
        return value === undefined ? makeNone(returns[0]!) : makeSome(returns[0]!, value);
      },
    };
  },
};
