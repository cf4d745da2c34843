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
import type { DirectNative, Processor } from '../processor.ts';
import { Cell } from '../value/reference.ts';
import type { Type } from '../value/type.ts';
import { type CodeWriter, inner, localOperand, type Operand } from './code-writer.ts';
import type { Check } from './integer.ts';
import { materialise, writeReference } from './reference.ts';
import type { Entry, Inlined, Scope } from './scope.ts';
import { type BlockCode, type Ending, structure } from './structure.ts';
import { fixedSize } from './type-code.ts';
import { writeValue } from './value-block.ts';
import { writeVector } from './vector-block.ts';

/** What writing code needs from the machine. */
export interface WriteContext {
  readonly processor: Processor;
  readonly sizes: ValueSizes;
  readonly unitPrices: UnitPrices;
  readonly limits: StackLimits;
  /** Always writes the switch form, for tests. */
  readonly preferSwitch: boolean;
  /** What replaces a call; `undefined` for a call that remains. */
  readonly inline: (scope: Scope, callee: FunctionInstance) => Inlined | undefined;
  /** How a native is called without its `run`; `undefined` if the machine has none. */
  readonly nativeOf: (instance: FunctionInstance) => DirectNative | undefined;
}

/** The most that a segment may charge unchecked, so that after many the counter is still a small integer. */
const UNSEEN_UNITS_MAX = 2 ** 20;

export class BlockWriter {
  readonly writer: CodeWriter;
  readonly context: WriteContext;
  readonly #scope: Scope;
  readonly #instance: FunctionInstance;
  readonly #body: FunctionBody;
  readonly #block: Block;
  readonly #entry: Entry;
  #stack: Operand[] = [];
  /** The offset of the instruction that is being written. */
  #offset = 0;
  /** What the current segment has charged for the instructions after this one. */
  #refund = 0;
  #ending: Ending = { kind: 'none' };
  #isDone = false;

  constructor(writer: CodeWriter, scope: Scope, block: Block, entry: Entry, context: WriteContext) {
    this.writer = writer;
    this.context = context;
    this.#scope = scope;
    this.#instance = scope.instance;
    this.#body = scope.body;
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
        this.writer.emit(`throw ${this.#scope.site}.fault(${this.#refund},${offset},${step.fault});`);
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
   * @param looks whether the counter is checked: wherever code could loop forever
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

  /** The part of an instruction's cost that is known now, including sizes that all values of a type have. */
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

  /** The number of a local in the code. */
  numberOf(local: number): number {
    return this.#scope.firstLocal + local;
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
    `if(${condition})throw ${this.#scope.site}.arithmetic(${this.#refund},${this.#offset});`;

  /** Statements that fail with VECTOR_OPERATION_ERROR here. */
  vectorCheck(fault: bigint): Check {
    return (condition) =>
      `if(${condition})throw ${this.#scope.site}.vector(${this.#refund},${this.#offset},${fault}n);`;
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
        this.writer.emit(`throw ${this.#scope.site}.abort(${this.#refund},${this.#offset},${code.code});`);
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
      const name = `l${this.numberOf(local)}`;
      this.writer.emit(`if(${name}!==undefined)${name}.references--;`);
    }
    const [first, ...others] = values;
    const { exit } = this.#scope;
    if (exit !== undefined) {
      for (const [index, value] of values.entries()) this.writer.emit(`${exit.results[index]}=${value.code};`);
      this.writer.emit(`break ${exit.label};`);
    } else if (first === undefined) this.writer.emit('return;');
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
    const inlined = this.context.inline(this.#scope, callee);
    if (inlined !== undefined) {
      this.#writeInlined(inlined, parameters);
      return;
    }
    const codes = parameters.map((value) => value.code);
    if (!callee.isNative) {
      const { callDepthMax } = this.context.limits;
      if (this.#entry.checksDepth) {
        writer.emit(`if((k&${DEPTH_MASK})>=${callDepthMax})throw ${this.#scope.site}.depth(${this.#offset});`);
      }
      const { frames, height } = this.#scope;
      codes.unshift(`k+${((height + this.#stack.length) << DEPTH_BITS) + frames + 1}`);
    }
    const direct = callee.isNative ? this.context.nativeOf(callee) : undefined;
    const call =
      direct === undefined
        ? `${writer.constant(callee)}.run(${codes.join()})`
        : this.#writeDirect(callee, direct, codes);
    const isDirect = direct !== undefined;
    const result = callee.returns.length === 0 ? undefined : writer.hold(call);
    if (result === undefined) writer.emit(`${call};`);
    // References passed to a native end in it. If it is called through its `run`, that counts them.
    for (const [index, type] of callee.parameters.entries()) {
      if (isDirect && type.isCountedReference) writer.emit(`${codes[index]}.references--;`);
    }
    writer.release(...parameters);
    if (result !== undefined) this.#pushResults(result, callee.returns, isDirect);
  }

  /** Pushes what a call returned: a value, or a list of several. */
  #pushResults(result: Operand, returns: readonly Type[], isDirect: boolean): void {
    const { writer } = this;
    const isList = returns.length > 1;
    for (const [index, type] of returns.entries()) {
      const value = isList ? writer.hold(`${result.code}[${index}]`) : result;
      if (isDirect && type.isCountedReference) writer.emit(`${value.code}.references++;`);
      this.push(value);
    }
    if (isList) writer.release(result);
  }

  /** Writes the code of a function in place of its call. */
  #writeInlined({ instance, body, site }: Inlined, parameters: readonly Operand[]): void {
    const { writer } = this;
    const count = instance.localTypes.length;
    const firstLocal = writer.openLocals(count);
    for (let index = 0; index < count; index++) {
      const value = parameters[index]?.code ?? 'undefined';
      if (body.inCell[index]) writer.emit(`l${firstLocal + index}=new ${writer.constant(Cell)}(${value});`);
      else if (index < parameters.length || body.countedLocals.includes(index)) {
        writer.emit(`l${firstLocal + index}=${value};`);
      }
    }
    writer.release(...parameters);
    const results = instance.returns.map(() => writer.allocate());
    const before = writer.take();
    const exit = { label: writer.label(), results };
    const height = this.#scope.height + this.#stack.length;
    const frames = this.#scope.frames + 1;
    const scope: Scope = {
      instance,
      body,
      site: writer.constant(site),
      firstLocal,
      frames,
      height,
      exit,
      outer: this.#scope,
    };
    const entry = { looksAtGas: false, checksDepth: false };
    const codes = body.blocks.map((block) => new BlockWriter(writer, scope, block, entry, this.context).write());
    const text = structure(body.blocks, codes, this.context.preferSwitch, exit.label);
    writer.emit(`${before}${exit.label}:{${text}}`);
    writer.closeLocals(count);
    writer.heightMax = Math.max(writer.heightMax, height + body.heightMax);
    writer.framesMax = Math.max(writer.framesMax, frames + 1);
    for (const name of results) this.push({ code: name, isAtom: true, locals: [], temporaries: [name] });
  }

