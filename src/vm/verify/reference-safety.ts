/**
 * Checks that no reference dangles, and that the target of a mutable reference is not accessed through another one.
 *
 * The machine relies on it: it represents an immutable reference to a primitive local by a copy of its value, and a
 * reference to a struct by the object. Source: the reference's `move-bytecode-verifier/src/reference_safety`.
 *
 * The state at a point of a body is which locals hold references, and which references were borrowed from which. The
 * frame itself is a reference too: the root from which locals and resources are borrowed. At the ends of blocks the
 * state is canonical: a reference has the number of the local that holds it, and the root the number of locals. Source:
 * the reference's `move-bytecode-verifier/src/reference_safety/abstract_state.rs`.
 * @module
 */
import { assert } from '../../base/error.ts';
import { type Instruction, namedBy } from '../binary/module.ts';
import { Op, opcodeName, plainOp } from '../binary/opcode.ts';
import { isReference, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { BorrowGraph, type BorrowLabel } from './borrow-graph.ts';
import { type Analysis, analyze, type FunctionContext, handleOf, moduleOnly, rejectIn } from './function-context.ts';
import { popsOf, pushesOf } from './stack-usage.ts';
import type { StepMeter } from './step-meter.ts';

/** A value on the stack or in a local: the number of a reference, or a marker for other values. */
const NO_REFERENCE = -1;
type AbstractValue = number;

/** The kind of a parameter or returned value. */
type ValueKind = 'value' | 'immutable' | 'mutable';

// Labels are ordered as in the reference: locals, then resources, then fields.
const RESOURCE_LABELS = 0x10000;
const FIELD_LABELS = 0x20000;

/** Why an instruction is not safe, or `undefined` if it is. */
type Fault = StatusCode | undefined;

class ReferenceState {
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

  #isFreezable(id: AbstractValue, label: BorrowLabel | undefined): boolean {
    return !this.#graph.hasMutableBorrows(id, label);
  }

  /** An immutable reference may always be read through, a mutable one while nothing mutable is borrowed from it. */
  #isReadable(id: AbstractValue, label: BorrowLabel | undefined): boolean {
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
   * `returns` gives the kind of each returned value.
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

  /** Returns these values. */
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

  /** The join of two canonical states, or `undefined` if it equals this one. */
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

export function checkReferenceSafety(body: FunctionContext): void {
  // Without references everything is safe: half of all functions have none.
  if (!makesReferences(body)) return;
  const parameters = body.parameters.map(kindOf);
  const initial = ReferenceState.initial(body.locals.length, parameters, body.meter);
  analyze(body, initial, new ReferenceAnalysis(body));
}

function makesReferences(body: FunctionContext): boolean {
  return body.parameters.some(isReference) || body.code.instructions.some((item) => isSource(body, item));
}

/** Whether the instruction can create a reference from something else. */
function isSource({ binary }: FunctionContext, item: Instruction): boolean {
  switch (plainOp(item.op)) {
    case Op.MutBorrowLoc:
    case Op.ImmBorrowLoc:
    case Op.MutBorrowGlobal:
    case Op.ImmBorrowGlobal:
      return true;
    case Op.Call:
      return binary.signatures[handleOf(binary, item).returns]!.some(isReference);
    default:
      return false;
  }
}

function kindOf(type: SignatureToken): ValueKind {
  if (type.tag === TokenTag.Reference) return 'immutable';
  return type.tag === TokenTag.MutableReference ? 'mutable' : 'value';
}

class ReferenceAnalysis implements Analysis<ReferenceState> {
  readonly #body: FunctionContext;
  readonly #stack: AbstractValue[] = [];
  #state!: ReferenceState;

  constructor(body: FunctionContext) {
    this.#body = body;
  }

  executeBlock(block: number, before: ReferenceState): ReferenceState {
    const { graph, code } = this.#body;
    this.#state = before.clone();
    const end = graph.ends[block]!;
    for (let offset = graph.starts[block]!; offset <= end; offset++) {
      const item = code.instructions[offset]!;
      const fault = this.#execute(item);
      if (fault === undefined) continue;
      const message = `${opcodeName(item.op)} conflicts with a borrow`;
      throw rejectIn(this.#body, fault, offset, message);
    }
    assert(this.#stack.length === 0, 'expected an empty operand stack at the end of a block');
    this.#state.canonicalize();
    return this.#state;
  }

  join(known: ReferenceState, arriving: ReferenceState): ReferenceState | undefined {
    return known.join(arriving);
  }

  #execute(item: Instruction): Fault {
    const state = this.#state;
    switch (item.op) {
      case Op.CopyLoc:
        return this.#pushUnless(state.copyLocal(item.operand), StatusCode.COPYLOC_EXISTS_BORROW_ERROR);
      case Op.MoveLoc:
        return this.#pushUnless(state.moveLocal(item.operand), StatusCode.MOVELOC_EXISTS_BORROW_ERROR);
      case Op.StLoc:
        return state.storeLocal(item.operand, this.#pop());
      case Op.MutBorrowLoc:
      case Op.ImmBorrowLoc: {
        const isMutable = item.op === Op.MutBorrowLoc;
        return this.#pushUnless(state.borrowLocal(item.operand, isMutable), StatusCode.BORROWLOC_EXISTS_BORROW_ERROR);
      }
      case Op.FreezeRef:
        return this.#pushUnless(state.freeze(this.#pop()), StatusCode.FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR);
      case Op.ReadRef: {
        const fault = state.read(this.#pop());
        this.#stack.push(NO_REFERENCE);
        return fault;
      }
      case Op.WriteRef: {
        const reference = this.#pop();
        this.#pop();
        return state.write(reference, StatusCode.WRITEREF_EXISTS_BORROW_ERROR);
      }
      case Op.Pop:
        state.release(this.#pop());
        return undefined;
      case Op.Eq:
      case Op.Neq: {
        const fault = state.compare(this.#pop(), this.#pop());
        this.#stack.push(NO_REFERENCE);
        return fault;
      }
      case Op.Call:
      case Op.CallGeneric:
        return this.#call(item);
      case Op.Ret:
        return state.leave(this.#popValues(this.#body.returns.length));
      default:
        return this.#executeVector(item);
    }
  }

  #executeVector(item: Instruction): Fault {
    const state = this.#state;
    const updated = StatusCode.VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR;
    switch (item.op) {
      case Op.VecLen:
        state.release(this.#pop());
        this.#stack.push(NO_REFERENCE);
        return undefined;
      case Op.VecImmBorrow:
      case Op.VecMutBorrow: {
        this.#pop();
        const element = state.borrowElement(this.#pop(), item.op === Op.VecMutBorrow);
        return this.#pushUnless(element, StatusCode.VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR);
      }
      case Op.VecPushBack:
        this.#pop();
        return state.write(this.#pop(), updated);
      case Op.VecPopBack: {
        const fault = state.write(this.#pop(), updated);
        this.#stack.push(NO_REFERENCE);
        return fault;
      }
      case Op.VecSwap:
        this.#pop();
        this.#pop();
        return state.write(this.#pop(), updated);
      default:
        return this.#executeOther(item);
    }
  }

  /** Fields and resources; all other instructions only pop and push values. */
  #executeOther(item: Instruction): Fault {
    const state = this.#state;
    const { binary } = this.#body;
    const op = plainOp(item.op);
    switch (op) {
      case Op.MutBorrowField:
      case Op.ImmBorrowField: {
        const field = state.borrowField(this.#pop(), namedBy(binary, item), op === Op.MutBorrowField);
        return this.#pushUnless(field, StatusCode.BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR);
      }
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal: {
        this.#pop();
        const resource = state.borrowResource(namedBy(binary, item), op === Op.MutBorrowGlobal);
        return this.#pushUnless(resource, StatusCode.GLOBAL_REFERENCE_ERROR);
      }
      case Op.MoveFrom:
        if (state.isResourceBorrowed(namedBy(binary, item))) return StatusCode.GLOBAL_REFERENCE_ERROR;
        this.#pop();
        this.#stack.push(NO_REFERENCE);
        return undefined;
      case Op.MoveTo:
        this.#pop();
        state.release(this.#pop());
        return undefined;
      default:
        this.#popValues(popsOf(this.#body, item));
        for (let count = pushesOf(this.#body, item); count > 0; count--) this.#stack.push(NO_REFERENCE);
        return undefined;
    }
  }

  #call(item: Instruction): Fault {
    const { binary, definitionOf } = this.#body;
    const { parameters, returns } = handleOf(binary, item);
    const definition = definitionOf.get(namedBy(binary, item));
    const acquired =
      definition === undefined ? [] : moduleOnly(this.#body.binary).functionDefinitions[definition]!.acquires;
    const values = this.#popValues(binary.signatures[parameters]!.length);
    this.#body.meter.charge(acquired.length + values.length);
    const results = this.#state.call(values, acquired, binary.signatures[returns]!.map(kindOf));
    if (typeof results === 'number') return results;
    this.#stack.push(...results);
    return undefined;
  }

  #pushUnless(value: AbstractValue | 'borrowed', status: StatusCode): Fault {
    if (value === 'borrowed') return status;
    this.#stack.push(value);
    return undefined;
  }

  #pop(): AbstractValue {
    const value = this.#stack.pop();
    assert(value !== undefined, 'expected a value on the operand stack');
    return value;
  }

  /** The top values, in the order in which they were pushed. */
  #popValues(count: number): AbstractValue[] {
    assert(count <= this.#stack.length, 'expected more values on the operand stack');
    return this.#stack.splice(this.#stack.length - count, count);
  }
}
