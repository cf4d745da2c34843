/**
 * A bounded cursor over a module's bytes whose failures carry the reference's status codes.
 *
 * No length read from the input is trusted: slices are views bounded by the table, and every list item takes at least
 * one byte, so memory and time are linear in the input.
 * @module
 */
import { readU128, readU256 } from '../../base/bytes/bigint.ts';
import { textOfBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { StatusCode, statusName } from '../status.ts';
import { FORMAT_LIMITS } from './format.ts';

export class BinaryCursor {
  readonly bytes: Uint8Array;
  /** Version of the binary format; some entries depend on it. */
  readonly version: number;
  readonly #view: DataView;
  readonly #start: number;
  readonly #end: number;
  #at: number;
  #letters: string | undefined;

  /** Reads `bytes` from `start` (inclusive) to `end` (exclusive). */
  constructor(bytes: Uint8Array, version: number, start: number, end: number) {
    this.bytes = bytes;
    this.version = version;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start;
    this.#at = start;
    this.#end = end;
  }

  /** Position of the next byte, counted from the start of the module. */
  get offset(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** A failure at byte `at`. */
  error(status: StatusCode, message: string, at: number): EngineError {
    return malformedModule(status, message, at);
  }

  /** A failure with the status MALFORMED at byte `at`. */
  malformed(message: string, at: number): EngineError {
    return malformedModule(StatusCode.MALFORMED, message, at);
  }

  /** Skips `length` bytes and returns where they start; fails with `status` if the input is too short. */
  skip(length: number, status: StatusCode = StatusCode.MALFORMED): number {
    const start = this.#at;
    if (length > this.#end - start) {
      throw malformedModule(status, `expected ${length} bytes, got ${this.#end - start} before the end`, start);
    }
    this.#at = start + length;
    return start;
  }

  u8(): number {
    const at = this.#at;
    if (at >= this.#end) return this.bytes[this.skip(1)]!;
    this.#at = at + 1;
    return this.bytes[at]!;
  }

  u16(): number {
    return this.#view.getUint16(this.skip(2, StatusCode.BAD_U16), true);
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4, StatusCode.BAD_U32), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.skip(8, StatusCode.BAD_U64), true);
  }

  u128(): bigint {
    return readU128(this.bytes, this.skip(16, StatusCode.BAD_U128));
  }

  u256(): bigint {
    return readU256(this.bytes, this.skip(32, StatusCode.BAD_U256));
  }

  /** A canonical uleb128 number of at most `max`; `what` names it in the message. */
  bounded(max: number, what: string): number {
    const start = this.#at;
    // Nearly all numbers of a module fit in one byte.
    if (start < this.#end) {
      const first = this.bytes[start]!;
      if (first < 0x80 && first <= max) {
        this.#at = start + 1;
        return first;
      }
    }
    const value = this.#uleb128();
    if (value > max) throw this.malformed(`expected a ${what} of at most ${max}, got ${value}`, start);
    return Number(value);
  }

  /** A bigint for values that a number cannot represent exactly. */
  #uleb128(): number | bigint {
    const start = this.#at;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.u8();
      const bits = byte & 0x7f;
      value += bits * 2 ** shift;
      if ((byte & 0x80) === 0) {
        if (bits === 0 && shift > 0) break;
        return Number.isSafeInteger(value) ? value : this.#exactUleb128(start);
      }
    }
    throw this.malformed('expected a canonical uleb128 number', start);
  }

  #exactUleb128(start: number): bigint {
    return this.bytes.subarray(start, this.#at).reduceRight((value, byte) => (value << 7n) | BigInt(byte & 0x7f), 0n);
  }

  /** An index into a table. */
  index(what: string): number {
    return this.bounded(FORMAT_LIMITS.indexMax, what);
  }

  /** The number of a type parameter. */
  typeParameterIndex(): number {
    const start = this.#at;
    const index = this.bounded(65_536, 'type parameter');
    // The reference's bound is one too large for its 16-bit index; that one value is an internal error there.
    if (index === 65_536) {
      throw this.error(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, 'expected a type parameter below 65536', start);
    }
    return index;
  }

  /**
   * A length of at most `max`, then that many bytes as one character each: a slice of one string for the whole table.
   */
  letters(max: number, what: string): string {
    const length = this.bounded(max, what);
    const start = this.skip(length) - this.#start;
    this.#letters ??= textOfBytes(this.bytes.subarray(this.#start, this.#end));
    return this.#letters.slice(start, start + length);
  }

  /** A length of at most `max`, then that many bytes, as a view of the input. */
  blob(max: number, what: string): Uint8Array {
    const length = this.bounded(max, what);
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }
}

/** `malformed-module` with `details.statusCode`, the reference's number, and `details.offset` in bytes. */
export function malformedModule(status: StatusCode, message: string, offset: number): EngineError {
  return new EngineError('malformed-module', `${message} at byte ${offset} (${statusName(status)})`, {
    details: { statusCode: status, offset },
  });
}
