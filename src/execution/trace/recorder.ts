/**
 * The recorder: listens to the machine while an execution is traced, and keeps its calls as a tree.
 *
 * It is bounded: it keeps the first TRACE_CALLS_MAX calls, and TRACE_BYTES_MAX bytes of their values. Each later call
 * is counted, with its gas, in the innermost kept call around it, so that the sums are still right. Calls that lead to
 * the failure are always kept, and so are calls from outside.
 * @module
 */
import { TRACE_VALUE_BYTES_MAX } from '../../base/config.ts';
import type { TracedFrame } from '../../vm/call.ts';
import type { Failure } from '../../vm/failure.ts';
import type { FunctionInstance } from '../../vm/link/function-instance.ts';
import type { LoadedFunction } from '../../vm/link/loaded-module.ts';
import { encodeUpTo } from '../../vm/value/short-encoding.ts';
import type { Type } from '../../vm/value/type.ts';
import type { SessionTracer } from '../runtime/session.ts';
import { KEPT_VALUE_BYTES, type KeptValue } from './kept-value.ts';

/** Number of calls that a trace keeps: the first ones. Later ones are only counted, with their gas. */
export const TRACE_CALLS_MAX = 10_000;

/**
 * Bytes of all values that a trace keeps, each counted with 128 more for the object that holds it. With TRACE_CALLS_MAX
 * calls a trace takes less than 16 MiB of memory, whatever was executed (test/execution/trace/recorder.test.ts).
 */
const TRACE_BYTES_MAX: number = 8 * 2 ** 20;

/** A call that is kept. Gas in units, which are far below 2^53. */
export class CallNode {
  readonly instance: FunctionInstance;
  readonly arguments: readonly KeptValue[];
  /** Number of calls around it. */
  readonly depth: number;
  /** Offset of the call instruction in the function around it; undefined for a call from outside. */
  readonly callOffset: number | undefined;
  /** Gas that had been used when it began. */
  readonly gasBefore: number;
  readonly calls: CallNode[] = [];
  /** Gas of this call and all calls inside it. */
  gasUsed = 0;
  /** Gas of this call without those inside it. */
  gasSelf = 0;
  /** Calls inside it that are not kept, and the gas that they used by themselves. */
  omittedCalls = 0;
  omittedGas = 0;
  /** Undefined if the call failed. */
  results: readonly KeptValue[] | undefined;

  constructor(open: OpenCall, depth: number, parameters: readonly KeptValue[]) {
    this.instance = open.instance;
    this.arguments = parameters;
    this.depth = depth;
    this.callOffset = open.callOffset;
    this.gasBefore = open.gasBefore;
  }
}

/** The gas that one function used by itself, in all of its calls. */
interface FunctionTotal {
  calls: number;
  gasSelf: number;
}

/** A function that was running when a call inside it failed, and its current instruction. */
export interface OpenFrame {
  readonly loaded: LoadedFunction;
  readonly codeOffset: number;
}

/** How a call from outside failed. */
interface RecordedFailure {
  readonly failure: Failure;
  /** From the outermost function to the one that failed; empty if no code ran. */
  readonly stack: readonly OpenFrame[];
}

/** A running call. */
interface OpenCall {
  readonly instance: FunctionInstance;
  readonly frame: TracedFrame | undefined;
  readonly callOffset: number | undefined;
  readonly gasBefore: number;
  gasInside: number;
  /** Calls inside it that are not kept, and the gas that they used by themselves. */
  omittedCalls: number;
  omittedGas: number;
  /** Undefined if the call is not kept. */
  node: CallNode | undefined;
}

export class Recorder implements SessionTracer {
  /** The calls from outside, in order. */
  roots: CallNode[] = [];
  functions: Map<LoadedFunction, FunctionTotal> = new Map();
  /** The first failure: after one, only the chain's own code runs, on the state before. */
  failed: RecordedFailure | undefined;
  omittedCalls = 0;
  /** Values that are not kept because TRACE_BYTES_MAX was reached. */
  omittedValues = 0;
  #kept = 0;
  #bytesLeft = TRACE_BYTES_MAX;
  #open: OpenCall[] = [];
  /** Gas that was left when the execution began. */
  #budget: bigint | undefined;

