import { expect, it } from 'vitest';
import { constantOf } from '../src/execution/module-sources.ts';

it.each<[constants: Record<string, string>, name: string | undefined]>([
  [{ EPOCH_LENGTH: '7', ErrorNotOwner: '7' }, 'ErrorNotOwner'],
  [{ EPOCH_LENGTH: '7', E_NOT_OWNER: '7' }, 'E_NOT_OWNER'],
  [{ EPOCH_LENGTH: '7', ERR_NOT_OWNER: '7' }, 'ERR_NOT_OWNER'],
  [{ EPOCH_LENGTH: '7', ENOT_OWNER: '7' }, 'EPOCH_LENGTH or ENOT_OWNER'],
  [{ MAX: '7', ENOT_OWNER: '7' }, 'ENOT_OWNER'],
  [{ MAX: '7', ENotOwner: '7' }, 'ENotOwner'],
  [{ MAX: '7', NOT_OWNER: '8' }, 'MAX'],
  [{ MAX: '7', NOT_OWNER: '7' }, 'MAX or NOT_OWNER'],
  [{ MAX: '8' }, undefined],
])('a code among %j is called %s', (constants, name) => {
  expect(constantOf({ constants }, '7')).toBe(name);
});

it.each<[constants: Record<string, string>, abortConstants: string[], name: string | undefined]>([
  [{ EPOCH_LENGTH: '7', ENOT_OWNER: '7' }, ['ENOT_OWNER'], 'ENOT_OWNER'],
  [{ ErrorRate: '7', NOT_OWNER: '7' }, ['NOT_OWNER'], 'NOT_OWNER'],
  [{ EFIRST: '7', ESECOND: '7' }, ['EFIRST', 'ESECOND'], 'EFIRST or ESECOND'],
  [{ LIMIT: '7', ENOT_OWNER: '7' }, ['LIMIT', 'ENOT_OWNER'], 'ENOT_OWNER'],
  // A constant that is passed to a function which aborts with it.
  [{ MAX: '7', ENOT_OWNER: '7' }, [], 'ENOT_OWNER'],
  // `abort 7`, where 7 only happens to be the maximum.
  [{ MAX: '7', EOTHER: '8' }, ['EOTHER'], undefined],
])('of %j, where the code aborts with %j, a code is called %s', (constants, abortConstants, name) => {
  expect(constantOf({ constants, abortConstants }, '7')).toBe(name);
});
