/**
 * Move structs: one class for each struct type, so that V8 sees one shape for each.
 *
 * The fields are the properties `f0`, `f1`, ... in declaration order. A struct object is also the reference to that
 * struct (see `owner.ts`). A signer is a struct of one address, as in the reference.
 * @module
 */
import type { Owner } from './owner.ts';

/** Property names of fields, by position. The module format allows 255 fields. */
export const FIELD_NAMES: readonly `f${number}`[] = Array.from({ length: 256 }, (_, index) => `f${index}` as const);

/** The base class of all struct objects. */
export class StructValue {
  declare owner: Owner | null;
  /** Live references to this struct; counted only for the struct types that the machine is told to count. */
  declare references: number;
  // The first fields by name, for natives; generated code names as many as there are.
  declare f0: unknown;
  declare f1: unknown;
  declare f2: unknown;
  declare f3: unknown;
  declare f4: unknown;
  declare f5: unknown;

  /** The field at `index`, which must exist. */
  getField(index: number): unknown {
    return (this as unknown as Record<string, unknown>)[FIELD_NAMES[index]!];
  }

  /** Replaces a field as a write through a reference does: the owner is marked. */
  setField(index: number, value: unknown): void {
    (this as unknown as Record<string, unknown>)[FIELD_NAMES[index]!] = value;
    if (this.owner !== null) this.owner.dirty = true;
  }
}

/** Makes a struct from its fields in declaration order. */
export type StructClass = new (...fields: unknown[]) => StructValue;

/**
 * A class for structs of `fieldCount` fields, made without generating code.
 * @param counted whether references to its instances are counted
 */
export function structClass(fieldCount: number, counted: boolean): StructClass {
  const names = FIELD_NAMES.slice(0, fieldCount);
  class Struct extends StructValue {
    constructor(...fields: unknown[]) {
      super();
      this.owner = null;
      if (counted) this.references = 0;
      const target = this as unknown as Record<string, unknown>;
      for (let index = 0; index < names.length; index++) target[names[index]!] = fields[index];
    }
  }
  return Struct;
}

/** The class of signers: `f0` is the address. */
export const Signer: StructClass = structClass(1, false);