  /** Calls a native directly, so that V8 can inline it: natives called through one function look alike to V8. */
  #writeDirect({ loaded, signature }: FunctionInstance, { context, native }: DirectNative, codes: string[]): string {
    const { writer } = this;
    const name = writer.constant(context);
    writer.emit(`${name}.enter(${writer.constant(loaded)});`);
    return `${writer.constant(native)}(${[name, writer.constant(signature), ...codes].join()})`;
  }

  #writeLocal(step: ResolvedInstruction): void {
    const { writer } = this;
    const local = step.operand;
    const type = step.type!;
    const name = `l${this.numberOf(local)}`;
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
        } else this.push(localOperand(this.numberOf(local)));
        return;
      default: {
        const value = materialise(writer, this.pop());
        this.#saveUsesOf(this.numberOf(local));
        if (type.isCountedReference) writer.emit(`if(${name}!==undefined)${name}.references--;`);
        const target = this.#body.inCell[local] ? `${name}.value` : name;
        if (target !== value.code) writer.emit(`${target}=${value.code};`);
        writer.release(value);
      }
    }
  }

  /** Operands that read a local move to temporaries before it changes. */
  #saveUsesOf(local: number): void {
    for (const [index, operand] of this.#stack.entries()) {
      if (operand.locals.includes(local)) this.#stack[index] = this.writer.settle(operand);
    }
  }

  #writeCopy(local: number, type: Type): void {
    const { writer } = this;
    const name = `l${this.numberOf(local)}`;
    if (this.#body.inCell[local]) {
      this.push(writer.hold(`${name}.value`));
    } else if (type.isCountedReference) {
      writer.emit(`${name}.references++;`);
      this.push(writer.hold(name));
    } else if (type.isContainer) {
      this.chargeSize(type, name, this.context.unitPrices.copy);
      this.push(writer.hold(`${writer.constant(type.operations)}.copy(${name})`));
    } else {
      this.push(localOperand(this.numberOf(local)));
    }
  }

  /** Charges for the size of a value whose type does not determine it. `code` is a name. */
  chargeSize(type: Type, code: string, unitPrice: number): void {
    if (this.fixedSize(type) !== undefined || unitPrice === 0) return;
    const { writer } = this;
    writer.emit(`g.chargeWithin(${unitPrice}*${writer.constant(type.operations)}.size(${code}));`);
  }
}

/** Whether what follows an instruction is not charged before it ran: it may fail with nothing to refund. */
function endsSegment(step: ResolvedInstruction): boolean {
  return step.op === Op.Call || (step.op === Op.LdConst && (step.value as ModuleConstant).isLong);
}
