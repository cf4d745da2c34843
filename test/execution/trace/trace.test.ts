import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkCalls } from '../../../src/execution/trace/call.ts';
import type { Engine, Receipt, Trace, TraceCall } from '../../../src/index.ts';
import { ALICE, act, BOB, deep, engineWithContract } from './contract.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await engineWithContract();
});
afterAll(() => engine.close());

const GAS_COIN = '0x3::gas_coin::RGas';
const transfer = (amount: bigint) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: [GAS_COIN],
  arguments: [BOB.address, amount],
});

type Action = Parameters<Engine['executeAs']>[1];

/** What a call would do, with its trace. */
function traced(action: Action, maxGasAmount?: bigint): { readonly receipt: Receipt; readonly trace: Trace } {
  const receipt = engine.simulate({ sender: ALICE.address, action, maxGasAmount }, { trace: true });
  return { receipt, trace: receipt.trace! };
}

const nameOf = (call: TraceCall): string => `${call.module}::${call.function}`;

/** What all calls of a trace used by themselves, including those that are not kept. */
function selfGas(trace: Trace): bigint {
  return [...walkCalls(trace.calls)].reduce((sum, { gasSelf, omittedGas }) => sum + gasSelf + omittedGas, 0n);
}

/** The functions of a call stack, the outermost first. */
const stackOf = ({ failure }: Pick<Receipt | Trace, 'failure'>): string[] =>
  failure!.callStack!.map((frame) => `${frame.module}::${frame.function}`);

describe('the trace of a transfer', () => {
  it('has the calls of the action, and what it read, wrote and emitted', () => {
    const { receipt, trace } = traced(transfer(1_000n));
    expect(trace.failure).toBeUndefined();
    expect(trace.isTruncated).toBe(false);
    expect(trace.calls.map(nameOf)).toEqual([
      '0x3::transaction_validator::pre_execute',
      '0x3::transfer::transfer_coin',
      '0x3::transaction_validator::post_execute',
    ]);
    const action = trace.calls[1]!;
    expect(action.typeArguments).toEqual(['0x3::gas_coin::RGas']);
    expect(action.arguments.map(({ value }) => String(value))).toEqual([ALICE.address, BOB.address, '1000']);
    expect(action.results).toEqual([]);
    expect(action.calls.map(({ depth }) => depth)).toEqual([1]);
    // All that a transaction changes was written, or is a parent of what was.
    const written = new Set(trace.writes.map(({ object }) => String(object)));
    for (const { id, isField, kind } of receipt.changes) {
      if (!isField && kind !== 'touched') expect(written).toContain(String(id));
    }
    const emitted = [...receipt.events, ...receipt.framework.events].sort((left, right) => left.index - right.index);
    expect(trace.events.map(({ data }) => data.value)).toEqual(emitted.map(({ value }) => value));
    expect(trace.events.map(({ handle }) => String(handle))).toEqual(emitted.map(({ handle }) => String(handle)));
  });

  it('counts the gas of the receipt, to the unit', async () => {
    const { order, gasUsed } = await engine.executeAs(ALICE.address, transfer(5n));
    const trace = engine.trace(order);
    expect(trace.gasUsed).toBe(gasUsed);
    expect(selfGas(trace) + trace.gasBefore).toBe(gasUsed);
    expect(trace.functions.reduce((sum, { gasSelf }) => sum + gasSelf, 0n)).toBe(selfGas(trace));
    for (const call of walkCalls(trace.calls)) {
      const inside = call.calls.reduce((sum, inner) => sum + inner.gasUsed, call.omittedGas);
      expect(call.gasSelf + inside, nameOf(call)).toBe(call.gasUsed);
    }
  });

  it('names fields, and the objects that are made', () => {
    const { trace } = traced(act('keep', 5n));
    const [added] = trace.writes.filter(({ operation, key }) => operation === 'add' && key !== undefined);
    expect(added).toMatchObject({ kind: 'write', name: 5n, isFailed: false });
    expect(trace.writes.map(({ operation }) => operation)).toContain('share');
  });
});

