import { expect, it } from 'vitest';
import { EngineError, ERROR_CODES, type ErrorCode } from '../../src/base/error.ts';
import { isRefusal } from '../../src/pipeline/input.ts';

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
