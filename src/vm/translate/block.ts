/**
 * Writes one basic block: walks its instructions with the operand stack as expressions.
 *
 * Gas: a block is charged in segments, each up to and with a call, a long constant or the block's end (`gas/meter.ts`).
 * A failing instruction passes what was charged for the rest of its segment to `e`, which refunds it and fails.
 * @module
 */
import { assert } from '../../base/error.ts';
import { Op } from '../binary/opcode.ts';
import { SEGMENT_UNITS_MAX } from '../gas/meter.ts';
import type { ValueSizes } from '../gas/schedule.ts';
import { DEPTH_BITS, DEPTH_MASK, type StackLimits, type UnitPrices } from '../interpret/interpreter.ts';
import type { Block, FunctionBody, ResolvedInstruction } from '../link/function-body.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import type { ModuleConstant } from '../link/loaded-module.ts';
import type { Processor } from '../processor.ts';
import type { Type } from '../value/type.ts';
import { type CodeWriter, inner, localOperand, type Operand } from './code-writer.ts';
import type { Check } from './integer.ts';
import { materialise, writeReference } from './reference.ts';
import type { BlockCode, Ending } from './structure.ts';
import { fixedSize } from './type-code.ts';
import { writeValue } from './value-block.ts';
import { writeVector } from './vector-block.ts';

/** The part of the machine that the writer uses. */
export interface WriteContext {
  readonly processor: Processor;
  readonly sizes: ValueSizes;
  readonly unitPrices: UnitPrices;
  readonly limits: StackLimits;
}

/** The assumptions that a block's code may make. */
interface Entry {
  /** Whether gas is checked at the start of the block. */
  readonly looksAtGas: boolean;
  /** Whether each call must check the depth, because the function's entry does not. */
  readonly checksDepth: boolean;
}

/** Maximum charge of an unchecked segment, so that the counter is still a small integer after many. */
const UNSEEN_UNITS_MAX = 2 ** 20;

export class BlockWriter {
  readonly writer: CodeWriter;
  readonly context: WriteContext;
  readonly #instance: FunctionInstance;
  readonly #body: FunctionBody;
  readonly #block: Block;
  readonly #entry: Entry;
  #stack: Operand[] = [];
  /** The offset of the current instruction. */
  #offset = 0;
  /** The current segment's charge for the instructions after this one. */
  #refund = 0;
  #ending: Ending = { kind: 'none' };
  #isDone = false;

  constructor(
    writer: CodeWriter,
    instance: FunctionInstance,
    body: FunctionBody,
    block: Block,
    entry: Entry,
    context: WriteContext,
  ) {
    this.writer = writer;
    this.context = context;
    this.#instance = instance;
    this.#body = body;
    this.#block = block;
    this.#entry = entry;
  }

