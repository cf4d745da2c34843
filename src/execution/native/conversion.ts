/**
 * Conversions between Move values and other formats in natives: a misfit is thrown where it is found, many calls deep,
 * and only `convert` catches it.
 * @module
 */
import type { NativeContext } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
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

/** Ends a conversion: there is no result. */
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
 * @throws {EngineError} what `conversion` throws of that kind.
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
