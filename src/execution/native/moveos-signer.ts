/**
 * Natives of `0x2::signer`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/signer.rs of the reference.
 * @module
 */
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ModuleNatives } from './module-natives.ts';

export const MOVEOS_SIGNER: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'signer' },
  natives: (prices) => {
    const base = prices.of('type_info.module_signer.base');
    return {
      module_signer: (context: NativeContext, { typeArguments, returns }: NativeSignature): StructValue => {
        const type = typeArguments[0]!;
        if (type.kind !== 'struct') {
          return context.fail(StatusCode.TYPE_MISMATCH, `expected a struct type, got ${type.kind}`);
        }
        context.charge(base);
        return new returns[0]!.structClass(type.struct.address);
      },
    };
  },
};
