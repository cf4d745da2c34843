/**
 * Checks that types are well formed in their positions: references only at the top, type arguments with the abilities
 * that their parameters require, fields with those that their struct declares, phantom parameters only in phantom
 * positions.
 *
 * A list of types is checked once without its context; the result is the abilities that it needs of each type
 * parameter, which each use of the list compares with the constraints of its own parameters. Source: the reference's
 * `move-bytecode-verifier/src/signature_v2.rs`.
 * @module
 */
import { getOrInsert } from '../../base/get-or-insert.ts';
import { ABILITY_KEY, type AbilitySet } from '../../move/ability.ts';
import type { Binary, Code, Instantiation, Module, Script, StructDefinition } from '../binary/module.ts';
import { OPCODES, Op } from '../binary/opcode.ts';
import { typeText } from '../binary/render.ts';
import { isReference, type Signature, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { type IndexKind, Rejection, rejectCode, rejectEntry, type VerifyLocation } from '../verdict.ts';
import { moduleOnly } from './function-context.ts';
import type { StepMeter } from './step-meter.ts';
import {
  ALL_ABILITIES,
  hasAbilities,
  NO_ABILITIES,
  PRIMITIVE_ABILITIES,
  requiredOfParts,
  SIGNER_ABILITIES,
} from './type-table.ts';

/** More type parameters than this are an internal error of the reference. */
const TYPE_PARAMETERS_MAX = 256;

/** The abilities that a list of types needs of each type parameter; missing entries need none. */
type Needs = AbilitySet[];

export function checkSignatures(binary: Binary, meter: StepMeter): void {
  if (typeParametersUsed(binary) > TYPE_PARAMETERS_MAX) {
    throw new Rejection(
      StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR,
      `expected at most ${TYPE_PARAMETERS_MAX} type parameters`,
    );
  }
  const check = new SignatureCheck(binary, meter);
  if (binary.kind === 'module') check.checkModule(binary);
  else check.checkScript(binary);
}

class SignatureCheck {
  readonly #binary: Binary;
  readonly #meter: StepMeter;
  readonly #signatureNeeds: (Needs | undefined)[] = [];
  /** By signature, type and required abilities. */
  readonly #typeNeeds = new Map<number, Needs>();
  readonly #functionNeeds: (Needs | undefined)[] = [];
  /** By struct instantiation; the second list is for uses that also require `key`. */
  readonly #structNeeds: (Needs | undefined)[] = [];
  readonly #resourceNeeds: (Needs | undefined)[] = [];
  readonly #fieldNeeds: (Needs | undefined)[] = [];

  constructor(binary: Binary, meter: StepMeter) {
    this.#binary = binary;
    this.#meter = meter;
  }

  checkModule(module: Module): void {
    this.#checkPool();
    for (let index = 0; index < module.structInstantiations.length; index++) this.#needsOfStruct(index, NO_ABILITIES);
    for (let index = 0; index < module.fieldInstantiations.length; index++) this.#needsOfField(index);
    this.#checkFunctionHandles();
    for (const [index, { handle, code }] of module.functionDefinitions.entries()) {
      if (code !== undefined) this.#checkCode(module.functionHandles[handle]!.typeParameters, code, index);
    }
    for (const [index, definition] of module.structDefinitions.entries()) {
      checkStruct(module, definition, { table: 'structDefinition', index });
    }
  }

  checkScript({ parameters, typeParameters, code }: Script): void {
    this.#checkPool();
    this.#checkFunctionHandles();
    const location: VerifyLocation = { table: 'signature', index: parameters };
    requireSatisfied(this.#needsOfSignature(parameters), typeParameters, location);
    this.#checkCode(typeParameters, code, 0);
  }

  #checkPool(): void {
    for (let index = 0; index < this.#binary.signatures.length; index++) this.#needsOfSignature(index);
    for (let index = 0; index < this.#binary.functionInstantiations.length; index++) this.#needsOfFunction(index);
  }

  #checkFunctionHandles(): void {
    for (const [index, { typeParameters, parameters, returns }] of this.#binary.functionHandles.entries()) {
      const location: VerifyLocation = { table: 'functionHandle', index };
      requireSatisfied(this.#needsOfSignature(parameters), typeParameters, location);
      requireSatisfied(this.#needsOfSignature(returns), typeParameters, location);
    }
  }

  #checkCode(typeParameters: readonly AbilitySet[], code: Code, functionIndex: number): void {
    const location: VerifyLocation = { table: 'signature', index: code.locals };
    requireSatisfied(this.#needsOfSignature(code.locals), typeParameters, location);
    for (const [codeOffset, { op, operand }] of code.instructions.entries()) {
      const needs = this.#needsOfInstruction(op, operand, functionIndex, codeOffset);
      if (needs !== undefined) requireSatisfied(needs, typeParameters, { functionIndex, codeOffset });
    }
  }

  /** The needs of an instruction's types; `undefined` if it has none. */
  #needsOfInstruction(op: number, operand: number, functionIndex: number, codeOffset: number): Needs | undefined {
    switch (OPCODES[op]?.operand) {
      case 'functionInstantiation':
        return this.#needsOfFunction(operand);
      case 'structInstantiation': {
        const isPacking = op === Op.PackGeneric || op === Op.UnpackGeneric;
        return this.#needsOfStruct(operand, isPacking ? NO_ABILITIES : ABILITY_KEY);
      }
      case 'fieldInstantiation':
        return this.#needsOfField(operand);
      case 'signature':
      case 'signatureAndCount':
        return this.#needsOfElement(operand, functionIndex, codeOffset);
      default:
        return undefined;
    }
  }

  /** A vector instruction has exactly one type, which is not a reference. */
  #needsOfElement(signature: number, functionIndex: number, codeOffset: number): Needs {
    const types = this.#binary.signatures[signature]!;
    if (types.length !== 1) {
      const message = `expected one element type, got ${types.length}`;
      throw rejectCode(StatusCode.NUMBER_OF_TYPE_ARGUMENTS_MISMATCH, functionIndex, codeOffset, message);
    }
    if (isReference(types[0]!)) {
      const message = 'expected an element type that is not a reference';
      throw rejectCode(StatusCode.INVALID_SIGNATURE_TOKEN, functionIndex, codeOffset, message);
    }
    return this.#needsOfSignature(signature);
  }

  #needsOfSignature(index: number): Needs {
    const types = this.#binary.signatures[index]!;
    this.#signatureNeeds[index] ??= merged(types.map((_, at) => this.#needsOfType(index, at, NO_ABILITIES)));
    return this.#signatureNeeds[index];
  }

  #needsOfType(signature: number, at: number, required: AbilitySet): Needs {
    return getOrInsert(this.#typeNeeds, (signature * 256 + at) * 16 + required, () => {
      const needs: Needs = [];
      const location: VerifyLocation = { table: 'signature', index: signature };
      collectNeeds(this.#binary, this.#binary.signatures[signature]![at]!, true, required, needs, location);
      return needs;
    });
  }

  #needsOfFunction(index: number): Needs {
    const inst = this.#binary.functionInstantiations[index]!;
    const { typeParameters } = this.#binary.functionHandles[inst.generic]!;
    this.#functionNeeds[index] ??= this.#needsOfArguments(inst, typeParameters, 'functionInstantiation', index);
    return this.#functionNeeds[index];
  }

  #needsOfStruct(index: number, required: AbilitySet): Needs {
    const cache = required === NO_ABILITIES ? this.#structNeeds : this.#resourceNeeds;
    let needs = cache[index];
    if (needs === undefined) {
      const module = moduleOnly(this.#binary);
      const inst = module.structInstantiations[index]!;
      const { abilities, typeParameters } = module.structHandles[module.structDefinitions[inst.generic]!.handle]!;
      const constraints = typeParameters.map((parameter) =>
        parameter.isPhantom ? parameter.constraints : parameter.constraints | requiredOfParts(required),
      );
      // The number of arguments is checked before the abilities of the struct.
      this.#checkArgumentCount(inst, constraints.length, 'structInstantiation', index);
      if (!hasAbilities(abilities, required)) {
        const message = `struct instantiation ${index} lacks an ability that the instruction needs`;
        throw rejectEntry(StatusCode.CONSTRAINT_NOT_SATISFIED, 'structInstantiation', index, message);
      }
      needs = this.#needsOfArguments(inst, constraints, 'structInstantiation', index);
      cache[index] = needs;
    }
    return needs;
  }

  #needsOfField(index: number): Needs {
    let needs = this.#fieldNeeds[index];
    if (needs === undefined) {
      const module = moduleOnly(this.#binary);
      const inst = module.fieldInstantiations[index]!;
      const { struct } = module.fieldHandles[inst.generic]!;
      const { typeParameters } = module.structHandles[module.structDefinitions[struct]!.handle]!;
      const constraints = typeParameters.map((parameter) => parameter.constraints);
      needs = this.#needsOfArguments(inst, constraints, 'fieldInstantiation', index);
      this.#fieldNeeds[index] = needs;
    }
    return needs;
  }

  #needsOfArguments(inst: Instantiation, constraints: readonly AbilitySet[], table: IndexKind, index: number): Needs {
    this.#checkArgumentCount(inst, constraints.length, table, index);
    const types = this.#binary.signatures[inst.typeArguments]!;
    // Tens of thousands of instantiations may have 255 type arguments each: all functions at all lists of types.
    this.#meter.charge(types.length);
    const needs = types.map((type, at) => {
      if (!isReference(type)) return this.#needsOfType(inst.typeArguments, at, constraints[at]!);
      const message = `expected a type argument that is not a reference, got ${typeText(this.#binary, type)}`;
      throw rejectEntry(StatusCode.INVALID_SIGNATURE_TOKEN, table, index, message);
    });
    return merged(needs);
  }

  #checkArgumentCount({ typeArguments }: Instantiation, expected: number, table: IndexKind, index: number): void {
    const got = this.#binary.signatures[typeArguments]!.length;
    if (got === expected) return;
    const message = `expected ${expected} type arguments, got ${got}`;
    throw rejectEntry(StatusCode.NUMBER_OF_TYPE_ARGUMENTS_MISMATCH, table, index, message);
  }
}

