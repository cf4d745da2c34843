/**
 * Arithmetic in the field of secp256k1, modulo 2^256 - 2^32 - 977, in WebAssembly that is written here: a product takes a
 * third of the time that it takes as a BigInt, and leaves nothing to collect.
 *
 * An element is ten limbs of 26 bits, 4 bytes each, lowest first. Limbs may be as large as 2^27, and the number that they
 * make may exceed the modulus, so no result is ever compared; `get` reduces. Both operations keep within that bound, and
 * read their operands before they write.
 *
 * A product has 19 columns of at most ten products of limbs, which 64 bits hold. What stands above the tenth limb is folded
 * into the others, since 2^260 is 2^36 + 15632 in this field. A difference gets 64 times the modulus first, so no limb
 * is negative.
 * Source: the method of libsecp256k1's field_10x26_impl.h.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';

const PRIME = secp256k1.Point.Fp.ORDER;

const LIMBS = 10;
const LIMB_BITS = 26;
const LIMB_MASK = 2 ** LIMB_BITS - 1;
/** Bytes of an element. */
export const FIELD_ELEMENT_BYTES: number = 4 * LIMBS;

const PAGE_BYTES = 65_536;

/** What is used of the host's WebAssembly, if it has any. */
interface Host {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: Exports };
  };
}

