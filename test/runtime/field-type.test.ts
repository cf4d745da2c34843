/** Keys of dynamic fields: as the object model has them, whatever was asked before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { string, u64 } from '../../src/bcs/primitive.ts';
import { MOVE_STD_ADDRESS } from '../../src/move/address.ts';
import { structTag, structType } from '../../src/move/type-tag.ts';
import { stringFieldKey } from '../../src/object/field-key.ts';
import { FieldType } from '../../src/runtime/field-type.ts';

const TEXTS = new FieldType<string, bigint>(
  { tag: structType(structTag(MOVE_STD_ADDRESS, 'string', 'String')), codec: string },
  { tag: { kind: 'u64' }, codec: u64 },
);

describe('the key of a field', () => {
  it('is that of its own name, of one that was asked for before too', () => {
    const names = fc.array(fc.constantFrom('', 'a', 'b', 'x'.repeat(100), 'y'.repeat(100)), { maxLength: 20 });
    fc.assert(
      fc.property(names, (all) => {
        for (const name of all) {
          expect(TEXTS.key(name)).toEqual(stringFieldKey(name));
          expect(TEXTS.decode(TEXTS.encode(name, 7n))).toBe(7n);
        }
      }),
    );
  });
});
