/**
 * Translates function instances to JavaScript: structured control flow, expressions for the operand stack, static
 * types, gas by segments.
 *
 * Short functions are written in the place of their calls (`inliner.ts`). A translated function takes one number for
 * its position (the depth in the low bits, the number of operands below it in the others), then its arguments; it
 * returns its value, an array of several values, or nothing. It calls other instances through their `run`, which is a
 * stub until the instance is translated. The text consists only of integers and generated names.
 * @module
 */
import { DEPTH_BITS, DEPTH_MASK } from '../interpret/interpreter.ts';
import type { Block } from '../link/blocks.ts';
import type { FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance, Runnable } from '../link/function-instance.ts';
import { Cell } from '../value/reference.ts';
import { BlockWriter, type WriteContext } from './block.ts';
import { CodeWriter } from './code-writer.ts';
import { FailureSite } from './failure-site.ts';
import { Inliner, type InlinerContext, isTranslatable } from './inliner.ts';
import { makeFunction } from './make-function.ts';
import { mergeCharges } from './merge-charges.ts';
import type { Scope } from './scope.ts';
import { type BlockCode, structure } from './structure.ts';

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
