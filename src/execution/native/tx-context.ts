/**
 * Natives of `0x2::tx_context`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/tx_context.rs of the
 * reference.
 * @module
 */
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';

export const TX_CONTEXT: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'tx_context' },
  natives: (prices) => {
    const borrow =
      (price: number) =>
      (context: NativeContext<SessionHost>, { returns }: NativeSignature): StructValue => {
        context.charge(price);
        return context.host.txContext.borrow(returns[0]!.item);
      };
    return {
      borrow_inner: borrow(prices.of('tx_context.borrow_inner.base')),
      borrow_mut_inner: borrow(prices.of('tx_context.borrow_mut_inner.base')),
    };
  },
};
