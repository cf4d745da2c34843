/**
 * Translates function instances to JavaScript: structured control flow, expressions for the operand stack, static
 * types, gas by segments.
 *
 * A translated function takes one number for its position (the depth in the low bits, the number of operands below it
 * in the others), then its arguments; it returns its value, an array of several values, or nothing. It calls other
 * instances through their `run`, which is a stub until the instance is translated. Near a bound of the stacks, the whole
 * function goes to the interpreter. The text consists only of integers and generated names.
 * @module
 */
import { GLOBAL_STORAGE } from '../binary/opcode.ts';
import { DEPTH_BITS, DEPTH_MASK, type InterpreterContext, interpret } from '../interpret/interpreter.ts';
import type { Block, FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance, Runnable } from '../link/function-instance.ts';
import { StatusCode } from '../status.ts';
import { Cell } from '../value/reference.ts';
import { BlockWriter, type WriteContext } from './block.ts';
import { CodeWriter } from './code-writer.ts';
import { structure } from './structure.ts';
import { makeFunction } from './type-code.ts';

export interface TranslateContext extends WriteContext {
  readonly interpreter: InterpreterContext;
  /** Always writes the switch form, for tests. */
  readonly preferSwitch: boolean;
}

/** Scratch memory for converting between u64 and numbers; see `integer.ts`. */
const WIDE = new BigUint64Array(1);
const HALVES = new Uint32Array(WIDE.buffer);

let isPossible: boolean | undefined;

/** Whether this host allows generating code from text, and is little-endian. */
export function canTranslate(): boolean {
  isPossible ??= tryTranslation();
  return isPossible;
}

function tryTranslation(): boolean {
  try {
    WIDE[0] = 1n;
    return makeFunction([], 'return true')() === true && HALVES[0] === 1;
  } catch {
    return false;
  }
}

/** The instance as a JavaScript function. */
export function translate(instance: FunctionInstance, body: FunctionBody, context: TranslateContext): Runnable {
  if (!isTranslatable(body)) {
    const site = new FailureSite(instance, context.interpreter);
    return (base, ...parameters) => site.interpret(base as number, parameters);
  }
  return write(instance, body, body.blocks, true, context);
}

/**
 * The rest of a call that the interpreter has begun, from a block on, as a JavaScript function: a long loop continues
 * in it. It takes all locals, some of them as cells; the operand stack of the frame is empty there and must have room
 * for the frame. `undefined` for a function that only the interpreter runs.
 */
export function translateFrom(
  instance: FunctionInstance,
  body: FunctionBody,
  blocks: readonly Block[],
  context: TranslateContext,
): Runnable | undefined {
  return isTranslatable(body) ? write(instance, body, blocks, false, context) : undefined;
}

function isTranslatable({ steps }: FunctionBody): boolean {
  return !steps.some((step) => step !== undefined && GLOBAL_STORAGE.has(step.op));
}

/** @param isWhole whether the code begins with the call: it then checks the bounds of the stacks at its entry */
function write(
  instance: FunctionInstance,
  body: FunctionBody,
  blocks: readonly Block[],
  isWhole: boolean,
  context: TranslateContext,
): Runnable {
  const writer = new CodeWriter();
  // Gas is checked wherever code could loop forever: at heads of loops, and at the entry of functions that call others.
  const looks = new Set(blocks.flatMap(({ successors }, from) => successors.filter((to) => to <= from)));
  if (callsFunctions(body)) looks.add(0);
  const codes = blocks.map((block, index) => {
    const entry = { looksAtGas: looks.has(index), checksDepth: !isWhole };
    return new BlockWriter(writer, instance, body, block, entry, context).write();
  });
  const taken = (isWhole ? instance.parameters : instance.localTypes).length;
  const names = instance.localTypes.map((_, index) => `l${index}`);
  const declared = [...names.slice(taken), ...writer.temporaries];
  const parts = declared.length === 0 ? [] : [`let ${declared.join()};`];
  if (isWhole) parts.push(writeEntry(instance, body, names.slice(0, taken), writer, context));
  parts.push(structure(blocks, codes, context.preferSwitch));
  return makeRunnable(instance, names.slice(0, taken), parts.join(''), writer, context);
}

