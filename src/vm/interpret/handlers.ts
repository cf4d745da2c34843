/**
 * The effect of each instruction on the state of an interpreted call; those that transfer control are in
 * `interpreter.ts`.
 *
 * A handler pops, acts and pushes in the order of the reference. The instruction's price is charged beforehand, except
 * for those in `CHARGES_ITSELF`.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { CAST_TARGETS, Op } from '../binary/opcode.ts';
import type { ResolvedInstruction } from '../link/function-body.ts';
import type { ModuleConstant } from '../link/loaded-module.ts';
import { StatusCode } from '../status.ts';
import { vectorOf } from '../value/generic-operations.ts';
import { calculate, cast, type Integer, type IntegerKind, shift } from '../value/integer.ts';
import { Cell, dereference, ElementReference, fieldReferenceClass, type Reference } from '../value/reference.ts';
import type { StructInstance } from '../value/struct.ts';
import type { VectorValue } from '../value/vector.ts';
import type { CallFrame, Interpreter } from './interpreter.ts';

type Handler = (interpreter: Interpreter, step: ResolvedInstruction, frame: CallFrame) => void;

/** Sub statuses of VECTOR_OPERATION_ERROR. */
export const VectorFault = { IndexOutOfBounds: 1n, PopEmpty: 2n, UnpackLength: 3n } as const;

function charge({ processor }: Interpreter, units: number): void {
  processor.gas.charge(units);
}

const STACK: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.Nop]: () => {},
  [Op.Abort]: (interpreter) => {
    const code = interpreter.pop() as bigint;
    interpreter.fail(StatusCode.ABORTED, `abort ${code}`, code);
  },
  [Op.Pop]: (interpreter, step) => {
    const value = interpreter.pop();
    if (step.type!.isCountedReference) (value as StructInstance).references--;
  },
};

function literal(make: (step: ResolvedInstruction, interpreter: Interpreter) => unknown): Handler {
  return (interpreter, step) => interpreter.push(make(step, interpreter));
}

const LITERALS: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.LdTrue]: literal(() => true),
  [Op.LdFalse]: literal(() => false),
  [Op.LdU8]: literal((step) => step.operand),
  [Op.LdU16]: literal((step) => step.operand),
  [Op.LdU32]: literal((step) => step.operand),
  [Op.LdU64]: literal((step) => step.value),
  [Op.LdU128]: literal((step) => step.value),
  [Op.LdU256]: literal((step) => step.value),
  [Op.LdConst]: literal((step, { processor }) => processor.loadConstant(step.value as ModuleConstant)),
};

const LOCALS: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.CopyLoc]: (interpreter, step, frame) => {
    const type = step.type!;
    const value = loadLocal(frame, step.operand);
    charge(interpreter, step.cost + interpreter.context.unitPrices.copy * type.operations.size(value));
    if (type.isCountedReference) (value as StructInstance).references++;
    interpreter.push(type.operations.copy(value));
  },
  [Op.MoveLoc]: (interpreter, step, frame) => {
    const value = loadLocal(frame, step.operand);
    if (!frame.body.inCell[step.operand]) frame.locals[step.operand] = undefined;
    interpreter.push(value);
  },
  [Op.StLoc]: (interpreter, step, { locals, body }) => {
    const value = interpreter.pop();
    const held = locals[step.operand];
    if (body.inCell[step.operand]) {
      (held as Cell).value = value;
      return undefined;
    }
    if (held !== undefined && step.type!.isCountedReference) (held as StructInstance).references--;
    locals[step.operand] = value;
  },
  [Op.MutBorrowLoc]: borrowLocal,
  [Op.ImmBorrowLoc]: borrowLocal,
};

function loadLocal({ locals, body }: CallFrame, local: number): unknown {
  const held = locals[local];
  const value = body.inCell[local] ? (held as Cell).value : held;
  if (value === undefined) emptyLocal(local);
  return value;
}

/** Separate from the check, so that the message is built only when needed. */
function emptyLocal(local: number): never {
  throw new EngineError('invariant-violation', `expected a value in local ${local}`);
}

function borrowLocal(interpreter: Interpreter, step: ResolvedInstruction, frame: CallFrame): void {
  const local = step.operand;
  if (frame.body.inCell[local]) {
    interpreter.push(frame.locals[local]);
  } else {
    const value = loadLocal(frame, local);
    if (step.type!.countsReferences) (value as StructInstance).references++;
    // Nothing can change a local while it is borrowed immutably, so for a primitive a copy is as good as a reference.
    interpreter.push(step.type!.isContainer ? value : new Cell(value));
  }
}

