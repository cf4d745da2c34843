/**
 * CBOR items (RFC 8949) as the reference reads and writes them: ciborium 0.2.2.
 *
 * It reads any well-formed item, and only the first one: also lengths that are not in shortest form, and strings,
 * arrays and maps of indefinite length, where a chunk of a string may itself be chunked. Numbers that fit in 64 bits
 * are integers even if they were written as bignums of up to 16 bytes; larger ones are tagged bytes without leading
 * zeros. It writes the shortest form.
 * @module
 */
import { concatBytes, joinBytes } from '../../base/bytes/compare.ts';
import { fromHex, toHexPrefixed } from '../../base/bytes/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes/utf8.ts';
import { readFloat, writeFloat } from './cbor-float.ts';
import { misfit } from './conversion.ts';

export type CborItem =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly CborItem[] }
  | { readonly kind: 'map'; readonly entries: readonly CborEntry[] }
  | { readonly kind: 'tag'; readonly tag: bigint; readonly item: CborItem }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** The bits of a double. */
  | { readonly kind: 'float'; readonly bits: bigint };

export type CborEntry = readonly [key: CborItem, value: CborItem];

export const CBOR_TAG_POSITIVE = 2n;
const TAG_NEGATIVE = 3n;
const U64_MAX = (1n << 64n) - 1n;
const I128_MAX = (1n << 127n) - 1n;
const BIG_BYTES_MAX = 16;
/** Nested arrays, maps and tags. */
const DEPTH_MAX = 256;

