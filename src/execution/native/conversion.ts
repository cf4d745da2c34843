/**
 * Conversions between Move values and other formats in natives: a mismatch is thrown where it is found, many calls
 * deep, and only `convert` catches it.
 *
 * Their work is counted as they proceed. The amount of output is known only at the end: a small value may have a
 * thousand nodes. So nodes are counted before they are written, in batches, and work that would take too long is
 * stopped midway.
 * @module
 */
import type { NativeContext } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { NativeWork } from '../runtime/native-work.ts';
import { panic } from './panic.ts';

/** Thrown and caught in conversions only. */
class ConversionFault {
  readonly isFatal: boolean;
  readonly message: string;

  constructor(isFatal: boolean, message: string) {
    this.isFatal = isFatal;
    this.message = message;
  }
}

/** Ends a conversion without a result. */
export function misfit(message: string): never {
  throw new ConversionFault(false, message);
}

/** Ends a conversion in a case where the reference's process would die: the native panics. */
export function fatal(message: string): never {
  throw new ConversionFault(true, message);
}

/**
 * The result of a conversion, or `undefined` after `misfit`. Panics after `fatal`, so nothing may have been charged
 * before.
 * @throws {EngineError} as thrown by `conversion`.
 */
export function convert<Result>(context: NativeContext, conversion: () => Result): Result | undefined {
  try {
    return conversion();
  } catch (thrown) {
    if (!(thrown instanceof ConversionFault)) throw thrown;
    if (!thrown.isFatal) return undefined;
    return panic(context, StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, thrown.message);
  }
}

/** Nodes per microsecond, measured on the most expensive kinds: texts, options, maps. */
const NODES_PER_WORK = 1;

/** Bytes of text or byte strings that count as a node: they are copied and scanned, but create no objects. */
const BYTES_PER_NODE = 50;

/** Nodes that are counted together. */
const NODES_TOGETHER = 64;

export class NodeWork {
  readonly #work: Pick<NativeWork, 'spend'>;
  #nodes = 0;

  constructor(work: Pick<NativeWork, 'spend'>) {
    this.#work = work;
  }

  /** Counts a node before it is written, with the bytes in it. */
  node(bytes = 0): void {
    this.#nodes += 1 + Math.floor(bytes / BYTES_PER_NODE);
    if (this.#nodes >= NODES_TOGETHER) this.settle();
  }

  /** Charges the nodes not charged yet. */
  settle(): void {
    if (this.#nodes > 0) this.#work.spend(Math.ceil(this.#nodes / NODES_PER_WORK));
    this.#nodes = 0;
  }
}