interface Exports extends Pick<Secp256k1Field, 'multiply' | 'subtract'> {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** Elements in a memory, named by where they begin, in bytes. */
export interface Secp256k1Field {
  /** Puts the product of two elements at `to`. */
  readonly multiply: (to: number, left: number, right: number) => void;
  /** Puts the difference of two elements at `to`. */
  readonly subtract: (to: number, left: number, right: number) => void;
  readonly put: (at: number, value: bigint) => void;
  /** The value of an element, reduced. */
  readonly get: (at: number) => bigint;
}

/** The field with a memory of its own, all zeros; undefined where the host has no WebAssembly, or does not allow it. */
export function secp256k1Field(bytes: number): Secp256k1Field | undefined {
  const exports = instantiate(moduleBytes(Math.ceil(bytes / PAGE_BYTES)));
  if (exports === undefined) return undefined;
  const { memory, multiply, subtract } = exports;
  const limbs = new Uint32Array(memory.buffer);
  return {
    multiply,
    subtract,
    put: (at, value) => {
      let rest = value;
      for (let index = at / 4; index < at / 4 + LIMBS; index++, rest >>= 26n) limbs[index] = Number(rest & 0x3ff_ffffn);
    },
    get: (at) => {
      let value = 0n;
      // Two limbs at a time: that is what a number holds.
      for (let index = at / 4 + LIMBS - 2; index >= at / 4; index -= 2) {
        value = (value << 52n) + BigInt(limbs[index]! + limbs[index + 1]! * 2 ** LIMB_BITS);
      }
      return value % PRIME;
    },
  };
}

function instantiate(module: Uint8Array): Exports | undefined {
  const { WebAssembly: assembly } = globalThis as unknown as Host;
  if (assembly === undefined) return undefined;
  try {
    return new assembly.Instance(new assembly.Module(module)).exports;
  } catch {
    // The bytes are sound: what fails here is that code may not be generated, as in some contexts of node:vm.
    return undefined;
  }
}

// Instructions of WebAssembly (core specification 1.0, section 5.4).
const END = 0x0b;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const I64_LOAD32_U = 0x35;
const I64_STORE32 = 0x3e;
const I64_CONST = 0x42;
const I64_ADD = 0x7c;
const I64_SUB = 0x7d;
const I64_MUL = 0x7e;
const I64_AND = 0x83;
const I64_SHL = 0x86;
const I64_SHR_U = 0x88;

const I32 = 0x7f;
const I64 = 0x7e;

/** Parameters of both functions. */
const TO = 0;
const LEFT = 1;
const RIGHT = 2;
/** The first local that is not a parameter: limbs of the left operand, of the right one, columns of the result. */
const LEFT_LIMBS = 3;
const RIGHT_LIMBS = LEFT_LIMBS + LIMBS;
const COLUMNS = RIGHT_LIMBS + LIMBS;
const LOCALS = 2 * LIMBS + 2 * LIMBS;

/** What limb of 64 times the modulus is at `index`. */
function liftOf(index: number): bigint {
  return 64n * ((PRIME >> BigInt(LIMB_BITS * index)) & BigInt(LIMB_MASK));
}

const get = (local: number): number[] => [LOCAL_GET, local];
const set = (local: number): number[] => [LOCAL_SET, local];
const constant = (value: bigint): number[] => [I64_CONST, ...signedLeb128(value)];
const column = (index: number): number => COLUMNS + index;

/** Adds the value that `code` leaves to a column. */
function addTo(index: number, code: readonly number[]): number[] {
  return [...get(column(index)), ...code, I64_ADD, ...set(column(index))];
}

/** Moves what does not fit into the columns from `from` on upwards, up to the column `to`. */
function carry(from: number, to: number): number[] {
  const code: number[] = [];
  for (let index = from; index < to; index++) {
    code.push(...addTo(index + 1, [...get(column(index)), ...constant(BigInt(LIMB_BITS)), I64_SHR_U]));
    code.push(...get(column(index)), ...constant(BigInt(LIMB_MASK)), I64_AND, ...set(column(index)));
  }
  return code;
}

/** The value of a column, times `factor` or shifted. */
const times = (index: number, factor: bigint): number[] => [...get(column(index)), ...constant(factor), I64_MUL];
const shifted = (index: number, bits: bigint): number[] => [...get(column(index)), ...constant(bits), I64_SHL];

/** Adds a column of ten or more to those ten and nine places below it. */
function fold(index: number): number[] {
  return [...addTo(index - LIMBS, times(index, 15_632n)), ...addTo(index - LIMBS + 1, shifted(index, 10n))];
}

function loadOperands(): number[] {
  const code: number[] = [];
  for (const [operand, limbs] of [
    [LEFT, LEFT_LIMBS],
    [RIGHT, RIGHT_LIMBS],
  ] as const) {
    for (let limb = 0; limb < LIMBS; limb++)
      code.push(...get(operand), I64_LOAD32_U, 2, 4 * limb, ...set(limbs + limb));
  }
  return code;
}

function storeColumns(): number[] {
  const code: number[] = [];
  for (let limb = 0; limb < LIMBS; limb++) code.push(...get(TO), ...get(column(limb)), I64_STORE32, 2, 4 * limb);
  return code;
}

function multiplyCode(): number[] {
  const code = loadOperands();
  for (let index = 0; index < 2 * LIMBS - 1; index++) {
    const first = Math.max(0, index - LIMBS + 1);
    for (let limb = first; limb < LIMBS && limb <= index; limb++) {
      code.push(...get(LEFT_LIMBS + limb), ...get(RIGHT_LIMBS + index - limb), I64_MUL);
      if (limb > first) code.push(I64_ADD);
    }
    code.push(...set(column(index)));
  }
  const last = 2 * LIMBS - 1;
  code.push(...carry(0, last));
  for (let index = LIMBS; index < last; index++) code.push(...fold(index));
  // The column above the tenth has been folded, and is used again.
  code.push(...addTo(LIMBS - 1, times(last, 15_632n)), ...shifted(last, 10n), ...set(column(LIMBS)));
  code.push(...carry(0, LIMBS), ...fold(LIMBS), ...carry(0, LIMBS - 1));
  return [...code, ...storeColumns()];
}

function subtractCode(): number[] {
  const code = loadOperands();
  for (let limb = 0; limb < LIMBS; limb++) {
    code.push(...get(LEFT_LIMBS + limb), ...constant(liftOf(limb)), I64_ADD);
    code.push(...get(RIGHT_LIMBS + limb), I64_SUB, ...set(column(limb)));
  }
  code.push(...carry(0, LIMBS - 1));
  // What stands above 2^256, which is 2^32 + 977 in this field.
  const above = column(LIMBS);
  const top = column(LIMBS - 1);
  code.push(...get(top), ...constant(22n), I64_SHR_U, ...set(above));
  code.push(...get(top), ...constant(2n ** 22n - 1n), I64_AND, ...set(top));
  code.push(...addTo(0, times(LIMBS, 977n)), ...addTo(1, shifted(LIMBS, 6n)));
  return [...code, ...storeColumns()];
}

/** A module that exports both functions and a memory of so many pages. */
function moduleBytes(pages: number): Uint8Array {
  const functions = [multiplyCode(), subtractCode()];
  const bodies = functions.map((code) => withLength([1, LOCALS, I64, ...code, END]));
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [[0x60, 3, I32, I32, I32, 0]]),
    ...section(3, [[0], [0]]),
    ...section(5, [[0, ...leb128(pages)]]),
    ...section(7, [
      [...text('memory'), 2, 0],
      [...text('multiply'), 0, 0],
      [...text('subtract'), 0, 1],
    ]),
    ...section(10, bodies),
  ]);
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  return [id, ...withLength([...leb128(items.length), ...items.flat()])];
}

function withLength(bytes: readonly number[]): number[] {
  return [...leb128(bytes.length), ...bytes];
}

function text(name: string): number[] {
  return withLength([...name].map((letter) => letter.charCodeAt(0)));
}

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

/** A value that is not negative, where WebAssembly expects one with a sign. */
function signedLeb128(value: bigint): number[] {
  return value < 0x40n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...signedLeb128(value >> 7n)];
}
