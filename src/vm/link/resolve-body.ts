/**
 * Resolves the body of a function instance: one walk over each block, tracking the types on the operand stack.
 *
 * The code must be verified; if an assumption fails, an error says so. Instructions on values are in `resolve-value.ts`,
 * those on structs, vectors and functions here.
 * @module
 */
import { assert, EngineError } from '../../base/error.ts';
import type { Code, Instantiation, Instruction, Module } from '../binary/module.ts';
import { Op, opcodeName } from '../binary/opcode.ts';
import { refuse } from '../failure.ts';
import { callCost, flatCost, packCost, vectorPackCost } from '../gas/cost.ts';
import { StatusCode } from '../status.ts';
import type { Type } from '../value/type.ts';
import { findBlocks } from './blocks.ts';
import { type FunctionBody, plainOp, type Step } from './function-body.ts';
import type { FunctionInstance } from './function-instance.ts';
import { type Draft, type ResolveContext, ValueResolver } from './resolve-value.ts';

/** The cost of a step until it is known to differ from the flat cost of its instruction. */
const FLAT_COST = -1;

const NONE: readonly Type[] = [];

export function resolveBody(instance: FunctionInstance, code: Code, context: ResolveContext): FunctionBody {
  return new BodyResolver(instance, code, context).resolve();
}

class BodyResolver extends ValueResolver {
  readonly #code: Code;
  #heightMax = 0;

  constructor(instance: FunctionInstance, code: Code, context: ResolveContext) {
    super(instance, context);
    this.#code = code;
  }

