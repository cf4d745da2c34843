/**
 * Abstract sizes that are the same for all values of a type, so their gas is known when code is written.
 * @module
 */
import type { ValueSizes } from '../gas/schedule.ts';
import type { Type } from '../value/type.ts';

/**
 * The sizes of struct types. Thirty structs of two fields each, each of the struct before, are a type of a billion
 * parts: code may name it though nobody can make a value of it.
 */
const structSizes = new WeakMap<ValueSizes, WeakMap<Type, number | undefined>>();

/** The size of every value of the type; `undefined` if it depends on the value, as with vectors. */
export function fixedSize(type: Type, sizes: ValueSizes): number | undefined {
  switch (type.kind) {
    case 'vector':
      return undefined;
    case 'reference':
    case 'mutableReference':
      return sizes.reference;
    case 'signer':
      return sizes.struct + sizes.address;
    case 'struct': {
      let known = structSizes.get(sizes);
      if (known === undefined) {
        known = new WeakMap();
        structSizes.set(sizes, known);
      }
      if (!known.has(type)) known.set(type, structSize(type, sizes));
      return known.get(type);
    }
    default:
      return sizes[type.kind];
  }
}

function structSize(type: Type, sizes: ValueSizes): number | undefined {
  let sum = sizes.struct;
  for (const field of type.fields) {
    const size = fixedSize(field, sizes);
    if (size === undefined) return undefined;
    sum += size;
  }
  // Nobody can pay for such a value, let alone make it.
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}
