/**
 * Resolves the instructions whose types are those of locals and of the operand stack: literals, arithmetic, locals,
 * references.
 *
 * A table of opcodes, written as several switches, each of which passes on what it does not handle, the last one to the
 * instructions on structs, vectors and functions (`resolve-body.ts`).
 *
 * A new process resolves some three thousand instructions before V8 has compiled any of this, so each makes one object.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type { Instruction } from '../binary/module.ts';
import { Op } from '../binary/opcode.ts';
import { CAST_TARGETS, LITERAL_TYPES } from '../binary/pushed-primitive.ts';
import { constantCost } from '../gas/cost.ts';
import type { GasSchedule } from '../gas/schedule.ts';
import type { Type } from '../value/type.ts';
import type { Step } from './function-body.ts';
import type { FunctionInstance } from './function-instance.ts';
import type { InstanceStore } from './instance-store.ts';
import type { LoadedModule } from './loaded-module.ts';
import { ModuleConstant } from './module-constant.ts';
import type { TypeStore } from './type-store.ts';

/** What resolving needs from the machine. */
export interface ResolveContext {
  readonly types: TypeStore;
  readonly schedule: GasSchedule;
  readonly instances: InstanceStore;
}

/** A step in the making. Its cost is negative until it is known to differ from the flat cost of its instruction. */
export type Draft = { -readonly [Name in keyof Step]: Step[Name] };

const NONE: readonly Type[] = [];

export abstract class ValueResolver {
  protected readonly instance: FunctionInstance;
  protected readonly module: LoadedModule;
  protected readonly context: ResolveContext;
  protected readonly types: TypeStore;
  /** The types on the operand stack. */
  protected readonly stack: Type[] = [];
  /** By local, whether it lives in a cell. */
  protected readonly inCell: boolean[];

  constructor(instance: FunctionInstance, context: ResolveContext) {
    this.instance = instance;
    this.module = instance.loaded.module;
    this.context = context;
    this.types = context.types;
    this.inCell = new Array<boolean>(instance.localTypes.length).fill(false);
  }

  /** Resolves an instruction on structs, vectors or functions. */
  protected abstract resolveStruct(op: Op, instruction: Instruction, step: Draft): void;

  protected pop(): Type {
    return this.stack.pop() ?? missing(1);
  }

  protected popMany(count: number): void {
    if (this.stack.length < count) missing(count);
    this.stack.length -= count;
  }

  protected push(type: Type): void {
    this.stack.push(type);
  }

  protected local(index: number): Type {
    return this.instance.localTypes[index]!;
  }

  /** Instructions that push values of simple types. */
  protected resolveValue(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.LdTrue:
      case Op.LdFalse:
        this.push(this.types.primitive('bool'));
        return;
      case Op.LdU8:
      case Op.LdU16:
      case Op.LdU32:
        this.push(this.types.primitive(LITERAL_TYPES[op]!));
        return;
      case Op.LdU64:
      case Op.LdU128:
      case Op.LdU256:
        this.push(this.types.primitive(LITERAL_TYPES[op]!));
        step.value = instruction.literal;
        return;
      case Op.LdConst:
        this.#resolveConstant(instruction.operand, step);
        return;
      case Op.CastU8:
      case Op.CastU16:
      case Op.CastU32:
      case Op.CastU64:
      case Op.CastU128:
      case Op.CastU256: {
        const type = this.pop();
        this.push(this.types.primitive(CAST_TARGETS[op]!));
        step.type = type;
        return;
      }
      default:
        this.#resolveOperator(op, instruction, step);
    }
  }

  #resolveConstant(index: number, step: Draft): void {
    const { type: token, data } = this.module.binary.constants[index]!;
    const { constants } = this.module;
    let constant = constants[index];
    if (constant === undefined) {
      constant = new ModuleConstant(this.types.resolve(this.module, token, NONE), data);
      constants[index] = constant;
    }
    this.push(constant.type);
    step.type = constant.type;
    step.value = constant;
    step.cost = constantCost(this.context.schedule, data.length);
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
        this.pop();
        const type = this.pop();
        this.push(type);
        step.type = type;
        return;
      }
      case Op.Not:
        step.type = this.stack.at(-1)!;
        return;
      case Op.Eq:
      case Op.Neq:
      case Op.Lt:
      case Op.Gt:
      case Op.Le:
      case Op.Ge: {
        this.pop();
        const type = this.pop();
        this.push(this.types.primitive('bool'));
        step.type = type;
        return;
      }
      default:
        this.#resolveReference(op, instruction, step);
    }
  }

  #resolveReference(op: Op, instruction: Instruction, step: Draft): void {
    switch (op) {
      case Op.MutBorrowLoc: {
        const type = this.local(instruction.operand);
        if (!type.isContainer) this.inCell[instruction.operand] = true;
        this.push(this.types.mutableReferenceTo(type));
        step.type = type;
        return;
      }
      case Op.ImmBorrowLoc: {
        const type = this.local(instruction.operand);
        this.push(this.types.referenceTo(type));
        step.type = type;
        return;
      }
      case Op.ReadRef: {
        const type = this.pop().item;
        this.push(type);
        step.type = type;
        return;
      }
      case Op.WriteRef: {
        const type = this.pop().item;
        this.pop();
        step.type = type;
        return;
      }
      case Op.FreezeRef: {
        const type = this.pop().item;
        this.push(this.types.referenceTo(type));
        step.type = type;
        return;
      }
      default:
        this.resolveStruct(op, instruction, step);
    }
  }
}

/** Separate from the checks, so that the message is made only when needed. */
function missing(count: number): never {
  throw new EngineError('invariant-violation', `expected ${count} values on the operand stack`);
}
