/** Concrete Move types. */
import fc from 'fast-check';
import { type PrimitiveKind, type StructTag, structType, type TypeTag, vectorTag } from '../../src/move/type-tag.ts';
import { addressArbitrary, nameArbitrary } from './primitive.ts';

export const PRIMITIVE_KINDS: readonly PrimitiveKind[] = [
  'bool',
  'u8',
  'u16',
  'u32',
  'u64',
  'u128',
  'u256',
  'address',
  'signer',
];

const primitive: fc.Arbitrary<TypeTag> = fc.constantFrom(...PRIMITIVE_KINDS).map((kind) => ({ kind }));

/** Types of at most `depth` nested vectors and structs. */
export function typeTagArbitraryOf(depth: number): fc.Arbitrary<TypeTag> {
  if (depth === 0) return primitive;
  return fc.oneof(
    { weight: 3, arbitrary: primitive },
    { weight: 1, arbitrary: typeTagArbitraryOf(depth - 1).map(vectorTag) },
    { weight: 2, arbitrary: structTagArbitraryOf(depth - 1).map(structType) },
  );
}

/** Struct types whose arguments have at most `depth` nested vectors and structs. */
export function structTagArbitraryOf(depth: number): fc.Arbitrary<StructTag> {
  return fc.record({
    address: addressArbitrary,
    module: nameArbitrary,
    name: nameArbitrary,
    typeArguments: fc.array(typeTagArbitraryOf(depth), { maxLength: depth > 2 ? 1 : 3 }),
  });
}

export const typeTagArbitrary: fc.Arbitrary<TypeTag> = fc.oneof(
  typeTagArbitraryOf(3),
  fc.nat({ max: 8 }).map((depth) => nestedVector(depth)),
);

export const structTagArbitrary: fc.Arbitrary<StructTag> = structTagArbitraryOf(2);

/** `vector<vector<...u8>>` of `depth` vectors. */
export function nestedVector(depth: number): TypeTag {
  let tag: TypeTag = { kind: 'u8' };
  for (let level = 0; level < depth; level++) tag = vectorTag(tag);
  return tag;
}
