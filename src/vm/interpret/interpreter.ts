/**
 * The plain interpreter: frames on the heap, one handler for each instruction, gas instruction by instruction.
 *
 * It has five uses: translated code is tested against it; it runs everything where code generation is forbidden; calls
 * run on it again when the JavaScript stack runs out; translated code passes calls to it when the operand stack comes
 * near its bound; and calls begin in it until translation pays (`Tiers`). It shares values, natives and resolved
 * instructions with the translator, but nothing else: control flow, operand stack, gas order and failures are
 * implemented here step by step, as in the reference's interpreter (`move-vm/runtime/src/interpreter.rs`).
 * @module
 */
import { assert, EngineError } from '../../base/error.ts';
import { Op } from '../binary/opcode.ts';
import type { CallTracer } from '../call.ts';
import type { FunctionBody, ResolvedInstruction } from '../link/function-body.ts';
import type { FunctionInstance, Runnable } from '../link/function-instance.ts';
import type { Processor } from '../processor.ts';
import { StatusCode } from '../status.ts';
import { Cell } from '../value/reference.ts';
import type { StructInstance } from '../value/struct.ts';
import { CHARGES_ITSELF, HANDLERS } from './handlers.ts';

/** The part of the machine that an interpreted call uses. */
export interface InterpreterContext {
  readonly processor: Processor;
  readonly limits: StackLimits;
  readonly unitPrices: UnitPrices;
  /** When and how the interpreter hands over to translated code; if absent, it never does. */
  readonly tiers: Tiers | undefined;
  /** Notified of the calls. Only without `tiers`: translated code does not report calls. */
  readonly tracer?: CallTracer | undefined;
  bodyOf(instance: FunctionInstance): FunctionBody;
}

export interface StackLimits {
  /** Frames that are waiting for the running one. */
  readonly callDepthMax: number;
  /** Values on the operand stack, all frames together. */
  readonly operandsMax: number;
}

/**
 * Most functions of a transaction are called a few times, and translating one takes as long as interpreting it some
 * sixty times. So calls begin in the interpreter, and hot functions are translated: at a call, or, in a long loop, from
 * the loop head on.
 */
interface Tiers {
  /** Calls and loop iterations after which a function is translated. */
  readonly heatMax: number;
  /** The rest of a call from a block on; `undefined` if only the interpreter can run the function. */
  enter(instance: FunctionInstance, offset: number): Runnable | undefined;
}

type StepTracer = Required<Pick<CallTracer, 'step'>>;

/** Depth and operand height are passed in one number: the height is above these bits. */
export const DEPTH_BITS = 11;
export const DEPTH_MASK: number = (1 << DEPTH_BITS) - 1;

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

/** What lies below the first interpreted frame. */
interface StackBase {
  /** Frames. */
  readonly depth: number;
  /** Values on the operand stack. */
  readonly height: number;
}

/** A function that is running or waiting for a callee. */
export class CallFrame {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  readonly locals: unknown[];
  /** The offset of the running instruction, or of the waiting call. */
  offset = 0;

  constructor(instance: FunctionInstance, body: FunctionBody, parameters: readonly unknown[]) {
    this.instance = instance;
    this.body = body;
    this.locals = instance.localTypes.map((_, index) =>
      body.inCell[index] ? new Cell(parameters[index]) : parameters[index],
    );
  }
}

/** The state of one interpreted call, on which the handlers operate. */
export class Interpreter {
  readonly processor: Processor;
  readonly context: InterpreterContext;
  readonly stack: unknown[] = [];
  /** Values that `stack` may hold. */
  readonly room: number;
  readonly base: StackBase;
  /** Frames below the running one. */
  readonly waiting: CallFrame[] = [];
  frame: CallFrame;

  constructor(context: InterpreterContext, base: StackBase, frame: CallFrame) {
    this.processor = context.processor;
    this.context = context;
    this.base = base;
    this.room = context.limits.operandsMax - base.height;
    this.frame = frame;
  }

  /** Depth and operand height below a frame that is `deeper` than the running one, in one number. */
  position(deeper: number): number {
    const depth = this.base.depth + this.waiting.length + deeper;
    return ((this.base.height + this.stack.length) << DEPTH_BITS) + depth;
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
    if (this.stack.length < count) missingOperands(count);
    return count === 0 ? [] : this.stack.splice(-count);
  }

  /** The last `count` values, without removing them. */
  top(count: number): unknown[] {
    return this.stack.slice(this.stack.length - count);
  }

