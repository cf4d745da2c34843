import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThrownFailure } from '../../../src/vm/failure.ts';
import { GasCounter, GasMeter, SEGMENT_UNITS_MAX } from '../../../src/vm/gas/meter.ts';
import { runs } from '../../effort.ts';

/** What running code does to the counter. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('charge' as const), units: fc.nat(2 ** 31 - 1).map((n) => n * 3) }),
  fc.record({ kind: fc.constant('segment' as const), units: fc.nat(SEGMENT_UNITS_MAX), looks: fc.boolean() }),
  fc.record({ kind: fc.constant('large' as const), units: fc.nat(2 ** 31 - 1).map((n) => n * 1000) }),
  fc.record({ kind: fc.constant('within' as const), units: fc.nat(2 ** 31 - 1).map((n) => n * 5) }),
);

describe('a gas budget', () => {
  it('covers as much as it holds, and is empty after what it does not cover', () => {
    const meter = new GasMeter(5n);
    expect(meter.charge(2n)).toBe(true);
    expect(meter.charge(3n)).toBe(true);
    expect(meter.left).toBe(0n);
    expect(meter.charge(0n)).toBe(true);
    const short = new GasMeter(5n);
    expect(short.charge(6n)).toBe(false);
    expect(short.left).toBe(0n);
  });

  it('is left alone while nothing is metered', () => {
    const meter = new GasMeter(5n, false);
    expect(meter.charge(6n)).toBe(true);
    expect(meter.left).toBe(5n);
  });
});

describe('the gas counter', () => {
  it('ends as a plain subtraction would', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 44n), fc.array(action, { maxLength: 60 }), (budget, actions) => {
        const meter = new GasMeter(budget);
        const counter = new GasCounter();
        counter.open(meter);
        let spent = 0n;
        let failed = false;
        try {
          for (const step of actions) {
            spent += BigInt(step.units);
            if (step.kind === 'charge') counter.charge(step.units);
            else if (step.kind === 'within') counter.chargeWithin(step.units);
            else if (step.kind === 'large') counter.chargeSegment(step.units);
            else {
              counter.left -= step.units;
              if (step.looks && counter.left < 0) counter.refill();
            }
          }
          counter.settle();
        } catch (thrown) {
          if (!(thrown instanceof ThrownFailure)) throw thrown;
          failed = true;
        }
        counter.close(meter);
        expect(failed).toBe(spent > budget);
        expect(meter.left).toBe(failed ? 0n : budget - spent);
      }),
      { numRuns: runs(166, 500) },
    );
  });

  it('lets a segment go on in debt, and keeps its failure if what came before it was paid for', () => {
    for (const [budget, paid] of [
      [100n, true],
      [70n, true],
      [69n, false],
    ] as const) {
      const counter = new GasCounter();
      counter.open(new GasMeter(budget));
      counter.left -= 120;
      if (counter.left < 0) counter.refill();
      const fail = (): void => counter.giveBack(50);
      if (paid) fail();
      else expect(fail).toThrow();
    }
  });

  it('stops at the next segment when it is in debt', () => {
    const counter = new GasCounter();
    counter.open(new GasMeter(10n));
    counter.left -= 20;
    counter.refill();
    counter.chargeWithin(5);
    expect(() => {
      counter.left -= 1;
      if (counter.left < 0) counter.refill();
    }).toThrow();
    expect(counter.remaining).toBe(0n);
  });

  it('counts nothing off a meter that does not meter', () => {
    const meter = new GasMeter(7n, false);
    const counter = new GasCounter();
    counter.open(meter);
    for (let round = 0; round < 10; round++) counter.charge(2 ** 40);
    counter.close(meter);
    expect(meter.left).toBe(7n);
  });
});