const MAJOR = { positive: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
const MINOR_INDEFINITE = 31;
const BREAK = 0xff;
const SIMPLE_FALSE = 20n;
const SIMPLE_TRUE = 21n;
const SIMPLE_NULL = 22n;
const SIMPLE_UNDEFINED = 23n;
const NULL: CborItem = { kind: 'null' };

/** The item at the start of `bytes`. Ends in a misfit for malformed bytes. */
export function readCbor(bytes: Uint8Array): CborItem {
  return new CborReader(bytes).item(DEPTH_MAX);
}

/** A number of up to 128 bits; if it is negative, of up to 127. */
export function cborNumber(value: bigint): CborItem {
  if (value <= U64_MAX && value >= -1n - U64_MAX) return { kind: 'integer', value };
  if (value > 0n) return cborBigNumber(value);
  return { kind: 'tag', tag: TAG_NEGATIVE, item: { kind: 'bytes', bytes: bigEndian(-1n - value) } };
}

/** A non-negative number as tagged bytes, whatever its size. */
export function cborBigNumber(value: bigint): CborItem {
  return { kind: 'tag', tag: CBOR_TAG_POSITIVE, item: { kind: 'bytes', bytes: bigEndian(value) } };
}

/** Without leading zeros; no bytes for zero. */
function bigEndian(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

interface Header {
  readonly major: number;
  /** Number, length, tag or simple value; `undefined` for an indefinite length, and for the break that ends it. */
  readonly value: bigint | undefined;
  /** Bits of the double of a floating point number. */
  readonly float: bigint | undefined;
}

class CborReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads an item that may have `depth` levels of arrays, maps and tags. */
  item(depth: number): CborItem {
    const header = this.#header();
    const { major, value } = header;
    switch (major) {
      case MAJOR.positive:
        return { kind: 'integer', value: value! };
      case MAJOR.negative:
        return { kind: 'integer', value: -1n - value! };
      case MAJOR.bytes:
        return { kind: 'bytes', bytes: joinBytes(this.#segments(header)) };
      case MAJOR.text:
        return { kind: 'text', text: this.#segments(header).map(segmentText).join('') };
      case MAJOR.array: {
        const inner = deeper(depth);
        return { kind: 'array', items: this.#sequence(header, () => this.item(inner)) };
      }
      case MAJOR.map: {
        const inner = deeper(depth);
        return { kind: 'map', entries: this.#sequence(header, () => [this.item(inner), this.item(inner)]) };
      }
      case MAJOR.tag:
        return this.#tagged(value!, depth);
      default:
        return simpleItem(header);
    }
  }

  /** Elements up to a count or a break. */
  #sequence<Element>(header: Header, read: () => Element): Element[] {
    const elements: Element[] = [];
    if (header.value === undefined) {
      while (!this.#takeBreak()) elements.push(read());
    } else {
      for (let left = header.value; left > 0n; left--) elements.push(read());
    }
    return elements;
  }

  #takeBreak(): boolean {
    const isBreak = this.#bytes[this.#at] === BREAK;
    if (isBreak) this.#at++;
    return isBreak;
  }

  #tagged(tag: bigint, depth: number): CborItem {
    const start = this.#at;
    const header = this.#header();
    const isBigNumber = tag === CBOR_TAG_POSITIVE || tag === TAG_NEGATIVE;
    if (isBigNumber && header.major === MAJOR.bytes && header.value !== undefined && header.value <= BIG_BYTES_MAX) {
      const bytes = this.#take(Number(header.value));
      const magnitude = bytes.length === 0 ? 0n : BigInt(toHexPrefixed(bytes));
      if (tag === CBOR_TAG_POSITIVE) return cborNumber(magnitude);
      return magnitude <= I128_MAX ? cborNumber(-1n - magnitude) : misfit('expected a number of at most 128 bits');
    }
    this.#at = start;
    return { kind: 'tag', tag, item: this.item(deeper(depth)) };
  }

  /** The chunks of a string whose header has been read. */
  #segments({ major, value }: Header): Uint8Array[] {
    if (value !== undefined) return [this.#take(Number(value))];
    const segments: Uint8Array[] = [];
    for (let open = 1; open > 0; ) {
      if (this.#takeBreak()) {
        open--;
        continue;
      }
      const header = this.#header();
      if (header.major !== major) misfit('expected a piece of the same string');
      else if (header.value === undefined) open++;
      else segments.push(this.#take(Number(header.value)));
    }
    return segments;
  }

  #header(): Header {
    const first = this.#take(1)[0]!;
    const major = first >> 5;
    const minor = first & 0x1f;
    if (minor === MINOR_INDEFINITE) {
      const isAllowed = major >= MAJOR.bytes && major !== MAJOR.tag;
      return isAllowed ? { major, value: undefined, float: undefined } : misfit('expected a number');
    }
    if (minor < 24) return { major, value: BigInt(minor), float: undefined };
    if (minor > 27) return misfit('expected a header of at most 8 bytes');
    const bytes = this.#take(2 ** (minor - 24));
    const isFloat = major === MAJOR.simple && bytes.length > 1;
    return { major, value: BigInt(toHexPrefixed(bytes)), float: isFloat ? readFloat(bytes) : undefined };
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) misfit(`expected ${length} bytes at byte ${this.#at}`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

function deeper(depth: number): number {
  return depth > 0 ? depth - 1 : misfit(`expected at most ${DEPTH_MAX} nested items`);
}

function segmentText(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? misfit('expected UTF-8 in a text');
}

function simpleItem({ value, float }: Header): CborItem {
  if (float !== undefined) return { kind: 'float', bits: float };
  switch (value) {
    case SIMPLE_FALSE:
    case SIMPLE_TRUE:
      return { kind: 'bool', value: value === SIMPLE_TRUE };
    case SIMPLE_NULL:
    case SIMPLE_UNDEFINED:
      return NULL;
    default:
      return misfit(`expected an item, got the simple value or break ${value}`);
  }
}

/** An item in its shortest form. */
export function writeCbor(item: CborItem): Uint8Array {
  const parts: Uint8Array[] = [];
  write(item, parts);
  return joinBytes(parts);
}

function write(item: CborItem, parts: Uint8Array[]): void {
  switch (item.kind) {
    case 'integer':
      parts.push(item.value < 0n ? header(MAJOR.negative, -1n - item.value) : header(MAJOR.positive, item.value));
      return;
    case 'bytes':
      parts.push(header(MAJOR.bytes, BigInt(item.bytes.length)), item.bytes);
      return;
    case 'text': {
      const bytes = encodeUtf8(item.text);
      parts.push(header(MAJOR.text, BigInt(bytes.length)), bytes);
      return;
    }
    case 'array':
      parts.push(header(MAJOR.array, BigInt(item.items.length)));
      for (const inner of item.items) write(inner, parts);
      return;
    case 'map':
      parts.push(header(MAJOR.map, BigInt(item.entries.length)));
      for (const [key, value] of item.entries) {
        write(key, parts);
        write(value, parts);
      }
      return;
    case 'tag':
      parts.push(header(MAJOR.tag, item.tag));
      write(item.item, parts);
      return;
    case 'float': {
      const bytes = writeFloat(item.bits);
      parts.push(Uint8Array.of((MAJOR.simple << 5) | (24 + Math.log2(bytes.length))), bytes);
      return;
    }
    case 'bool':
      parts.push(header(MAJOR.simple, item.value ? SIMPLE_TRUE : SIMPLE_FALSE));
      return;
    default:
      parts.push(header(MAJOR.simple, SIMPLE_NULL));
  }
}

function header(major: number, value: bigint): Uint8Array {
  if (value < 24n) return Uint8Array.of((major << 5) | Number(value));
  const digits = value.toString(16);
  const byteCount = [1, 2, 4, 8].find((count) => count * 2 >= digits.length)!;
  const minor = 24 + Math.log2(byteCount);
  return concatBytes(Uint8Array.of((major << 5) | minor), fromHex(digits.padStart(byteCount * 2, '0')));
}
