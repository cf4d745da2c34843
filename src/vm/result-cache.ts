/**
 * Results of pure functions, cached between calls and between transactions.
 *
 * The framework computes the same things over and over: ids of named objects, keys of fields, names of types, each with
 * several calls, copies and a hash. A pure function has the same result for the same gas each time
 * (`link/function-instance.ts`), so both are cached and reused without running the code. Where the outcome could
 * differ, the code does run: with less gas than it takes, or with frames or operands near their bounds. Failed calls
 * are never cached. The interpreter caches nothing; tests compare with it.
 *
 * Results stay as long as the code: they belong to function instances. The table has a fixed number of slots, addressed
 * by the hash of the key; a new result replaces an old one.
 *
 * A key is the arguments as words. Only types whose values are short and quick to write have this form: integers up to
 * u64, bool, address, bytes, lists of addresses, and structs of these, such as object ids and strings.
 * @module
 */
import { getOrInsert } from '../base/get-or-insert.ts';
import { ABILITY_COPY } from '../move/ability.ts';
import type { GasCounter } from './gas/meter.ts';
import { DEPTH_BITS, DEPTH_MASK, type StackLimits } from './interpret/interpreter.ts';
import {
  type FunctionInstance,
  type Purity,
  type PurityContext,
  purityOf,
  type Runnable,
} from './link/function-instance.ts';
import type { Preparation } from './link/preparation.ts';
import type { StructInstance } from './value/struct.ts';
import type { Type } from './value/type.ts';
import type { ArrayVector, ByteVector } from './value/vector.ts';

/** Bytes of arguments up to which results are kept: longer ones are rarely repeated. A multiple of four. */
export const RESULT_KEY_BYTES_MAX = 256;

const ADDRESS_BYTES = 32;

/** Writes a value; false if there is no room for it. */
type KeyPart = (key: ResultKey, value: unknown) => boolean;

