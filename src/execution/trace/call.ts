/**
 * A call of a trace, in the form that programs read.
 * @module
 */

import { LazyReadable } from '../../chain/value/readable.ts';
import { type TypeTag, typeName } from '../../move/type-tag.ts';
import { TraceValue } from './kept-value.ts';
import { moduleName } from './place.ts';
import type { CallNode } from './recorder.ts';

/** One call, with all calls inside it. Gas in units. */
export class TraceCall extends LazyReadable {
  /** `0x3::coin`, or `script`. */
  readonly module: string;
  readonly function: string;
  readonly isNative: boolean;
  /** Whether it failed, by itself or further inside. */
  readonly isFailed: boolean;
  /** Number of calls around it. */
  readonly depth: number;
  /** Offset of the call instruction in the function around it; undefined for a call from outside. */
  readonly callOffset: number | undefined;
  /** Gas used, including all calls inside it. */
  readonly gasUsed: bigint;
  /** Gas used by the call itself. */
  readonly gasSelf: bigint;
  /** Calls inside it that are not kept (TRACE_CALLS_MAX), and the gas that those used by themselves. */
  readonly omittedCalls: number;
  readonly omittedGas: bigint;
  readonly #node: CallNode;
  #calls: readonly TraceCall[] | undefined;

  constructor(node: CallNode) {
    super();
    const { loaded } = node.instance;
    this.module = moduleName(loaded.module.id);
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

  get typeArguments(): readonly string[] {
    return this.inside.map(typeName);
  }

  /** The type arguments. @internal */
  get inside(): readonly TypeTag[] {
    return this.#node.instance.typeArguments.map(({ tag }) => tag);
  }

  /** The arguments as they were when the call began. */
  get arguments(): readonly TraceValue[] {
    return this.#node.instance.parameters.map((type, index) => new TraceValue(type, this.#node.arguments[index]));
  }

  /** Undefined if the call failed. */
  get results(): readonly TraceValue[] | undefined {
    const { results, instance } = this.#node;
    return results && instance.returns.map((type, index) => new TraceValue(type, results[index]));
  }

  /** The calls that it made, in order. */
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

/** All calls of a tree, each before those inside it. */
export function* walkCalls(calls: readonly TraceCall[]): Generator<TraceCall, void, undefined> {
  for (const call of calls) {
    yield call;
    yield* walkCalls(call.calls);
  }
}
