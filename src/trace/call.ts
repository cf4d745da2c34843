/**
 * A call of a trace, as programs read it.
 * @module
 */
import type { TypeTag } from '../move/type-tag.ts';
import { LazyReadable } from '../value/readable.ts';
import { typeTagValue } from '../value/type-tag.ts';
import { TraceValue } from './kept-value.ts';
import { moduleName } from './place.ts';
import type { CallNode } from './recorder.ts';

/** One call, with all that it called. Gas in units. */
export class TraceCall extends LazyReadable {
  /** `0x3::coin`, or `script`. */
  readonly module: string;
  readonly function: string;
  readonly isNative: boolean;
  /** Whether it ended by a failure, its own or one further inside. */
  readonly isFailed: boolean;
  /** Calls around it, from 0. */
  readonly depth: number;
  /** Of the call instruction in the function around it; undefined for what was called from outside. */
  readonly callOffset: number | undefined;
  /** What it used with all calls inside of it. */
  readonly gasUsed: bigint;
  /** What it used by itself. */
  readonly gasSelf: bigint;
  /** Calls inside of it that are not kept (TRACE_CALLS_MAX), and what those used by themselves. */
  readonly omittedCalls: number;
  readonly omittedGas: bigint;
  readonly #node: CallNode;
  #calls: readonly TraceCall[] | undefined;

  constructor(node: CallNode) {
    super();
    const { loaded } = node.instance;
    this.module = moduleName(loaded);
    this.function = loaded.name;
    this.isNative = node.instance.isNative;
    this.isFailed = node.results === undefined;
    this.depth = node.depth;
    this.callOffset = node.callOffset;
    this.gasUsed = BigInt(node.gasUsed);
    this.gasSelf = BigInt(node.gasSelf);
    this.omittedCalls = node.omittedCalls;
    this.omittedGas = BigInt(node.omittedGas);
    this.#node = node;
  }

  /** Gas that the execution had used when this call began. */
  get gasBefore(): bigint {
    return BigInt(this.#node.gasBefore);
  }

  get typeArguments(): readonly TypeTag[] {
    return this.#node.instance.typeArguments.map(({ tag }) => typeTagValue(tag));
  }

  /** As they were when it began. */
  get arguments(): readonly TraceValue[] {
    return this.#node.instance.parameters.map((type, index) => new TraceValue(type, this.#node.arguments[index]));
  }

  /** Undefined where it failed. */
  get results(): readonly TraceValue[] | undefined {
    const { results, instance } = this.#node;
    return results && instance.returns.map((type, index) => new TraceValue(type, results[index]));
  }

  /** What it called, in order. */
  get calls(): readonly TraceCall[] {
    this.#calls ??= this.#node.calls.map((node) => new TraceCall(node));
    return this.#calls;
  }

  override shown(): object {
    const { module, typeArguments, arguments: given, results, gasUsed, gasSelf, isFailed, omittedCalls, calls } = this;
    return {
      module,
      function: this.function,
      typeArguments,
      arguments: given,
      results,
      gasUsed,
      gasSelf,
      isFailed,
      omittedCalls,
      calls,
    };
  }
}

/** All calls of a tree, each before those inside of it. */
export function* walkCalls(calls: readonly TraceCall[]): Generator<TraceCall, void, undefined> {
  for (const call of calls) {
    yield call;
    yield* walkCalls(call.calls);
  }
}
