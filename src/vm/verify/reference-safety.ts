/**
 * Checks that no reference dangles, and that the target of a mutable reference is not accessed through another one.
 *
 * The machine relies on it: it represents an immutable reference to a primitive local by a copy of its value, and a
 * reference to a struct by the object. Source: the reference's `move-bytecode-verifier/src/reference_safety`.
 * @module
 */
import { assert } from '../../base/error.ts';
import type { Instruction } from '../binary/module.ts';
import { Op, opcodeName } from '../binary/opcode.ts';
import { isReference, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { type Analysis, analyze } from './abstract-interpreter.ts';
import { calleeOf, type FunctionContext, handleOf, moduleOnly, rejectIn } from './function-body.ts';
import { type AbstractValue, type Fault, NO_REFERENCE, ReferenceState, type ValueKind } from './reference-state.ts';
import { popsOf, pushesOf } from './stack-usage.ts';

export function checkReferenceSafety(body: FunctionContext): void {
  // Without references nothing can be unsafe: half of all functions have none.
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
  switch (item.op) {
    case Op.MutBorrowLoc:
    case Op.ImmBorrowLoc:
    case Op.MutBorrowGlobal:
    case Op.ImmBorrowGlobal:
    case Op.MutBorrowGlobalGeneric:
    case Op.ImmBorrowGlobalGeneric:
      return true;
    case Op.Call:
    case Op.CallGeneric:
      return binary.signatures[handleOf(binary, item, item.op === Op.CallGeneric).returns]!.some(isReference);
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
      const message = `${opcodeName(item.op)} meets something that is still borrowed`;
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
        return this.#call(item, item.op === Op.CallGeneric);
      case Op.Ret: {
        const values = this.#popValues(this.#body.returns.length);
        return state.leave(values);
      }
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

  /** Fields and resources. */
  #executeOther(item: Instruction): Fault {
    switch (item.op) {
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        return this.#borrowField(item.operand, item.op === Op.MutBorrowField);
      case Op.MutBorrowFieldGeneric:
      case Op.ImmBorrowFieldGeneric: {
        const handle = moduleOnly(this.#body.binary).fieldInstantiations[item.operand]!.generic;
        return this.#borrowField(handle, item.op === Op.MutBorrowFieldGeneric);
      }
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
        return this.#borrowResource(item.operand, item.op === Op.MutBorrowGlobal);
      case Op.MutBorrowGlobalGeneric:
      case Op.ImmBorrowGlobalGeneric: {
        const struct = moduleOnly(this.#body.binary).structInstantiations[item.operand]!.generic;
        return this.#borrowResource(struct, item.op === Op.MutBorrowGlobalGeneric);
      }
      case Op.MoveFrom:
        return this.#moveFrom(item.operand);
      case Op.MoveFromGeneric:
        return this.#moveFrom(moduleOnly(this.#body.binary).structInstantiations[item.operand]!.generic);
      case Op.MoveTo:
      case Op.MoveToGeneric:
        this.#pop();
        this.#state.release(this.#pop());
        return undefined;
      default:
        return this.#executeValues(item);
    }
  }

  /** All instructions that pop and push values. */
  #executeValues(item: Instruction): Fault {
    this.#popValues(popsOf(this.#body, item));
    for (let count = pushesOf(this.#body, item); count > 0; count--) this.#stack.push(NO_REFERENCE);
    return undefined;
  }

  #call(item: Instruction, isGeneric: boolean): Fault {
    const { binary, definitionOf } = this.#body;
    const { parameters, returns } = handleOf(binary, item, isGeneric);
    const definition = definitionOf.get(calleeOf(binary, item, isGeneric));
    const acquired =
      definition === undefined ? [] : moduleOnly(this.#body.binary).functionDefinitions[definition]!.acquires;
    const values = this.#popValues(binary.signatures[parameters]!.length);
    this.#body.meter.charge(acquired.length + values.length);
    const results = this.#state.call(values, acquired, binary.signatures[returns]!.map(kindOf));
    if (typeof results === 'number') return results;
    this.#stack.push(...results);
    return undefined;
  }

  #borrowField(fieldHandle: number, isMutable: boolean): Fault {
    const field = this.#state.borrowField(this.#pop(), fieldHandle, isMutable);
    return this.#pushUnless(field, StatusCode.BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR);
  }

  #borrowResource(struct: number, isMutable: boolean): Fault {
    this.#pop();
    return this.#pushUnless(this.#state.borrowResource(struct, isMutable), StatusCode.GLOBAL_REFERENCE_ERROR);
  }

  #moveFrom(struct: number): Fault {
    if (this.#state.isResourceBorrowed(struct)) return StatusCode.GLOBAL_REFERENCE_ERROR;
    this.#pop();
    this.#stack.push(NO_REFERENCE);
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

  /** The top values, the last pushed last. */
  #popValues(count: number): AbstractValue[] {
    assert(count <= this.#stack.length, 'expected more values on the operand stack');
    return this.#stack.splice(this.#stack.length - count, count);
  }
}