  restart(): void {
    this.roots = [];
    this.functions = new Map();
    this.failed = undefined;
    this.omittedCalls = 0;
    this.omittedValues = 0;
    this.#kept = 0;
    this.#bytesLeft = TRACE_BYTES_MAX;
    this.#open = [];
    this.#budget = undefined;
  }

  enter(
    instance: FunctionInstance,
    parameters: readonly unknown[],
    frame: TracedFrame | undefined,
    gasLeft: bigint,
  ): void {
    this.#budget ??= gasLeft;
    const caller = this.#open.at(-1);
    const open: OpenCall = {
      instance,
      frame,
      callOffset: caller?.frame?.offset,
      gasBefore: Number(this.#budget - gasLeft),
      gasInside: 0,
      omittedCalls: 0,
      omittedGas: 0,
      node: undefined,
    };
    if (caller === undefined || this.#kept < TRACE_CALLS_MAX) {
      this.#keep(open, caller?.node, this.#keepAll(instance.parameters, parameters));
    }
    this.#open.push(open);
  }

  leave(values: readonly unknown[], gasLeft: bigint): void {
    const open = this.#open.pop()!;
    if (open.node !== undefined) open.node.results = this.#keepAll(open.instance.returns, values);
    this.#close(open, gasLeft);
  }

  fail(failure: Failure, gasLeft: bigint): void {
    const stack = this.#open.map(({ instance, frame }) => ({
      loaded: instance.loaded,
      codeOffset: frame?.offset ?? 0,
    }));
    this.failed ??= { failure, stack };
    let around: OpenCall | undefined;
    for (const open of this.#open) {
      if (open.node === undefined) this.#keep(open, around?.node, []);
      around = open;
    }
    for (let open = this.#open.pop(); open !== undefined; open = this.#open.pop()) this.#close(open, gasLeft);
  }

  #keep(open: OpenCall, around: CallNode | undefined, parameters: readonly KeptValue[]): void {
    open.node = new CallNode(open, around === undefined ? 0 : around.depth + 1, parameters);
    (around?.calls ?? this.roots).push(open.node);
    this.#kept++;
  }

  #close({ instance, node, gasBefore, gasInside, omittedCalls, omittedGas }: OpenCall, gasLeft: bigint): void {
    const gasUsed = Number(this.#budget! - gasLeft) - gasBefore;
    const gasSelf = gasUsed - gasInside;
    const caller = this.#open.at(-1);
    if (caller !== undefined) caller.gasInside += gasUsed;
    if (node !== undefined) {
      node.gasUsed = gasUsed;
      node.gasSelf = gasSelf;
      node.omittedCalls = omittedCalls;
      node.omittedGas = omittedGas;
    } else {
      this.omittedCalls++;
      // Calls from outside are always kept, so there is a call around this one.
      caller!.omittedCalls += 1 + omittedCalls;
      caller!.omittedGas += gasSelf + omittedGas;
    }
    const total = this.functions.get(instance.loaded) ?? { calls: 0, gasSelf: 0 };
    total.calls++;
    total.gasSelf += gasSelf;
    this.functions.set(instance.loaded, total);
  }

  #keepAll(types: readonly Type[], values: readonly unknown[]): KeptValue[] {
    return types.map((type, index) => {
      if (this.#bytesLeft < KEPT_VALUE_BYTES + TRACE_VALUE_BYTES_MAX) {
        this.omittedValues++;
        return undefined;
      }
      const kept = encodeUpTo(type, values[index], TRACE_VALUE_BYTES_MAX);
      this.#bytesLeft -= KEPT_VALUE_BYTES + (kept?.length ?? 0);
      return kept;
    });
  }
}
