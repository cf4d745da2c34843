/**
 * Natives of `0x2::account`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/account.rs of the reference.
 * @module
 */
import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ModuleNatives } from './module-natives.ts';

export const ACCOUNT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'account' },
  natives: (prices) => {
    const base = prices.of('account.create_signer.base');
    return {
      create_signer: (context: NativeContext, { returns }: NativeSignature, address: Address): StructValue => {
        context.charge(base);
        return new returns[0]!.structClass(address);
      },
    };
  },
};
