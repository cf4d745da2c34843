/**
 * Code of a field and its curve, run with bounds instead of numbers: each value is all that it can be. What overflows with
 * no bounds overflows with no numbers. So this is a proof for all of them, where a test would try some.
 */
import { vi } from 'vitest';

/** All numbers from one to another, both included. */
export interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

interface Code {
  readonly parameters: number;
  readonly body: Uint8Array;
}

export const range = (least: bigint, most: bigint): Range => ({ least, most });
const only = (value: bigint): Range => range(value, value);

/** The code of the module that `make` instantiates, which is given no instance of it. */
export function codeOf(make: () => unknown): FieldCode {
  let bytes: Uint8Array | undefined;
  const Module = function module(given: Uint8Array): void {
    bytes = given;
  };
  vi.stubGlobal('WebAssembly', { Module });
  make();
  vi.unstubAllGlobals();
  if (bytes === undefined) throw new Error('no module was made');
  return new FieldCode(bytes);
}

const SECTION_TYPE = 1;
const SECTION_EXPORT = 7;
const SECTION_CODE = 10;
const EXPORTED_FUNCTION = 0;
/** The type of 64 bits. */
const WIDE = 0x7e;

export class FieldCode {
  readonly #functions: Code[] = [];
  readonly #names = new Map<string, number>();
  /** The limbs that have been written, by their place. */
  readonly memory: Map<number, Range> = new Map();

  constructor(bytes: Uint8Array) {
    const reader = new Reader(bytes, 8);
    const parameters: number[] = [];
    while (!reader.isAtEnd) {
      const [section, length] = [reader.byte(), reader.number()];
      const part = new Reader(reader.bytes(length));
      const count = part.number();
      for (let index = 0; index < count; index++) {
        if (section === SECTION_TYPE) {
          part.byte();
          parameters.push(part.number());
          part.bytes(parameters.at(-1)! + 1);
        } else if (section === SECTION_EXPORT) {
          const name = Buffer.from(part.bytes(part.number())).toString();
          const isFunction = part.byte() === EXPORTED_FUNCTION;
          const place = part.number();
          if (isFunction) this.#names.set(name, place);
        } else if (section === SECTION_CODE) {
          this.#functions.push({ parameters: parameters[index]!, body: part.bytes(part.number()) });
        }
      }
    }
  }

  get names(): readonly string[] {
    return [...this.#names.keys()];
  }

  parametersOf(name: string): number {
    return this.#functions[this.#names.get(name)!]!.parameters;
  }

  /** @throws {RangeError} where a value may not fit into its 64 bits, or a stored one into its 32 */
  run(name: string, ...addresses: readonly number[]): void {
    this.#run(this.#functions[this.#names.get(name)!]!, addresses);
  }

  #run({ body }: Code, addresses: readonly number[]): void {
    const reader = new Reader(body);
    const locals: (Range | number)[] = [...addresses];
    for (let groups = reader.number(); groups > 0; groups--) {
      const count = reader.number();
      const begins = reader.byte() === WIDE ? only(0n) : 0;
      for (let index = 0; index < count; index++) locals.push(begins);
    }
    const stack: (Range | number)[] = [];
    const popRange = (): Range => stack.pop() as Range;
    const popAddress = (): number => stack.pop() as number;
    const binary = (operation: (left: Range, right: Range) => Range): void => {
      const right = popRange();
      stack.push(fitting(operation(popRange(), right), 64n));
    };
    while (!reader.isAtEnd) {
      const instruction = reader.byte();
      if (instruction === 0x20) stack.push(locals[reader.number()]!);
      else if (instruction === 0x21) locals[reader.number()] = stack.pop()!;
      else if (instruction === 0x22) locals[reader.number()] = stack.at(-1)!;
      else if (instruction === 0x41) stack.push(Number(reader.signed()));
      else if (instruction === 0x42) stack.push(only(reader.signed()));
      else if (instruction === 0x6a) stack.push(popAddress() + popAddress());
      else if (instruction === 0x34) {
        reader.byte();
        const limb = this.memory.get(popAddress() + reader.number());
        if (limb === undefined) throw new Error('a limb is read that nobody wrote');
        stack.push(limb);
      } else if (instruction === 0x3e) {
        reader.byte();
        const value = fitting(popRange(), 32n);
        this.memory.set(popAddress() + reader.number(), value);
      } else if (instruction === 0x10) {
        const called = this.#functions[reader.number()]!;
        this.#run(called, stack.splice(-called.parameters) as number[]);
      } else if (OPERATIONS[instruction] !== undefined) binary(OPERATIONS[instruction]);
      else if (instruction !== 0x0b) throw new Error(`instruction ${instruction} is not known here`);
    }
  }
}

const OPERATIONS: Readonly<Record<number, (left: Range, right: Range) => Range>> = {
  124: (left, right) => range(left.least + right.least, left.most + right.most),
  125: (left, right) => range(left.least - right.most, left.most - right.least),
  126: (left, right) => hull(products(left, right)),
  // Bits of a mask, which is one less than a power of 2.
  131: (left, right) => (left.least >= 0n && left.most <= right.most ? left : range(0n, right.most)),
  134: (left, right) => range(left.least << right.least, left.most << right.least),
  135: (left, right) => range(left.least >> right.least, left.most >> right.least),
};

function products(left: Range, right: Range): bigint[] {
  const [a, b, c, d] = [left.least, left.most, right.least, right.most];
  return [a * c, a * d, b * c, b * d];
}

function hull(values: readonly bigint[]): Range {
  return range(
    values.reduce((least, value) => (value < least ? value : least)),
    values.reduce((most, value) => (value > most ? value : most)),
  );
}

function fitting(value: Range, bits: bigint): Range {
  const limit = 2n ** (bits - 1n);
  if (value.least >= -limit && value.most < limit) return value;
  throw new RangeError(`${value.least} to ${value.most} does not fit into ${bits} bits`);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++]!;
  }

  bytes(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** LEB128 without a sign. */
  number(): number {
    return Number(this.#leb128()[0]);
  }

  signed(): bigint {
    const [value, bits] = this.#leb128();
    return BigInt.asIntN(bits, value);
  }

  #leb128(): [value: bigint, bits: number] {
    let [value, bits, byte] = [0n, 0, 0x80];
    for (; byte >= 0x80; bits += 7) {
      byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(bits);
    }
    return [value, bits];
  }
}
