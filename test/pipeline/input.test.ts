import { expect, it } from 'vitest';
import { EngineError, ERROR_CODES, type ErrorCode } from '../../src/base/error.ts';
import { type Address, addressOf } from '../../src/move/address.ts';
import { type Input, isRefusal } from '../../src/pipeline/input.ts';
import { SIGNED_LATER } from '../../src/pipeline/sequence.ts';
import { type StepContext, step } from '../../src/pipeline/step.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { StepChain, transfer } from './step-chain.ts';

it('only what is wrong with an input itself refuses it; damage, a full disk or a bug does not', () => {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => isRefusal(new EngineError(code, 'no')));
  expect(codes.toSorted()).toEqual([
    'invalid-argument',
    'limit-exceeded',
    'malformed-bytes',
    'malformed-module',
    'not-supported',
    'transaction-rejected',
  ]);
  const looksLikeOne = Object.assign(new Error('no'), { code: 'invalid-argument' });
  for (const error of [looksLikeOne, new TypeError('no'), undefined]) expect(isRefusal(error)).toBe(false);
});

it('a step answers with what refuses its input, and throws anything else', async () => {
  const { context } = await StepChain.open();
  const settings = { ...context.settings, blocks: undefined as never };
  const settled: StepContext = {
    ...context,
    rows: new MemoryStore(),
    settings,
    now: 0n,
    clockOffset: 0n,
    sign: SIGNED_LATER,
  };
  const callBy = (sender: Address): Input => ({
    kind: 'call',
    sender,
    action: transfer(sender, 1n),
    maxGasAmount: undefined,
  });
  expect(step(callBy(addressOf(0)), settled)).toMatchObject({ kind: 'refused', error: { code: 'invalid-argument' } });
  const corrupt = new EngineError('corrupt', 'a node is damaged');
  const damaged = Object.defineProperty({ ...settled }, 'state', {
    get: () => {
      throw corrupt;
    },
  });
  expect(() => step(callBy(addressOf(0x42)), damaged)).toThrow(corrupt);
});