  /** @throws {ThrownFailure} at the running instruction */
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
  const interpreter = new Interpreter(context, base, new CallFrame(instance, context.bodyOf(instance), parameters));
  const { processor, tracer } = context;
  const { gas } = processor;
  if (tracer !== undefined) tracer.enter(instance, parameters, interpreter.frame, gas.remaining);
  const stepped = tracer?.step === undefined ? undefined : (tracer as StepTracer);
  for (;;) {
    const { frame } = interpreter;
    if (stepped !== undefined) stepped.step(frame.instance, frame.offset);
    const step = frame.body.steps[frame.offset];
    if (step === undefined) unreachable(frame);
    if (step.fault !== 0) interpreter.fail(step.fault as StatusCode, 'a type exceeds a bound');
    if (step.op === Op.Ret) {
      gas.charge(step.cost);
      if (tracer !== undefined) tracer.leave(interpreter.top(frame.instance.returns.length), gas.remaining);
      if (frame.body.countedLocals.length > 0) releaseLocals(frame);
      const caller = interpreter.waiting.pop();
      if (caller === undefined) return interpreter.stack;
      caller.offset++;
      interpreter.frame = caller;
    } else if (step.op === Op.Call) {
      call(interpreter, frame, step);
    } else if (step.op === Op.Branch || step.op === Op.BrTrue || step.op === Op.BrFalse) {
      gas.charge(step.cost);
      const isTaken = step.op === Op.Branch || (interpreter.pop() === true) === (step.op === Op.BrTrue);
      const isLoop = isTaken && step.operand <= frame.offset;
      frame.offset = isTaken ? step.operand : frame.offset + 1;
      if (isLoop && context.tiers !== undefined && handOver(interpreter, frame, context.tiers)) {
        const caller = interpreter.waiting.pop();
        if (caller === undefined) return interpreter.stack;
        caller.offset++;
        interpreter.frame = caller;
      }
    } else {
      if (!CHARGES_ITSELF[step.op]) gas.charge(step.cost);
      HANDLERS[step.op]!(interpreter, step, frame);
      frame.offset++;
    }
  }
}

function call(interpreter: Interpreter, frame: CallFrame, step: ResolvedInstruction): void {
  const { processor, context, waiting, base } = interpreter;
  const callee = step.callee!;
  processor.gas.charge(step.cost);
  const parameters = interpreter.popMany(callee.parameters.length);
  const { tracer } = context;
  if (callee.isNative) {
    if (tracer !== undefined) tracer.enter(callee, parameters, undefined, processor.gas.remaining);
    const values = listReturned(callee, callee.run(...parameters));
    if (tracer !== undefined) tracer.leave(values, processor.gas.remaining);
    // In the reference, an overflow while a native's results are pushed is a failure of the native.
    if (interpreter.stack.length + values.length > interpreter.room) {
      processor.fail(callee.loaded, 0, StatusCode.EXECUTION_STACK_OVERFLOW, 'operand stack overflow');
    }
    interpreter.stack.push(...values);
    frame.offset++;
    return;
  }
  if (base.depth + waiting.length >= context.limits.callDepthMax) {
    interpreter.fail(StatusCode.CALL_STACK_OVERFLOW, 'call stack overflow');
  }
  if (context.tiers !== undefined && ++callee.heat > context.tiers.heatMax) {
    interpreter.stack.push(...listReturned(callee, callee.run(interpreter.position(1), ...parameters)));
    frame.offset++;
    return;
  }
  waiting.push(frame);
  interpreter.frame = new CallFrame(callee, context.bodyOf(callee), parameters);
  if (tracer !== undefined) tracer.enter(callee, parameters, interpreter.frame, processor.gas.remaining);
}

/** The results of a function's `run`, as a list. */
export function listReturned(callee: FunctionInstance, result: unknown): unknown[] {
  const { length } = callee.returns;
  const values = length > 1 ? (result as unknown[]) : length === 1 ? [result] : [];
  if (values.length !== length) wrongResults(callee, values.length);
  return values;
}

/**
 * At the head of a loop: runs the rest of the call as translated code if the function is hot enough; otherwise returns
 * false.
 */
function handOver(interpreter: Interpreter, { instance, body, locals, offset }: CallFrame, tiers: Tiers): boolean {
  if (++instance.heat <= tiers.heatMax) return false;
  if (interpreter.stack.length + body.heightMax > interpreter.room) return false;
  const rest = tiers.enter(instance, offset);
  if (rest === undefined) return false;
  interpreter.stack.push(...listReturned(instance, rest(interpreter.position(0), ...locals)));
  return true;
}

function releaseLocals(frame: CallFrame): void {
  for (const local of frame.body.countedLocals) {
    const reference = frame.locals[local] as StructInstance | undefined;
    if (reference !== undefined) reference.references--;
  }
}

// Separate from the checks: a new process interprets thousands of instructions before anything is compiled, and
// building a message takes as long as an instruction.

function missingOperands(count: number): never {
  throw new EngineError('invariant-violation', `expected ${count} values on the operand stack`);
}

function unreachable({ offset }: CallFrame): never {
  throw new EngineError('invariant-violation', `expected a reachable instruction at offset ${offset}`);
}

function wrongResults({ returns, loaded }: FunctionInstance, given: number): never {
  throw new EngineError('invariant-violation', `expected ${returns.length} values of ${loaded.name}, got ${given}`);
}
