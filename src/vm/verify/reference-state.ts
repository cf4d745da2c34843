/**
 * What is known about references at one point of a body: which locals hold one, and who borrowed from whom.
 *
 * The frame itself is a reference too: the root from which locals and resources are borrowed. At the ends of blocks the
 * state is canonical: a reference has the number of the local that holds it, and the root the number of locals.
 * Source: the reference's `move-bytecode-verifier/src/reference_safety/abstract_state.rs`.
 * @module
 */
import { StatusCode } from '../status.ts';
import { BorrowGraph, type Label } from './borrow-graph.ts';
import type { StepMeter } from './step-meter.ts';

/** A value on the stack or in a local: the number of a reference, or that it is none. */
export const NO_REFERENCE = -1;
export type AbstractValue = number;

/** What a parameter or returned value is. */
export type ValueKind = 'value' | 'immutable' | 'mutable';

// Labels are ordered as in the reference: locals, then resources, then fields.
const RESOURCE_LABELS = 0x10000;
const FIELD_LABELS = 0x20000;

/** Why an instruction is not safe, or `undefined` if it is. */
export type Fault = StatusCode | undefined;

export class ReferenceState {
  readonly #locals: AbstractValue[];
  #graph: BorrowGraph;
  #next: number;

  private constructor(locals: AbstractValue[], graph: BorrowGraph, next: number) {
    this.#locals = locals;
    this.#graph = graph;
    this.#next = next;
  }

  /**
   * The state at a function's start. `parameters` says whether each parameter is a reference, and whether it is
   * mutable.
   */
  static initial(localCount: number, parameters: readonly ValueKind[], meter: StepMeter): ReferenceState {
    const locals: AbstractValue[] = new Array(localCount).fill(NO_REFERENCE);
    const graph = new BorrowGraph(meter);
    for (const [index, kind] of parameters.entries()) {
      if (kind === 'value') continue;
      graph.add(index, kind === 'mutable');
      locals[index] = index;
    }
    graph.add(localCount, true);
    return new ReferenceState(locals, graph, localCount + 1);
  }

  clone(): ReferenceState {
    return new ReferenceState(this.#locals.slice(), this.#graph.clone(), this.#next);
  }

  get #root(): number {
    return this.#locals.length;
  }

  newReference(isMutable: boolean): AbstractValue {
    const id = this.#next++;
    this.#graph.add(id, isMutable);
    return id;
  }

  release(value: AbstractValue): void {
    if (value !== NO_REFERENCE) this.#graph.release(value);
  }

  /** A mutable reference may be written through while nothing is borrowed from it. */
  isWritable(id: AbstractValue): boolean {
    return !this.#graph.hasBorrows(id, undefined);
  }

