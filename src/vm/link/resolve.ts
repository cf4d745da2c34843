/**
 * Resolves the body of a function instance: one walk over each block, tracking the types on the operand stack.
 *
 * The code must be verified; violated assumptions raise an error. The table of opcodes is written as several switches,
 * each of which passes on what it does not handle: control flow and locals, values, operators, references, structs,
 * vectors.
 *
 * A new process resolves some three thousand instructions before V8 has compiled any of this, so each makes one object.
 * @module
 */
import { assert, EngineError } from '../../base/error.ts';
import { type Code, type Instruction, type Module, namedBy, typesNamedBy } from '../binary/module.ts';
import { CAST_TARGETS, LITERAL_TYPES, Op, opcodeName, plainOp } from '../binary/opcode.ts';
import { refuse } from '../failure.ts';
import { callCost, constantCost, flatCost, packCost, vectorPackCost } from '../gas/cost.ts';
import type { GasSchedule } from '../gas/schedule.ts';
import { StatusCode } from '../status.ts';
import type { Type } from '../value/type.ts';
import { type FunctionBody, findBlocks, type ResolvedInstruction } from './function-body.ts';
import type { FunctionInstance } from './function-instance.ts';
import type { InstanceStore } from './instance-store.ts';
import { type LoadedModule, ModuleConstant } from './loaded-module.ts';
import type { TypeStore } from './type-store.ts';

/** The part of the machine that the resolver uses. */
export interface ResolveContext {
  readonly types: TypeStore;
  readonly schedule: GasSchedule;
  readonly instances: InstanceStore;
}

/**
 * A step under construction. Its cost is negative until it is known to differ from the flat cost of its instruction.
 */
type Draft = { -readonly [Name in keyof ResolvedInstruction]: ResolvedInstruction[Name] };

/** The cost of a step until it is known to differ from the flat cost of its instruction. */
const FLAT_COST = -1;

const NONE: readonly Type[] = [];

export function resolveBody(instance: FunctionInstance, code: Code, context: ResolveContext): FunctionBody {
  return new BodyResolver(instance, context).resolve(code);
}

class BodyResolver {
  readonly #instance: FunctionInstance;
  readonly #module: LoadedModule;
  readonly #context: ResolveContext;
  readonly #types: TypeStore;
  /** The types on the operand stack. */
  readonly #stack: Type[] = [];
  /** By local: whether it is kept in a cell. */
  readonly #inCell: boolean[];
  #heightMax = 0;

  constructor(instance: FunctionInstance, context: ResolveContext) {
    this.#instance = instance;
    this.#module = instance.loaded.module;
    this.#context = context;
    this.#types = context.types;
    this.#inCell = new Array<boolean>(instance.localTypes.length).fill(false);
  }

  resolve({ instructions }: Code): FunctionBody {
    const steps: (ResolvedInstruction | undefined)[] = new Array(instructions.length).fill(undefined);
    const blocks = findBlocks(instructions);
    for (const { start, end } of blocks) {
      for (let offset = start; offset < end; offset++) steps[offset] = this.#step(instructions[offset]!);
      if (this.#stack.length > 0) leftOver(end);
    }
    const { localTypes } = this.#instance;
    const countedLocals: number[] = [];
    for (let local = 0; local < localTypes.length; local++) {
      if (localTypes[local]!.isCountedReference) countedLocals.push(local);
    }
    return { steps, blocks, heightMax: this.#heightMax, inCell: this.#inCell, countedLocals };
  }

  #step(instruction: Instruction): ResolvedInstruction {
    const op = instruction.op as Op;
    const stack = this.#stack;
    const step: Draft = {
      op: plainOp(op),
      cost: FLAT_COST,
      operand: instruction.operand,
      type: undefined,
      value: undefined,
      callee: undefined,
      fault: 0,
    };
    this.#resolve(op, instruction, step);
    if (step.cost === FLAT_COST) step.cost = flatCost(this.#context.schedule, op);
    if (stack.length > this.#heightMax) this.#heightMax = stack.length;
    return step;
  }

  #resolve(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.Ret:
        this.#popMany(this.#instance.returns.length);
        return;
      case Op.Branch:
      case Op.Nop:
        return;
      case Op.BrTrue:
      case Op.BrFalse:
      case Op.Abort:
        this.#pop();
        return;
      case Op.Pop:
        step.type = this.#pop();
        return;
      case Op.CopyLoc:
      case Op.MoveLoc: {
        const type = this.#local(instruction.operand);
        this.#push(type);
        step.type = type;
        return;
      }
      case Op.StLoc:
        this.#pop();
        step.type = this.#local(instruction.operand);
        return;
      case Op.Call:
      case Op.CallGeneric:
        this.#resolveCall(op, instruction.operand, step);
        return;
      default:
        this.#resolveValue(op, instruction, step);
    }
  }

  #pop(): Type {
    return this.#stack.pop() ?? missing(1);
  }

