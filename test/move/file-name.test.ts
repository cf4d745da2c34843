/** Names of files for modules: none is another's where case does not matter, in whatever order the modules come. */
import { expect, it } from 'vitest';
import { fileNameOf } from '../../src/move/identifier.ts';

const module = (id: string) => {
  const [address = '', name = ''] = id.split('::');
  return { address, name };
};
const namesOf = (...ids: string[]) => ids.map((id) => fileNameOf(module(id), ids.map(module)));

it('is that of the module where it can be', () => {
  expect(namesOf('0x42::coin', '0x42::coins', '0x43::Other')).toEqual(['coin', 'coins', 'Other']);
});

it('has the address of a module whose name another has', () => {
  expect(namesOf('0x42::coin', '0x43::coin')).toEqual(['0x42-coin', '0x43-coin']);
});

it('differs in more than case', () => {
  expect(namesOf('0x42::Coin', '0x42::coin')).toEqual(['0x42-Coin', '0x42-coin-2']);
  expect(namesOf('0x42::coin', '0x43::COIN', '0x42::Coin')).toEqual(['0x42-coin-2', '0x43-COIN', '0x42-Coin']);
});

it('is the same for a module that is given twice', () => {
  expect(namesOf('0x42::coin', '0x42::coin')).toEqual(['0x42-coin', '0x42-coin']);
});
