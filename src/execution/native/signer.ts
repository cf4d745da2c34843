/**
 * Natives of `0x1::signer`. Source: third_party/move/language/move-stdlib/src/natives/signer.rs of the reference.
 *
 * Natives of `0x2::account`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/account.rs of the reference.
 *
 * Natives of `0x2::signer`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/signer.rs of the reference.
 *
 * Natives of `0x2::tx_context`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/tx_context.rs of the
 * reference.
 * @module
 */
import { type Address, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import { fieldReferenceClass, type Reference } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';

const SignerAddressReference = fieldReferenceClass(0);

export const STD_SIGNER: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'signer' },
  natives: (prices) => {
    const base = prices.of('move_stdlib.signer.borrow_address.base');
    return {
      borrow_address: (context, _signature, signer: StructInstance): Reference => {
        context.charge(base);
        return new SignerAddressReference(signer);
      },
    };
  },
};

export const ACCOUNT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'account' },
  natives: (prices) => {
    const base = prices.of('account.create_signer.base');
    return {
      create_signer: (context, { returns }, address: Address): StructInstance => {
        context.charge(base);
        return new returns[0]!.structClass(address);
      },
    };
  },
};

export const MOVEOS_SIGNER: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'signer' },
  natives: (prices) => {
    const base = prices.of('type_info.module_signer.base');
    return {
      module_signer: (context, { typeArguments, returns }): StructInstance => {
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

export const TX_CONTEXT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'tx_context' },
  natives: (prices) => {
    const borrow =
      (price: number) =>
      (context: NativeContext<SessionHost>, { returns }: NativeSignature): StructInstance => {
        context.charge(price);
        return context.host.txContext.borrow(returns[0]!.item);
      };
    return {
      borrow_inner: borrow(prices.of('tx_context.borrow_inner.base')),
      borrow_mut_inner: borrow(prices.of('tx_context.borrow_mut_inner.base')),
    };
  },
};
