/**
 * Arithmetic of the field of secp256k1 as WebAssembly: numbers modulo p = 2^256 - 0x1000003d1.
 *
 * An element is ten limbs of 26 bits (the last of 22) in words of 32, lowest first. Limbs may be larger than that: sums
 * are not carried, and a difference has a multiple of p added so that no limb is negative. A limb is "up to n" here when it
 * is at most n times 1.07 * 2^26, the last n times 1.07 * 2^22; what multiplications give is up to 1. The factors of a
 * product may be up to m and n with m * n up to 200: then no column of products passes 64 bits.
 * @module
 */
import { type Operation, WasmFunction } from './wasm.ts';

const LIMBS = 10;
const LIMB_BITS = 26n;
const LAST_LIMB_BITS = 22n;
const LIMB_MASK = (1n << LIMB_BITS) - 1n;
const LAST_LIMB_MASK = (1n << LAST_LIMB_BITS) - 1n;

/** Of an element in memory. */
export const ELEMENT_BYTES: number = LIMBS * 4;

export const PRIME: bigint = (1n << 256n) - 0x1000003d1n;

/** What stands at limb 10 counts this much in limb 0, and 2^10 in limb 1: 2^260 = 2^36 + 0x3d10 modulo p. */
const FOLD = 0x3d10n;
const FOLD_NEXT_SHIFT = 10n;
/** What stands at bit 256 counts this much in limb 0, and 2^6 in limb 1: 2^256 = 2^32 + 0x3d1 modulo p. */
const TOP_FOLD = 0x3d1n;
const TOP_FOLD_NEXT_SHIFT = 6n;

/** The limbs of a number, not reduced. */
export function limbsOf(value: bigint): bigint[] {
  return Array.from({ length: LIMBS }, (_, index) =>
    index === LIMBS - 1 ? value >> (LIMB_BITS * BigInt(index)) : (value >> (LIMB_BITS * BigInt(index))) & LIMB_MASK,
  );
}

export function writeElement(words: Uint32Array, at: number, value: bigint): void {
  const first = at / 4;
  for (const [index, limb] of limbsOf(value).entries()) words[first + index] = Number(limb);
}

/** Below p. */
export function readElement(words: Uint32Array, at: number): bigint {
  const first = at / 4;
  let value = 0n;
  for (let index = LIMBS - 1; index >= 0; index--) value = (value << LIMB_BITS) + BigInt(words[first + index]!);
  return value % PRIME;
}

/** A function of three addresses: of the result, which may be one of the others, and of two elements. */
class ElementFunction extends WasmFunction {
  static readonly TO = 0;
  static readonly LEFT = 1;
  static readonly RIGHT = 2;

  /** Locals with the limbs of the element at an address. */
  limbs(address: number): number[] {
    return Array.from({ length: LIMBS }, (_, index) => {
      const limb = this.local();
      this.load32(address, index * 4).set(limb);
      return limb;
    });
  }

  by(operation: Operation, value: bigint): this {
    return this.constant(value).operate(operation);
  }

  /** Adds the product of two locals to what is on the stack, or puts it there where there is nothing. */
  product(left: number, right: number, isFirst: boolean): void {
    this.get(left).get(right).operate('mul');
    if (!isFirst) this.operate('add');
  }

  store(limbs: readonly number[]): this {
    for (const [index, limb] of limbs.entries()) this.store32(ElementFunction.TO, index * 4, () => this.get(limb));
    return this;
  }
}

/** Puts the products that count at limb `column` on the stack; `isFirst` where nothing is there to add them to. */
type Column = (column: number, isFirst: boolean) => void;

/** to = left * right */
export function multiplication(): WasmFunction {
  const code = new ElementFunction(3);
  const left = code.limbs(ElementFunction.LEFT);
  const right = code.limbs(ElementFunction.RIGHT);
  return reduced(code, (column, isFirst) => {
    let first = isFirst;
    for (let index = 0; index < LIMBS; index++) {
      const other = column - index;
      if (other < 0 || other >= LIMBS) continue;
      code.product(left[index]!, right[other]!, first);
      first = false;
    }
  });
}

