/**
 * Abstract sizes that are the same for all values of a type, so their gas is known when code is written.
 * @module
 */
import type { ValueSizes } from '../gas/schedule.ts';
import type { Type } from '../value/type.ts';

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
      let sum = sizes.struct;
      for (const field of type.fields) {
        const size = fixedSize(field, sizes);
        if (size === undefined) return undefined;
        sum += size;
      }
      return sum;
    }
    default:
      return sizes[type.kind];
  }
}