  #popMany(count: number): void {
    if (this.#stack.length < count) missing(count);
    this.#stack.length -= count;
  }

  #push(type: Type): void {
    this.#stack.push(type);
  }

  #pushReference(target: Type, isMutable: boolean): void {
    this.#push(isMutable ? this.#types.mutableReferenceTo(target) : this.#types.referenceTo(target));
  }

  #local(index: number): Type {
    return this.#instance.localTypes[index]!;
  }

  /** Constants, literals and casts. */
  #resolveValue(op: Op, instruction: Instruction, step: Draft): void {
    const literal = LITERAL_TYPES[op];
    const cast = CAST_TARGETS[op];
    if (op === Op.LdConst) {
      this.#resolveConstant(instruction.operand, step);
    } else if (literal !== undefined) {
      this.#push(this.#types.primitive(literal));
      step.value = instruction.literal;
    } else if (cast !== undefined) {
      step.type = this.#pop();
      this.#push(this.#types.primitive(cast));
    } else this.#resolveOperator(op, instruction, step);
  }

  #resolveConstant(index: number, step: Draft): void {
    const { type: token, data } = this.#module.binary.constants[index]!;
    const { constants } = this.#module;
    constants[index] ??= new ModuleConstant(this.#types.resolve(this.#module, token, NONE), data);
    const constant = constants[index];
    this.#push(constant.type);
    step.type = constant.type;
    step.value = constant;
    step.cost = constantCost(this.#context.schedule, data.length);
  }

  #resolveOperator(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.Add:
      case Op.Sub:
      case Op.Mul:
      case Op.Mod:
      case Op.Div:
      case Op.BitOr:
      case Op.BitAnd:
      case Op.Xor:
      case Op.Or:
      case Op.And:
      case Op.Shl:
      case Op.Shr: {
        this.#pop();
        const type = this.#pop();
        this.#push(type);
        step.type = type;
        return;
      }
      case Op.Not:
        step.type = this.#stack.at(-1)!;
        return;
      case Op.Eq:
      case Op.Neq:
      case Op.Lt:
      case Op.Gt:
      case Op.Le:
      case Op.Ge: {
        this.#pop();
        const type = this.#pop();
        this.#push(this.#types.primitive('bool'));
        step.type = type;
        return;
      }
      default:
        this.#resolveReference(op, instruction, step);
    }
  }

  #resolveReference(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.MutBorrowLoc:
      case Op.ImmBorrowLoc: {
        const type = this.#local(instruction.operand);
        const isMutable = op === Op.MutBorrowLoc;
        if (isMutable && !type.isContainer) this.#inCell[instruction.operand] = true;
        this.#pushReference(type, isMutable);
        step.type = type;
        return;
      }
      case Op.ReadRef: {
        const type = this.#pop().item;
        this.#push(type);
        step.type = type;
        return;
      }
      case Op.WriteRef: {
        const type = this.#pop().item;
        this.#pop();
        step.type = type;
        return;
      }
      case Op.FreezeRef: {
        const type = this.#pop().item;
        this.#push(this.#types.referenceTo(type));
        step.type = type;
        return;
      }
      default:
        this.#resolveStruct(op, instruction, step);
    }
  }

  #resolveStruct(op: Op, instruction: Instruction, step: Draft): void {
    switch (step.op) {
      case Op.MutBorrowField:
      case Op.ImmBorrowField:
        this.#borrowField(step.op, namedBy(this.#tables, instruction), step);
        return;
      case Op.Pack:
      case Op.Unpack: {
        const { type, fault } = this.#structNamed(instruction);
        this.#resolvePack(op, type, step.op === Op.Pack ? fault : 0, step);
        return;
      }
      case Op.Exists:
      case Op.MutBorrowGlobal:
      case Op.ImmBorrowGlobal:
      case Op.MoveFrom:
      case Op.MoveTo: {
        const { type, fault } = this.#structNamed(instruction);
        this.#resolveGlobal(step.op, type, fault, step);
        return;
      }
      default:
        this.#resolveVector(op, instruction, step);
    }
  }

  get #tables(): Module {
    const { binary } = this.#module;
    assert(binary.kind === 'module', 'a script has no instructions on structs');
    return binary;
  }

  #depthFault(type: Type): number {
    return this.#types.fitsValueDepth(type) ? 0 : StatusCode.VM_MAX_VALUE_DEPTH_REACHED;
  }

  #structAt(definition: number, typeArguments: readonly Type[]): Type {
    return this.#types.structOf(this.#module.struct(definition), typeArguments);
  }

  /** In the reference, a type error inside a frame becomes an invariant violation: the verifier should catch it. */
  #structNamed(instruction: Instruction): { type: Type; fault: number } {
    const definition = namedBy(this.#tables, instruction);
    const signature = typesNamedBy(this.#tables, instruction);
    if (signature === undefined) return { type: this.#structAt(definition, NONE), fault: 0 };
    const tokens = this.#module.binary.signatures[signature]!;
    const inForce = this.#instance.typeArguments;
    const refused =
      this.#types.refusesTokens(tokens, inForce) ||
      tokens.some((token) => this.#types.refusesSubstitution(token, inForce));
    const typeArguments = tokens.map((token) => this.#types.resolve(this.#module, token, inForce));
    const type = this.#structAt(definition, typeArguments);
    return { type, fault: refused ? StatusCode.VERIFICATION_ERROR : 0 };
  }

  #borrowField(op: Op, handle: number, step: Draft): void {
    const { field } = this.#tables.fieldHandles[handle]!;
    const type = this.#pop().item;
    this.#pushReference(type.fields[field]!, op === Op.MutBorrowField);
    step.type = type;
    step.operand = field;
  }

  #resolvePack(op: Op, type: Type, fault: number, step: Draft): void {
    const { fields } = type;
    step.type = type;
    step.cost = packCost(this.#context.schedule, op, fields.length);
    if (plainOp(op) === Op.Unpack) {
      this.#pop();
      for (const field of fields) this.#push(field);
      return;
    }
    this.#popMany(fields.length);
    this.#push(type);
    step.fault = fault || this.#depthFault(type);
  }

  #resolveGlobal(op: Op, type: Type, fault: number, step: Draft): void {
    this.#pop();
    if (op === Op.MoveTo) this.#pop();
    else if (op === Op.Exists) this.#push(this.#types.primitive('bool'));
    else if (op === Op.MoveFrom) this.#push(type);
    else this.#pushReference(type, op === Op.MutBorrowGlobal);
    step.type = type;
    step.fault = fault;
  }

  #resolveVector(op: Op, { operand, literal }: Instruction, step: Draft): void {
    const token = this.#module.binary.signatures[operand]![0]!;
    const inForce = this.#instance.typeArguments;
    const type = this.#types.resolve(this.#module, token, inForce);
    const refused = inForce.length > 0 && this.#types.refusesSubstitution(token, inForce);
    step.type = type;
    step.fault = refused ? StatusCode.VERIFICATION_ERROR : 0;
    const count = Number(literal);
    const { schedule } = this.#context;
    switch (op) {
      case Op.VecPack: {
        this.#popMany(count);
        this.#push(this.#types.vectorOf(type));
        step.fault ||= this.#depthFault(type);
        step.operand = count;
        step.cost = vectorPackCost(schedule, op, count);
        return;
      }
      case Op.VecUnpack:
        this.#pop();
        for (let index = 0; index < count; index++) this.#push(type);
        step.operand = count;
        step.cost = vectorPackCost(schedule, op, count);
        return;
      case Op.VecLen:
        this.#pop();
        this.#push(this.#types.primitive('u64'));
        return;
      case Op.VecImmBorrow:
      case Op.VecMutBorrow:
        this.#popMany(2);
        this.#pushReference(type, op === Op.VecMutBorrow);
        return;
      case Op.VecPushBack:
        this.#popMany(2);
        return;
      case Op.VecPopBack:
        this.#pop();
        this.#push(type);
        return;
      case Op.VecSwap:
        this.#popMany(3);
        return;
      default:
        throw refuse(StatusCode.UNKNOWN_OPCODE, `expected a known instruction, got ${opcodeName(op)}`);
    }
  }

  #resolveCall(op: Op, index: number, step: Draft): void {
    const { binary } = this.#module;
    const isGeneric = op === Op.CallGeneric;
    const instantiation = isGeneric ? binary.functionInstantiations[index]! : undefined;
    const loaded = this.#module.functionAt(instantiation?.generic ?? index);
    if (loaded === undefined) {
      throw refuse(StatusCode.FUNCTION_RESOLUTION_FAILURE, 'a dependency no longer has a function that is called');
    }
    let typeArguments = NONE;
    let refused = false;
    if (instantiation !== undefined) {
      const tokens = binary.signatures[instantiation.typeArguments]!;
      const inForce = this.#instance.typeArguments;
      typeArguments = tokens.map((token) => this.#types.resolve(this.#module, token, inForce));
      refused =
        tokens.some((token) => this.#types.refusesSubstitution(token, inForce)) ||
        this.#types.refusesInstantiation(typeArguments, inForce);
    }
    const callee = this.#context.instances.get(loaded, typeArguments);
    this.#popMany(callee.parameters.length);
    for (const type of callee.returns) this.#push(type);
    step.cost = callCost(this.#context.schedule, {
      isGeneric,
      typeArguments: typeArguments.length,
      arguments: callee.parameters.length,
      locals: loaded.localCount,
    });
    step.callee = callee;
    step.fault = refused ? StatusCode.TOO_MANY_TYPE_NODES : 0;
  }
}

/** Separate from the checks, so that the message is built only when needed. */
function missing(count: number): never {
  throw new EngineError('invariant-violation', `expected ${count} values on the operand stack`);
}

function leftOver(end: number): never {
  throw new EngineError('invariant-violation', `expected an empty operand stack before offset ${end}`);
}
