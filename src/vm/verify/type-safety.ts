/**
 * Checks that the operands of every instruction have the right types.
 *
 * Blocks are checked one by one with a stack of types, however control reaches them; `stack-usage.ts` has shown that
 * each starts and ends with an empty stack. The class is one table of all opcodes. Source: the reference's
 * `move-bytecode-verifier/src/type_safety.rs`.
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, type AbilitySet } from '../../move/ability.ts';
import { type Instruction, namedBy, typesNamedBy } from '../binary/module.ts';
import { CAST_TARGETS, LITERAL_TYPES, Op, opcodeName, plainOp } from '../binary/opcode.ts';
import { typeText } from '../binary/render.ts';
import { isIntegerToken, isReference, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import type { Rejection } from '../verdict.ts';
import { type FunctionContext, handleOf, moduleOnly, rejectIn } from './function-context.ts';
import { hasAbilities, type TableType, type TypeTable } from './type-table.ts';

class OperandTypes {
  readonly #body: FunctionContext;
  readonly #types: TypeTable;
  readonly #stack: TableType[] = [];
  /** Offset of the current instruction. */
  offset = 0;

  constructor(body: FunctionContext) {
    this.#body = body;
    this.#types = body.types;
  }

  push(type: TableType): void {
    this.#stack.push(type);
  }

  pop(): TableType {
    const type = this.#stack.pop();
    if (type !== undefined) return type;
    throw this.reject(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, 'expected a value on the operand stack');
  }

  /** Pops a value of exactly `expected`; `status` is the failure for another type. */
  popType(expected: TableType, status: StatusCode): void {
    const type = this.pop();
    if (type !== expected) throw this.mismatch(status, expected, type);
  }

  /** Pops values of `expected`, whose last was pushed last, with type parameters replaced. */
  popTypes(expected: readonly TableType[], typeArguments: readonly TableType[], status: StatusCode): void {
    for (let index = expected.length - 1; index >= 0; index--) {
      this.popType(this.#types.substitute(expected[index]!, typeArguments), status);
    }
  }

  /** Pops an integer of any width. */
  popInteger(): TableType {
    const type = this.pop();
    if (isIntegerToken(type)) return type;
    throw this.reject(
      StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR,
      `${this.#instructionName()} expects an integer, got ${this.text(type)}`,
    );
  }

  /** Pops two integers of one width. */
  popEqualIntegers(): TableType {
    const type = this.popInteger();
    this.popType(type, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
    return type;
  }

  /** Pops a reference and returns the type that it points to. */
  popReference(status: StatusCode): TableType {
    const type = this.pop();
    if (isReference(type)) return type.arguments[0]!;
    throw this.reject(status, `${this.#instructionName()} expects a reference, got ${this.text(type)}`);
  }

  /** Pops a mutable reference and returns the type that it points to. */
  popMutableReference(status: StatusCode): TableType {
    const type = this.pop();
    if (type.tag === TokenTag.MutableReference) return type.arguments[0]!;
    throw this.reject(status, `${this.#instructionName()} expects a mutable reference, got ${this.text(type)}`);
  }

  /** Pops a reference to a vector of `element`; if no mutable one is required, either kind will do. */
  popVectorReference(element: TableType, isMutable: boolean): void {
    const type = this.pop();
    const vector = this.#types.vectorOf(element);
    const isFitting = isMutable ? type.tag === TokenTag.MutableReference : isReference(type);
    if (isFitting && type.arguments[0] === vector) return;
    throw this.mismatch(StatusCode.TYPE_MISMATCH, this.reference(vector, isMutable), type);
  }

  requireAbility(type: TableType, ability: AbilitySet, status: StatusCode): void {
    if (hasAbilities(this.#types.abilities(type, this.#body.typeParameters), ability)) return;
    throw this.reject(status, `${this.#instructionName()} needs an ability that ${this.text(type)} lacks`);
  }

  reference(target: TableType, isMutable: boolean): TableType {
    return isMutable ? this.#types.mutableReferenceTo(target) : this.#types.referenceTo(target);
  }

  mismatch(status: StatusCode, expected: TableType, got: TableType): Rejection {
    return this.reject(status, `${this.#instructionName()} expects ${this.text(expected)}, got ${this.text(got)}`);
  }

  /** A rejection of the current instruction. */
  reject(status: StatusCode, message: string): Rejection {
    return rejectIn(this.#body, status, this.offset, message);
  }

  #instructionName(): string {
    return opcodeName(this.#body.code.instructions[this.offset]!.op);
  }

  text(type: TableType): string {
    return typeText(this.#body.binary, type);
  }
}

const NO_TYPES: readonly TableType[] = [];

export function checkTypeSafety(body: FunctionContext): void {
  new TypeCheck(body).run();
}

class TypeCheck {
  readonly #body: FunctionContext;
  readonly #types: TypeTable;
  readonly #operands: OperandTypes;

  constructor(body: FunctionContext) {
    this.#body = body;
    this.#types = body.types;
    this.#operands = new OperandTypes(body);
  }

  run(): void {
    const { instructions } = this.#body.code;
    for (let offset = 0; offset < instructions.length; offset++) {
      this.#operands.offset = offset;
      this.#check(instructions[offset]!);
    }
  }

  #check(item: Instruction): void {
    const types = this.#types;
    const operands = this.#operands;
    switch (item.op) {
      case Op.Branch:
      case Op.Nop:
        break;
      case Op.Pop:
        operands.requireAbility(operands.pop(), ABILITY_DROP, StatusCode.POP_WITHOUT_DROP_ABILITY);
        break;
      case Op.BrTrue:
      case Op.BrFalse:
        operands.popType(types.bool, StatusCode.BR_TYPE_MISMATCH_ERROR);
        break;
      case Op.Abort:
        operands.popType(types.u64, StatusCode.ABORT_TYPE_MISMATCH_ERROR);
        break;
      case Op.Ret:
        operands.popTypes(this.#body.returns, NO_TYPES, StatusCode.RET_TYPE_MISMATCH_ERROR);
        break;
      case Op.LdConst:
        operands.push(types.intern(this.#body.binary.constants[item.operand]!.type));
        break;
      default: {
        const isDone =
          this.#checkPlace(item) || this.#checkStruct(item) || this.#checkLiteral(item.op) || this.#checkOperator(item);
        if (!isDone) this.#checkVector(item);
      }
    }
  }

  /** Literals and casts. Returns whether the instruction is one of them. */
  #checkLiteral(op: number): boolean {
    const literal = LITERAL_TYPES[op];
    if (literal !== undefined) {
      this.#operands.push(this.#types[literal]);
      return true;
    }
    const cast = CAST_TARGETS[op];
    if (cast === undefined) return false;
    this.#operands.popInteger();
    this.#operands.push(this.#types[cast]);
    return true;
  }

  /** Arithmetic, logic and comparison. Returns whether the instruction is one of them. */
  #checkOperator({ op }: Instruction): boolean {
    const { bool, u8 } = this.#types;
    switch (op) {
      case Op.Add:
      case Op.Sub:
      case Op.Mul:
      case Op.Mod:
      case Op.Div:
      case Op.BitOr:
      case Op.BitAnd:
      case Op.Xor:
        this.#operands.push(this.#operands.popEqualIntegers());
        return true;
      case Op.Shl:
      case Op.Shr: {
        this.#operands.popType(u8, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
        this.#operands.push(this.#operands.popInteger());
        return true;
      }
      case Op.Lt:
      case Op.Gt:
      case Op.Le:
      case Op.Ge:
        this.#operands.popEqualIntegers();
        this.#operands.push(bool);
        return true;
      case Op.Or:
      case Op.And:
        this.#operands.popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#operands.popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#operands.push(bool);
        return true;
      case Op.Not:
        this.#operands.popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#operands.push(bool);
        return true;
      case Op.Eq:
      case Op.Neq: {
        const right = this.#operands.pop();
        const left = this.#operands.pop();
        this.#operands.requireAbility(right, ABILITY_DROP, StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR);
        if (left !== right) throw this.#operands.mismatch(StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR, right, left);
        this.#operands.push(bool);
        return true;
      }
      default:
        return false;
    }
  }

  /** Locals and references. Returns whether the instruction is one of them. */
  #checkPlace({ op, operand }: Instruction): boolean {
    const { locals } = this.#body;
    switch (op) {
      case Op.CopyLoc:
        this.#operands.requireAbility(locals[operand]!, ABILITY_COPY, StatusCode.COPYLOC_WITHOUT_COPY_ABILITY);
        this.#operands.push(locals[operand]!);
        return true;
      case Op.MoveLoc:
        this.#operands.push(locals[operand]!);
        return true;
      case Op.StLoc:
        this.#operands.popType(locals[operand]!, StatusCode.STLOC_TYPE_MISMATCH_ERROR);
        return true;
      case Op.MutBorrowLoc:
      case Op.ImmBorrowLoc: {
        const local = locals[operand]!;
        if (isReference(local)) {
          throw this.#operands.reject(
            StatusCode.BORROWLOC_REFERENCE_ERROR,
            `expected a value, got ${this.#operands.text(local)}`,
          );
        }
        this.#operands.push(this.#operands.reference(local, op === Op.MutBorrowLoc));
        return true;
      }
      case Op.FreezeRef: {
        const target = this.#operands.popMutableReference(StatusCode.FREEZEREF_TYPE_MISMATCH_ERROR);
        this.#operands.push(this.#types.referenceTo(target));
        return true;
      }
      case Op.ReadRef: {
        const target = this.#operands.popReference(StatusCode.READREF_TYPE_MISMATCH_ERROR);
        this.#operands.requireAbility(target, ABILITY_COPY, StatusCode.READREF_WITHOUT_COPY_ABILITY);
        this.#operands.push(target);
        return true;
      }
      case Op.WriteRef: {
        const reference = this.#operands.pop();
        const value = this.#operands.pop();
        if (reference.tag !== TokenTag.MutableReference) {
          const message = `expected a mutable reference, got ${this.#operands.text(reference)}`;
          throw this.#operands.reject(StatusCode.WRITEREF_NO_MUTABLE_REFERENCE_ERROR, message);
        }
        const target = reference.arguments[0]!;
        this.#operands.requireAbility(target, ABILITY_DROP, StatusCode.WRITEREF_WITHOUT_DROP_ABILITY);
        if (value !== target) throw this.#operands.mismatch(StatusCode.WRITEREF_TYPE_MISMATCH_ERROR, target, value);
        return true;
      }
      default:
        return false;
    }
  }

  /** Calls, and instructions on structs of the module. Returns whether the instruction is one of them. */
  #checkStruct(item: Instruction): boolean {
    const op = plainOp(item.op);
    switch (op) {
      case Op.Call:
        this.#call(item);
        return true;
      case Op.Pack:
        this.#pack(this.#namedStruct(item));
        return true;
      case Op.Unpack:
        this.#unpack(this.#namedStruct(item));
        return true;
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        this.#borrowField(item, op === Op.MutBorrowField);
        return true;
      case Op.Exists:
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
      case Op.MoveFrom:
      case Op.MoveTo:
        this.#checkGlobal(op, this.#namedStruct(item).type);
        return true;
      default:
        return false;
    }
  }

  /** The type arguments that an instruction gives. */
  #given(item: Instruction): readonly TableType[] {
    const signature = typesNamedBy(this.#body.binary, item);
    return signature === undefined ? NO_TYPES : this.#types.signature(signature);
  }

  #call(item: Instruction): void {
    const { parameters, returns } = handleOf(this.#body.binary, item);
    const typeArguments = this.#given(item);
    this.#operands.popTypes(this.#types.signature(parameters), typeArguments, StatusCode.CALL_TYPE_MISMATCH_ERROR);
    for (const type of this.#types.signature(returns)) this.#operands.push(this.#types.substitute(type, typeArguments));
  }

  #pack({ type, fields, typeArguments }: NamedStruct): void {
    this.#operands.popTypes(this.#declared(fields), typeArguments, StatusCode.PACK_TYPE_MISMATCH_ERROR);
    this.#operands.push(type);
  }

  #unpack({ type, fields, typeArguments }: NamedStruct): void {
    this.#operands.popType(type, StatusCode.UNPACK_TYPE_MISMATCH_ERROR);
    for (const field of this.#declared(fields)) this.#operands.push(this.#types.substitute(field, typeArguments));
  }

  #declared(fields: readonly TableType[] | undefined): readonly TableType[] {
    if (fields !== undefined) return fields;
    throw this.#operands.reject(StatusCode.PACK_TYPE_MISMATCH_ERROR, 'expected a struct with fields, got a native one');
  }

  #borrowField(item: Instruction, isMutable: boolean): void {
    const module = moduleOnly(this.#body.binary);
    const { struct, field } = module.fieldHandles[namedBy(module, item)]!;
    const typeArguments = this.#given(item);
    const operand = this.#operands.pop();
    const expected = this.#types.struct(module.structDefinitions[struct]!.handle, typeArguments);
    const isFitting = isMutable ? operand.tag === TokenTag.MutableReference : isReference(operand);
    if (!isFitting || operand.arguments[0] !== expected) {
      const wanted = this.#operands.reference(expected, isMutable);
      throw this.#operands.mismatch(StatusCode.BORROWFIELD_TYPE_MISMATCH_ERROR, wanted, operand);
    }
    const type = this.#types.fields(struct)![field]!;
    this.#operands.push(this.#operands.reference(this.#types.substitute(type, typeArguments), isMutable));
  }

  #checkGlobal(op: number, type: TableType): void {
    const { bool, address } = this.#types;
    switch (op) {
      case Op.Exists:
        this.#operands.requireAbility(type, ABILITY_KEY, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#operands.popType(address, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#operands.push(bool);
        break;
      case Op.MoveFrom:
        this.#operands.requireAbility(type, ABILITY_KEY, StatusCode.MOVEFROM_WITHOUT_KEY_ABILITY);
        this.#operands.popType(address, StatusCode.MOVEFROM_TYPE_MISMATCH_ERROR);
        this.#operands.push(type);
        break;
      case Op.MoveTo: {
        this.#operands.requireAbility(type, ABILITY_KEY, StatusCode.MOVETO_WITHOUT_KEY_ABILITY);
        this.#operands.popType(type, StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        this.#operands.popType(this.#types.referenceTo(this.#types.signer), StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        break;
      }
      default: {
        this.#operands.popType(address, StatusCode.BORROWGLOBAL_TYPE_MISMATCH_ERROR);
        this.#operands.requireAbility(type, ABILITY_KEY, StatusCode.BORROWGLOBAL_WITHOUT_KEY_ABILITY);
        this.#operands.push(this.#operands.reference(type, op === Op.MutBorrowGlobal));
      }
    }
  }

  #checkVector({ op, operand, literal }: Instruction): void {
    const types = this.#types;
    const element = types.signature(operand)[0]!;
    const mismatch = StatusCode.TYPE_MISMATCH;
    switch (op) {
      case Op.VecPack:
        for (let count = Number(literal); count > 0; count--) this.#operands.popType(element, mismatch);
        this.#operands.push(types.vectorOf(element));
        break;
      case Op.VecLen:
        this.#operands.popVectorReference(element, false);
        this.#operands.push(types.u64);
        break;
      case Op.VecImmBorrow:
      case Op.VecMutBorrow: {
        const isMutable = op === Op.VecMutBorrow;
        this.#operands.popType(types.u64, mismatch);
        this.#operands.popVectorReference(element, isMutable);
        this.#operands.push(this.#operands.reference(element, isMutable));
        break;
      }
      case Op.VecPushBack:
        this.#operands.popType(element, mismatch);
        this.#operands.popVectorReference(element, true);
        break;
      case Op.VecPopBack:
        this.#operands.popVectorReference(element, true);
        this.#operands.push(element);
        break;
      case Op.VecUnpack:
        this.#operands.popType(types.vectorOf(element), mismatch);
        for (let count = Number(literal); count > 0; count--) this.#operands.push(element);
        break;
      case Op.VecSwap:
        this.#operands.popType(types.u64, mismatch);
        this.#operands.popType(types.u64, mismatch);
        this.#operands.popVectorReference(element, true);
        break;
      default:
        throw this.#operands.reject(StatusCode.VERIFIER_INVARIANT_VIOLATION, `no rule for ${opcodeName(op)}`);
    }
  }

  /** The struct that an instruction names, of the module itself. */
  #namedStruct(item: Instruction): NamedStruct {
    const module = moduleOnly(this.#body.binary);
    const definition = namedBy(module, item);
    const typeArguments = this.#given(item);
    const type = this.#types.struct(module.structDefinitions[definition]!.handle, typeArguments);
    return { type, typeArguments, fields: this.#types.fields(definition) };
  }
}

interface NamedStruct {
  readonly type: TableType;
  readonly typeArguments: readonly TableType[];
  /** Before substitution; `undefined` for a native struct. */
  readonly fields: readonly TableType[] | undefined;
}