describe('the trace of a failure', () => {
  it('of an abort three calls deep has the stack, the instructions, and the events before it', async () => {
    const { receipt, trace } = traced(act('outer', 100n));
    expect(receipt.status).toMatchObject({ kind: 'move-abort', code: 77n });
    expect(stackOf(trace)).toEqual(['outer', 'middle', 'inner'].map((name) => `${ALICE.address}::deep::${name}`));
    expect(trace.failure!.callStack.map(({ instruction }) => instruction)).toEqual([
      'Call middle',
      'Call inner',
      'Abort',
    ]);
    const { module, codeOffset } = trace.failure!.callStack[2]!;
    expect(receipt.failure).toMatchObject({ module, codeOffset, instruction: 'Abort', abortCode: 77n });
    expect(trace.failure!.message).toBe(receipt.failure!.message);
    expect(trace.events.map(({ data }) => data.value)).toContainEqual({ n: 100n });
    expect(receipt.events.map(({ value }) => value)).not.toContainEqual({ n: 100n });
    const failed = [...walkCalls(trace.calls)].filter(({ isFailed }) => isFailed);
    expect(failed.map(({ function: name }) => name)).toEqual(['outer', 'middle', 'inner']);
    expect(selfGas(trace) + trace.gasBefore).toBe(receipt.gasUsed);
  });

  it('says where the gas ran out, which the status does not', () => {
    const { receipt, trace } = traced(act('spin'), 2_000_000n);
    expect(receipt.status.kind).toBe('out-of-gas');
    expect(receipt.failure!.module).toBeUndefined();
    expect(trace.gasUsed).toBe(receipt.gasUsed);
    expect(stackOf(trace)[0]).toBe(`${ALICE.address}::deep::spin`);
    expect(selfGas(trace) + trace.gasBefore).toBe(receipt.gasUsed);
    expect(stackOf(receipt)).toEqual(stackOf(trace));
  });

  it('of a native ends with the native, which has no instruction', () => {
    const { receipt, trace } = traced(act('missing', 5n));
    expect(receipt.failure!.callStack).toEqual(trace.failure!.callStack);
    const native = trace.failure!.callStack.at(-1)!;
    expect(native).toMatchObject({ module: '0x2::object', codeOffset: 0, instruction: undefined });
    const failed = trace.accesses.filter(({ isFailed }) => isFailed);
    expect(failed).toMatchObject([{ kind: 'read', operation: 'borrow' }]);
    expect(trace.failure!.callStack[0]).toMatchObject({
      function: 'missing',
      instruction: expect.stringContaining('borrow_object<Box>'),
    });
  });

  it('has the whole call stack if it is full', () => {
    const { receipt, trace } = traced({ function: deep('outer'), arguments: [2n ** 64n - 1n] });
    expect(receipt.failure).toMatchObject({ status: 'ARITHMETIC_ERROR', function: 'middle', instruction: 'Add' });
    expect(trace.failure!.callStack.at(-1)).toMatchObject({ function: 'middle', instruction: 'Add' });
  });
});

describe('the trace of a view', () => {
  it('has its calls, and ends with its values and its gas', () => {
    const call = { function: deep('sum'), arguments: [3n] };
    const untraced = engine.tryView(call);
    const { values, gasUsed, trace, failure } = engine.tryView(call, { trace: true });
    expect(failure).toBeUndefined();
    expect(untraced.trace).toBeUndefined();
    expect(values.map(({ decoded }) => decoded)).toEqual([3n]);
    expect(gasUsed).toBe(untraced.gasUsed);
    expect(trace!.gasBefore).toBe(0n);
    expect(trace!.gasUsed).toBe(gasUsed);
    expect(trace!.calls[0]!.calls.map(({ function: name, results }) => [name, results![0]!.value])).toEqual(
      [0, 1, 2].map(() => ['one', 1n]),
    );
  });

  it('of one that fails has the same stack that a failed view finds by itself', () => {
    const call = { function: '0x1::option::extract', typeArguments: ['u64'], arguments: [null] };
    const { failure } = engine.tryView(call);
    expect(failure).toMatchObject({ module: '0x1::option', abortName: 'EOPTION_NOT_SET', instruction: 'Abort' });
    expect(failure!.abortMeaning).toBe('No value is there where one must be.');
    const { trace } = engine.tryView(call, { trace: true });
    expect(failure!.callStack).toEqual(trace!.failure!.callStack);
    expect(failure!.callStack!.map((frame) => frame.function)).toEqual(['extract']);
  });
});

describe('a trace', () => {
  it('is an indented text, short or whole', () => {
    const { trace } = traced(act('outer', 100n));
    const text = String(trace);
    expect(text).toMatch(/^aborted with code 77; gas /);
    expect(text).toMatch(/in deep::inner, offset \d+: Abort\n {2}in deep::middle/);
    expect(text).toMatch(/\n *\d+ {2}deep::outer\(100\) {2}failed\n/);
    // The changes of the action, and of what ran before it, are undone: it runs once more, for the fee.
    expect(text.match(/pre_execute\(\).*/g)).toEqual([
      expect.stringMatching(/unmetered, \d+ calls$/),
      expect.stringMatching(/unmetered, \d+ calls, again after the changes were undone$/),
    ]);
    expect(text).toMatch(/\n *\d+ {6}emit deep::Seen \{"n":"100"\}\n/);
    expect(text).not.toContain('native_emit');
    expect(trace.text({ all: true }).length).toBeGreaterThan(text.length);
  });

  it('is JSON with all calls, and a profile that opens and closes each in turn', () => {
    const { trace } = traced(transfer(1n));
    const json = JSON.parse(JSON.stringify(trace)) as { calls: { function: string; gasUsed: string }[] };
    expect(json.calls.map((call) => call.function)).toEqual(['pre_execute', 'transfer_coin', 'post_execute']);
    expect(json.calls[1]!.gasUsed).toBe(trace.calls[1]!.gasUsed.toString());
    const { profiles, shared } = trace.profile();
    const [{ events, startValue, endValue, unit, type }] = profiles;
    expect([type, unit, startValue, endValue]).toEqual(['evented', 'none', 0, Number(trace.gasUsed)]);
    const open: number[] = [];
    let at = 0;
    for (const event of events) {
      expect(event.at).toBeGreaterThanOrEqual(at);
      ({ at } = event);
      expect(shared.frames[event.frame]).toBeDefined();
      if (event.type === 'O') open.push(event.frame);
      else expect(open.pop()).toBe(event.frame);
    }
    expect(open).toEqual([]);
    expect(at).toBe(endValue);
  });

  it('has what was printed', () => {
    const { trace } = traced(act('say', 42n));
    expect(trace.prints.map(({ value }) => value)).toEqual([42n]);
    expect(String(trace)).toMatch(/print 42\n/);
  });
});
