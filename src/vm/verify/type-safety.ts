/**
 * Checks that the operands of every instruction have the right types.
 *
 * Blocks are checked one by one with a stack of types, however control reaches them: `stack-usage.ts` guarantees that
 * each starts and ends with an empty stack. Source: the reference's `move-bytecode-verifier/src/type_safety.rs`.
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

const NO_TYPES: readonly TableType[] = [];

export function checkTypeSafety(body: FunctionContext): void {
  new TypeCheck(body).run();
}

class TypeCheck {
  readonly #body: FunctionContext;
  readonly #types: TypeTable;
  /** The types of the operands. */
  readonly #stack: TableType[] = [];
  /** Offset of the current instruction. */
  #offset = 0;

  constructor(body: FunctionContext) {
    this.#body = body;
    this.#types = body.types;
  }

  run(): void {
    const { instructions } = this.#body.code;
    for (let offset = 0; offset < instructions.length; offset++) {
      this.#offset = offset;
      this.#check(instructions[offset]!);
    }
  }

  #check(item: Instruction): void {
    const types = this.#types;
    switch (item.op) {
      case Op.Branch:
      case Op.Nop:
        break;
      case Op.Pop:
        this.#requireAbility(this.#pop(), ABILITY_DROP, StatusCode.POP_WITHOUT_DROP_ABILITY);
        break;
      case Op.BrTrue:
      case Op.BrFalse:
        this.#popType(types.bool, StatusCode.BR_TYPE_MISMATCH_ERROR);
        break;
      case Op.Abort:
        this.#popType(types.u64, StatusCode.ABORT_TYPE_MISMATCH_ERROR);
        break;
      case Op.Ret:
        this.#popTypes(this.#body.returns, NO_TYPES, StatusCode.RET_TYPE_MISMATCH_ERROR);
        break;
      case Op.LdConst:
        this.#push(types.intern(this.#body.binary.constants[item.operand]!.type));
        break;
      default:
        this.#checkPlace(item);
    }
  }

  /** Literals and casts. */
  #checkLiteral(item: Instruction): void {
    const literal = LITERAL_TYPES[item.op];
    const cast = CAST_TARGETS[item.op];
    if (literal !== undefined) {
      this.#push(this.#types[literal]);
    } else if (cast !== undefined) {
      this.#popInteger();
      this.#push(this.#types[cast]);
    } else this.#checkOperator(item);
  }

  /** Arithmetic, logic and comparison. */
  #checkOperator(item: Instruction): void {
    const { bool, u8 } = this.#types;
    switch (item.op) {
      case Op.Add:
      case Op.Sub:
      case Op.Mul:
      case Op.Mod:
      case Op.Div:
      case Op.BitOr:
      case Op.BitAnd:
      case Op.Xor:
        this.#push(this.#popEqualIntegers());
        break;
      case Op.Shl:
      case Op.Shr: {
        this.#popType(u8, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
        this.#push(this.#popInteger());
        break;
      }
      case Op.Lt:
      case Op.Gt:
      case Op.Le:
      case Op.Ge:
        this.#popEqualIntegers();
        this.#push(bool);
        break;
      case Op.Or:
      case Op.And:
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#push(bool);
        break;
      case Op.Not:
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#push(bool);
        break;
      case Op.Eq:
      case Op.Neq: {
        const right = this.#pop();
        const left = this.#pop();
        this.#requireAbility(right, ABILITY_DROP, StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR);
        if (left !== right) throw this.#mismatch(StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR, right, left);
        this.#push(bool);
        break;
      }
      default:
        this.#checkVector(item);
    }
  }

  /** Locals and references. */
  #checkPlace(item: Instruction): void {
    const { op, operand } = item;
    const { locals } = this.#body;
    switch (op) {
      case Op.CopyLoc:
        this.#requireAbility(locals[operand]!, ABILITY_COPY, StatusCode.COPYLOC_WITHOUT_COPY_ABILITY);
        this.#push(locals[operand]!);
        break;
      case Op.MoveLoc:
        this.#push(locals[operand]!);
        break;
      case Op.StLoc:
        this.#popType(locals[operand]!, StatusCode.STLOC_TYPE_MISMATCH_ERROR);
        break;
      case Op.MutBorrowLoc:
      case Op.ImmBorrowLoc: {
        const local = locals[operand]!;
        if (isReference(local)) {
          throw this.#reject(StatusCode.BORROWLOC_REFERENCE_ERROR, `expected a value, got ${this.#text(local)}`);
        }
        this.#push(this.#reference(local, op === Op.MutBorrowLoc));
        break;
      }
      case Op.FreezeRef: {
        const target = this.#popMutableReference(StatusCode.FREEZEREF_TYPE_MISMATCH_ERROR);
        this.#push(this.#types.referenceTo(target));
        break;
      }
      case Op.ReadRef: {
        const target = this.#popReference(StatusCode.READREF_TYPE_MISMATCH_ERROR);
        this.#requireAbility(target, ABILITY_COPY, StatusCode.READREF_WITHOUT_COPY_ABILITY);
        this.#push(target);
        break;
      }
      case Op.WriteRef: {
        const reference = this.#pop();
        const value = this.#pop();
        if (reference.tag !== TokenTag.MutableReference) {
          const message = `expected a mutable reference, got ${this.#text(reference)}`;
          throw this.#reject(StatusCode.WRITEREF_NO_MUTABLE_REFERENCE_ERROR, message);
        }
        const target = reference.arguments[0]!;
        this.#requireAbility(target, ABILITY_DROP, StatusCode.WRITEREF_WITHOUT_DROP_ABILITY);
        if (value !== target) throw this.#mismatch(StatusCode.WRITEREF_TYPE_MISMATCH_ERROR, target, value);
        break;
      }
      default:
        this.#checkStruct(item);
    }
  }

  /** Calls, and instructions on structs of the module. */
  #checkStruct(item: Instruction): void {
    const op = plainOp(item.op);
    switch (op) {
      case Op.Call:
        this.#call(item);
        break;
      case Op.Pack:
        this.#pack(this.#namedStruct(item));
        break;
      case Op.Unpack:
        this.#unpack(this.#namedStruct(item));
        break;
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        this.#borrowField(item, op === Op.MutBorrowField);
        break;
      case Op.Exists:
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
      case Op.MoveFrom:
      case Op.MoveTo:
        this.#checkGlobal(op, this.#namedStruct(item).type);
        break;
      default:
        this.#checkLiteral(item);
    }
  }

  /** The type arguments of an instruction. */
  #given(item: Instruction): readonly TableType[] {
    const signature = typesNamedBy(this.#body.binary, item);
    return signature === undefined ? NO_TYPES : this.#types.signature(signature);
  }

  #call(item: Instruction): void {
    const { parameters, returns } = handleOf(this.#body.binary, item);
    const typeArguments = this.#given(item);
    this.#popTypes(this.#types.signature(parameters), typeArguments, StatusCode.CALL_TYPE_MISMATCH_ERROR);
    for (const type of this.#types.signature(returns)) this.#push(this.#types.substitute(type, typeArguments));
  }

  #pack({ type, fields, typeArguments }: NamedStruct): void {
    this.#popTypes(this.#declared(fields), typeArguments, StatusCode.PACK_TYPE_MISMATCH_ERROR);
    this.#push(type);
  }

  #unpack({ type, fields, typeArguments }: NamedStruct): void {
    this.#popType(type, StatusCode.UNPACK_TYPE_MISMATCH_ERROR);
    for (const field of this.#declared(fields)) this.#push(this.#types.substitute(field, typeArguments));
  }

  #declared(fields: readonly TableType[] | undefined): readonly TableType[] {
    if (fields !== undefined) return fields;
    throw this.#reject(StatusCode.PACK_TYPE_MISMATCH_ERROR, 'expected a struct with fields, got a native one');
  }

  #borrowField(item: Instruction, isMutable: boolean): void {
    const module = moduleOnly(this.#body.binary);
    const { struct, field } = module.fieldHandles[namedBy(module, item)]!;
    const typeArguments = this.#given(item);
    const operand = this.#pop();
    const expected = this.#types.struct(module.structDefinitions[struct]!.handle, typeArguments);
    const isFitting = isMutable ? operand.tag === TokenTag.MutableReference : isReference(operand);
    if (!isFitting || operand.arguments[0] !== expected) {
      const wanted = this.#reference(expected, isMutable);
      throw this.#mismatch(StatusCode.BORROWFIELD_TYPE_MISMATCH_ERROR, wanted, operand);
    }
    const type = this.#types.fields(struct)![field]!;
    this.#push(this.#reference(this.#types.substitute(type, typeArguments), isMutable));
  }

  #checkGlobal(op: number, type: TableType): void {
    const { bool, address } = this.#types;
    switch (op) {
      case Op.Exists:
        this.#requireAbility(type, ABILITY_KEY, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#popType(address, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#push(bool);
        break;
      case Op.MoveFrom:
        this.#requireAbility(type, ABILITY_KEY, StatusCode.MOVEFROM_WITHOUT_KEY_ABILITY);
        this.#popType(address, StatusCode.MOVEFROM_TYPE_MISMATCH_ERROR);
        this.#push(type);
        break;
      case Op.MoveTo: {
        this.#requireAbility(type, ABILITY_KEY, StatusCode.MOVETO_WITHOUT_KEY_ABILITY);
        this.#popType(type, StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        this.#popType(this.#types.referenceTo(this.#types.signer), StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        break;
      }
      default: {
        this.#popType(address, StatusCode.BORROWGLOBAL_TYPE_MISMATCH_ERROR);
        this.#requireAbility(type, ABILITY_KEY, StatusCode.BORROWGLOBAL_WITHOUT_KEY_ABILITY);
        this.#push(this.#reference(type, op === Op.MutBorrowGlobal));
      }
    }
  }

  #checkVector({ op, operand, literal }: Instruction): void {
    const types = this.#types;
    const element = types.signature(operand)[0]!;
    const mismatch = StatusCode.TYPE_MISMATCH;
    switch (op) {
      case Op.VecPack:
        for (let count = Number(literal); count > 0; count--) this.#popType(element, mismatch);
        this.#push(types.vectorOf(element));
        break;
      case Op.VecLen:
        this.#popVectorReference(element, false);
        this.#push(types.u64);
        break;
      case Op.VecImmBorrow:
      case Op.VecMutBorrow: {
        const isMutable = op === Op.VecMutBorrow;
        this.#popType(types.u64, mismatch);
        this.#popVectorReference(element, isMutable);
        this.#push(this.#reference(element, isMutable));
        break;
      }
      case Op.VecPushBack:
        this.#popType(element, mismatch);
        this.#popVectorReference(element, true);
        break;
      case Op.VecPopBack:
        this.#popVectorReference(element, true);
        this.#push(element);
        break;
      case Op.VecUnpack:
        this.#popType(types.vectorOf(element), mismatch);
        for (let count = Number(literal); count > 0; count--) this.#push(element);
        break;
      case Op.VecSwap:
        this.#popType(types.u64, mismatch);
        this.#popType(types.u64, mismatch);
        this.#popVectorReference(element, true);
        break;
      default:
        throw this.#reject(StatusCode.VERIFIER_INVARIANT_VIOLATION, `no rule for ${opcodeName(op)}`);
    }
  }

  /** The struct of the module itself that an instruction names. */
  #namedStruct(item: Instruction): NamedStruct {
    const module = moduleOnly(this.#body.binary);
    const definition = namedBy(module, item);
    const typeArguments = this.#given(item);
    const type = this.#types.struct(module.structDefinitions[definition]!.handle, typeArguments);
    return { type, typeArguments, fields: this.#types.fields(definition) };
  }

  #push(type: TableType): void {
    this.#stack.push(type);
  }

  #pop(): TableType {
    const type = this.#stack.pop();
    if (type !== undefined) return type;
    throw this.#reject(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, 'expected a value on the operand stack');
  }

  /** Pops a value of exactly `expected`; `status` is the failure for another type. */
  #popType(expected: TableType, status: StatusCode): void {
    const type = this.#pop();
    if (type !== expected) throw this.#mismatch(status, expected, type);
  }

  /** Pops values of `expected`, whose last was pushed last, with type parameters replaced. */
  #popTypes(expected: readonly TableType[], typeArguments: readonly TableType[], status: StatusCode): void {
    for (let index = expected.length - 1; index >= 0; index--) {
      this.#popType(this.#types.substitute(expected[index]!, typeArguments), status);
    }
  }

  /** Pops an integer of any width. */
  #popInteger(): TableType {
    const type = this.#pop();
    if (isIntegerToken(type)) return type;
    throw this.#reject(
      StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR,
      `${this.#instructionName()} expects an integer, got ${this.#text(type)}`,
    );
  }

  /** Pops two integers of one width. */
  #popEqualIntegers(): TableType {
    const type = this.#popInteger();
    this.#popType(type, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
    return type;
  }

  /** Pops a reference and returns the type that it points to. */
  #popReference(status: StatusCode): TableType {
    const type = this.#pop();
    if (isReference(type)) return type.arguments[0]!;
    throw this.#reject(status, `${this.#instructionName()} expects a reference, got ${this.#text(type)}`);
  }

  /** Pops a mutable reference and returns the type that it points to. */
  #popMutableReference(status: StatusCode): TableType {
    const type = this.#pop();
    if (type.tag === TokenTag.MutableReference) return type.arguments[0]!;
    throw this.#reject(status, `${this.#instructionName()} expects a mutable reference, got ${this.#text(type)}`);
  }

  /** Pops a reference to a vector of `element`; unless a mutable one is required, either kind is accepted. */
  #popVectorReference(element: TableType, isMutable: boolean): void {
    const type = this.#pop();
    const vector = this.#types.vectorOf(element);
    const isFitting = isMutable ? type.tag === TokenTag.MutableReference : isReference(type);
    if (isFitting && type.arguments[0] === vector) return;
    throw this.#mismatch(StatusCode.TYPE_MISMATCH, this.#reference(vector, isMutable), type);
  }

  #requireAbility(type: TableType, ability: AbilitySet, status: StatusCode): void {
    if (hasAbilities(this.#types.abilities(type, this.#body.typeParameters), ability)) return;
    throw this.#reject(status, `${this.#instructionName()} needs an ability that ${this.#text(type)} lacks`);
  }

  #reference(target: TableType, isMutable: boolean): TableType {
    return isMutable ? this.#types.mutableReferenceTo(target) : this.#types.referenceTo(target);
  }

  #mismatch(status: StatusCode, expected: TableType, got: TableType): Rejection {
    return this.#reject(status, `${this.#instructionName()} expects ${this.#text(expected)}, got ${this.#text(got)}`);
  }

  /** A rejection of the current instruction. */
  #reject(status: StatusCode, message: string): Rejection {
    return rejectIn(this.#body, status, this.#offset, message);
  }

  #instructionName(): string {
    return opcodeName(this.#body.code.instructions[this.#offset]!.op);
  }

  #text(type: TableType): string {
    return typeText(this.#body.binary, type);
  }
}

interface NamedStruct {
  readonly type: TableType;
  readonly typeArguments: readonly TableType[];
  /** Before substitution; `undefined` for a native struct. */
  readonly fields: readonly TableType[] | undefined;
}
