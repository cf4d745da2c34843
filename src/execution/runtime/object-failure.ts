/**
 * Refusals of the object runtime.
 *
 * In Move code a refusal becomes a status or an abort (`native/object.ts`); in TypeScript it is the error of a caller
 * that did not check first. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/object of the reference.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { formatObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { StatusCode } from '../../vm/status.ts';

/** Abort codes of `0x2::object` that its natives raise. */
const OBJECT_EXISTS = 1;
export const OBJECT_NOT_FOUND = 2;
export const OBJECT_BORROWED = 7;
const OBJECT_TYPE_MISMATCH = 10;
const OBJECT_RUNTIME_FAILED = 14;
export const OBJECT_TAKEN_OUT = 15;

/** The failure of a step on the object `id`; `why` is the predicate of the message, whose subject is the object. */
export function refusal(status: StatusCode, id: ObjectId, why: string, abortCode?: number): ObjectFailure {
  return new ObjectFailure(status, `the object ${formatObjectId(id)} ${why}`, abortCode);
}

export class ObjectFailure extends EngineError {
  readonly status: StatusCode;
  /** For failures where the reference aborts by itself; the others get a code from their status. */
  readonly #abortCode: number | undefined;

  constructor(status: StatusCode, message: string, abortCode?: number) {
    super('invariant-violation', message);
    this.name = 'ObjectFailure';
    this.status = status;
    this.#abortCode = abortCode;
  }

  /** The abort code of a native that fails with this while it works on an object. */
  get abortCode(): number {
    switch (this.status) {
      case StatusCode.MISSING_DATA:
        return OBJECT_NOT_FOUND;
      case StatusCode.TYPE_MISMATCH:
        return OBJECT_TYPE_MISMATCH;
      case StatusCode.RESOURCE_ALREADY_EXISTS:
        return OBJECT_EXISTS;
      case StatusCode.ABORTED:
        return this.#abortCode ?? OBJECT_RUNTIME_FAILED;
      default:
        return OBJECT_RUNTIME_FAILED;
    }
  }
}
