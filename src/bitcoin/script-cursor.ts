/**
 * Walks the instructions of a script one by one, without creating objects for them.
 * @module
 */
import { equalBytes } from '../base/bytes/compare.ts';
import { OP_1, OP_1NEGATE, OP_PUSHBYTES_75, OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4 } from './script.ts';

const NO_INSTRUCTION = -1;

/** Points at one instruction; `next` moves on. Pushes need not be in their shortest form. */
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

  /** The bytes pushed here, also by an opcode that pushes a number. */
  get pushed(): Uint8Array {
    const number = this.pushedNumber;
    return number === undefined ? this.data : Uint8Array.of(number);
  }

  get pushedLength(): number {
    return this.pushedNumber === undefined ? this.#dataEnd - this.#dataStart : 1;
  }

  /** What is pushed here if it is one byte. */
  get pushedByte(): number | undefined {
    return this.pushedNumber ?? (this.#dataEnd - this.#dataStart === 1 ? this.#script[this.#dataStart] : undefined);
  }

  /** Copies what is pushed here; returns how many bytes. A view for each of millions of bytes takes seconds. */
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

function littleEndian(script: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + (script[start + index] ?? 0);
  return value;
}