/** The arguments of one call at a time. */
class ResultKey {
  readonly words: Int32Array = new Int32Array(RESULT_KEY_BYTES_MAX / 4);
  readonly #bytes = new Uint8Array(this.words.buffer);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  number(value: number): boolean {
    const at = this.#length;
    if (at + 4 > RESULT_KEY_BYTES_MAX) return false;
    this.words[at >> 2] = value;
    this.#length = at + 4;
    return true;
  }

  /** Bytes whose length follows from what precedes them. */
  bytes(value: Uint8Array, length: number): boolean {
    const start = this.#length;
    const end = start + ((length + 3) & ~3);
    if (end > RESULT_KEY_BYTES_MAX) return false;
    const bytes = this.#bytes;
    if (length !== 0) this.words[(end - 4) >> 2] = 0;
    // A loop takes five times as long for 32 bytes.
    bytes.set(value.length === length ? value : value.subarray(0, length), start);
    this.#length = end;
    return true;
  }

  get wordCount(): number {
    return this.#length >> 2;
  }

  /** A multiplier that spreads keys over the slots of a table. */
  hash(seed: number): number {
    const { words, wordCount } = this;
    let hash = seed;
    for (let index = 0; index < wordCount; index++) {
      hash = Math.imul(hash ^ words[index]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  equals(other: Int32Array): boolean {
    const { words, wordCount } = this;
    if (other.length !== wordCount) return false;
    for (let index = 0; index < wordCount; index++) {
      if (words[index] !== other[index]) return false;
    }
    return true;
  }

  copy(): Int32Array {
    return this.words.slice(0, this.wordCount);
  }
}

/** How values of `type` are written; `undefined` for a type without this form. */
function keyPart(type: Type): KeyPart | undefined {
  switch (type.kind) {
    case 'bool':
      return (key, value) => key.number(value === true ? 1 : 0);
    case 'u8':
    case 'u16':
    case 'u32':
      return (key, value) => key.number(value as number);
    case 'u64':
      return (key, value) =>
        key.number(Number((value as bigint) & 0xffff_ffffn)) && key.number(Number((value as bigint) >> 32n));
    case 'address':
      return (key, value) => key.bytes(value as Uint8Array, ADDRESS_BYTES);
    case 'vector':
      return vectorPart(type.item);
    case 'struct':
      return structPart(type);
    default:
      return undefined;
  }
}

function vectorPart(item: Type): KeyPart | undefined {
  if (item.kind === 'u8') {
    return (key, value) => {
      const { items, length } = value as ByteVector;
      return key.number(length) && key.bytes(items, length);
    };
  }
  if (item.kind !== 'address') return undefined;
  return (key, value) => {
    const items = (value as ArrayVector).items as Uint8Array[];
    if (!key.number(items.length)) return false;
    for (const address of items) if (!key.bytes(address, ADDRESS_BYTES)) return false;
    return true;
  };
}

/** By type: few structs can have many parts, each being one of the next. */
const structParts = new WeakMap<Type, KeyPart | undefined>();

function structPart(type: Type): KeyPart | undefined {
  if (!structParts.has(type)) structParts.set(type, partOfFields(type.fields));
  return structParts.get(type);
}

function partOfFields(fields: readonly Type[]): KeyPart | undefined {
  const parts: KeyPart[] = [];
  for (const field of fields) {
    const part = keyPart(field);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return (key, value) => first(key, (value as StructInstance).f0);
  return (key, value) => parts.every((part, index) => part(key, (value as StructInstance).getField(index)));
}

interface Kept {
  readonly instance: FunctionInstance;
  readonly key: Int32Array;
  /** Gas units. */
  readonly units: number;
  /** Never returned itself: a caller may change what it gets. */
  readonly result: unknown;
}

/**
 * Results of pure Move functions that a machine keeps; a power of two. A transfer of coins uses some 30, ten of them
 * about its accounts; each takes some 400 bytes.
 */
const RESULTS_MAX = 8192;

const NO_KEY = new Int32Array(0);

/** Maximum number of parameters of a function with cached results. */
const PARAMETERS_MAX = 3;

const WRITE_NOTHING: KeyPart = () => true;

export class ResultCache {
  readonly #gas: GasCounter;
  readonly #preparation: Preparation;
  readonly #limits: StackLimits;
  readonly #purity: PurityContext;
  /** Made for the first function whose results are kept: many machines run only one call. */
  #places: (Kept | undefined)[] | undefined;
  #key: ResultKey | undefined;
  /** Whether a call is running whose result will be cached: results within it are not. */
  #isKeeping = false;
  #functions = 0;

  constructor(gas: GasCounter, preparation: Preparation, limits: StackLimits, purity: PurityContext) {
    this.#gas = gas;
    this.#preparation = preparation;
    this.#limits = limits;
    this.#purity = purity;
  }

  /** `run`, or, where it pays, a function that first looks for its result. */
  wrap(instance: FunctionInstance, run: Runnable): Runnable {
    const { returns, parameters } = instance;
    const copy = copyOf(returns);
    if (copy === undefined || parameters.length > PARAMETERS_MAX) return run;
    const parts = parameters.map(keyPart);
    if (parts.includes(undefined)) return run;
    const purity = purityOf(instance, this.#purity);
    if (purity?.isCostly !== true) return run;
    return parts.length === 0
      ? this.#wrapConstant(instance, run, purity, copy)
      : this.#wrapKeyed(instance, run, purity, copy, parts as KeyPart[]);
  }

  /** A function that depends only on its type arguments. */
  #wrapConstant(
    instance: FunctionInstance,
    run: Runnable,
    purity: Purity,
    copy: (result: unknown) => unknown,
  ): Runnable {
    const gas = this.#gas;
    const fits = this.#roomFor(purity);
    const keep = detachedCopyOf(instance.returns, copy);
    let kept: Kept | undefined;
    return (position) => {
      if (kept !== undefined && kept.units <= gas.left && fits(position as number)) {
        gas.left -= kept.units;
        this.#count(instance, purity);
        return copy(kept.result);
      }
      const [result, units] = this.#measure(run, [position]);
      if (units !== undefined) kept = { instance, key: NO_KEY, units, result: keep(result) };
      return result;
    };
  }

  #wrapKeyed(
    instance: FunctionInstance,
    run: Runnable,
    purity: Purity,
    copy: (result: unknown) => unknown,
    parts: readonly KeyPart[],
  ): Runnable {
    const gas = this.#gas;
    this.#places ??= new Array<Kept | undefined>(RESULTS_MAX).fill(undefined);
    this.#key ??= new ResultKey();
    const places = this.#places;
    const fits = this.#roomFor(purity);
    const keep = detachedCopyOf(instance.returns, copy);
    const key = this.#key;
    const seed = Math.imul(++this.#functions, 0x85ebca6b);
    const [writeFirst, writeSecond = WRITE_NOTHING, writeThird = WRITE_NOTHING] = parts as [KeyPart];
    return (position, first, second, third) => {
      key.clear();
      if (!writeFirst(key, first) || !writeSecond(key, second) || !writeThird(key, third)) {
        return run(position, first, second, third);
      }
      const place = key.hash(seed) & (RESULTS_MAX - 1);
      const kept = places[place];
      if (kept?.instance === instance && key.equals(kept.key)) {
        if (kept.units <= gas.left && fits(position as number)) {
          gas.left -= kept.units;
          this.#count(instance, purity);
          return copy(kept.result);
        }
        return run(position, first, second, third);
      }
      if (this.#isKeeping) return run(position, first, second, third);
      const ownKey = key.copy();
      this.#isKeeping = true;
      try {
        const [result, units] = this.#measure(run, [position, first, second, third]);
        if (units !== undefined) places[place] = { instance, key: ownKey, units, result: keep(result) };
        return result;
      } finally {
        this.#isKeeping = false;
      }
    };
  }

  /** Counts, once per execution, the code that the call would have prepared. */
  #count(instance: FunctionInstance, { units }: Purity): void {
    const { execution } = this.#preparation;
    if (instance.countedIn === execution) return;
    instance.countedIn = execution;
    this.#preparation.spend(units);
  }

  /** Runs a call; returns its result, and its cost unless the counter was refilled meanwhile. */
  #measure(run: Runnable, parameters: readonly unknown[]): readonly [result: unknown, units: number | undefined] {
    const gas = this.#gas;
    const { left, fillings } = gas;
    const result = run(...parameters);
    return [result, gas.fillings === fillings ? left - gas.left : undefined];
  }

  /** Whether a call from a position would stay clear of the bounds of frames and operands. */
  #roomFor({ depth, height }: Purity): (position: number) => boolean {
    const { callDepthMax, operandsMax } = this.#limits;
    const depthMax = callDepthMax - depth;
    const heightMax = operandsMax - height;
    return (position) => (position & DEPTH_MASK) <= depthMax && position >> DEPTH_BITS <= heightMax;
  }
}

type Copy = (value: unknown) => unknown;

/** How results of these types are copied; `undefined` if they cannot be copied, or if there are none. */
function copyOf(returns: readonly Type[]): Copy | undefined {
  if (returns.length === 0) return undefined;
  if (returns.some((type) => type.isReference || (type.abilities & ABILITY_COPY) === 0)) return undefined;
  const copies = returns.map((type) =>
    type.isContainer ? (value: unknown) => type.operations.copy(value) : (value: unknown) => value,
  );
  const [first, second] = copies as [Copy, Copy];
  if (copies.length === 1) return first;
  // A pair, such as an id and a key, is what the framework needs most often.
  if (copies.length === 2) return (result) => [first((result as unknown[])[0]), second((result as unknown[])[1])];
  return (result) => copies.map((copy, index) => copy((result as unknown[])[index]));
}

/** As `copy`, except for bytes, which may be a view of something larger that the cache would retain. */
function detachedCopyOf(returns: readonly Type[], copy: (result: unknown) => unknown): (result: unknown) => unknown {
  const [only] = returns as [Type];
  if (!returns.some(holdsBytes)) return copy;
  const detached = (type: Type, value: unknown): unknown =>
    holdsBytes(type) ? type.decode(type.encode(value)) : type.isContainer ? type.operations.copy(value) : value;
  return returns.length === 1
    ? (result) => detached(only, result)
    : (result) => returns.map((type, index) => detached(type, (result as unknown[])[index]));
}

/** Of struct types: few of them can have many parts, each being one of the next. */
const structsWithBytes = new WeakMap<Type, boolean>();

function holdsBytes(type: Type): boolean {
  if (type.kind === 'vector') return type.item.kind === 'u8' || holdsBytes(type.item);
  if (type.kind !== 'struct') return false;
  return getOrInsert(structsWithBytes, type, () => type.fields.some(holdsBytes));
}
