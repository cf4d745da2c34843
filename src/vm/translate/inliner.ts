/**
 * Which calls are replaced by the code of what they call.
 *
 * The framework's functions are short and call each other four deep: looking up an object by its id takes six calls
 * around one native. A call costs more than what most of them do, and what they pass to each other, such as lists of
 * two results, exists only for the call. Nothing observable changes: gas, locations of failures and the bounds on
 * frames and operands are those of calls. Near a bound, the whole function goes to the interpreter.
 *
 * Calls remain if the callee has a loop, is long, is already being written, or has its results cached.
 * @module
 */
import type { InterpreterContext } from '../interpret/interpreter.ts';
import type { FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import { GLOBAL_STORAGE } from '../link/purity.ts';
import { FailureSite } from './failure-site.ts';
import type { Inlined, Scope } from './scope.ts';

/** The most instructions of a function that is inlined. */
const INSTRUCTIONS_MAX = 32;
/** The most instructions of all functions inlined in one. */
const INSTRUCTIONS_TOGETHER_MAX = 256;
/** How deep functions are inlined in each other. */
const DEPTH_MAX = 6;

export function isTranslatable({ steps }: FunctionBody): boolean {
  return !steps.some((step) => step !== undefined && GLOBAL_STORAGE.has(step.op));
}

export interface InlinerContext {
  readonly interpreter: InterpreterContext;
  /** Whether results of a function are cached: then its calls remain. */
  readonly isCached: (instance: FunctionInstance) => boolean;
  /** Counts that the code of `instance` contains that of `callee`, too. */
  readonly include: (instance: FunctionInstance, callee: FunctionInstance) => void;
}

/** What is inlined in one function. */
export class Inliner {
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
