/**
 * Move vectors. The element type determines the class: bytes and u64s are in typed arrays that grow by doubling,
 * everything else in a JavaScript array.
 *
 * Move copies strings and other bytes far more often than it changes them, so copies share the typed array until one of
 * them changes or drops an element. Pushing needs no check: a copy has no spare room and grows first.
 *
 * A vector object is also the reference to that vector (see `Owner` in `struct.ts`). Its own methods are the only place
 * that changes `items`; each of them marks the owner. None of them checks indexes: callers do, because they know the
 * status, location and gas of a failure.
 * @module
 */
import type { Owner } from './struct.ts';

/** Common part of the typed arrays. */
interface Items<Element> {
  [index: number]: Element;
  readonly length: number;
  subarray(start: number, end: number): Items<Element>;
  slice(start: number, end: number): Items<Element>;
  set(items: Items<Element>, offset?: number): void;
}

const CAPACITY_MIN = 8;

/** A vector. Indexes must be below `length`. */
export abstract class VectorValue {
  owner: Owner | null = null;

  abstract readonly length: number;
  abstract get(index: number): unknown;
  abstract set(index: number, value: unknown): void;
  abstract push(value: unknown): void;
  abstract pop(): unknown;
  abstract swap(left: number, right: number): void;
  /** WriteRef: takes over the content of `other`, which must not be used again. */
  abstract assign(other: VectorValue): void;
  /** Moves all elements of `other` to the end of this vector; `other` is empty afterwards. */
  abstract append(other: VectorValue): void;
  abstract reverse(): void;
}

/** A vector in a typed array. `Element` is number or bigint. */
abstract class PackedVector<Element, Array extends Items<Element>> extends VectorValue {
  /** Elements from 0 to `length`; the rest is spare room. */
  items: Array;
  length: number;
  /** Whether another vector may share `items`: then they are copied before an element changes or is dropped. */
  shared = false;

  /** `items` is taken over, not copied: the first `length` elements are the vector's. */
  constructor(items: Array, length: number = items.length) {
    super();
    this.items = items;
    this.length = length;
  }

  /** A zeroed array of the same kind. */
  protected abstract allocate(capacity: number): Array;

  /** The elements, without the spare room. */
  protected get content(): Array {
    return this.items.length === this.length ? this.items : (this.items.subarray(0, this.length) as Array);
  }

  /** Makes room for `needed` elements. */
  grow(needed: number): void {
    const grown = this.allocate(Math.max(CAPACITY_MIN, needed, this.items.length * 2));
    grown.set(this.content);
    this.items = grown;
    this.shared = false;
  }

  /** Stops sharing its array. */
  unshare(): void {
    const own = this.allocate(this.length);
    own.set(this.content);
    this.items = own;
    this.shared = false;
  }

  get(index: number): Element {
    return this.items[index]!;
  }

  set(index: number, value: Element): void {
    if (this.shared) this.unshare();
    this.items[index] = value;
    if (this.owner !== null) this.owner.dirty = true;
  }

  push(value: Element): void {
    const at = this.length;
    if (at === this.items.length) this.grow(at + 1);
    this.items[at] = value;
    this.length = at + 1;
    if (this.owner !== null) this.owner.dirty = true;
  }

  pop(): Element {
    if (this.shared) this.unshare();
    if (this.owner !== null) this.owner.dirty = true;
    return this.items[--this.length]!;
  }

  swap(left: number, right: number): void {
    if (this.shared) this.unshare();
    const items = this.items;
    const kept = items[left]!;
    items[left] = items[right]!;
    items[right] = kept;
    if (this.owner !== null) this.owner.dirty = true;
  }

  assign(other: PackedVector<Element, Array>): void {
    this.items = other.items;
    this.length = other.length;
    this.shared = other.shared;
    if (this.owner !== null) this.owner.dirty = true;
  }

  append(other: PackedVector<Element, Array>): void {
    const length = this.length + other.length;
    if (length > this.items.length) this.grow(length);
    this.items.set(other.content, this.length);
    this.length = length;
    other.length = 0;
    if (other.shared) other.unshare();
    if (this.owner !== null) this.owner.dirty = true;
    if (other.owner !== null) other.owner.dirty = true;
  }

