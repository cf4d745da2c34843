/** Failures in code that the failed transaction was about to publish: an upgraded module, called by a new one's `init`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytes, encode } from '../../../src/base/bcs.ts';
import { addSources, DEV_ACCOUNTS, Engine, type Receipt } from '../../../src/index.ts';
import { publishAction } from '../../../src/pipeline/publish.ts';
import { assembleFor } from '../../pipeline/contract.ts';

const [ALICE] = DEV_ACCOUNTS;
const before = assembleFor(
  ALICE!,
  `module 0xa11ce::m
  public fun first() { Ret }
  public fun second() { Ret }
  public fun third() { Ret }`,
);
const after = assembleFor(
  ALICE!,
  `module 0xa11ce::m
  public fun first() { Ret }
  public fun fails() { LdU64 9; Abort }
  public fun second() { Ret }
  public fun third() { Ret }`,
);
const added = assembleFor(
  ALICE!,
  `module 0xa11ce::n
  fun init() { Call 0xa11ce::m::fails; Ret }`,
  [after],
);

let engine: Engine;
let failed: Receipt;
let simulated: Receipt;

beforeAll(async () => {
  engine = await Engine.open();
  addSources([{ bytes: after, constants: { EFails: '9' } }]);
  await engine.publish(ALICE!.address, [before]);
  simulated = engine.simulate({ sender: ALICE!.address, action: publishAction([after, added]) }, { trace: true });
  failed = await engine.publish(ALICE!.address, [after, added]);
});
afterAll(() => engine.close());

it('are explained by that code, and not by the code before', () => {
  for (const { status, failure } of [failed, simulated]) {
    expect(failure!.message).toContain('aborted with code 9 (EFails)');
    expect(status.kind).toBe('move-abort');
    expect(failure).toMatchObject({ function: 'fails', instruction: 'Abort', abortName: 'EFails' });
    expect(failure!.message).toContain('::m::fails at offset 1');
    expect(failure!.callStack!.map((frame) => frame.function)).toEqual(['init', 'fails']);
  }
  for (const trace of [engine.trace(failed.order), simulated.trace!]) {
    expect(trace.failure!.message).toBe(failed.failure!.message);
  }
});

it('are explained without it if there is none', async () => {
  const action = { ...publishAction([after]), arguments: [encode(bytes, new Uint8Array([1, 2, 3]))] };
  const { failure } = await engine.executeAs(ALICE!.address, action);
  expect(failure?.message).toMatch(/ in 0x/);
  expect(engine.trace(engine.head.order).failure?.message).toBe(failure?.message);
});
