import { describe, expect, it } from 'vitest';
import * as config from '../src/base/config.ts';
import { CHANGE_SET_DEPTH_MAX } from '../src/chain/object/change-set.ts';
import { OBJECT_ID_DEPTH_MAX } from '../src/chain/object/object-id.ts';
import { LAYOUT_DEPTH_MAX } from '../src/execution/runtime/layout-source.ts';
import { VALUE_DEPTH_MAX } from '../src/move/layout.ts';

describe('the limits', () => {
  const limits = Object.entries(config).filter(([name]) => /_(?:MAX|MIN)$/.test(name));

  it('are positive whole numbers, with unit and bound last in the name', () => {
    expect(limits.length).toBeGreaterThan(10);
    for (const [name, value] of limits) {
      expect(name).toMatch(/^[A-Z0-9]+(?:_[A-Z0-9]+)+$/);
      expect(typeof value === 'bigint' ? value > 0n : Number.isSafeInteger(value) && Number(value) > 0, name).toBe(
        true,
      );
    }
  });

  it('follow from one another where they must', () => {
    expect(CHANGE_SET_DEPTH_MAX).toBeLessThanOrEqual(OBJECT_ID_DEPTH_MAX);
    expect(LAYOUT_DEPTH_MAX).toBeLessThanOrEqual(VALUE_DEPTH_MAX);
  });
});