  reverse(): void {
    for (let left = 0, right = this.length - 1; left < right; left++, right--) this.swap(left, right);
  }

  equals(other: PackedVector<Element, Array>): boolean {
    const length = this.length;
    if (length !== other.length) return false;
    const left = this.items;
    const right = other.items;
    if (left === right) return true;
    // From the end: the names that code compares often begin with the same address.
    for (let index = length - 1; index >= 0; index--) {
      if (left[index] !== right[index]) return false;
    }
    return true;
  }
}

/** Marks both as sharing their items. */
function share<Vector extends { shared: boolean }>(original: Vector, copy: Vector): Vector {
  original.shared = true;
  copy.shared = true;
  return copy;
}

/**
 * Arrays that all empty vectors of the kind may share, since a vector grows before it changes one. Making an array takes
 * ten times as long as the rest of such a vector, and code may load a constant of tens of thousands of them.
 */
export const EMPTY_ARRAYS: { readonly u8: Uint8Array; readonly u64: BigUint64Array } = {
  u8: new Uint8Array(),
  u64: new BigUint64Array(),
};

/** `vector<u8>`. */
export class ByteVector extends PackedVector<number, Uint8Array> {
  protected allocate(capacity: number): Uint8Array {
    return new Uint8Array(capacity);
  }

  /** The bytes, sharing memory with the vector: valid until its next change. */
  view(): Uint8Array {
    return this.content;
  }

  /** A copy of the bytes. */
  bytes(): Uint8Array {
    return this.items.slice(0, this.length);
  }

  copy(): ByteVector {
    return share(this, new ByteVector(this.content));
  }
}

/** `vector<u64>`. */
export class U64Vector extends PackedVector<bigint, BigUint64Array> {
  protected allocate(capacity: number): BigUint64Array {
    return new BigUint64Array(capacity);
  }

  copy(): U64Vector {
    return share(this, new U64Vector(this.content));
  }
}

/** A vector of anything but u8 and u64. If the elements are primitives, copies share their items, too. */
export class ArrayVector extends VectorValue {
  items: unknown[];
  /** Whether another vector may share `items`: then they are copied before they change. */
  shared = false;

  /** `items` is taken over, not copied. */
  constructor(items: unknown[]) {
    super();
    this.items = items;
  }

  get length(): number {
    return this.items.length;
  }

  /** Stops sharing its array. */
  unshare(): void {
    this.items = this.items.slice();
    this.shared = false;
  }

  /** A copy of elements that are not structs or vectors. */
  copy(): ArrayVector {
    return share(this, new ArrayVector(this.items));
  }

  get(index: number): unknown {
    return this.items[index];
  }

  set(index: number, value: unknown): void {
    if (this.shared) this.unshare();
    this.items[index] = value;
    if (this.owner !== null) this.owner.dirty = true;
  }

  push(value: unknown): void {
    if (this.shared) this.unshare();
    this.items.push(value);
    if (this.owner !== null) this.owner.dirty = true;
  }

  pop(): unknown {
    if (this.shared) this.unshare();
    if (this.owner !== null) this.owner.dirty = true;
    return this.items.pop();
  }

  swap(left: number, right: number): void {
    if (this.shared) this.unshare();
    const items = this.items;
    const kept = items[left];
    items[left] = items[right];
    items[right] = kept;
    if (this.owner !== null) this.owner.dirty = true;
  }

  assign(other: ArrayVector): void {
    this.items = other.items;
    this.shared = other.shared;
    if (this.owner !== null) this.owner.dirty = true;
  }

  append(other: ArrayVector): void {
    if (this.shared) this.unshare();
    for (const item of other.items) this.items.push(item);
    other.items = [];
    other.shared = false;
    if (this.owner !== null) this.owner.dirty = true;
    if (other.owner !== null) other.owner.dirty = true;
  }

  reverse(): void {
    if (this.shared) this.unshare();
    this.items.reverse();
    if (this.owner !== null) this.owner.dirty = true;
  }
}
