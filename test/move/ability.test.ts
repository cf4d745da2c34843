import { describe, expect, it } from 'vitest';
import {
  ABILITY_COPY,
  ABILITY_DROP,
  ABILITY_KEY,
  ABILITY_STORE,
  type AbilityName,
  abilityNames,
} from '../../src/move/ability.ts';

describe('abilities (spec/rpc.md 7.3: copy 1, drop 2, store 4, key 8)', () => {
  it.each<[number, readonly AbilityName[]]>([
    [0, []],
    [7, ['copy', 'drop', 'store']],
    [8, ['key']],
    [12, ['store', 'key']],
    [4, ['store']],
    [2, ['drop']],
    [15, ['copy', 'drop', 'store', 'key']],
  ])('%i', (set, names) => {
    expect(abilityNames(set)).toEqual(names);
  });

  it('are single bits', () => {
    expect([ABILITY_COPY, ABILITY_DROP, ABILITY_STORE, ABILITY_KEY]).toEqual([1, 2, 4, 8]);
  });
});