/** The needs of all the lists together. */
function merged(lists: readonly Needs[]): Needs {
  const all: Needs = [];
  for (const needs of lists) {
    for (let index = 0; index < needs.length; index++) all[index] = (all[index] ?? 0) | (needs[index] ?? 0);
  }
  return all;
}

function requireSatisfied(needs: Needs, constraints: readonly AbilitySet[], location: VerifyLocation): void {
  for (let index = 0; index < needs.length; index++) {
    if (hasAbilities(constraints[index] ?? 0, needs[index] ?? 0)) continue;
    const message = `type parameter T${index} lacks an ability required of a type argument`;
    throw new Rejection(StatusCode.CONSTRAINT_NOT_SATISFIED, message, location);
  }
}

/** Checks one type and records what it needs of type parameters to have the abilities `required`. */
function collectNeeds(
  binary: Binary,
  type: SignatureToken,
  mayBeReference: boolean,
  required: AbilitySet,
  needs: Needs,
  location: VerifyLocation,
): void {
  if (type.tag === TokenTag.TypeParameter) {
    needs[type.index] = (needs[type.index] ?? 0) | required;
    return;
  }
  if (isReference(type) && !mayBeReference) {
    const message = `expected a type without references, got ${typeText(binary, type)}`;
    throw new Rejection(StatusCode.INVALID_SIGNATURE_TOKEN, message, location);
  }
  if (!hasAbilities(declaredAbilities(binary, type), required)) {
    const message = `${typeText(binary, type)} lacks an ability required here`;
    throw new Rejection(StatusCode.CONSTRAINT_NOT_SATISFIED, message, location);
  }
  if (type.tag === TokenTag.StructInstantiation) {
    const { typeParameters } = binary.structHandles[type.index]!;
    for (const [index, argument] of type.arguments.entries()) {
      const { isPhantom, constraints } = typeParameters[index]!;
      const requiredOfArgument = isPhantom ? constraints : constraints | requiredOfParts(required);
      collectNeeds(binary, argument, false, requiredOfArgument, needs, location);
    }
    return;
  }
  const requiredOfInner = type.tag === TokenTag.Vector ? requiredOfParts(required) : NO_ABILITIES;
  for (const inner of type.arguments) collectNeeds(binary, inner, false, requiredOfInner, needs, location);
}

