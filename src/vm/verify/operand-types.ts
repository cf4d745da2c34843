/**
 * The operand stack of the type checker: types where the machine has values.
 * @module
 */
import type { AbilitySet } from '../../move/ability.ts';
import { opcodeName } from '../binary/opcode.ts';
import { typeText } from '../binary/render.ts';
import { isInteger, isReference, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import type { Rejection } from '../verdict.ts';
import { hasAbilities } from './ability.ts';
import { type FunctionContext, rejectIn } from './function-body.ts';
import type { Type, TypeTable } from './type-table.ts';

export class OperandTypes {
  readonly #body: FunctionContext;
  readonly #types: TypeTable;
  readonly #stack: Type[] = [];
  /** Offset of the current instruction. */
  offset = 0;

  constructor(body: FunctionContext) {
    this.#body = body;
    this.#types = body.types;
  }

  push(type: Type): void {
    this.#stack.push(type);
  }

  pop(): Type {
    const type = this.#stack.pop();
    if (type !== undefined) return type;
    throw this.reject(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, 'expected a value on the operand stack');
  }

  /** Pops a value of exactly `expected`; `status` is the failure for another type. */
  popType(expected: Type, status: StatusCode): void {
    const type = this.pop();
    if (type !== expected) throw this.mismatch(status, expected, type);
  }

  /** Pops values of `expected`, whose last was pushed last, with type parameters replaced. */
  popTypes(expected: readonly Type[], typeArguments: readonly Type[], status: StatusCode): void {
    for (let index = expected.length - 1; index >= 0; index--) {
      this.popType(this.#types.substitute(expected[index]!, typeArguments), status);
    }
  }

  /** Pops an integer of any width. */
  popInteger(): Type {
    const type = this.pop();
    if (isInteger(type)) return type;
    throw this.reject(
      StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR,
      `${this.#instructionName()} expects an integer, got ${this.text(type)}`,
    );
  }

  /** Pops two integers of one width. */
  popEqualIntegers(): Type {
    const type = this.popInteger();
    this.popType(type, StatusCode.INTEGER_OP_TYPE_MISMATCH_ERROR);
    return type;
  }

  /** Pops a reference and returns the type that it points to. */
  popReference(status: StatusCode): Type {
    const type = this.pop();
    if (isReference(type)) return type.arguments[0]!;
    throw this.reject(status, `${this.#instructionName()} expects a reference, got ${this.text(type)}`);
  }

  /** Pops a mutable reference and returns the type that it points to. */
  popMutableReference(status: StatusCode): Type {
    const type = this.pop();
    if (type.tag === TokenTag.MutableReference) return type.arguments[0]!;
    throw this.reject(status, `${this.#instructionName()} expects a mutable reference, got ${this.text(type)}`);
  }

  /** Pops a reference to a vector of `element`; if no mutable one is required, either kind will do. */
  popVectorReference(element: Type, isMutable: boolean): void {
    const type = this.pop();
    const vector = this.#types.vectorOf(element);
    const isFitting = isMutable ? type.tag === TokenTag.MutableReference : isReference(type);
    if (isFitting && type.arguments[0] === vector) return;
    throw this.mismatch(StatusCode.TYPE_MISMATCH, this.reference(vector, isMutable), type);
  }

  requireAbility(type: Type, ability: AbilitySet, status: StatusCode): void {
    if (hasAbilities(this.#types.abilities(type, this.#body.typeParameters), ability)) return;
    throw this.reject(status, `${this.#instructionName()} needs an ability that ${this.text(type)} lacks`);
  }

  reference(target: Type, isMutable: boolean): Type {
    return isMutable ? this.#types.mutableReferenceTo(target) : this.#types.referenceTo(target);
  }

  mismatch(status: StatusCode, expected: Type, got: Type): Rejection {
    return this.reject(status, `${this.#instructionName()} expects ${this.text(expected)}, got ${this.text(got)}`);
  }

  /** A rejection of the current instruction. */
  reject(status: StatusCode, message: string): Rejection {
    return rejectIn(this.#body, status, this.offset, message);
  }

  #instructionName(): string {
    return opcodeName(this.#body.code.instructions[this.offset]!.op);
  }

  text(type: Type): string {
    return typeText(this.#body.binary, type);
  }
}