  resolve(): FunctionBody {
    const { instructions } = this.#code;
    const steps: (Step | undefined)[] = new Array(instructions.length).fill(undefined);
    const blocks = findBlocks(instructions);
    for (const { start, end } of blocks) {
      for (let offset = start; offset < end; offset++) steps[offset] = this.#step(instructions[offset]!);
      if (this.stack.length > 0) leftOver(end);
    }
    const { localTypes } = this.instance;
    const countedLocals: number[] = [];
    for (let local = 0; local < localTypes.length; local++) {
      if (localTypes[local]!.isCountedReference) countedLocals.push(local);
    }
    return { steps, blocks, heightMax: this.#heightMax, inCell: this.inCell, countedLocals };
  }

  #step(instruction: Instruction): Step {
    const op = instruction.op as Op;
    const stack = this.stack;
    const step: Draft = {
      op: plainOp(op),
      cost: FLAT_COST,
      operand: instruction.operand,
      type: undefined,
      value: undefined,
      callee: undefined,
      fault: 0,
      height: stack.length,
    };
    this.#resolve(op, instruction, step);
    if (step.cost === FLAT_COST) step.cost = flatCost(this.context.schedule, op);
    if (stack.length > this.#heightMax) this.#heightMax = stack.length;
    return step;
  }

  #resolve(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.Ret:
        this.popMany(this.instance.returns.length);
        return;
      case Op.Branch:
      case Op.Nop:
        return;
      case Op.BrTrue:
      case Op.BrFalse:
      case Op.Abort:
        this.pop();
        return;
      case Op.Pop:
        step.type = this.pop();
        return;
      case Op.CopyLoc:
      case Op.MoveLoc: {
        const type = this.local(instruction.operand);
        this.push(type);
        step.type = type;
        return;
      }
      case Op.StLoc:
        this.pop();
        step.type = this.local(instruction.operand);
        return;
      case Op.Call:
      case Op.CallGeneric:
        this.#resolveCall(op, instruction.operand, step);
        return;
      default:
        this.resolveValue(op, instruction, step);
    }
  }

  protected override resolveStruct(op: Op, instruction: Instruction, step: Draft): void {
    const index = instruction.operand;
    switch (op) {
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        this.#borrowField(op, index, step);
        return;
      case Op.MutBorrowFieldGeneric:
      case Op.ImmBorrowFieldGeneric:
        this.#borrowField(plainOp(op), this.#tables.fieldInstantiations[index]!.generic, step);
        return;
      case Op.Pack:
      case Op.Unpack:
        this.#resolvePack(op, this.#structAt(index, NONE), 0, step);
        return;
      case Op.PackGeneric:
      case Op.UnpackGeneric: {
        const { type, fault } = this.#instantiateStruct(this.#tables.structInstantiations[index]!);
        this.#resolvePack(op, type, op === Op.PackGeneric ? fault : 0, step);
        return;
      }
      case Op.Exists:
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
      case Op.MoveFrom:
      case Op.MoveTo:
        this.#resolveGlobal(op, this.#structAt(index, NONE), 0, step);
        return;
      case Op.ExistsGeneric:
      case Op.MutBorrowGlobalGeneric:
      case Op.ImmBorrowGlobalGeneric:
      case Op.MoveFromGeneric:
      case Op.MoveToGeneric: {
        const { type, fault } = this.#instantiateStruct(this.#tables.structInstantiations[index]!);
        this.#resolveGlobal(plainOp(op), type, fault, step);
        return;
      }
      default:
        this.#resolveVector(op, instruction, step);
    }
  }

  get #tables(): Module {
    const { binary } = this.module;
    assert(binary.kind === 'module', 'a script has no instructions on structs');
    return binary;
  }

  #depthFault(type: Type): number {
    return this.types.fitsValueDepth(type) ? 0 : StatusCode.VM_MAX_VALUE_DEPTH_REACHED;
  }

  #structAt(definition: number, typeArguments: readonly Type[]): Type {
    return this.types.structOf(this.module.struct(definition), typeArguments);
  }

  /** In the reference, a type error inside a frame becomes an invariant violation: the verifier should catch it. */
  #instantiateStruct(instantiation: Instantiation): { type: Type; fault: number } {
    const tokens = this.module.binary.signatures[instantiation.typeArguments]!;
    const inForce = this.instance.typeArguments;
    const refused =
      this.types.refusesTokens(tokens, inForce) ||
      tokens.some((token) => this.types.refusesSubstitution(token, inForce));
    const typeArguments = tokens.map((token) => this.types.resolve(this.module, token, inForce));
    const type = this.#structAt(instantiation.generic, typeArguments);
    return { type, fault: refused ? StatusCode.VERIFICATION_ERROR : 0 };
  }

  #borrowField(op: Op, handle: number, step: Draft): void {
    const { field } = this.#tables.fieldHandles[handle]!;
    const type = this.pop().item;
    const fieldType = type.fields[field]!;
    const isMutable = op === Op.MutBorrowField;
    this.push(isMutable ? this.types.mutableReferenceTo(fieldType) : this.types.referenceTo(fieldType));
    step.type = type;
    step.operand = field;
  }

  #resolvePack(op: Op, type: Type, fault: number, step: Draft): void {
    const { fields } = type;
    step.type = type;
    step.cost = packCost(this.context.schedule, op, fields.length);
    if (plainOp(op) === Op.Unpack) {
      this.pop();
      for (const field of fields) this.push(field);
      return;
    }
    this.popMany(fields.length);
    this.push(type);
    step.fault = fault || this.#depthFault(type);
  }

  #resolveGlobal(op: Op, type: Type, fault: number, step: Draft): void {
    this.pop();
    if (op === Op.MoveTo) this.pop();
    else if (op === Op.Exists) this.push(this.types.primitive('bool'));
    else if (op === Op.MoveFrom) this.push(type);
    else if (op === Op.MutBorrowGlobal) this.push(this.types.mutableReferenceTo(type));
    else this.push(this.types.referenceTo(type));
    step.type = type;
    step.fault = fault;
  }

  #resolveVector(op: Op, { operand, literal }: Instruction, step: Draft): void {
    const token = this.module.binary.signatures[operand]![0]!;
    const inForce = this.instance.typeArguments;
    const type = this.types.resolve(this.module, token, inForce);
    const refused = inForce.length > 0 && this.types.refusesSubstitution(token, inForce);
    step.type = type;
    step.fault = refused ? StatusCode.VERIFICATION_ERROR : 0;
    const count = Number(literal);
    const { schedule } = this.context;
    switch (op) {
      case Op.VecPack: {
        this.popMany(count);
        this.push(this.types.vectorOf(type));
        step.fault ||= this.#depthFault(type);
        step.operand = count;
        step.cost = vectorPackCost(schedule, op, count);
        return;
      }
      case Op.VecUnpack:
        this.pop();
        for (let index = 0; index < count; index++) this.push(type);
        step.operand = count;
        step.cost = vectorPackCost(schedule, op, count);
        return;
      case Op.VecLen:
        this.pop();
        this.push(this.types.primitive('u64'));
        return;
      case Op.VecImmBorrow:
      case Op.VecMutBorrow:
        this.popMany(2);
        this.push(op === Op.VecMutBorrow ? this.types.mutableReferenceTo(type) : this.types.referenceTo(type));
        return;
      case Op.VecPushBack:
        this.popMany(2);
        return;
      case Op.VecPopBack:
        this.pop();
        this.push(type);
        return;
      case Op.VecSwap:
        this.popMany(3);
        return;
      default:
        throw refuse(StatusCode.UNKNOWN_OPCODE, `no meaning is known for ${opcodeName(op)}`);
    }
  }

  #resolveCall(op: Op, index: number, step: Draft): void {
    const { binary } = this.module;
    const isGeneric = op === Op.CallGeneric;
    const instantiation = isGeneric ? binary.functionInstantiations[index]! : undefined;
    const loaded = this.module.functionAt(instantiation?.generic ?? index);
    if (loaded === undefined) {
      throw refuse(StatusCode.FUNCTION_RESOLUTION_FAILURE, 'a dependency no longer has a function that is called');
    }
    let typeArguments = NONE;
    let refused = false;
    if (instantiation !== undefined) {
      const tokens = binary.signatures[instantiation.typeArguments]!;
      const inForce = this.instance.typeArguments;
      typeArguments = tokens.map((token) => this.types.resolve(this.module, token, inForce));
      refused =
        tokens.some((token) => this.types.refusesSubstitution(token, inForce)) ||
        this.types.refusesInstantiation(typeArguments, inForce);
    }
    const callee = this.context.instances.get(loaded, typeArguments);
    this.popMany(callee.parameters.length);
    for (const type of callee.returns) this.push(type);
    step.cost = callCost(this.context.schedule, {
      isGeneric,
      typeArguments: typeArguments.length,
      arguments: callee.parameters.length,
      locals: loaded.localCount,
    });
    step.callee = callee;
    step.fault = refused ? StatusCode.TOO_MANY_TYPE_NODES : 0;
  }
}

/** Separate from the check, so that the message is made only when needed. */
function leftOver(end: number): never {
  throw new EngineError('invariant-violation', `expected an empty operand stack before offset ${end}`);
}
