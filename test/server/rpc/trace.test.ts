import { afterAll, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { createRpc, type Rpc } from '../../../src/server/index.ts';
import { ALICE, act, deep, engineWithContract } from '../../execution/trace/contract.ts';
import { assembleFor } from '../../pipeline/contract.ts';

// A thread's first trace loads the machine, while other tests keep the processors busy.
const engine = await engineWithContract({ viewMsMax: 60_000 });
const rpc = createRpc(engine, { dev: true });
const failed = await engine.executeAs(ALICE.address, act('outer', 100n));
afterAll(() => engine.close());

const callOf = (name: string, ...given: readonly unknown[]) => ({ function_id: deep(name), arguments: given });
const STACK = ['outer', 'middle', 'inner'].map((name) => ({ module: `${ALICE.address}::deep`, function: name }));

describe('dev_trace', () => {
  it('traces a transaction by its hash or its order, in words and in figures', async () => {
    const answer = await rpc.request('dev_trace', [String(failed.hash)]);
    expect(answer).toEqual(await rpc.request('dev_trace', [failed.order.toString()]));
    expect(answer).toMatchObject({
      text: String(engine.trace(failed.hash)),
      gas_used: failed.gasUsed.toString(),
      is_truncated: false,
      failure: { status: 'ABORTED', abort_code: '77', call_stack: STACK },
      calls: null,
      profile: null,
    });
    const events = answer['events'] as { event_type: string; value: unknown }[];
    expect(events).toContainEqual(expect.objectContaining({ event_type: deep('Seen'), value: { n: '100' } }));
    const functions = answer['functions'] as { function: string; calls: number }[];
    expect(functions).toContainEqual(expect.objectContaining({ function: deep('inner'), calls: 1 }));
  });

  it('gives the calls, and a profile, if asked for', async () => {
    const { calls, profile } = await rpc.request('dev_trace', [
      failed.order.toString(),
      { calls: true, profile: true },
    ]);
    expect(calls).toMatchObject([
      { function: 'pre_execute' },
      { function: 'outer', is_failed: true, arguments: [{ type: 'u64', value: '100' }], results: null },
      { function: 'pre_execute' },
      { function: 'post_execute' },
    ]);
    expect(profile).toEqual(JSON.parse(JSON.stringify(engine.trace(failed.order).profile())));
  });

  it('names the source lines that dev_addSources tells, which it reads strictly', async () => {
    // Other tests of this process expect code of their own without sources.
    const bytes = assembleFor(ALICE, 'module 0xa11ce::told entry fun fails() { LdU64 78; Abort }');
    await engine.publish(ALICE.address, [bytes]);
    const { order } = await engine.executeAs(ALICE.address, { function: `${ALICE.address}::told::fails` });
    const functions = { 0: [[0, 41]] };
    const source = {
      bytes: toHexPrefixed(bytes),
      lines: { path: 'sources/told.move', functions },
      constants: { ErrorTold: '78' },
    };
    for (const [lines, message] of [
      [{ path: 'x' }, /modules\[0\]\.lines\.functions: expected an object/],
      [{ path: 'x', functions: { 0: [[1]] } }, /functions\.0\[0\]: expected a code offset and a line/],
      [{ path: 1, functions }, /lines\.path: expected text/],
    ] as const) {
      await expect(rpc.request('dev_addSources', [[{ ...source, lines }]])).rejects.toThrow(message);
    }
    expect(await rpc.request('dev_addSources', [[source]])).toBe(true);
    const { text, failure } = await rpc.request('dev_trace', [order.toString()]);
    expect(text).toMatch(/code 78 \(ErrorTold\)[\s\S]*sources\/told\.move:41/);
    expect(failure).toMatchObject({ message: expect.stringContaining('ErrorTold') });
  });

  it('is refused for what it cannot run again', async () => {
    await expect(rpc.request('dev_trace', ['0'])).rejects.toMatchObject({ data: { code: 'not-supported' } });
    await expect(rpc.request('dev_trace', ['1000'])).rejects.toMatchObject({ data: { code: 'not-found' } });
    await expect(rpc.request('dev_trace', ['0x12'])).rejects.toMatchObject({ data: { code: 'invalid-argument' } });
  });

  it('is answered by a worker thread as by the engine', async () => {
    const threaded = createRpc(engine, { dev: true, workers: 1 });
    try {
      const answer = await threaded.request('dev_trace', [failed.order.toString()]);
      expect(answer).toEqual(await rpc.request('dev_trace', [failed.order.toString()]));
    } finally {
      await threaded.close();
    }
  });
});

describe('the call stack of a failed view', () => {
  it('is told by a test node, to programs on this machine', async () => {
    const viewed = { function_id: deep('outer'), ty_args: [], args: ['0x6400000000000000'] };
    const asked = { jsonrpc: '2.0', id: 1, method: 'chain_executeViewFunction', params: [viewed] };
    const stackBy = async (node: Rpc, exposed: boolean): Promise<unknown> =>
      JSON.parse((await node.handle(JSON.stringify(asked), { exposed }))!).result.failure.call_stack;
    expect(await stackBy(rpc, false)).toMatchObject(STACK);
    expect(await stackBy(rpc, true)).toBeNull();
    expect(await stackBy(createRpc(engine), false)).toBeNull();
  });
});

describe('the option trace', () => {
  it('of dev_simulate gives the trace of what would be done', async () => {
    const answer = await rpc.request('dev_simulate', [ALICE.address, callOf('say', '42'), { trace: true }]);
    expect(answer).toMatchObject({ trace: { prints: [{ type: 'u64', value: '42' }], failure: null } });
    expect(await rpc.request('dev_simulate', [ALICE.address, callOf('say', '42')])).not.toHaveProperty('trace');
  });

  it('of dev_call gives the trace of what was done', async () => {
    const answer = await rpc.request('dev_call', [ALICE.address, callOf('outer', '100'), { trace: true }]);
    expect(answer).toMatchObject({
      error_info: { vm_error_info: { failure: { call_stack: STACK, instruction: 'Abort' } } },
      trace: { failure: { call_stack: STACK } },
    });
  });
});
