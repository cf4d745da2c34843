/** Access paths that ask for something: an empty list of ids, types, names or keys is written as undefined. */
import fc from 'fast-check';
import type { AccessPath } from '../../src/chain/object/access-path.ts';
import { addressArbitrary } from './address.ts';
import { nameArbitrary } from './identifier.ts';
import { fieldKeyArbitrary, objectIdArbitrary } from './object-id.ts';
import { structTagArbitrary } from './type-tag.ts';

const listOf = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[] | undefined> =>
  fc.option(fc.array(item, { minLength: 1, maxLength: 3 }), { nil: undefined });

export const accessPathArbitrary: fc.Arbitrary<AccessPath> = fc.oneof(
  listOf(objectIdArbitrary).map((ids): AccessPath => ({ kind: 'object', ids })),
  fc
    .tuple(addressArbitrary, listOf(structTagArbitrary))
    .map(([account, types]): AccessPath => ({ kind: 'resource', account, types })),
  fc
    .tuple(addressArbitrary, listOf(nameArbitrary))
    .map(([account, names]): AccessPath => ({ kind: 'module', account, names })),
  fc
    .tuple(objectIdArbitrary, listOf(fieldKeyArbitrary))
    .map(([object, keys]): AccessPath => ({ kind: 'fields', object, keys })),
);
