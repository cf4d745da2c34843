import { describe, expect, it } from 'vitest';
import { keptStatusOf } from '../../../src/execution/runtime/kept-status.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { CodeLocation, Failure } from '../../../src/vm/failure.ts';
import { StatusCode } from '../../../src/vm/status.ts';

const module = { address: addressOf(2), name: 'm' };
const place: CodeLocation = { module, functionIndex: 3, codeOffset: 12 };
const failure = (status: StatusCode, more: Partial<Failure> = {}): Failure => ({
  status,
  subStatus: undefined,
  location: undefined,
  message: '',
  ...more,
});
const inModule = { kind: 'module', ...module };

// The tables of spec/execution.md 2.8 and spec/rpc.md appendix A.
describe('the kept status of a failed execution', () => {
  it.each<[string, Failure, unknown]>([
    ['gas used up', failure(StatusCode.OUT_OF_GAS), { kind: 'out-of-gas' }],
    ['gas used up somewhere', failure(StatusCode.OUT_OF_GAS, { location: place }), { kind: 'out-of-gas' }],
    [
      'an abort of a module',
      failure(StatusCode.ABORTED, { subStatus: 7n, location: place }),
      { kind: 'move-abort', location: inModule, code: 7n },
    ],
    [
      'an abort of a script',
      failure(StatusCode.ABORTED, { subStatus: 7n, location: { ...place, module: undefined } }),
      { kind: 'move-abort', location: { kind: 'script' }, code: 7n },
    ],
    [
      'an abort of nobody',
      failure(StatusCode.ABORTED, { subStatus: 7n }),
      { kind: 'execution-failure', location: { kind: 'script' }, function: 0, codeOffset: 0 },
    ],
    [
      'an instruction',
      failure(StatusCode.ARITHMETIC_ERROR, { location: place }),
      { kind: 'execution-failure', location: inModule, function: 3, codeOffset: 12 },
    ],
    [
      'execution nowhere',
      failure(StatusCode.CALL_STACK_OVERFLOW),
      { kind: 'execution-failure', location: { kind: 'script' }, function: 0, codeOffset: 0 },
    ],
    ['a limit', failure(StatusCode.EXECUTION_LIMIT_REACHED, { location: place }), { kind: 'miscellaneous-error' }],
    ['verification', failure(StatusCode.TYPE_MISMATCH, { location: place }), { kind: 'miscellaneous-error' }],
    ['deserialization', failure(StatusCode.MALFORMED), { kind: 'miscellaneous-error' }],
    ['validation', failure(StatusCode.NO_ACCOUNT_ROLE), undefined],
    ['an invariant', failure(StatusCode.STORAGE_ERROR), undefined],
  ])('of %s', (_, from, kept) => {
    expect(keptStatusOf(from)).toEqual(kept);
  });
});
