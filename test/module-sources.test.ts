import { expect, it } from 'vitest';
import { constantOf } from '../src/module-sources.ts';

it.each<[constants: Record<string, string>, name: string | undefined]>([
  [{ EPOCH_LENGTH: '7', ErrorNotOwner: '7' }, 'ErrorNotOwner'],
  [{ EPOCH_LENGTH: '7', E_NOT_OWNER: '7' }, 'E_NOT_OWNER'],
  [{ EPOCH_LENGTH: '7', ERR_NOT_OWNER: '7' }, 'ERR_NOT_OWNER'],
  [{ MAX: '7', ENOT_OWNER: '7' }, 'ENOT_OWNER'],
  [{ MAX: '7', ENotOwner: '7' }, 'ENotOwner'],
  [{ MAX: '7', NOT_OWNER: '8' }, 'MAX'],
  [{ MAX: '8' }, undefined],
])('a code among %j is called %s', (constants, name) => {
  expect(constantOf(constants, '7')).toBe(name);
});
