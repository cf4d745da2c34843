/**
 * Checks that every index of a binary points into its table, and that every type has as many arguments as its struct
 * has parameters.
 *
 * The first pass of the verifier and the last step of reading: later code can index without checking. Source: the
 * reference's `move-binary-format/src/check_bounds.rs`, in the same order, so that the first failure is the same.
 * @module
 */
import { StatusCode } from '../status.ts';
import { type IndexKind, Rejection, rejectEntry, type VerifyResult, verdictOf } from '../verdict.ts';
import { FORMAT_LIMITS, type TableName } from './format.ts';
import {
  type Code,
  type FunctionDefinition,
  type FunctionHandle,
  type Instantiation,
  type Instruction,
  type Module,
  type Script,
  typesNamedBy,
} from './module.ts';
import { OPCODES, type OperandKind, opcodeName } from './opcode.ts';
import { isStructToken, type Signature, type SignatureToken, TokenTag } from './signature-token.ts';

/** Checks a module's bounds. Statuses: NO_MODULE_HANDLES, INDEX_OUT_OF_BOUNDS, TOO_MANY_LOCALS, NUMBER_OF_TYPE_ARGUMENTS_MISMATCH. */
export function checkModuleBounds(module: Module): VerifyResult {
  return verdictOf(() => new BoundsCheck(module).checkModule(module, true));
}

/** Checks the bounds of a module's name and of the names of the modules that it refers to. */
export function checkModuleNames(module: Module): VerifyResult {
  return verdictOf(() => new BoundsCheck(module).checkModuleHandles(module));
}

/** Checks a script's bounds. */
export function checkScriptBounds(script: Script): VerifyResult {
  return verdictOf(() => new BoundsCheck(script).checkScript(script));
}

/** The tables into which operands point. */
const OPERAND_TABLES: Readonly<Partial<Record<OperandKind, TableName>>> = {
  constant: 'constants',
  fieldHandle: 'fieldHandles',
  fieldInstantiation: 'fieldInstantiations',
  functionHandle: 'functionHandles',
  functionInstantiation: 'functionInstantiations',
  signature: 'signatures',
  signatureAndCount: 'signatures',
  structDefinition: 'structDefinitions',
  structInstantiation: 'structInstantiations',
};

export class BoundsCheck {
  readonly #binary: Module | Script;
  /** By signature: one more than its largest type parameter, filled on first use. */
  readonly #parametersNeeded: (number | undefined)[] = [];

  constructor(binary: Module | Script) {
    this.#binary = binary;
  }

  /** @param withBodies false for a module whose bodies are decoded later */
  checkModule(module: Module, withBodies: boolean): void {
    if (module.moduleHandles.length === 0) {
      throw rejectEntry(StatusCode.NO_MODULE_HANDLES, 'moduleHandle', 0, 'expected at least one module handle');
    }
    this.#checkTypes();
    this.checkModuleHandles(module);
    this.#checkHandles();
    for (const { struct, field } of module.fieldHandles) {
      this.#entry('structDefinition', struct, module.structDefinitions);
      this.#below('field', field, module.structDefinitions[struct]!.fields?.length ?? 0);
    }
    for (const friend of module.friends) this.#checkModuleHandle(friend.address, friend.name);
    this.#checkInstantiations(module.structInstantiations, 'structDefinition', module.structDefinitions);
    this.#checkInstantiations(module.functionInstantiations, 'functionHandle', module.functionHandles);
    this.#checkInstantiations(module.fieldInstantiations, 'fieldHandle', module.fieldHandles);
    this.#checkStructDefinitions(module);
    for (const [index, definition] of module.functionDefinitions.entries()) {
      this.#checkFunctionDefinition(module, definition);
      if (withBodies && definition.code !== undefined) this.checkBody(module, index, definition.code);
    }
  }

  checkModuleHandles(module: Module): void {
    for (const { address, name } of module.moduleHandles) this.#checkModuleHandle(address, name);
    this.#entry('moduleHandle', module.selfHandle, module.moduleHandles);
  }

  /** Checks one function's body, once the tables are sound. */
  checkBody(module: Module, index: number, code: Code): void {
    const { parameters, typeParameters } = module.functionHandles[module.functionDefinitions[index]!.handle]!;
    this.#checkCode(code, typeParameters.length, module.signatures[parameters]!, index);
  }

  checkScript(script: Script): void {
    this.#checkTypes();
    for (const handle of script.moduleHandles) this.#checkModuleHandle(handle.address, handle.name);
    this.#checkHandles();
    this.#checkInstantiations(script.functionInstantiations, 'functionHandle', script.functionHandles);
    this.#entry('signature', script.parameters, script.signatures);
    const typeParameters = script.typeParameters.length;
    this.#checkParametersOf(script.parameters, typeParameters);
    this.#checkCode(script.code, typeParameters, script.signatures[script.parameters]!, 0);
  }

  #checkTypes(): void {
    for (const signature of this.#binary.signatures) for (const token of signature) this.#checkType(token);
    for (const constant of this.#binary.constants) this.#checkType(constant.type);
  }

  #checkHandles(): void {
    const { structHandles, functionHandles, moduleHandles, identifiers } = this.#binary;
    for (const { module, name } of structHandles) {
      this.#entry('moduleHandle', module, moduleHandles);
      this.#entry('identifier', name, identifiers);
    }
    for (const handle of functionHandles) this.#checkFunctionHandle(handle);
  }

