/**
 * A bound on the code that one execution may have prepared: function instances created, bodies resolved.
 *
 * Gas does not cover it. A generic function that calls two others with new types doubles the instances with each level,
 * and each instance of a long body takes milliseconds to prepare for a call that returns immediately: a transaction
 * could occupy the thread for an hour. What is already prepared differs between engines, so the bound is enforced in
 * two steps:
 *
 * 1. An execution counts what it prepares itself. Nearly all stay far below `PREPARED_MAX`, and nothing else happens.
 * 2. One that exceeds it is run again from the start, interpreted, on a machine that starts empty and drops nothing.
 *    There the count depends only on the execution. Above `PREPARED_EXACT_MAX` it fails, with a status that is kept.
 *
 * A machine never keeps more than `PREPARED_KEPT_MAX`. So an execution that needs more than `PREPARED_EXACT_MAX`, which
 * exceeds the sum of the other two, reaches the second step on every engine, and all engines agree on which executions
 * fail. Cached results of pure functions count what their calls would have prepared (`result-cache.ts`).
 *
 * A unit is about one instruction: half a microsecond to resolve, about five to translate.
 * @module
 */
import { typesNamedBy } from '../binary/module.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import type { Deadline } from '../deadline.ts';
import { refuse } from '../failure.ts';
import { StatusCode } from '../status.ts';
import type { LoadedFunction } from './loaded-module.ts';

/**
 * Units that one execution may prepare before it is run again and counted exactly. The first transfer of a new engine
 * takes 6,000.
 */
export const PREPARED_MAX = 150_000;

/** Units that a machine keeps: some 100 bytes each while they are not translated. */
export const PREPARED_KEPT_MAX = 600_000;

/**
 * Units that one execution may prepare in total: more than the other two together, with the code that runs before and
 * after a transaction's action. All functions of the framework, each at one type, take 78,000.
 */
export const PREPARED_EXACT_MAX = 800_000;

/** The first step exceeded its bound: discard the run and repeat it on an exact machine. */
export class TooMuchPrepared extends Error {}

export class Preparation {
  /** Whether the count depends only on the execution. */
  readonly #isExact: boolean;
  #left = Number.POSITIVE_INFINITY;
  /** Whether running code is counted; unmetered code is the chain's own. */
  isCounting = true;
  /** Identifies an execution. */
  execution = 0;
  /** Set for an execution outside consensus. */
  deadline: Deadline | undefined;

  constructor(isExact: boolean) {
    this.#isExact = isExact;
  }

  /** Begins an execution that may prepare `unitsMax`; returns the rest of the surrounding one, for `resume`. */
  begin(unitsMax: number): number {
    const left = this.#left;
    this.#left = unitsMax;
    this.execution++;
    return left;
  }

  resume(left: number): void {
    this.#left = left;
    this.execution++;
  }

  /**
   * @throws {TooMuchPrepared | ThrownFailure} EXECUTION_LIMIT_REACHED on an exact machine
   * @throws {EngineError} `deadline-exceeded`
   */
  spend(units: number): void {
    this.deadline?.check();
    if (!this.isCounting) return;
    this.#left -= units;
    if (this.#left >= 0) return;
    if (!this.#isExact) throw new TooMuchPrepared();
    throw refuse(StatusCode.EXECUTION_LIMIT_REACHED, 'the code calls too many functions at too many types');
  }
}

/** Units of an instance before its body is resolved, besides those of its signature. */
const INSTANCE_UNITS = 20;

function nodesOf(tokens: readonly SignatureToken[]): number {
  let nodes = tokens.length;
  for (let index = 0; index < tokens.length; index++) {
    const inner = tokens[index]!.arguments;
    if (inner.length > 0) nodes += nodesOf(inner);
  }
  return nodes;
}

/** Units of creating an instance of a function. */
export function instanceUnits(loaded: LoadedFunction): number {
  loaded.instanceUnits ??= INSTANCE_UNITS + nodesOf(loaded.parameters) + nodesOf(loaded.returns);
  return loaded.instanceUnits;
}

/** Units of resolving the body of an instance: its instructions, and the types that they name. */
export function bodyUnits(loaded: LoadedFunction): number {
  loaded.bodyUnits ??= countBody(loaded);
  return loaded.bodyUnits;
}

function countBody({ module: { binary }, code, locals }: LoadedFunction): number {
  if (code === undefined) return 0;
  const { instructions } = code;
  let units = nodesOf(locals) + instructions.length;
  // By signature: a body uses few of its module's.
  const counted: (number | undefined)[] = [];
  for (let offset = 0; offset < instructions.length; offset++) {
    const signature = typesNamedBy(binary, instructions[offset]!);
    if (signature !== undefined) units += counted[signature] ??= nodesOf(binary.signatures[signature]!);
  }
  return units;
}
