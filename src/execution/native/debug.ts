/**
 * Natives of `0x1::debug`. On a chain they cost and change nothing; their output is reported separately from the
 * outcome (runtime/session-host.ts). Source: third_party/move/language/move-stdlib/src/natives/debug.rs of the
 * reference.
 *
 * Natives of `0x2::test_helper`, a module of the reference's tests.
 * Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/test_helper.rs of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { ModuleNatives } from './module-natives.ts';

export const DEBUG: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'debug' },
  natives: (prices) => {
    const printCost = prices.of('nursery.debug.print.base_cost');
    const traceCost = prices.of('nursery.debug.print_stack_trace.base_cost');
    return {
      print: (context, { parameters }, value: unknown): void => {
        context.charge(printCost);
        context.host.prints?.add(parameters[0]!, value);
      },
      print_stack_trace: (context, _signature): void => context.charge(traceCost),
    };
  },
};

export const TEST_HELPER: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'test_helper' },
  natives: (prices) => {
    const base = prices.of('test_helper.destroy.base');
    return {
      /** Destroys a value of any type, whatever its abilities. */
      destroy: (context): void => context.charge(base),
    };
  },
};
