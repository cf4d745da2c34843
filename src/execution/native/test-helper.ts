/**
 * Natives of `0x2::test_helper`, a module of the reference's tests.
 * Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/test_helper.rs of the reference.
 * @module
 */
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext } from '../../vm/native.ts';
import type { ModuleNatives } from './module-natives.ts';

export const TEST_HELPER: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'test_helper' },
  natives: (prices) => {
    const base = prices.of('test_helper.destroy.base');
    return {
      /** Destroys a value of any type, whatever its abilities. */
      destroy: (context: NativeContext): void => context.charge(base),
    };
  },
};
