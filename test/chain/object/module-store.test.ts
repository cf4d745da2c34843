import { describe, expect, it } from 'vitest';
import { stringFieldKey } from '../../../src/chain/object/field-key.ts';
import {
  formatObjectId,
  MODULE_STORE_ID,
  MODULE_STORE_TYPE,
  PACKAGE_TYPE,
  packageObjectId,
} from '../../../src/chain/object/object-id.ts';
import { addressOf } from '../../../src/move/address.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { readVectors } from '../../vectors.ts';

describe('where modules live (spec/state.md 2.6, 2.8 and 11.1)', () => {
  interface Ids {
    readonly ids: { readonly module_store: string; readonly package_0x1: string; readonly module_key_string: string };
  }
  const { ids } = readVectors<Ids>('state-model.json');

  it('in the module store, by package address and hashed name', () => {
    expect(formatObjectId(MODULE_STORE_ID)).toBe(ids.module_store);
    expect(formatObjectId(packageObjectId(addressOf(1)))).toBe(ids.package_0x1);
    expect(formatObjectId([...packageObjectId(addressOf(1)), stringFieldKey('string')])).toBe(
      `${ids.package_0x1}${ids.module_key_string.slice(2)}`,
    );
  });

  it('under objects of these types', () => {
    expect([MODULE_STORE_TYPE, PACKAGE_TYPE].map(displayStruct)).toEqual([
      '0x2::module_store::ModuleStore',
      '0x2::module_store::Package',
    ]);
  });
});
