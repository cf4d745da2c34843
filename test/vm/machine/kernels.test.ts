import { describe, expect, it } from 'vitest';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { kernelsPresent, readKernels } from './kernels.ts';

const title = `kernels${kernelsPresent ? '' : ' (skipped: ../shared is missing)'}`;

describe.skipIf(!kernelsPresent)(title, () => {
  it.each(['translate', 'interpret'] as const)('gives the reference’s results and gas totals, engine %s', (engine) => {
    const { module, id, kernels } = readKernels();
    const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE, engine });
    for (const kernel of kernels) {
      // The longest take the interpreter seconds, and say nothing that the others do not.
      if (engine === 'interpret' && kernel.gas > 2n * 10n ** 9n) continue;
      const gas = new GasMeter(kernel.gas + 1n);
      const call = {
        module: id,
        function: kernel.function,
        typeArguments: [],
        arguments: [{ value: BigInt(kernel.n) }],
      };
      const outcome = machine.call(call, { source: { load: () => module }, gas, host: undefined });
      expect(outcome).toMatchObject({ kind: 'returned', values: [{ value: kernel.result }] });
      expect(gas.left).toBe(1n);
    }
  });
});
