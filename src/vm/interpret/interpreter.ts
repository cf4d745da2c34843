/**
 * The plain interpreter: frames on the heap, one handler for each instruction, gas instruction by instruction.
 *
 * It is the oracle that translated code is tested against, the engine where code may not be generated, what a call runs
 * again on when the JavaScript stack runs out, and what translated code hands a call to when the operand stack comes
 * near its bound. It takes values, natives and resolved instructions from the same places as the translator, and nothing
 * else: control flow, operand stack, gas order and failures are done here step by step, as in the reference's
 * interpreter (`move-vm/runtime/src/interpreter.rs`).
 * @module
 */
import { assert } from '../../error.ts';
import { Op } from '../binary/opcode.ts';
import type { FunctionBody, Step } from '../link/function-body.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import type { Processor } from '../processor.ts';
import { StatusCode } from '../status.ts';
import { Cell } from '../value/reference.ts';
import type { StructValue } from '../value/struct.ts';
import { HANDLERS } from './handlers.ts';

/** What an interpreted call needs of the machine. */
export interface InterpreterContext {
  readonly processor: Processor;
  readonly limits: StackLimits;
  readonly unitPrices: UnitPrices;
  bodyOf(instance: FunctionInstance): FunctionBody;
}

export interface StackLimits {
  /** Frames that wait for the one that runs. */
  readonly callDepthMax: number;
  /** Values on the operand stack, all frames together. */
  readonly operandsMax: number;
}

/** Prices of one unit of abstract size. */
export interface UnitPrices {
  /** For CopyLoc. */
  readonly copy: number;
  /** For ReadRef. */
  readonly read: number;
  /** For Eq. */
  readonly equal: number;
  /** For Neq. */
  readonly unequal: number;
}

/** What is below the first interpreted frame. */
export interface StackBase {
  /** Frames. */
  readonly depth: number;
  /** Values on the operand stack. */
  readonly height: number;
}

/** One function that runs or waits for a callee. */
export class Frame {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  readonly locals: unknown[];
  /** Of the instruction that runs, or of the call that waits. */
  offset = 0;

  constructor(instance: FunctionInstance, body: FunctionBody, parameters: readonly unknown[]) {
    this.instance = instance;
    this.body = body;
    this.locals = instance.localTypes.map((_, index) =>
      body.inCell[index] ? new Cell(parameters[index]) : parameters[index],
    );
  }
}

/** The state of one interpreted call, which the handlers work on. */
export class Interpreter {
  readonly processor: Processor;
  readonly context: InterpreterContext;
  readonly stack: unknown[] = [];
  /** Values that `stack` may hold. */
  readonly room: number;
  readonly base: StackBase;
  /** Frames below the one that runs. */
  readonly waiting: Frame[] = [];
  frame: Frame;

  constructor(context: InterpreterContext, base: StackBase, frame: Frame) {
    this.processor = context.processor;
    this.context = context;
    this.base = base;
    this.room = context.limits.operandsMax - base.height;
    this.frame = frame;
  }

  push(value: unknown): void {
    if (this.stack.length >= this.room) this.fail(StatusCode.EXECUTION_STACK_OVERFLOW, 'operand stack overflow');
    this.stack.push(value);
  }

  pop(): unknown {
    assert(this.stack.length > 0, 'expected a value on the operand stack');
    return this.stack.pop();
  }

  popMany(count: number): unknown[] {
    assert(this.stack.length >= count, `expected ${count} values on the operand stack`);
    return count === 0 ? [] : this.stack.splice(-count);
  }

  /** @throws {ThrownFailure} at the instruction that runs */
  fail(status: StatusCode, message: string, subStatus?: bigint): never {
    const { instance, offset } = this.frame;
    return this.processor.fail(instance.loaded, offset, status, message, subStatus);
  }
}

/**
 * Runs a function to its return.
 * @returns the values it returns
 * @throws {ThrownFailure} with the failing instruction
 */
export function interpret(
  context: InterpreterContext,
  instance: FunctionInstance,
  parameters: readonly unknown[],
  base: StackBase,
): unknown[] {
  const interpreter = new Interpreter(context, base, new Frame(instance, context.bodyOf(instance), parameters));
  const { gas } = context.processor;
  for (;;) {
    const { frame } = interpreter;
    const step = frame.body.steps[frame.offset];
    assert(step !== undefined, `expected a reachable instruction at offset ${frame.offset}`);
    if (step.fault !== 0) interpreter.fail(step.fault as StatusCode, 'a type passes a bound');
    if (step.op === Op.Ret) {
      gas.charge(step.cost);
      releaseLocals(frame);
      const caller = interpreter.waiting.pop();
      if (caller === undefined) return interpreter.stack;
      caller.offset++;
      interpreter.frame = caller;
    } else if (step.op === Op.Call) {
      call(interpreter, frame, step);
    } else {
      const next = HANDLERS[step.op]!(interpreter, step, frame);
      frame.offset = next ?? frame.offset + 1;
    }
  }
}

function call(interpreter: Interpreter, frame: Frame, step: Step): void {
  const { processor, context, waiting, base } = interpreter;
  const callee = step.callee!;
  processor.gas.charge(step.cost);
  const parameters = interpreter.popMany(callee.parameters.length);
  if (callee.isNative) {
    pushReturned(interpreter, callee, callee.run(...parameters));
    frame.offset++;
    return;
  }
  if (base.depth + waiting.length >= context.limits.callDepthMax) {
    interpreter.fail(StatusCode.CALL_STACK_OVERFLOW, 'call stack overflow');
  }
  waiting.push(frame);
  interpreter.frame = new Frame(callee, context.bodyOf(callee), parameters);
}

/** Overflow while a native's values are pushed is the native's failure in the reference. */
function pushReturned({ stack, room, processor }: Interpreter, callee: FunctionInstance, result: unknown): void {
  const { length } = callee.returns;
  const values = length > 1 ? (result as unknown[]) : length === 1 ? [result] : [];
  assert(values.length === length, `expected ${length} values of native ${callee.loaded.name}, got ${values.length}`);
  if (stack.length + length > room) {
    processor.fail(callee.loaded, 0, StatusCode.EXECUTION_STACK_OVERFLOW, 'operand stack overflow');
  }
  stack.push(...values);
}

function releaseLocals(frame: Frame): void {
  for (const local of frame.body.countedLocals) {
    const reference = frame.locals[local] as StructValue | undefined;
    if (reference !== undefined) reference.references--;
  }
}
