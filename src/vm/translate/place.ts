/**
 * References to primitives in translated code: most never become objects, but are places that the writer tracks.
 * @module
 */
import { Cell } from '../value/reference.ts';
import type { CodeWriter, Operand, Place } from './code-writer.ts';
import { generateElementReferenceClass, generateFieldReferenceClass, unshare } from './type-code.ts';

const MARK_OWNER = (base: string): string => `if(${base}.owner!==null)${base}.owner.dirty=true;`;

/** The value at a place. */
export function readPlace(place: Place): string {
  switch (place.kind) {
    case 'local':
      return place.base;
    case 'cell':
      return `${place.base}.value`;
    case 'field':
      return `${place.base}.f${place.field}`;
    case 'element':
      return readElement(place.base, place.index, place.item);
  }
}

/** Element of a vector, by the kind of the elements. */
export function readElement(vector: string, index: string, item: string): string {
  return item === 'bool' ? `${vector}.items[${index}]===1` : `${vector}.items[${index}]`;
}

/** The statements that store `value` at a place. */
export function writePlace(place: Place, value: string): string {
  const { base } = place;
  switch (place.kind) {
    case 'local':
      return `${base}=${value};`;
    case 'cell':
      return `${base}.value=${value};`;
    case 'field':
      return `${base}.f${place.field}=${value};${MARK_OWNER(base)}`;
    case 'element': {
      const stored = place.item === 'bool' ? `(${value})?1:0` : value;
      return `${unshare(base, place.item)}${base}.items[${place.index}]=${stored};${MARK_OWNER(base)}`;
    }
  }
}

/** The statement that marks the owner of a container. */
export function markOwner(container: string): string {
  return MARK_OWNER(container);
}

/** The reference as a value that can be stored, passed and returned; other operands already are. */
export function materialise(writer: CodeWriter, operand: Operand): Operand {
  const { place } = operand;
  if (place === undefined) return operand;
  switch (place.kind) {
    case 'local':
      return writer.compute(`new ${writer.constant(Cell)}(${place.base})`, operand);
    case 'cell':
      return { code: place.base, isAtom: true, locals: operand.locals, temporaries: operand.temporaries };
    case 'field':
      return writer.compute(
        `new ${writer.constant(generateFieldReferenceClass(place.struct, place.field))}(${place.base})`,
        operand,
      );
    case 'element':
      return writer.compute(
        `new ${writer.constant(generateElementReferenceClass(place.item))}(${place.base},${place.index})`,
        operand,
      );
  }
}
