/**
 * Every instruction finds operands of the types that it works on.
 *
 * Blocks are checked one by one with a stack of types, without regard to how control reaches them; stack usage has
 * shown that each starts and ends with an empty stack. Source: the reference's
 * `move-bytecode-verifier/src/type_safety.rs`.
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, type AbilitySet } from '../../move/ability.ts';
import type { Instruction, Module } from '../binary/module.ts';
import { Op, opcodeName } from '../binary/opcode.ts';
import { typeText } from '../binary/render.ts';
import { isInteger, isReference, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import type { Rejection } from '../verdict.ts';
import { hasAbilities } from './ability.ts';
import { type FunctionBody, handleOf, rejectIn } from './function-body.ts';
import type { Type, TypeTable } from './type-table.ts';

const NO_TYPES: readonly Type[] = [];

export function checkTypeSafety(body: FunctionBody): void {
  new TypeCheck(body).run();
}

class TypeCheck {
  readonly #body: FunctionBody;
  readonly #types: TypeTable;
  readonly #stack: Type[] = [];
  /** Offset of the instruction at hand. */
  #offset = 0;

  constructor(body: FunctionBody) {
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
      case Op.LdU8:
        this.#push(types.u8);
        break;
      case Op.LdU16:
        this.#push(types.u16);
        break;
      case Op.LdU32:
        this.#push(types.u32);
        break;
      case Op.LdU64:
        this.#push(types.u64);
        break;
      case Op.LdU128:
        this.#push(types.u128);
        break;
      case Op.LdU256:
        this.#push(types.u256);
        break;
      case Op.LdTrue:
      case Op.LdFalse:
        this.#push(types.bool);
        break;
      case Op.LdConst:
        this.#push(types.intern(this.#body.binary.constants[item.operand]!.type));
        break;
      case Op.CastU8:
        this.#cast(types.u8);
        break;
      case Op.CastU16:
        this.#cast(types.u16);
        break;
      case Op.CastU32:
        this.#cast(types.u32);
        break;
      case Op.CastU64:
        this.#cast(types.u64);
        break;
      case Op.CastU128:
        this.#cast(types.u128);
        break;
      case Op.CastU256:
        this.#cast(types.u256);
        break;
      default:
        if (!this.#checkOperator(item) && !this.#checkPlace(item) && !this.#checkStruct(item)) this.#checkVector(item);
    }
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
        this.#push(this.#popEqualIntegers());
        return true;
      case Op.Shl:
      case Op.Shr: {
        this.#popType(u8, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
        this.#push(this.#popInteger());
        return true;
      }
      case Op.Lt:
      case Op.Gt:
      case Op.Le:
      case Op.Ge:
        this.#popEqualIntegers();
        this.#push(bool);
        return true;
      case Op.Or:
      case Op.And:
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#push(bool);
        return true;
      case Op.Not:
        this.#popType(bool, StatusCode.BOOLEAN_OP_TYPE_MISMATCH_ERROR);
        this.#push(bool);
        return true;
      case Op.Eq:
      case Op.Neq: {
        const right = this.#pop();
        const left = this.#pop();
        this.#requireAbility(right, ABILITY_DROP, StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR);
        if (left !== right) throw this.#mismatch(StatusCode.EQUALITY_OP_TYPE_MISMATCH_ERROR, right, left);
        this.#push(bool);
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
        this.#requireAbility(locals[operand]!, ABILITY_COPY, StatusCode.COPYLOC_WITHOUT_COPY_ABILITY);
        this.#push(locals[operand]!);
        return true;
      case Op.MoveLoc:
        this.#push(locals[operand]!);
        return true;
      case Op.StLoc:
        this.#popType(locals[operand]!, StatusCode.STLOC_TYPE_MISMATCH_ERROR);
        return true;
      case Op.MutBorrowLoc:
      case Op.ImmBorrowLoc: {
        const local = locals[operand]!;
        if (isReference(local)) {
          throw this.#reject(StatusCode.BORROWLOC_REFERENCE_ERROR, `expected a value, got ${this.#text(local)}`);
        }
        this.#push(this.#reference(local, op === Op.MutBorrowLoc));
        return true;
      }
      case Op.FreezeRef: {
        const target = this.#popMutableReference(StatusCode.FREEZEREF_TYPE_MISMATCH_ERROR);
        this.#push(this.#types.referenceTo(target));
        return true;
      }
      case Op.ReadRef: {
        const target = this.#popReference(StatusCode.READREF_TYPE_MISMATCH_ERROR);
        this.#requireAbility(target, ABILITY_COPY, StatusCode.READREF_WITHOUT_COPY_ABILITY);
        this.#push(target);
        return true;
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
        return true;
      }
      default:
        return false;
    }
  }

  /** Calls, and what works on structs of the module. Returns whether the instruction is one of them. */
  #checkStruct(item: Instruction): boolean {
    switch (item.op) {
      case Op.Call:
      case Op.CallGeneric:
        this.#call(item, item.op === Op.CallGeneric);
        return true;
      case Op.Pack:
      case Op.PackGeneric:
        this.#pack(this.#namedStruct(item, item.op === Op.PackGeneric));
        return true;
      case Op.Unpack:
      case Op.UnpackGeneric:
        this.#unpack(this.#namedStruct(item, item.op === Op.UnpackGeneric));
        return true;
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        this.#borrowField(item.operand, NO_TYPES, item.op === Op.MutBorrowField);
        return true;
      case Op.MutBorrowFieldGeneric:
      case Op.ImmBorrowFieldGeneric: {
        const { generic, typeArguments } = this.#module().fieldInstantiations[item.operand]!;
        this.#borrowField(generic, this.#types.signature(typeArguments), item.op === Op.MutBorrowFieldGeneric);
        return true;
      }
      case Op.Exists:
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
      case Op.MoveFrom:
      case Op.MoveTo:
        this.#checkGlobal(item.op, this.#namedStruct(item, false).type);
        return true;
      case Op.ExistsGeneric:
      case Op.MutBorrowGlobalGeneric:
      case Op.ImmBorrowGlobalGeneric:
      case Op.MoveFromGeneric:
      case Op.MoveToGeneric:
        this.#checkGlobal(item.op, this.#namedStruct(item, true).type);
        return true;
      default:
        return false;
    }
  }

  #call(item: Instruction, isGeneric: boolean): void {
    const { binary } = this.#body;
    const { parameters, returns } = handleOf(binary, item, isGeneric);
    const typeArguments = isGeneric
      ? this.#types.signature(binary.functionInstantiations[item.operand]!.typeArguments)
      : NO_TYPES;
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

  #declared(fields: readonly Type[] | undefined): readonly Type[] {
    if (fields !== undefined) return fields;
    throw this.#reject(StatusCode.PACK_TYPE_MISMATCH_ERROR, 'expected a struct with fields, got a native one');
  }

  #borrowField(fieldHandle: number, typeArguments: readonly Type[], isMutable: boolean): void {
    const module = this.#module();
    const { struct, field } = module.fieldHandles[fieldHandle]!;
    const operand = this.#pop();
    const expected = this.#types.struct(module.structDefinitions[struct]!.handle, typeArguments);
    const isFitting = isMutable ? operand.tag === TokenTag.MutableReference : isReference(operand);
    if (!isFitting || operand.arguments[0] !== expected) {
      const wanted = this.#reference(expected, isMutable);
      throw this.#mismatch(StatusCode.BORROWFIELD_TYPE_MISMATCH_ERROR, wanted, operand);
    }
    const type = this.#types.fields(struct)?.[field];
    if (type === undefined) {
      throw this.#reject(StatusCode.BORROWFIELD_BAD_FIELD_ERROR, 'expected a struct with fields, got a native one');
    }
    this.#push(this.#reference(this.#types.substitute(type, typeArguments), isMutable));
  }

  #checkGlobal(op: number, type: Type): void {
    const { bool, address } = this.#types;
    switch (op) {
      case Op.Exists:
      case Op.ExistsGeneric:
        this.#requireAbility(type, ABILITY_KEY, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#popType(address, StatusCode.EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT);
        this.#push(bool);
        break;
      case Op.MoveFrom:
      case Op.MoveFromGeneric:
        this.#requireAbility(type, ABILITY_KEY, StatusCode.MOVEFROM_WITHOUT_KEY_ABILITY);
        this.#popType(address, StatusCode.MOVEFROM_TYPE_MISMATCH_ERROR);
        this.#push(type);
        break;
      case Op.MoveTo:
      case Op.MoveToGeneric: {
        this.#requireAbility(type, ABILITY_KEY, StatusCode.MOVETO_WITHOUT_KEY_ABILITY);
        this.#popType(type, StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        this.#popType(this.#types.referenceTo(this.#types.signer), StatusCode.MOVETO_TYPE_MISMATCH_ERROR);
        break;
      }
      default: {
        this.#popType(address, StatusCode.BORROWGLOBAL_TYPE_MISMATCH_ERROR);
        this.#requireAbility(type, ABILITY_KEY, StatusCode.BORROWGLOBAL_WITHOUT_KEY_ABILITY);
        this.#push(this.#reference(type, op === Op.MutBorrowGlobal || op === Op.MutBorrowGlobalGeneric));
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

  #cast(type: Type): void {
    this.#popInteger();
    this.#push(type);
  }

  #popInteger(): Type {
    const type = this.#pop();
    if (isInteger(type)) return type;
    throw this.#reject(
      StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR,
      `${this.#instructionName()} expects an integer, got ${this.#text(type)}`,
    );
  }

  #popEqualIntegers(): Type {
    const type = this.#popInteger();
    this.#popType(type, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
    return type;
  }

  #popReference(status: StatusCode): Type {
    const type = this.#pop();
    if (isReference(type)) return type.arguments[0]!;
    throw this.#reject(status, `${this.#instructionName()} expects a reference, got ${this.#text(type)}`);
  }

  #popMutableReference(status: StatusCode): Type {
    const type = this.#pop();
    if (type.tag === TokenTag.MutableReference) return type.arguments[0]!;
    throw this.#reject(status, `${this.#instructionName()} expects a mutable reference, got ${this.#text(type)}`);
  }

  #popVectorReference(element: Type, isMutable: boolean): void {
    const type = this.#pop();
    const vector = this.#types.vectorOf(element);
    const isFitting = isMutable ? type.tag === TokenTag.MutableReference : isReference(type);
    if (isFitting && type.arguments[0] === vector) return;
    throw this.#mismatch(StatusCode.TYPE_MISMATCH, this.#reference(vector, isMutable), type);
  }

  /** Pops values of `expected`, whose last was pushed last, with type parameters replaced. */
  #popTypes(expected: readonly Type[], typeArguments: readonly Type[], status: StatusCode): void {
    for (let index = expected.length - 1; index >= 0; index--) {
      this.#popType(this.#types.substitute(expected[index]!, typeArguments), status);
    }
  }

  #popType(expected: Type, status: StatusCode): void {
    const type = this.#pop();
    if (type !== expected) throw this.#mismatch(status, expected, type);
  }

  #pop(): Type {
    const type = this.#stack.pop();
    if (type !== undefined) return type;
    throw this.#reject(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, 'expected a value on the operand stack');
  }

  #push(type: Type): void {
    this.#stack.push(type);
  }

  #reference(target: Type, isMutable: boolean): Type {
    return isMutable ? this.#types.mutableReferenceTo(target) : this.#types.referenceTo(target);
  }

  #requireAbility(type: Type, ability: AbilitySet, status: StatusCode): void {
    if (hasAbilities(this.#types.abilities(type, this.#body.typeParameters), ability)) return;
    throw this.#reject(status, `${this.#instructionName()} needs an ability that ${this.#text(type)} lacks`);
  }

  /** The struct that an instruction names, of the module itself. */
  #namedStruct({ operand }: Instruction, isGeneric: boolean): NamedStruct {
    const module = this.#module();
    const inst = isGeneric ? module.structInstantiations[operand]! : undefined;
    const definition = inst?.generic ?? operand;
    const typeArguments = inst === undefined ? NO_TYPES : this.#types.signature(inst.typeArguments);
    const type = this.#types.struct(module.structDefinitions[definition]!.handle, typeArguments);
    return { type, typeArguments, fields: this.#types.fields(definition) };
  }

  #module(): Module {
    const { binary } = this.#body;
    if (binary.kind === 'module') return binary;
    throw this.#reject(StatusCode.INVALID_OPERATION_IN_SCRIPT, 'a script cannot use structs that it would define');
  }

  #mismatch(status: StatusCode, expected: Type, got: Type): Rejection {
    return this.#reject(status, `${this.#instructionName()} expects ${this.#text(expected)}, got ${this.#text(got)}`);
  }

  #instructionName(): string {
    return opcodeName(this.#body.code.instructions[this.#offset]!.op);
  }

  #text(type: Type): string {
    return typeText(this.#body.binary, type);
  }

  #reject(status: StatusCode, message: string): Rejection {
    return rejectIn(this.#body, status, this.#offset, message);
  }
}

interface NamedStruct {
  readonly type: Type;
  readonly typeArguments: readonly Type[];
  /** Before substitution; `undefined` for a native struct. */
  readonly fields: readonly Type[] | undefined;
}
