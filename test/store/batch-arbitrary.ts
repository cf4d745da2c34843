/** Random batches of few distinct bytes and short keys, so that keys collide and nest as prefixes. */
import fc from 'fast-check';
import type { Operation } from '../../src/store/index.ts';

const byteArbitrary = fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff);
const keyArbitrary = fc.array(byteArbitrary, { minLength: 1, maxLength: 4 }).map((bytes) => Uint8Array.from(bytes));

export const batchArbitrary: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('put' as const),
        key: keyArbitrary,
        value: fc.uint8Array({ maxLength: 80 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), key: keyArbitrary }) },
  ),
  { maxLength: 12 },
);