/** The abilities of a type before its arguments are considered; a reference needs none. */
function declaredAbilities(binary: Binary, type: SignatureToken): AbilitySet {
  switch (type.tag) {
    case TokenTag.Signer:
      return SIGNER_ABILITIES;
    case TokenTag.Struct:
    case TokenTag.StructInstantiation:
      return binary.structHandles[type.index]!.abilities;
    default:
      return PRIMITIVE_ABILITIES;
  }
}

function checkStruct(module: Module, { handle, fields }: StructDefinition, location: VerifyLocation): void {
  const { abilities, typeParameters } = module.structHandles[handle]!;
  const constraints = typeParameters.map((parameter) => parameter.constraints);
  // A struct's abilities depend on its arguments, so its parameters are assumed to have all abilities.
  const able = typeParameters.map(() => ALL_ABILITIES);
  for (const { type } of fields ?? []) {
    const needs: Needs = [];
    collectNeeds(module, type, false, NO_ABILITIES, needs, location);
    requireSatisfied(needs, constraints, location);
    checkFieldAbilities(module, type, requiredOfParts(abilities), able, location);
    const isPhantom = typeParameters.map((parameter) => parameter.isPhantom);
    checkPhantomPositions(module, type, isPhantom, false, location);
  }
}

function checkFieldAbilities(
  module: Module,
  type: SignatureToken,
  required: AbilitySet,
  able: readonly AbilitySet[],
  location: VerifyLocation,
): void {
  try {
    const needs: Needs = [];
    collectNeeds(module, type, false, required, needs, location);
    requireSatisfied(needs, able, location);
  } catch (thrown) {
    if (!(thrown instanceof Rejection)) throw thrown;
    const message = `a field of type ${typeText(module, type)} lacks an ability that its struct declares`;
    throw new Rejection(StatusCode.FIELD_MISSING_TYPE_ABILITY, message, location);
  }
}