  write(): BlockCode {
    const { start, end, successors } = this.#block;
    this.#openSegment(start, this.#entry.looksAtGas);
    for (let offset = start; offset < end && !this.#isDone; offset++) {
      const step = this.#body.steps[offset]!;
      this.#offset = offset;
      if (step.fault !== 0) {
        this.writer.emit(`throw e.fault(${this.#refund},${offset},${step.fault});`);
        this.#isDone = true;
        break;
      }
      this.#refund -= this.staticCost(step);
      this.#writeStep(step);
      if (endsSegment(step) && offset + 1 < end) this.#openSegment(offset + 1, false);
    }
    if (!this.#isDone) {
      assert(this.#stack.length === 0, `expected an empty operand stack before offset ${end}`);
      if (this.#ending.kind === 'none') this.#ending = { kind: 'jump', to: successors[0]! };
    }
    this.writer.release(...this.#stack);
    this.#stack = [];
    return { code: this.writer.take(), ending: this.#isDone ? { kind: 'none' } : this.#ending };
  }

  /**
   * Charges for the instructions from `offset` to the end of the segment.
   * @param looks whether the counter is checked, as it must be wherever code could loop forever
   */
  #openSegment(offset: number, looks: boolean): void {
    let cost = 0;
    for (let at = offset; at < this.#block.end; at++) {
      const step = this.#body.steps[at]!;
      cost += this.staticCost(step);
      if (endsSegment(step)) break;
    }
    this.#refund = cost;
    if (cost > SEGMENT_UNITS_MAX) this.writer.emit(`g.chargeSegment(${cost});`);
    else if (looks || cost > UNSEEN_UNITS_MAX) this.writer.emit(`if((g.left-=${cost})<0)g.refill();`);
    else if (cost > 0) this.writer.emit(`g.left-=${cost};`);
  }

  /** The statically known part of an instruction's cost, including sizes that are the same for all values of a type. */
  staticCost(step: ResolvedInstruction): number {
    switch (step.op) {
      case Op.CopyLoc:
        return step.cost + this.context.unitPrices.copy * (this.fixedSize(step.type!) ?? 0);
      case Op.ReadRef:
        return step.cost + this.context.unitPrices.read * (this.fixedSize(step.type!) ?? 0);
      case Op.Eq:
      case Op.Neq: {
        const type = step.type!.isReference ? step.type!.item : step.type!;
        const price = step.op === Op.Eq ? this.context.unitPrices.equal : this.context.unitPrices.unequal;
        return step.cost + 2 * price * (this.fixedSize(type) ?? 0);
      }
      default:
        return step.cost;
    }
  }

  /** Whether a local lives in a cell. */
  isInCell(local: number): boolean {
    return this.#body.inCell[local]!;
  }

  fixedSize(type: Type): number | undefined {
    return fixedSize(type, this.context.sizes);
  }

  push(operand: Operand): void {
    this.#stack.push(this.writer.bounded(operand));
  }

  pop(): Operand {
    const operand = this.#stack.pop();
    assert(operand !== undefined, 'expected an operand');
    return operand;
  }

  popMany(count: number): Operand[] {
    assert(this.#stack.length >= count, `expected ${count} operands`);
    return count === 0 ? [] : this.#stack.splice(-count);
  }

  /** Statements that fail with ARITHMETIC_ERROR here. */
  readonly arithmeticCheck: Check = (condition) =>
    `if(${condition})throw e.arithmetic(${this.#refund},${this.#offset});`;

  /** Statements that fail with VECTOR_OPERATION_ERROR here. */
  vectorCheck(fault: bigint): Check {
    return (condition) => `if(${condition})throw e.vector(${this.#refund},${this.#offset},${fault}n);`;
  }

  #writeStep(step: ResolvedInstruction): void {
    switch (step.op) {
      case Op.Nop:
        return;
      case Op.Branch:
        this.#ending = { kind: 'jump', to: this.#block.successors[0]! };
        return;
      case Op.BrTrue:
      case Op.BrFalse:
        this.#writeBranch(step.op);
        return;
      case Op.Abort: {
        const code = this.pop();
        this.writer.emit(`throw e.abort(${this.#refund},${this.#offset},${code.code});`);
        this.#isDone = true;
        return;
      }
      case Op.Ret:
        this.#writeReturn();
        return;
      case Op.Call:
        this.#writeCall(step);
        return;
      case Op.CopyLoc:
      case Op.MoveLoc:
      case Op.StLoc:
      case Op.Pop:
        this.#writeLocal(step);
        return;
      default:
        if (!writeReference(this, step) && !writeVector(this, step)) writeValue(this, step);
    }
  }

  #writeBranch(op: Op): void {
    const condition = this.pop();
    const [next, target] = this.#block.successors as [number, number];
    const [yes, no] = op === Op.BrTrue ? [target, next] : [next, target];
    this.#ending = { kind: 'branch', condition: condition.code, yes, no };
    this.writer.release(condition);
  }

  #writeReturn(): void {
    const values = this.popMany(this.#instance.returns.length).map((value) => materialise(this.writer, value));
    for (const local of this.#body.countedLocals) {
      this.writer.emit(`if(l${local}!==undefined)l${local}.references--;`);
    }
    const [first, ...others] = values;
    if (first === undefined) this.writer.emit('return;');
    else if (others.length === 0) this.writer.emit(`return ${first.code};`);
    else this.writer.emit(`return [${values.map((value) => value.code).join()}];`);
    this.writer.release(...values);
    this.#isDone = true;
  }

  #writeCall(step: ResolvedInstruction): void {
    const callee = step.callee!;
    const { writer } = this;
    const parameters = this.popMany(callee.parameters.length).map((value, index) => {
      const parameter = materialise(writer, value);
      return callee.parameters[index]!.isCountedReference ? writer.atom(parameter) : parameter;
    });
    const codes = parameters.map((value) => value.code);
    if (!callee.isNative) {
      const { callDepthMax } = this.context.limits;
      if (this.#entry.checksDepth) {
        writer.emit(`if((k&${DEPTH_MASK})>=${callDepthMax})throw e.depth(${this.#offset});`);
      }
      codes.unshift(`k+${(this.#stack.length << DEPTH_BITS) + 1}`);
    }
    const call = `${writer.constant(callee)}.run(${codes.join()})`;
    const { length } = callee.returns;
    const result = length === 0 ? undefined : writer.hold(call);
    writer.release(...parameters);
    if (result === undefined) writer.emit(`${call};`);
    else if (length === 1) this.push(result);
    else {
      for (let index = 0; index < length; index++) this.push(writer.hold(`${result.code}[${index}]`));
      writer.release(result);
    }
  }

  #writeLocal(step: ResolvedInstruction): void {
    const { writer } = this;
    const local = step.operand;
    const type = step.type!;
    const name = `l${local}`;
    switch (step.op) {
      case Op.Pop: {
        const value = this.pop();
        if (type.isCountedReference) writer.emit(`${inner(value)}.references--;`);
        writer.release(value);
        return;
      }
      case Op.CopyLoc:
        this.#writeCopy(local, type);
        return;
      case Op.MoveLoc:
        if (this.#body.inCell[local]) this.push(writer.hold(`${name}.value`));
        else if (type.isCountedReference) {
          this.push(writer.hold(name));
          writer.emit(`${name}=undefined;`);
        } else this.push(localOperand(local));
        return;
      default: {
        const value = materialise(writer, this.pop());
        this.#saveUsesOf(local);
        if (type.isCountedReference) writer.emit(`if(${name}!==undefined)${name}.references--;`);
        const target = this.#body.inCell[local] ? `${name}.value` : name;
        if (target !== value.code) writer.emit(`${target}=${value.code};`);
        writer.release(value);
      }
    }
  }

  /** Moves operands that read a local to temporaries before it changes. */
  #saveUsesOf(local: number): void {
    for (const [index, operand] of this.#stack.entries()) {
      if (operand.locals.includes(local)) this.#stack[index] = this.writer.settle(operand);
    }
  }

  #writeCopy(local: number, type: Type): void {
    const { writer } = this;
    const name = `l${local}`;
    if (this.#body.inCell[local]) {
      this.push(writer.hold(`${name}.value`));
    } else if (type.isCountedReference) {
      writer.emit(`${name}.references++;`);
      this.push(writer.hold(name));
    } else if (type.isContainer) {
      this.chargeSize(type, name, this.context.unitPrices.copy);
      this.push(writer.hold(`${writer.constant(type.operations)}.copy(${name})`));
    } else {
      this.push(localOperand(local));
    }
  }

  /** Charges for the size of a value whose type does not determine it. `code` is a name. */
  chargeSize(type: Type, code: string, unitPrice: number): void {
    if (this.fixedSize(type) !== undefined || unitPrice === 0) return;
    const { writer } = this;
    writer.emit(`g.chargeWithin(${unitPrice}*${writer.constant(type.operations)}.size(${code}));`);
  }
}

/** Whether a segment ends after the instruction, so that nothing is refunded if it fails. */
function endsSegment(step: ResolvedInstruction): boolean {
  return step.op === Op.Call || (step.op === Op.LdConst && (step.value as ModuleConstant).isLong);
}
