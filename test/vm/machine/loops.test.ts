import { afterEach, expect, it, vi } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { Machine, TRANSLATE_AFTER } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { TRANSLATED_LOOPS_MAX } from '../../../src/vm/prepared-code.ts';
import { assembleModule } from '../assemble.ts';
import { BUDGET, SMALL_SCHEDULE, summarise } from './world.ts';

/** Fewer than would make the function hot before it turns to its loops. */
const FRAMES = TRANSLATE_AFTER - 4;

const numbers = Array.from({ length: FRAMES }, (_, index) => index);

/** Each frame waits for the one above it, and then goes to a loop of its own. */
const MODULE = assembleModule(`module 0x1::m
  public fun f(n: u64): u64 {
    let i: u64 let sum: u64
    LdU64 0; StLoc i; LdU64 0; StLoc sum
    CopyLoc n; LdU64 0; Eq; BrTrue start
    CopyLoc n; LdU64 1; Sub; Call f; StLoc sum
   start:
    ${numbers.map((n) => `CopyLoc n; LdU64 ${n}; Eq; BrTrue loop${n};`).join('\n')}
    Branch end
    ${numbers.map((n) => `loop${n}: CopyLoc i; LdU64 5; Lt; BrFalse end; CopyLoc i; LdU64 1; Add; StLoc i; CopyLoc sum; CopyLoc n; Add; StLoc sum; Branch loop${n};`).join('\n')}
   end:
    MoveLoc sum; Ret
  }`);

afterEach(() => {
  vi.unstubAllGlobals();
});

// 73 KB of code took 145 MB of memory and 6 s of processor time, for a hundredth of a second of gas.
it('translates a function from a few of its loops only', () => {
  let made = 0;
  const Original = Function;
  vi.stubGlobal('Function', function Counter(...parts: string[]) {
    if (parts.at(-1)!.includes('function(k,')) made++;
    return Original(...parts);
  });
  const run = (engine: 'interpret' | 'translate'): string => {
    const machine = Machine.create({ natives: new NativeTable<undefined>(), schedule: SMALL_SCHEDULE, engine });
    const outcomes = [0, 1, 2].map(() => {
      const gas = new GasMeter(BUDGET);
      const call = {
        module: { address: addressOf(1), name: 'm' },
        function: 'f',
        typeArguments: [],
        arguments: [{ value: BigInt(FRAMES - 1) }],
      };
      const outcome = machine.call(call, { source: { load: () => MODULE }, gas, host: undefined });
      return `${summarise(outcome)} with ${gas.left} left`;
    });
    return outcomes.join();
  };
  expect(run('translate')).toBe(run('interpret'));
  expect(made).toBeGreaterThan(TRANSLATED_LOOPS_MAX);
  expect(made).toBeLessThanOrEqual(TRANSLATED_LOOPS_MAX + 1);
});