  #checkModuleHandle(address: number, name: number): void {
    this.#entry('address', address, this.#binary.addresses);
    this.#entry('identifier', name, this.#binary.identifiers);
  }

  #checkFunctionHandle({ module, name, parameters, returns, typeParameters }: FunctionHandle): void {
    const { moduleHandles, identifiers, signatures } = this.#binary;
    this.#entry('moduleHandle', module, moduleHandles);
    this.#entry('identifier', name, identifiers);
    this.#entry('signature', parameters, signatures);
    this.#entry('signature', returns, signatures);
    this.#checkParametersOf(parameters, typeParameters.length);
    this.#checkParametersOf(returns, typeParameters.length);
  }

  #checkInstantiations(entries: readonly Instantiation[], kind: IndexKind, generics: readonly unknown[]): void {
    for (const { generic, typeArguments } of entries) {
      this.#entry(kind, generic, generics);
      this.#entry('signature', typeArguments, this.#binary.signatures);
    }
  }

  #checkStructDefinitions(module: Module): void {
    for (const { handle, fields } of module.structDefinitions) {
      this.#entry('structHandle', handle, module.structHandles);
      const typeParameters = module.structHandles[handle]!.typeParameters.length;
      for (const { name, type } of fields ?? []) {
        this.#entry('identifier', name, module.identifiers);
        this.#checkType(type);
        this.#below('typeParameter', parametersNeeded(type) - 1, typeParameters);
      }
    }
  }

  #checkFunctionDefinition(module: Module, definition: FunctionDefinition): void {
    this.#entry('functionHandle', definition.handle, module.functionHandles);
    for (const acquired of definition.acquires) this.#entry('structDefinition', acquired, module.structDefinitions);
  }

  #checkCode(code: Code, typeParameters: number, parameters: Signature, functionIndex: number): void {
    this.#entry('signature', code.locals, this.#binary.signatures);
    const locals = parameters.length + this.#binary.signatures[code.locals]!.length;
    if (locals > FORMAT_LIMITS.localCountMax) {
      throw rejectEntry(
        StatusCode.TOO_MANY_LOCALS,
        'functionDefinition',
        functionIndex,
        `expected at most ${FORMAT_LIMITS.localCountMax} locals, got ${locals}`,
      );
    }
    this.#checkParametersOf(code.locals, typeParameters);
    const { instructions } = code;
    for (const [offset, item] of instructions.entries()) {
      const row = OPCODES[item.op];
      if (row === undefined || row.operand === 'none') continue;
      const length = this.#lengthOf(row.operand, instructions.length, locals);
      if (length === undefined) continue;
      if (item.operand >= length) throw outOfCode(item, length, functionIndex, offset);
      const types = typesNamedBy(this.#binary, item);
      if (types !== undefined) this.#checkParametersOf(types, typeParameters);
    }
  }

  /**
   * Length of the table that an operand of this kind indexes; `undefined` for literals and for tables that a script
   * lacks.
   */
  #lengthOf(operand: OperandKind, instructions: number, locals: number): number | undefined {
    if (operand === 'codeOffset') return instructions;
    if (operand === 'local') return locals;
    const table = OPERAND_TABLES[operand];
    const tables: Partial<Pick<Module, TableName>> = this.#binary;
    return table && tables[table]?.length;
  }

  #checkType(token: SignatureToken): void {
    if (isStructToken(token)) {
      this.#entry('structHandle', token.index, this.#binary.structHandles);
      const expected = this.#binary.structHandles[token.index]!.typeParameters.length;
      if (expected !== token.arguments.length) {
        throw new Rejection(
          StatusCode.NUMBER_OF_TYPE_ARGUMENTS_MISMATCH,
          `expected ${expected} type arguments for struct handle ${token.index}, got ${token.arguments.length}`,
        );
      }
    }
    for (const argument of token.arguments) this.#checkType(argument);
  }

  #checkParametersOf(signature: number, typeParameters: number): void {
    this.#parametersNeeded[signature] ??= parametersNeededBy(this.#binary.signatures[signature]!);
    const needed = this.#parametersNeeded[signature];
    if (needed > typeParameters) this.#below('typeParameter', needed - 1, typeParameters);
  }

  #entry(kind: IndexKind, index: number, table: readonly unknown[]): void {
    this.#below(kind, index, table.length);
  }

  #below(kind: IndexKind, index: number, length: number): void {
    if (index < length) return;
    throw rejectEntry(
      StatusCode.INDEX_OUT_OF_BOUNDS,
      kind,
      index,
      `expected a ${kind} index below ${length}, got ${index}`,
    );
  }
}

/** Number of type parameters that the type needs: one more than the largest index in it. */
function parametersNeeded({ tag, index, arguments: given }: SignatureToken): number {
  if (tag === TokenTag.TypeParameter) return index + 1;
  return given.length === 0 ? 0 : parametersNeededBy(given);
}

function parametersNeededBy(tokens: Signature): number {
  return tokens.reduce((needed, token) => Math.max(needed, parametersNeeded(token)), 0);
}

function outOfCode(item: Instruction, length: number, functionIndex: number, codeOffset: number): Rejection {
  const message = `expected an operand of ${opcodeName(item.op)} below ${length}, got ${item.operand}`;
  return new Rejection(StatusCode.INDEX_OUT_OF_BOUNDS, message, { functionIndex, codeOffset });
}
