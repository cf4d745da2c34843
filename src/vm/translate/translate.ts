/**
 * Translates function instances to JavaScript: structured control flow, expressions for the operand stack, static
 * types, gas by segments.
 *
 * Short functions are written in the place of their calls (`Inliner`). A translated function takes one number for
 * its position (the depth in the low bits, the number of operands below it in the others), then its arguments; it
 * returns its value, an array of several values, or nothing. It calls other instances through their `run`, which is a
 * stub until the instance is translated. The text consists only of integers and generated names.
 *
 * Consecutive charges are merged. Each block and each call begins a segment of gas, and where functions are inlined,
 * several begin with nothing between them but the passing of values, which cannot fail. So they form one segment: what
 * is charged at once, and what a failure in it refunds, is the same.
 *
 * The framework's functions are short and call each other four deep: looking up an object by its id takes six calls
 * around one native. A call costs more than what most of them do, and what they pass to each other, such as lists of
 * two results, exists only for the call. Nothing observable changes: gas, locations of failures and the bounds on
 * frames and operands are those of calls. Near a bound, the whole function goes to the interpreter.
 *
 * Calls remain if the callee has a loop, is long, is already being written, or has its results cached.
 * @module
 */

import { GLOBAL_STORAGE } from '../binary/opcode.ts';
import { DEPTH_BITS, DEPTH_MASK, type InterpreterContext } from '../interpret/interpreter.ts';
import type { Block, FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance, Runnable } from '../link/function-instance.ts';
import { Cell } from '../value/reference.ts';
import { BlockWriter, type WriteContext } from './block.ts';
import { CodeWriter } from './code-writer.ts';
import { FailureSite, type Inlined, type Scope } from './scope.ts';
import { type BlockCode, structure } from './structure.ts';
import { makeFunction } from './type-code.ts';

/** The most instructions of a function that is inlined. */
const INSTRUCTIONS_MAX = 32;
/** The most instructions of all functions inlined in one. */
const INSTRUCTIONS_TOGETHER_MAX = 256;
/** How deep functions are inlined in each other. */
const DEPTH_MAX = 6;

function isTranslatable({ steps }: FunctionBody): boolean {
  return !steps.some((step) => step !== undefined && GLOBAL_STORAGE.has(step.op));
}

interface InlinerContext {
  readonly interpreter: InterpreterContext;
  /** Whether results of a function are cached: then its calls remain. */
  readonly isCached: (instance: FunctionInstance) => boolean;
  /** Counts that the code of `instance` contains that of `callee`, too. */
  readonly include: (instance: FunctionInstance, callee: FunctionInstance) => void;
}

/** What is inlined in one function. */
class Inliner {
  readonly #instance: FunctionInstance;
  readonly #context: InlinerContext;
  #left = INSTRUCTIONS_TOGETHER_MAX;

  constructor(instance: FunctionInstance, context: InlinerContext) {
    this.#instance = instance;
    this.#context = context;
  }

  /** What replaces a call in `scope`; `undefined` for a call that remains. */
  readonly inline = (scope: Scope, callee: FunctionInstance): Inlined | undefined => {
    const { interpreter, isCached, include } = this.#context;
    const instructions = callee.loaded.code?.instructions;
    if (instructions === undefined || instructions.length > Math.min(INSTRUCTIONS_MAX, this.#left)) return undefined;
    if (scope.frames >= DEPTH_MAX || isWithin(scope, callee)) return undefined;
    const known = callee.body;
    const body = interpreter.bodyOf(callee);
    // Bodies are large: one that was not resolved before is not kept.
    callee.body = known;
    if (hasLoop(body) || !isTranslatable(body) || isCached(callee)) return undefined;
    this.#left -= instructions.length;
    include(this.#instance, callee);
    return { instance: callee, body, site: new FailureSite(callee, interpreter) };
  };
}

/** Whether the code of `callee` is being written already. */
function isWithin(scope: Scope, callee: FunctionInstance): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    if (at.instance.loaded === callee.loaded) return true;
  }
  return false;
}

function hasLoop({ blocks }: FunctionBody): boolean {
  return blocks.some(({ successors }, from) => successors.some((to) => to <= from));
}

/** A charge, with or without a check of the counter; text that cannot fail or jump; another charge. */
const TWO_CHARGES =
  /(g\.left-=)(\d+)(\)<0\)g\.refill\(\);|;)((?:l\d+=(?:[lt]\d+|undefined);|[BI]\d+(?:I\d+)?:\{)*)g\.left-=(\d+);/g;

/** The most that the sum may be: it must leave the counter a small integer. */
const MERGED_UNITS_MAX = 2 ** 20;

export function mergeCharges(text: string): string {
  let merged = text;
  for (;;) {
    const next = merged.replace(TWO_CHARGES, (whole, charge, first, end, between, second) => {
      const sum = Number(first) + Number(second);
      return sum > MERGED_UNITS_MAX ? whole : `${charge}${sum}${end}${between}`;
    });
    if (next === merged) return merged;
    merged = next;
  }
}

export interface TranslateContext extends Omit<WriteContext, 'inline'>, InlinerContext {}

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
  const site = new FailureSite(instance, context.interpreter);
  if (!isTranslatable(body)) return (base, ...parameters) => site.interpret(base as number, parameters);
  const writer = new CodeWriter(instance.localTypes.length, body.heightMax);
  const { inline } = new Inliner(instance, context);
  const codes = writeBlocks(instance, body, body.blocks, writer, false, { ...context, inline });
  const prologue = writePrologue(instance, body, writer, context);
  const parameters = instance.parameters.map((_, index) => `l${index}`);
  return makeRunnable(
    parameters,
    prologue + structure(body.blocks, codes, context.preferSwitch),
    site,
    writer,
    context,
  );
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
  if (!isTranslatable(body)) return undefined;
  const writer = new CodeWriter(instance.localTypes.length, body.heightMax);
  const inline = (): undefined => undefined;
  const codes = writeBlocks(instance, body, blocks, writer, true, { ...context, inline });
  const { temporaries } = writer;
  const prologue = temporaries.length === 0 ? '' : `let ${temporaries.join()};`;
  const parameters = instance.localTypes.map((_, index) => `l${index}`);
  const site = new FailureSite(instance, context.interpreter);
  return makeRunnable(parameters, prologue + structure(blocks, codes, context.preferSwitch), site, writer, context);
}