function arithmetic(interpreter: Interpreter, step: ResolvedInstruction): void {
  const right = interpreter.pop() as Integer;
  const left = interpreter.pop() as Integer;
  pushInteger(interpreter, calculate(step.op, step.type!.kind as IntegerKind, left, right));
}

function shifts(interpreter: Interpreter, step: ResolvedInstruction): void {
  const distance = interpreter.pop() as number;
  const value = interpreter.pop() as Integer;
  pushInteger(interpreter, shift(step.op, step.type!.kind as IntegerKind, value, distance));
}

function casts(interpreter: Interpreter, step: ResolvedInstruction): void {
  pushInteger(interpreter, cast(CAST_TARGETS[step.op]!, interpreter.pop() as Integer));
}

function pushInteger(interpreter: Interpreter, value: Integer | undefined): void {
  if (value === undefined) interpreter.fail(StatusCode.ARITHMETIC_ERROR, 'arithmetic error');
  interpreter.push(value);
}

function binary<Operand>(evaluate: (left: Operand, right: Operand) => boolean): Handler {
  return (interpreter) => {
    const right = interpreter.pop() as Operand;
    const left = interpreter.pop() as Operand;
    interpreter.push(evaluate(left, right));
  };
}

const LOGIC: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.Not]: (interpreter) => {
    interpreter.push(interpreter.pop() !== true);
  },
  [Op.And]: binary<boolean>((left, right) => left && right),
  [Op.Or]: binary<boolean>((left, right) => left || right),
  [Op.Lt]: binary<Integer>((left, right) => left < right),
  [Op.Gt]: binary<Integer>((left, right) => left > right),
  [Op.Le]: binary<Integer>((left, right) => left <= right),
  [Op.Ge]: binary<Integer>((left, right) => left >= right),
  [Op.Eq]: (interpreter, step) => {
    interpreter.push(compareOperands(interpreter, step, interpreter.context.unitPrices.equal));
  },
  [Op.Neq]: (interpreter, step) => {
    interpreter.push(!compareOperands(interpreter, step, interpreter.context.unitPrices.unequal));
  },
};

/** Eq and Neq: references are compared by what they refer to. */
function compareOperands(interpreter: Interpreter, step: ResolvedInstruction, unitPrice: number): boolean {
  const type = step.type!;
  const target = type.isReference ? type.item : type;
  const [left, right] = interpreter.popMany(2).map((value) => (type.isReference ? dereference(target, value) : value));
  const { comparedSize, equals } = target.operations;
  charge(interpreter, step.cost + unitPrice * (comparedSize(left) + comparedSize(right)));
  if (type.isCountedReference) {
    (left as StructInstance).references--;
    (right as StructInstance).references--;
  }
  return equals(left, right);
}

const REFERENCES: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.FreezeRef]: () => {},
  [Op.ReadRef]: (interpreter, step) => {
    const type = step.type!;
    const value = dereference(type, interpreter.pop());
    charge(interpreter, step.cost + interpreter.context.unitPrices.read * type.operations.size(value));
    if (type.countsReferences) (value as StructInstance).references--;
    interpreter.push(type.operations.copy(value));
  },
  [Op.WriteRef]: (interpreter, step) => {
    const type = step.type!;
    const reference = interpreter.pop();
    const value = interpreter.pop();
    if (type.isContainer) type.operations.assign(reference, value);
    else (reference as Reference).set(value);
    if (type.countsReferences) (reference as StructInstance).references--;
  },
  [Op.MutBorrowField]: borrowField,
  [Op.ImmBorrowField]: borrowField,
  [Op.Pack]: (interpreter, step) => {
    const type = step.type!;
    interpreter.push(new type.structClass(...interpreter.popMany(type.fields.length)));
  },
  [Op.Unpack]: (interpreter, step) => {
    const struct = interpreter.pop() as StructInstance;
    const { length } = step.type!.fields;
    for (let index = 0; index < length; index++) interpreter.push(struct.getField(index));
  },
};

function borrowField(interpreter: Interpreter, step: ResolvedInstruction): void {
  const type = step.type!;
  const struct = interpreter.pop() as StructInstance;
  const field = type.fields[step.operand]!;
  const target = field.isContainer ? struct.getField(step.operand) : new (fieldReferenceClass(step.operand))(struct);
  if (type.countsReferences) struct.references--;
  if (field.countsReferences) (target as StructInstance).references++;
  interpreter.push(target);
}