/** Whether non-native functions are called. */
function callsFunctions(body: FunctionBody): boolean {
  return body.steps.some((step) => step?.callee?.isNative === false);
}

/** Hands over to the interpreter where the stacks may overflow, and puts locals in their cells. */
function writeEntry(
  instance: FunctionInstance,
  body: FunctionBody,
  parameters: readonly string[],
  writer: CodeWriter,
  { limits }: TranslateContext,
): string {
  const parts: string[] = [];
  const conditions: string[] = [];
  const { heightMax } = body;
  if (heightMax > 0) {
    conditions.push(`k>=${Math.max((limits.operandsMax - heightMax + 1) * (1 << DEPTH_BITS), 0)}`);
  }
  if (callsFunctions(body)) conditions.push(`(k&${DEPTH_MASK})>=${limits.callDepthMax}`);
  if (conditions.length > 0) parts.push(`if(${conditions.join('||')})return e.interpret(k,[${parameters.join()}]);`);
  for (const index of instance.localTypes.keys()) {
    if (!body.inCell[index]) continue;
    parts.push(`l${index}=new ${writer.constant(Cell)}(${parameters[index] ?? 'undefined'});`);
  }
  return parts.join('');
}

/** The parentheses make V8 compile the function eagerly: it is about to be called. */
function makeRunnable(
  instance: FunctionInstance,
  parameters: readonly string[],
  text: string,
  writer: CodeWriter,
  { interpreter }: TranslateContext,
): Runnable {
  const constants = writer.constants.map((_, index) => `c${index}=c[${index}]`);
  const linked = constants.length === 0 ? '' : `const ${constants.join()};`;
  const whole = `${linked}return(function(${['k', ...parameters].join()}){${text}})`;
  const make = makeFunction(['g', 'c', 'e', 'B', 'U'], whole);
  const site = new FailureSite(instance, interpreter);
  return make(interpreter.processor.gas, writer.constants, site, WIDE, HALVES) as Runnable;
}

/**
 * The exits of translated code: one object for each function instance, named `e` in the code. The failing methods
 * throw; they return `never`, so callers may write `throw` before the call. `refund` is the segment's charge for
 * instructions that were not reached; it is refunded first, so that OUT_OF_GAS is reported correctly.
 */
class FailureSite {
  readonly #instance: FunctionInstance;
  readonly #interpreter: InterpreterContext;

  constructor(instance: FunctionInstance, interpreter: InterpreterContext) {
    this.#instance = instance;
    this.#interpreter = interpreter;
  }

  arithmetic(refund: number, offset: number): never {
    return this.#fail(refund, offset, StatusCode.ARITHMETIC_ERROR, 'arithmetic error');
  }

  vector(refund: number, offset: number, fault: bigint): never {
    return this.#fail(refund, offset, StatusCode.VECTOR_OPERATION_ERROR, 'vector operation error', fault);
  }

  abort(refund: number, offset: number, code: bigint): never {
    return this.#fail(refund, offset, StatusCode.ABORTED, `abort ${code}`, code);
  }

  depth(offset: number): never {
    return this.#fail(0, offset, StatusCode.CALL_STACK_OVERFLOW, 'call stack overflow');
  }

  fault(refund: number, offset: number, status: StatusCode): never {
    return this.#fail(refund, offset, status, 'a type exceeds a bound');
  }

  /** Runs the whole function on the interpreter, because operand stack or call stack could overflow in it. */
  interpret(base: number, parameters: readonly unknown[]): unknown {
    // To its end: its callees would only come here again as translated code.
    const values = interpret({ ...this.#interpreter, tiers: undefined }, this.#instance, parameters, {
      depth: base & DEPTH_MASK,
      height: base >>> DEPTH_BITS,
    });
    return values.length > 1 ? values : values[0];
  }

  #fail(refund: number, offset: number, status: StatusCode, message: string, subStatus?: bigint): never {
    const { processor } = this.#interpreter;
    processor.gas.giveBack(refund);
    return processor.fail(this.#instance.loaded, offset, status, message, subStatus);
  }
}
