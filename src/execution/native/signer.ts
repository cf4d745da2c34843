/**
 * Natives of `0x1::signer`. Source: third_party/move/language/move-stdlib/src/natives/signer.rs of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { fieldReferenceClass, type Reference } from '../../vm/value/reference.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ModuleNatives } from './module-natives.ts';

const SignerAddressReference = fieldReferenceClass(0);

export const SIGNER: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'signer' },
  natives: (prices) => {
    const base = prices.of('move_stdlib.signer.borrow_address.base');
    return {
      borrow_address: (context: NativeContext, _signature: NativeSignature, signer: StructValue): Reference => {
        context.charge(base);
        return new SignerAddressReference(signer);
      },
    };
  },
};