/** to = left * left. The third parameter is not used. */
export function squaring(): WasmFunction {
  const code = new ElementFunction(3);
  const limbs = code.limbs(ElementFunction.LEFT);
  const doubled = limbs.map((limb) => {
    const double = code.local();
    code.get(limb).by('shl', 1n).set(double);
    return double;
  });
  return reduced(code, (column, isFirst) => {
    let first = isFirst;
    for (let index = 0; 2 * index <= column; index++) {
      const other = column - index;
      if (other >= LIMBS) continue;
      code.product(limbs[index]!, index === other ? limbs[other]! : doubled[other]!, first);
      first = false;
    }
  });
}

/** Adds up the columns, folds what stands above 2^256 twice, and stores the result, which is up to 1. */
function reduced(code: ElementFunction, column: Column): WasmFunction {
  const sum = code.local();
  const high: number[] = [];
  for (let index = 0; index < LIMBS - 1; index++) {
    if (index > 0) code.get(sum);
    column(LIMBS + index, index === 0);
    code.set(sum);
    const limb = code.local();
    code.get(sum).by('and', LIMB_MASK).set(limb);
    code.get(sum).by('shr', LIMB_BITS).set(sum);
    high.push(limb);
  }
  high.push(sum);
  const low: number[] = [];
  const carried = code.local();
  for (let index = 0; index < LIMBS; index++) {
    if (index > 0) code.get(carried);
    column(index, index === 0);
    code.get(high[index]!).by('mul', FOLD).operate('add');
    if (index > 0)
      code
        .get(high[index - 1]!)
        .by('shl', FOLD_NEXT_SHIFT)
        .operate('add');
    code.set(carried);
    const isLast = index === LIMBS - 1;
    const limb = code.local();
    code
      .get(carried)
      .by('and', isLast ? LAST_LIMB_MASK : LIMB_MASK)
      .set(limb);
    code
      .get(carried)
      .by('shr', isLast ? LAST_LIMB_BITS : LIMB_BITS)
      .set(carried);
    low.push(limb);
  }
  // The last of the high limbs also counts at limb 10, which is bit 260.
  code
    .get(high[LIMBS - 1]!)
    .by('shl', FOLD_NEXT_SHIFT + 4n)
    .get(carried)
    .operate('add')
    .set(carried);
  foldTop(code, low, carried, 2);
  return code.store(low);
}

/** Adds what stands from bit 256 on, in `top`, to the lowest limbs, and carries up to limb `last`. */
function foldTop(code: ElementFunction, limbs: readonly number[], top: number, last: number): void {
  code.get(top).by('mul', TOP_FOLD).get(limbs[0]!).operate('add').set(limbs[0]!);
  code.get(top).by('shl', TOP_FOLD_NEXT_SHIFT).get(limbs[1]!).operate('add').set(limbs[1]!);
  for (let index = 0; index < last; index++) {
    code
      .get(limbs[index]!)
      .by('shr', LIMB_BITS)
      .get(limbs[index + 1]!)
      .operate('add')
      .set(limbs[index + 1]!);
    code.get(limbs[index]!).by('and', LIMB_MASK).set(limbs[index]!);
  }
}

/** to = left, carried: up to 1. The third parameter is not used. */
export function carrying(): WasmFunction {
  const code = new ElementFunction(3);
  const limbs = code.limbs(ElementFunction.LEFT);
  const last = limbs[LIMBS - 1]!;
  const top = code.local();
  code.get(last).by('shr', LAST_LIMB_BITS).set(top);
  code.get(last).by('and', LAST_LIMB_MASK).set(last);
  foldTop(code, limbs, top, LIMBS - 1);
  return code.store(limbs);
}

/** to = left + right */
export function addition(): WasmFunction {
  const code = new ElementFunction(3);
  for (let index = 0; index < LIMBS; index++) {
    code.store32(ElementFunction.TO, index * 4, () =>
      code
        .load32(ElementFunction.LEFT, index * 4)
        .load32(ElementFunction.RIGHT, index * 4)
        .operate('add'),
    );
  }
  return code;
}

/** to = left + multiple * p - right, where no limb of `right` is larger than that of the multiple */
export function subtraction(multiple: bigint): WasmFunction {
  const code = new ElementFunction(3);
  const limbs = limbsOf(PRIME).map((limb) => multiple * limb);
  for (let index = 0; index < LIMBS; index++) {
    code.store32(ElementFunction.TO, index * 4, () =>
      code
        .load32(ElementFunction.LEFT, index * 4)
        .by('add', limbs[index]!)
        .load32(ElementFunction.RIGHT, index * 4)
        .operate('sub'),
    );
  }
  return code;
}