const VECTORS: Readonly<Partial<Record<Op, Handler>>> = {
  [Op.VecPack]: (interpreter, step) => {
    interpreter.push(vectorOf(step.type!, interpreter.popMany(step.operand)));
  },
  [Op.VecLen]: (interpreter) => {
    interpreter.push(BigInt((interpreter.pop() as VectorValue).length));
  },
  [Op.VecImmBorrow]: borrowElement,
  [Op.VecMutBorrow]: borrowElement,
  [Op.VecPushBack]: (interpreter) => {
    const value = interpreter.pop();
    (interpreter.pop() as VectorValue).push(value);
  },
  [Op.VecPopBack]: (interpreter) => {
    const vector = interpreter.pop() as VectorValue;
    if (vector.length === 0) failVector(interpreter, VectorFault.PopEmpty);
    interpreter.push(vector.pop());
  },
  [Op.VecUnpack]: (interpreter, step) => {
    const vector = interpreter.pop() as VectorValue;
    if (vector.length !== step.operand) failVector(interpreter, VectorFault.UnpackLength);
    for (let index = 0; index < step.operand; index++) interpreter.push(vector.get(index));
  },
  [Op.VecSwap]: (interpreter) => {
    const right = interpreter.pop() as bigint;
    const left = interpreter.pop() as bigint;
    const vector = interpreter.pop() as VectorValue;
    const length = BigInt(vector.length);
    if (left >= length || right >= length) failVector(interpreter, VectorFault.IndexOutOfBounds);
    vector.swap(Number(left), Number(right));
  },
};

function borrowElement(interpreter: Interpreter, step: ResolvedInstruction): void {
  const item = step.type!;
  const index = interpreter.pop() as bigint;
  const vector = interpreter.pop() as VectorValue;
  if (index >= BigInt(vector.length)) failVector(interpreter, VectorFault.IndexOutOfBounds);
  if (!item.isContainer) {
    interpreter.push(new ElementReference(vector, Number(index)));
    return;
  }
  const element = vector.get(Number(index));
  if (item.countsReferences) (element as StructInstance).references++;
  interpreter.push(element);
}

function failVector(interpreter: Interpreter, fault: bigint): never {
  return interpreter.fail(StatusCode.VECTOR_OPERATION_ERROR, 'vector operation error', fault);
}

/** Global storage of classic Move. As in the reference, the charge comes after the attempt. */
function globals(interpreter: Interpreter, step: ResolvedInstruction): void {
  const storage = interpreter.processor.running.globals;
  if (storage === undefined) interpreter.fail(StatusCode.UNKNOWN_OPCODE, 'this machine has no global storage');
  const type = step.type!;
  if (step.op === Op.MoveTo) {
    const value = interpreter.pop() as StructInstance;
    const signer = interpreter.pop() as StructInstance;
    const isNew = storage.moveTo(signer.f0 as Uint8Array, type, value);
    charge(interpreter, step.cost);
    if (!isNew) interpreter.fail(StatusCode.RESOURCE_ALREADY_EXISTS, 'the resource already exists');
    return;
  }
  const address = interpreter.pop() as Uint8Array;
  if (step.op === Op.Exists) {
    const exists = storage.exists(address, type);
    charge(interpreter, step.cost);
    interpreter.push(exists);
    return;
  }
  const value = step.op === Op.MoveFrom ? storage.moveFrom(address, type) : storage.borrow(address, type);
  charge(interpreter, step.cost);
  if (value === undefined) interpreter.fail(StatusCode.MISSING_DATA, 'the resource does not exist');
  interpreter.push(value);
}

const GLOBALS = [Op.Exists, Op.MutBorrowGlobal, Op.ImmBorrowGlobal, Op.MoveFrom, Op.MoveTo] as const;

/** By opcode: whether the handler charges, because the price depends on values or is charged after the attempt. */
export const CHARGES_ITSELF: readonly boolean[] = Array.from({ length: 256 }, (_, op) =>
  ([Op.CopyLoc, Op.ReadRef, Op.Eq, Op.Neq, ...GLOBALS] as number[]).includes(op),
);

/** By opcode. */
export const HANDLERS: readonly (Handler | undefined)[] = listHandlers();

function listHandlers(): (Handler | undefined)[] {
  const handlers: (Handler | undefined)[] = new Array(256).fill(undefined);
  const groups: Readonly<Partial<Record<Op, Handler>>>[] = [STACK, LITERALS, LOCALS, LOGIC, REFERENCES, VECTORS];
  for (const group of groups) {
    for (const [op, handler] of Object.entries(group)) handlers[Number(op)] = handler;
  }
  for (const op of [Op.Add, Op.Sub, Op.Mul, Op.Div, Op.Mod, Op.BitOr, Op.BitAnd, Op.Xor]) handlers[op] = arithmetic;
  for (const op of [Op.Shl, Op.Shr]) handlers[op] = shifts;
  for (const op of [Op.CastU8, Op.CastU16, Op.CastU32, Op.CastU64, Op.CastU128, Op.CastU256]) handlers[op] = casts;
  for (const op of GLOBALS) handlers[op] = globals;
  return handlers;
}