function writeBlocks(
  instance: FunctionInstance,
  body: FunctionBody,
  blocks: readonly Block[],
  writer: CodeWriter,
  checksDepth: boolean,
  context: WriteContext,
): BlockCode[] {
  // Gas is checked wherever code could loop forever: at heads of loops, and at the entry of functions that call others.
  const looks = new Set(blocks.flatMap(({ successors }, from) => successors.filter((to) => to <= from)));
  if (callsFunctions(body)) looks.add(0);
  const place = { site: 'e', firstLocal: 0, frames: 0, height: 0, exit: undefined, outer: undefined };
  const scope: Scope = { instance, body, ...place };
  return blocks.map((block, index) =>
    new BlockWriter(writer, scope, block, { looksAtGas: looks.has(index), checksDepth }, context).write(),
  );
}

/** Whether there are calls of functions that are not native. */
function callsFunctions(body: FunctionBody): boolean {
  return body.steps.some((step) => step?.callee?.isNative === false);
}

/** The parentheses make V8 compile the function at once: it is about to be called. */
function makeRunnable(
  parameters: readonly string[],
  text: string,
  site: FailureSite,
  writer: CodeWriter,
  context: TranslateContext,
): Runnable {
  const constants = writer.constants.map((_, index) => `c${index}=c[${index}]`);
  const linked = constants.length === 0 ? '' : `const ${constants.join()};`;
  const whole = `${linked}return(function(${['k', ...parameters].join()}){${text}})`;
  const make = makeFunction(['g', 'c', 'e', 'B', 'U'], mergeCharges(whole));
  return make(context.interpreter.processor.gas, writer.constants, site, WIDE, HALVES) as Runnable;
}

function writePrologue(
  instance: FunctionInstance,
  body: FunctionBody,
  writer: CodeWriter,
  { limits }: TranslateContext,
): string {
  const names = Array.from({ length: writer.localCount }, (_, index) => `l${index}`);
  const parameters = names.slice(0, instance.parameters.length);
  const parts: string[] = [];
  const declared = [...names.slice(parameters.length), ...writer.temporaries];
  if (declared.length > 0) parts.push(`let ${declared.join()};`);
  const conditions: string[] = [];
  const { heightMax, framesMax } = writer;
  if (heightMax > 0) {
    conditions.push(`k>=${Math.max((limits.operandsMax - heightMax + 1) * (1 << DEPTH_BITS), 0)}`);
  }
  if (callsFunctions(body)) conditions.push(`(k&${DEPTH_MASK})>=${Math.max(limits.callDepthMax - framesMax + 1, 0)}`);
  if (conditions.length > 0) parts.push(`if(${conditions.join('||')})return e.interpret(k,[${parameters.join()}]);`);
  for (const [index, name] of names.slice(0, instance.localTypes.length).entries()) {
    if (!body.inCell[index]) continue;
    parts.push(`${name}=new ${writer.constant(Cell)}(${index < parameters.length ? name : 'undefined'});`);
  }
  return parts.join('');
}
