/**
 * References to primitive values: bool, integers, address. References to structs and vectors are the objects
 * themselves.
 *
 * One class for each kind of place keeps the call sites of `get` and `set` at few shapes, which is faster than one
 * class with keyed access. Translated code makes these objects only for references that are stored in a local, passed,
 * or returned.
 *
 * An immutable reference is such an object too, rather than the value read early: natives can return a second path to a
 * stored object, so the target of an immutable reference may change while it is alive, and the reference must show
 * that.
 * @module
 */
import { FIELD_NAMES, type StructInstance } from './struct.ts';
import type { Type } from './type.ts';
import type { VectorValue } from './vector.ts';

/** A place that holds a primitive value. */
export abstract class Reference {
  abstract get(): unknown;
  abstract set(value: unknown): void;
}

/** A place of its own: a borrowed local, an argument, or a value that a native returns by reference. */
export class Cell extends Reference {
  value: unknown;

  constructor(value: unknown) {
    super();
    this.value = value;
  }

  get(): unknown {
    return this.value;
  }

  set(value: unknown): void {
    this.value = value;
  }
}

/** An element of a vector of primitives. */
export class ElementReference extends Reference {
  readonly vector: VectorValue;
  readonly index: number;

  constructor(vector: VectorValue, index: number) {
    super();
    this.vector = vector;
    this.index = index;
  }

  get(): unknown {
    return this.vector.get(this.index);
  }

  set(value: unknown): void {
    this.vector.set(this.index, value);
  }
}

/** A primitive field of a struct; see `fieldReferenceClass`. */
export type FieldReferenceClass = new (target: StructInstance) => Reference;

/** A class of references to the field at one position, made without generating code. */
function makeFieldReferenceClass(index: number): FieldReferenceClass {
  const name = FIELD_NAMES[index]!;
  return class FieldReference extends Reference {
    readonly target: StructInstance;

    constructor(target: StructInstance) {
      super();
      this.target = target;
    }

    get(): unknown {
      return (this.target as unknown as Record<string, unknown>)[name];
    }

    set(value: unknown): void {
      this.target.setField(index, value);
    }
  };
}

const fieldReferenceClasses: FieldReferenceClass[] = [];

/** The class of references to the field at `index` of any struct. */
export function fieldReferenceClass(index: number): FieldReferenceClass {
  fieldReferenceClasses[index] ??= makeFieldReferenceClass(index);
  return fieldReferenceClasses[index];
}

/** The value behind a reference to `type`: the object itself for structs and vectors. */
export function dereference(type: Type, reference: unknown): unknown {
  return type.isContainer ? reference : (reference as Reference).get();
}