function checkPhantomPositions(
  module: Module,
  type: SignatureToken,
  isPhantom: readonly boolean[],
  isPhantomPosition: boolean,
  location: VerifyLocation,
): void {
  if (type.tag === TokenTag.TypeParameter && isPhantom[type.index] === true && !isPhantomPosition) {
    const message = `phantom type parameter T${type.index} is used in a position that is not phantom`;
    throw new Rejection(StatusCode.INVALID_PHANTOM_TYPE_PARAM_POSITION, message, location);
  }
  const parameters =
    type.tag === TokenTag.StructInstantiation ? module.structHandles[type.index]!.typeParameters : undefined;
  for (const [index, inner] of type.arguments.entries()) {
    checkPhantomPositions(module, inner, isPhantom, parameters?.[index]?.isPhantom ?? false, location);
  }
}

/** The largest number of type parameters that anything declares or names. */
function typeParametersUsed(binary: Binary): number {
  let count = 0;
  const visit = (types: Signature): void => {
    for (const type of types) {
      if (type.tag === TokenTag.TypeParameter) count = Math.max(count, type.index + 1);
      else visit(type.arguments);
    }
  };
  for (const { typeParameters } of binary.functionHandles) count = Math.max(count, typeParameters.length);
  for (const { typeParameters } of binary.structHandles) count = Math.max(count, typeParameters.length);
  for (const signature of binary.signatures) visit(signature);
  return count;
}
