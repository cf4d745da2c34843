/** The bounds of a trace. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRACE_VALUE_BYTES_MAX } from '../../../src/base/config.ts';
import { walkCalls } from '../../../src/execution/trace/call.ts';
import { TRACE_CALLS_MAX } from '../../../src/execution/trace/recorder.ts';
import type { Engine, Trace } from '../../../src/index.ts';
import { collectGarbage } from '../../garbage.ts';
import { ALICE, act, deep, engineWithContract } from './contract.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await engineWithContract({ viewMsMax: 60_000 });
});
afterAll(() => engine.close());

/** The machine runs more instructions than this in each of these calls. */
const INSTRUCTIONS = 1_000_000;
/** A turn of the loop of `sum`, with the call that it makes. */
const INSTRUCTIONS_OF_A_TURN = 18;
const TURNS = BigInt(Math.ceil(INSTRUCTIONS / INSTRUCTIONS_OF_A_TURN));

const keptCalls = (trace: Trace): number => [...walkCalls(trace.calls)].length;

describe('a trace of a million instructions', () => {
  it('keeps the first calls, counts the others, and says so', () => {
    const { trace, gasUsed, values } = engine.tryView(
      { function: deep('sum'), arguments: [TURNS] },
      {
        trace: true,
      },
    );
    expect(values[0]!.decoded).toBe(TURNS);
    expect(trace!.isTruncated).toBe(true);
    expect(keptCalls(trace!)).toBe(TRACE_CALLS_MAX);
    expect(keptCalls(trace!) + trace!.omittedCalls).toBe(Number(TURNS) + 1);
    const [call] = trace!.calls;
    expect(call!.omittedCalls).toBe(trace!.omittedCalls);
    expect(call!.gasSelf + call!.omittedGas + call!.calls.reduce((sum, inner) => sum + inner.gasUsed, 0n)).toBe(
      gasUsed,
    );
    expect(trace!.functions.map(({ calls }) => calls)).toContain(Number(TURNS));
    expect(String(trace)).toContain(`${trace!.omittedCalls} calls that are not kept`);
    expect(String(trace)).toContain('This trace is incomplete');
  });

  it('keeps the path to the failure in any case, and its profile is in order', () => {
    const { receipt, trace } = failing();
    expect(receipt.status.kind).toBe('move-abort');
    expect(trace.isTruncated).toBe(true);
    const failed = [...walkCalls(trace.calls)].filter(({ isFailed }) => isFailed);
    expect(failed.map(({ function: name }) => name)).toEqual(['many_and_fail', 'middle', 'inner']);
    expect(trace.failure!.callStack).toHaveLength(3);
    const [{ events }] = trace.profile().profiles;
    for (const [index, { at }] of events.entries()) expect(at).toBeGreaterThanOrEqual(events[index - 1]?.at ?? 0);
  });

  const failing = () => {
    const call = { sender: ALICE.address, action: act('many_and_fail', TURNS) };
    const receipt = engine.simulate(call, { trace: true });
    return { receipt, trace: receipt.trace! };
  };
});

describe('the memory of a trace', () => {
  /** What a trace takes at most, as src/base/config.ts says. */
  const BYTES_MAX = 16 * 2 ** 20;

  it.each([
    ['many calls', deep('sum'), [TURNS]],
    ['many values', deep('many_large'), [BigInt((TRACE_VALUE_BYTES_MAX - 8) / 8), 20_000n]],
  ])('is bounded: %s', (_name, name, given) => {
    const call = { function: name, arguments: given };
    // What the machine keeps of the code is already there.
    engine.tryView(call, { trace: true });
    collectGarbage();
    const before = held();
    const { trace } = engine.tryView(call, { trace: true });
    collectGarbage();
    const bytes = held() - before;
    expect(trace!.isTruncated).toBe(true);
    expect(bytes).toBeLessThan(BYTES_MAX);
  });

  function held(): number {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  }
});

describe('a value', () => {
  it.each([
    [(TRACE_VALUE_BYTES_MAX - 8) / 8, true],
    [TRACE_VALUE_BYTES_MAX / 8 + 1, false],
  ])('of %s u64 is kept: %s', (count, isKept) => {
    const call = { sender: ALICE.address, action: act('large', BigInt(count)) };
    const { trace } = engine.simulate(call, { trace: true });
    const take = [...walkCalls(trace!.calls)].find(({ function: name }) => name === 'take')!;
    const [value] = take.arguments;
    expect(value!.bytes !== undefined).toBe(isKept);
    expect((value!.value as readonly unknown[] | undefined)?.length).toBe(isKept ? count : undefined);
    expect(String(trace).includes('take((not kept))')).toBe(!isKept);
  });
});
