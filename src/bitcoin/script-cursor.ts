/**
 * Walks the instructions of a script one by one, without creating objects for them.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import { OP_PUSHBYTES_75, OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4 } from './script.ts';

const NO_INSTRUCTION = -1;

/** Points at one instruction; `next` moves on. Pushes need not be in their shortest form. */
export class ScriptCursor {
  readonly #script: Uint8Array;
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

  isPushOf(data: Uint8Array): boolean {
    return this.isPush && this.#dataEnd - this.#dataStart === data.length && equalBytes(this.data, data);
  }

  next(): void {
    const script = this.#script;
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