  #isFreezable(id: AbstractValue, label: Label | undefined): boolean {
    return !this.#graph.hasMutableBorrows(id, label);
  }

  /** An immutable reference may always be read through, a mutable one while nothing mutable is borrowed from it. */
  #isReadable(id: AbstractValue, label: Label | undefined): boolean {
    return !this.#graph.isMutable(id) || this.#isFreezable(id, label);
  }

  isResourceBorrowed(struct: number): boolean {
    return this.#graph.hasBorrows(this.#root, RESOURCE_LABELS + struct);
  }

  copyLocal(local: number): AbstractValue | 'borrowed' {
    const value = this.#locals[local]!;
    if (value === NO_REFERENCE) {
      return this.#graph.hasMutableBorrows(this.#root, local) ? 'borrowed' : NO_REFERENCE;
    }
    const copy = this.newReference(this.#graph.isMutable(value));
    this.#graph.addStrong(value, undefined, copy);
    return copy;
  }

  moveLocal(local: number): AbstractValue | 'borrowed' {
    const value = this.#locals[local]!;
    this.#locals[local] = NO_REFERENCE;
    if (value === NO_REFERENCE && this.#graph.hasBorrows(this.#root, local)) return 'borrowed';
    return value;
  }

  storeLocal(local: number, value: AbstractValue): Fault {
    const old = this.#locals[local]!;
    this.#locals[local] = value;
    if (old !== NO_REFERENCE) {
      this.#graph.release(old);
      return undefined;
    }
    return this.#graph.hasBorrows(this.#root, local) ? StatusCode.STLOC_UNSAFE_TO_DESTROY_ERROR : undefined;
  }

  borrowLocal(local: number, isMutable: boolean): AbstractValue | 'borrowed' {
    const isTaken = isMutable
      ? this.#graph.hasFullBorrows(this.#root)
      : this.#graph.hasMutableBorrows(this.#root, local);
    if (isTaken) return 'borrowed';
    const id = this.newReference(isMutable);
    this.#graph.addStrong(this.#root, local, id);
    return id;
  }

  /** Consumes `id`. A mutable borrow of one field leaves the others free. */
  borrowField(id: AbstractValue, fieldHandle: number, isMutable: boolean): AbstractValue | 'borrowed' {
    const label = FIELD_LABELS + fieldHandle;
    const isTaken = isMutable ? this.#graph.hasFullBorrows(id) : !this.#isReadable(id, label);
    if (isTaken) return 'borrowed';
    const field = this.newReference(isMutable);
    this.#graph.addStrong(id, label, field);
    this.#graph.release(id);
    return field;
  }

  borrowResource(struct: number, isMutable: boolean): AbstractValue | 'borrowed' {
    const label = RESOURCE_LABELS + struct;
    const isTaken = isMutable
      ? this.#graph.hasBorrows(this.#root, label)
      : this.#graph.hasMutableBorrows(this.#root, label);
    if (isTaken) return 'borrowed';
    const id = this.newReference(isMutable);
    this.#graph.addWeak(this.#root, label, id);
    return id;
  }

  /** Consumes `id`: an element may be anywhere in the vector. */
  borrowElement(id: AbstractValue, isMutable: boolean): AbstractValue | 'borrowed' {
    if (isMutable && !this.isWritable(id)) return 'borrowed';
    const element = this.newReference(isMutable);
    this.#graph.addWeak(id, undefined, element);
    this.#graph.release(id);
    return element;
  }

  /** Consumes `id`, a mutable reference. */
  freeze(id: AbstractValue): AbstractValue | 'borrowed' {
    if (!this.#isFreezable(id, undefined)) return 'borrowed';
    const frozen = this.newReference(false);
    this.#graph.addStrong(id, undefined, frozen);
    this.#graph.release(id);
    return frozen;
  }

  /** Consumes `id`. */
  read(id: AbstractValue): Fault {
    if (!this.#isReadable(id, undefined)) return StatusCode.READREF_EXISTS_MUTABLE_BORROW_ERROR;
    this.#graph.release(id);
    return undefined;
  }

  /** Consumes `id`; `status` is the failure if it is borrowed. */
  write(id: AbstractValue, status: StatusCode): Fault {
    if (!this.isWritable(id)) return status;
    this.#graph.release(id);
    return undefined;
  }

  /** Consumes both, `top` first; they are references or neither is. */
  compare(top: AbstractValue, below: AbstractValue): Fault {
    if (top === NO_REFERENCE) return undefined;
    if (!this.#isReadable(top, undefined) || !this.#isReadable(below, undefined)) {
      return StatusCode.READREF_EXISTS_MUTABLE_BORROW_ERROR;
    }
    this.#graph.release(top);
    this.#graph.release(below);
    return undefined;
  }

  /**
   * Consumes the arguments. Returned references may borrow from every argument, mutable ones from mutable arguments.
   * `returns` says what each returned value is.
   */
  call(
    values: readonly AbstractValue[],
    acquired: readonly number[],
    returns: readonly ValueKind[],
  ): AbstractValue[] | StatusCode {
    if (acquired.some((struct) => this.isResourceBorrowed(struct))) return StatusCode.GLOBAL_REFERENCE_ERROR;
    const references = values.filter((value) => value !== NO_REFERENCE);
    const mutable = references.filter((id) => this.#graph.isMutable(id));
    if (!mutable.every((id) => this.isWritable(id))) return StatusCode.CALL_BORROWED_MUTABLE_REFERENCE_ERROR;
    // The reference walks sets of references, which are ordered.
    references.sort((left, right) => left - right);
    const results = returns.map((kind) => {
      if (kind === 'value') return NO_REFERENCE;
      const id = this.newReference(kind === 'mutable');
      for (const parent of kind === 'mutable' ? mutable : references) this.#graph.addWeak(parent, undefined, id);
      return id;
    });
    for (const id of references) this.#graph.release(id);
    return results;
  }

  /** Leaves the function with these values. */
  leave(values: readonly AbstractValue[]): Fault {
    for (const id of this.#locals.filter((value) => value !== NO_REFERENCE).sort((left, right) => left - right)) {
      this.#graph.release(id);
    }
    if (this.#graph.hasBorrows(this.#root, undefined)) return StatusCode.UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED;
    const isSafe = values.every((id) => id === NO_REFERENCE || !this.#graph.isMutable(id) || this.isWritable(id));
    return isSafe ? undefined : StatusCode.RET_BORROWED_MUTABLE_REFERENCE_ERROR;
  }

  /** Renumbers references by the locals that hold them; there must be no others. */
  canonicalize(): void {
    const renamed = new Map<number, number>();
    for (const [local, id] of this.#locals.entries()) {
      if (id === NO_REFERENCE || id === local) continue;
      renamed.set(id, local);
      this.#locals[local] = local;
    }
    this.#next = this.#root + 1;
    this.#graph.rename(renamed);
  }

  /** The state that holds on both paths, or `undefined` if that is this one. Both are canonical. */
  join(arriving: ReferenceState): ReferenceState | undefined {
    const mine = this.#graph.clone();
    const theirs = arriving.#graph.clone();
    let isChanged = false;
    const locals = this.#locals.map((id, local) => {
      const other = arriving.#locals[local]!;
      if (id === other) return id;
      // One path lost the reference: it cannot be used afterwards, and what it borrowed stays borrowed.
      if (id === NO_REFERENCE) theirs.release(other);
      else {
        mine.release(id);
        isChanged = true;
      }
      return NO_REFERENCE;
    });
    const joined = mine.join(theirs);
    if (!isChanged && this.#graph.covers(joined)) return undefined;
    return new ReferenceState(locals, joined, this.#next);
  }
}
