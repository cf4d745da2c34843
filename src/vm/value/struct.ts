/**
 * Move structs: one class for each struct type, so that V8 sees one shape for each.
 *
 * The fields are the properties `f0`, `f1`, ... in declaration order. A struct object is also the reference to that
 * struct (see `Owner`). A signer is a struct of one address, as in the reference.
 *
 * How a write through a reference is noticed: a reference to a struct or vector is the struct or vector itself, so it
 * does not tell from where it was borrowed. But every container of a value that was decoded from state carries an
 * *owner*, and every write to a container (WriteRef, and the vector operations) marks the owner of that container.
 * Containers made by Move code have no owner.
 *
 * Why it suffices to set owners when values are loaded: a container enters a loaded value only by a write through a
 * reference into it, and leaves it only by such a write or with the whole value. So whenever the owner of a container
 * is out of date, both the value that it left and the value that it is in are already dirty, gone or fresh, and none of
 * these becomes clean again within a session. Reading through a mutable reference marks nothing, while writing an equal
 * value does, as in the reference (`GlobalValue` in `move-vm/types/src/values/values_impl.rs`).
 *
 * Cost: one field in each container, one load and compare for each write.
 * @module
 */

/** Property names of fields, by position. The module format allows 255 fields. */
export const FIELD_NAMES: readonly `f${number}`[] = Array.from({ length: 256 }, (_, index) => `f${index}` as const);

/** The base class of all struct objects. */
export class StructInstance {
  declare owner: Owner | null;
  /** Live references to this struct; counted only for the struct types chosen for the machine. */
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
export type StructClass = new (...fields: unknown[]) => StructInstance;

/**
 * A class for structs of `fieldCount` fields, made without generating code.
 * @param counted whether references to its instances are counted
 */
export function structClass(fieldCount: number, counted: boolean): StructClass {
  const names = FIELD_NAMES.slice(0, fieldCount);
  class Struct extends StructInstance {
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
export const SignerValue: StructClass = structClass(1, false);

/** One value of the state that a session holds; `dirty` is set by the first write into it and never cleared. */
export interface Owner {
  dirty: boolean;
}
