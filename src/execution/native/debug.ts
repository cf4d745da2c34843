/**
 * Natives of `0x1::debug`. On a chain they cost and change nothing; what they print is reported apart from the outcome
 * (runtime/print-log.ts).
 * Source: third_party/move/language/move-stdlib/src/natives/debug.rs of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';

export const DEBUG: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'debug' },
  natives: (prices) => {
    const printCost = prices.of('nursery.debug.print.base_cost');
    const traceCost = prices.of('nursery.debug.print_stack_trace.base_cost');
    return {
      print: (context: NativeContext<SessionHost>, { parameters }: NativeSignature, value: unknown): void => {
        context.charge(printCost);
        context.host.prints?.add(parameters[0]!, value);
      },
      print_stack_trace: (context: NativeContext, _signature: NativeSignature): void => context.charge(traceCost),
    };
  },
};
