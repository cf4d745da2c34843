/**
 * Scripts: opcodes, pushes, and a cursor over instructions.
 *
 * Nothing here runs a script. Blocks are assumed to be valid: like the reference, this checks neither signatures nor
 * locktimes.
 * Source: BIP 141, BIP 342; script_buf.move of the reference.
 * @module
 */
import { bigEndian, littleEndian } from '../base/bytes/bigint.ts';
import { concatBytes, equalBytes } from '../base/bytes/bytes.ts';
import { invalidArgument } from '../base/error.ts';

export const OP_0 = 0x00;
const OP_PUSHBYTES_75 = 0x4b;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA2 = 0x4d;
const OP_PUSHDATA4 = 0x4e;
const OP_1NEGATE = 0x4f;
export const OP_1 = 0x51;
export const OP_16 = 0x60;
export const OP_IF = 0x63;
export const OP_ENDIF = 0x68;
export const OP_RETURN = 0x6a;
export const OP_DUP = 0x76;
export const OP_EQUAL = 0x87;
export const OP_EQUALVERIFY = 0x88;
export const OP_NUMEQUAL = 0x9c;
export const OP_HASH160 = 0xa9;
export const OP_CHECKSIG = 0xac;
export const OP_CHECKSIGVERIFY = 0xad;
export const OP_CHECKSEQUENCEVERIFY = 0xb2;
export const OP_CHECKSIGADD = 0xba;

/** Whether an output with this script cannot be spent: its first byte is OP_RETURN. */
export function isOpReturn(script: Uint8Array): boolean {
  return script[0] === OP_RETURN;
}

/** The bytes that push `data`, in the shortest form with a length: small numbers are not turned into opcodes. */
export function pushBytes(data: Uint8Array): Uint8Array {
  const length = data.length;
  if (length <= OP_PUSHBYTES_75) return concatBytes(Uint8Array.of(length), data);
  if (length <= 0xff) return concatBytes(Uint8Array.of(OP_PUSHDATA1, length), data);
  if (length <= 0xffff) return concatBytes(Uint8Array.of(OP_PUSHDATA2, length & 0xff, length >>> 8), data);
  const head = Uint8Array.of(OP_PUSHDATA4, 0, 0, 0, 0);
  new DataView(head.buffer).setUint32(1, length, true);
  return concatBytes(head, data);
}

/**
 * The bytes that push a number: one opcode up to 16, else little endian with a sign bit.
 * @throws {EngineError} `invalid-argument` unless it is a safe integer of 0 or more.
 */
export function pushNumber(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw invalidArgument(`expected a safe integer of 0 or more to push, got ${value}`);
  }
  if (value === 0) return Uint8Array.of(OP_0);
  if (value <= 16) return Uint8Array.of(OP_1 + value - 1);
  const digits = bigEndian(BigInt(value)).reverse();
  return pushBytes(digits.at(-1)! < 0x80 ? digits : concatBytes(digits, Uint8Array.of(0)));
}

const NO_INSTRUCTION = -1;

/**
 * Walks the instructions of a script one by one, without creating objects for them: it points at one, and `next` moves on.
 * Pushes need not be in their shortest form.
 */
export class ScriptCursor {
  readonly #script: Uint8Array;
  #start = 0;
  #at = 0;
  #dataStart = 0;
  #dataEnd = 0;
  #opcode = NO_INSTRUCTION;
  #isTruncated = false;

  /** Points at the first instruction. */
  constructor(script: Uint8Array) {
    this.#script = script;
    this.next();
  }

  /** Whether there is no instruction here: the script has ended, or a push runs past its end. */
  get atEnd(): boolean {
    return this.#opcode === NO_INSTRUCTION;
  }

  /** Whether the walk ended at a push that runs past the end of the script. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** The opcode here; -1 at the end. */
  get opcode(): number {
    return this.#opcode;
  }

  /** Where the instruction begins. */
  get start(): number {
    return this.#start;
  }

  /** The script from `start` to here, without the instruction here, as a view. */
  since(start: number): Uint8Array {
    return this.#script.subarray(start, this.#start);
  }

  /** Whether bytes are pushed here. Opcodes that push a number do not count. */
  get isPush(): boolean {
    return this.#opcode >= 0 && this.#opcode <= OP_PUSHDATA4;
  }

  get isEmptyPush(): boolean {
    return this.isPush && this.#dataStart === this.#dataEnd;
  }

  /** The bytes pushed here, as a view. */
  get data(): Uint8Array {
    return this.#script.subarray(this.#dataStart, this.#dataEnd);
  }

  /** The byte that an opcode such as OP_1 pushes; undefined for any other. */
  get pushedNumber(): number | undefined {
    const opcode = this.#opcode;
    if (opcode === OP_1NEGATE) return 0x81;
    return opcode >= OP_1 && opcode < OP_1 + 16 ? opcode - OP_1 + 1 : undefined;
  }

  /** The bytes pushed here, by a push or by an opcode that pushes a number. */
  get pushed(): Uint8Array {
    const number = this.pushedNumber;
    return number === undefined ? this.data : Uint8Array.of(number);
  }

  get pushedLength(): number {
    return this.pushedNumber === undefined ? this.#dataEnd - this.#dataStart : 1;
  }

  /** The byte pushed here, if it is a single one. */
  get pushedByte(): number | undefined {
    return this.pushedNumber ?? (this.#dataEnd - this.#dataStart === 1 ? this.#script[this.#dataStart] : undefined);
  }

  /** Copies the bytes pushed here and returns their number. Millions of views would take seconds. */
  copyPushed(target: Uint8Array, at: number): number {
    const byte = this.pushedByte;
    if (byte === undefined) target.set(this.data, at);
    else target[at] = byte;
    return this.pushedLength;
  }

  isPushOf(data: Uint8Array): boolean {
    return this.isPush && this.#dataEnd - this.#dataStart === data.length && equalBytes(this.data, data);
  }

  next(): void {
    const script = this.#script;
    this.#start = this.#at;
    this.#dataStart = this.#at;
    this.#dataEnd = this.#at;
    if (this.#at >= script.length) {
      this.#opcode = NO_INSTRUCTION;
      return;
    }
    const opcode = script[this.#at]!;
    const lengthBytes = LENGTH_BYTES[opcode] ?? 0;
    const dataStart = this.#at + 1 + lengthBytes;
    const length = opcode <= OP_PUSHBYTES_75 ? opcode : littleEndian(script, this.#at + 1, lengthBytes);
    if (dataStart + length > script.length) {
      this.#opcode = NO_INSTRUCTION;
      this.#isTruncated = true;
      this.#at = script.length;
      return;
    }
    this.#opcode = opcode;
    this.#dataStart = dataStart;
    this.#dataEnd = dataStart + length;
    this.#at = this.#dataEnd;
  }
}

const LENGTH_BYTES: Readonly<Record<number, number>> = { [OP_PUSHDATA1]: 1, [OP_PUSHDATA2]: 2, [OP_PUSHDATA4]: 4 };
