/**
 * Natives of `0x2::bcs`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/bcs.rs of the reference.
 * @module
 */
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';
import { makeNone, makeSome } from './option.ts';
import { panicWithoutLayout } from './panic.ts';

/** Bytes that take a microsecond, measured on the smallest items that are objects. */
const BYTES_PER_WORK = 10;
/** Fewer bytes are paid for by the call itself, and their results may be cached. */
const BYTES_UNCOUNTED_MAX = 256;

export const MOVEOS_BCS: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'bcs' },
  pure: { native_from_bytes: 'cheap' },
  natives: (prices) => {
    const cost = prices.linear('bcs.from_bytes', 'per_byte_deserialize');
    return {
      native_from_bytes: (
        context: NativeContext<SessionHost>,
        { typeArguments, returns }: NativeSignature,
        bytes: ByteVector,
      ): StructValue => {
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
