import { expect, it } from 'vitest';
import { StepMeter } from '../../../src/vm/verify/step-meter.ts';

it('refuses a program one step above the bound', () => {
  const meter = new StepMeter(100);
  meter.charge(60);
  meter.charge(40);
  expect(meter.taken).toBe(100);
  expect(() => meter.charge(1)).toThrow('more than 100 steps');
});

it('tells every 50,000 steps how many there were', () => {
  const told: number[] = [];
  const meter = new StepMeter(Number.POSITIVE_INFINITY, (taken) => told.push(taken));
  for (const steps of [49_999, 1, 49_999, 1, 200_000, 49_999, 1]) meter.charge(steps);
  expect(told).toEqual([50_000, 100_000, 300_000, 350_000]);
});
