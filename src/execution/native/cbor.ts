/**
 * Natives of `0x2::cbor`: Move values as CBOR.
 *
 * | Move | CBOR |
 * | --- | --- |
 * | bool, u8 to u64 | simple value, integer |
 * | u128 | integer if 64 bits hold it, else tag 2 and bytes; only the latter is read |
 * | u256 | tag 2 and bytes; what 64 bits hold is not read |
 * | address, vector<u8> | bytes |
 * | other vector | array |
 * | struct | map of its fields by name; an array in their order is read too |
 * | String, ascii String | text |
 * | Option | the item or null |
 * | SimpleMap<String, vector<u8>> | map; the bytes are CBOR themselves |
 *
 * A mismatch yields none when reading and aborts when writing. An array shorter than the struct is a mismatch; the
 * reference makes a broken struct of it. Source: `natives/moveos_stdlib/cbor.rs` of the reference.
 *
 * Floating point numbers are the 64 bits of a double: they are only passed on, never calculated with, so NaNs
 * keep their payloads whatever the host's hardware does. A NaN of 16 or 32 bits becomes a quiet NaN, as in hardware.
 * Source: IEEE 754; RFC 8949 sections 3.3 and 4.2.
 *
 * Items (RFC 8949) are read and written as the reference does: ciborium 0.2.2. It reads any well-formed item, and only
 * the first one: also lengths that are not in shortest form, and strings, arrays and maps of indefinite length, where a
 * chunk of a string may itself be chunked. Numbers that fit in 64 bits are integers even if they were written as
 * bignums of up to 16 bytes; larger ones are tagged bytes without leading zeros. It writes the shortest form.
 * @module
 */

import { bigEndian, bytesToNumberBE, numberToBytesBE } from '../../base/bytes/bigint.ts';
import { concatBytes, decodeUtf8, encodeUtf8, joinBytes } from '../../base/bytes/bytes.ts';
import { ADDRESS_BYTES, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { vectorOf } from '../../vm/value/generic-operations.ts';
import { INTEGER_BITS, type Integer, type IntegerKind, maxOf, toInteger } from '../../vm/value/integer.ts';
import { dereference } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import { convert, fatal, misfit, NodeWork } from './conversion.ts';
import {
  bytesMapEntries,
  knownStruct,
  makeAscii,
  makeNone,
  makeSome,
  makeText,
  optionValue,
  writeText,
} from './known-struct.ts';
import type { ModuleNatives } from './module-natives.ts';
import { panicWithoutLayout } from './panic.ts';

/** Widths of exponent and fraction. */
interface FloatForm {
  readonly exponentBits: bigint;
  readonly fractionBits: bigint;
}

const HALF: FloatForm = { exponentBits: 5n, fractionBits: 10n };
const SINGLE: FloatForm = { exponentBits: 8n, fractionBits: 23n };
const DOUBLE: FloatForm = { exponentBits: 11n, fractionBits: 52n };
const QUIET = 1n << 51n;

/** The double in 2, 4 or 8 bytes, big endian. */
function readFloat(bytes: Uint8Array): bigint {
  const bits = bytesToNumberBE(bytes);
  if (bytes.length === 8) return bits;
  return widen(bytes.length === 2 ? HALF : SINGLE, bits);
}

/** The shortest bytes that represent the double exactly. */
function writeFloat(double: bigint): Uint8Array {
  const half = narrow(HALF, double);
  if (half !== undefined) return numberToBytesBE(half, 2);
  const single = narrow(SINGLE, double);
  return single === undefined ? numberToBytesBE(double, 8) : numberToBytesBE(single, 4);
}

function biasOf({ exponentBits }: FloatForm): bigint {
  return (1n << (exponentBits - 1n)) - 1n;
}

function exponentMaxOf({ exponentBits }: FloatForm): bigint {
  return (1n << exponentBits) - 1n;
}

function join(form: FloatForm, sign: bigint, exponent: bigint, fraction: bigint): bigint {
  return (((sign << form.exponentBits) | exponent) << form.fractionBits) | fraction;
}

function split(form: FloatForm, bits: bigint): { sign: bigint; exponent: bigint; fraction: bigint } {
  return {
    sign: bits >> (form.exponentBits + form.fractionBits),
    exponent: (bits >> form.fractionBits) & exponentMaxOf(form),
    fraction: bits & ((1n << form.fractionBits) - 1n),
  };
}

function widen(form: FloatForm, bits: bigint): bigint {
  const { sign, exponent, fraction } = split(form, bits);
  const added = DOUBLE.fractionBits - form.fractionBits;
  if (exponent === exponentMaxOf(form)) {
    const wide = fraction === 0n ? 0n : (fraction << added) | QUIET;
    return join(DOUBLE, sign, exponentMaxOf(DOUBLE), wide);
  }
  if (exponent !== 0n) return join(DOUBLE, sign, exponent - biasOf(form) + biasOf(DOUBLE), fraction << added);
  if (fraction === 0n) return join(DOUBLE, sign, 0n, 0n);
  // A subnormal has its leading one inside the fraction; a double has room for it as a normal number.
  const leading = BigInt(fraction.toString(2).length - 1);
  const scale = 1n - biasOf(form) - form.fractionBits + leading;
  const wide = (fraction ^ (1n << leading)) << (DOUBLE.fractionBits - leading);
  return join(DOUBLE, sign, scale + biasOf(DOUBLE), wide);
}

/** The number of `form` that widens to exactly this double, if there is one. */
function narrow(form: FloatForm, double: bigint): bigint | undefined {
  const { sign, exponent, fraction } = split(DOUBLE, double);
  const dropped = DOUBLE.fractionBits - form.fractionBits;
  const scale = exponent - biasOf(DOUBLE);
  let bits: bigint;
  if (exponent === exponentMaxOf(DOUBLE)) {
    bits = join(form, sign, exponentMaxOf(form), fraction >> dropped);
  } else if (scale > biasOf(form)) {
    return undefined;
  } else if (scale > -biasOf(form)) {
    bits = join(form, sign, scale + biasOf(form), fraction >> dropped);
  } else {
    const shift = dropped + 1n - biasOf(form) - scale;
    bits = join(form, sign, 0n, exponent === 0n ? 0n : ((1n << DOUBLE.fractionBits) | fraction) >> shift);
  }
  return widen(form, bits) === double ? bits : undefined;
}

type CborItem =
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

type CborEntry = readonly [key: CborItem, value: CborItem];

const CBOR_TAG_POSITIVE = 2n;
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
function readCbor(bytes: Uint8Array): CborItem {
  return new CborReader(bytes).item(DEPTH_MAX);
}

/** A number of up to 128 bits; if it is negative, of up to 127. */
function cborNumber(value: bigint): CborItem {
  if (value <= U64_MAX && value >= -1n - U64_MAX) return { kind: 'integer', value };
  if (value > 0n) return cborBigNumber(value);
  return { kind: 'tag', tag: TAG_NEGATIVE, item: { kind: 'bytes', bytes: bigEndian(-1n - value) } };
}

/** A non-negative number as tagged bytes, whatever its size. */
function cborBigNumber(value: bigint): CborItem {
  return { kind: 'tag', tag: CBOR_TAG_POSITIVE, item: { kind: 'bytes', bytes: bigEndian(value) } };
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
      const magnitude = bytesToNumberBE(bytes);
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
      if (header.major !== major) misfit('expected a chunk of the same string');
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
    return { major, value: bytesToNumberBE(bytes), float: isFloat ? readFloat(bytes) : undefined };
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
function writeCbor(item: CborItem): Uint8Array {
  const parts: Uint8Array[] = [];
  writeItem(item, parts);
  return joinBytes(parts);
}

function writeItem(item: CborItem, parts: Uint8Array[]): void {
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
      for (const inner of item.items) writeItem(inner, parts);
      return;
    case 'map':
      parts.push(header(MAJOR.map, BigInt(item.entries.length)));
      for (const [key, value] of item.entries) {
        writeItem(key, parts);
        writeItem(value, parts);
      }
      return;
    case 'tag':
      parts.push(header(MAJOR.tag, item.tag));
      writeItem(item.item, parts);
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
  const byteCount = [1, 2, 4, 8].find((count) => value >> BigInt(8 * count) === 0n)!;
  const minor = 24 + Math.log2(byteCount);
  return concatBytes(Uint8Array.of((major << 5) | minor), numberToBytesBE(value, byteCount));
}

const WRITE_FAILED = 1;
const NO_LAYOUT = 2;

/** Bytes per microsecond, measured on the smallest items: the schedule has no price per byte. */
const BYTES_PER_WORK = 4;

/** Number of copied bytes that a parsed byte counts as. */
const BYTES_PER_NODE_READ = 20;

export const CBOR: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'cbor' },
  natives: (prices) => {
    const readCost = prices.of('cbor.from_bytes.base');
    const writeCost = prices.of('cbor.to_bytes.base');
    return {
      native_from_cbor: (context, { typeArguments, returns }, bytes: ByteVector): StructInstance => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.host.work.spend(Math.ceil(bytes.length / BYTES_PER_WORK));
        const value = convert(context, () => read(type, readCbor(bytes.view())));
        context.charge(readCost);
        return value === undefined ? makeNone(returns[0]!) : makeSome(returns[0]!, value);
      },

      native_to_cbor: (context, { typeArguments }, reference: unknown): ByteVector => {
        const type = typeArguments[0]!;
        context.charge(writeCost);
        if (type.layoutFault !== 0) return context.abort(NO_LAYOUT);
        const work = new NodeWork(context.host.work);
        const bytes = convert(context, () => writeCbor(write(work, type, dereference(type, reference))));
        work.settle();
        return new ByteVector(bytes ?? context.abort(WRITE_FAILED));
      },
    };
  },
};

/** The value of `type` in `item`. */
function read(type: Type, item: CborItem): unknown {
  switch (type.kind) {
    case 'bool':
      return item.kind === 'bool' ? item.value : misfit('expected true or false');
    case 'u128':
    case 'u256':
      return readBigNumber(type.kind, item);
    case 'address': {
      const bytes = readBytes(item);
      return bytes.length === ADDRESS_BYTES ? bytes.slice() : misfit(`expected an address, got ${bytes.length} bytes`);
    }
    case 'vector':
      return readVector(type.item, item);
    case 'struct':
      return readStruct(type, item);
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u64':
      return readInteger(type.kind, item);
    default:
      return misfit(`expected a type that CBOR can tell, got ${type.kind}`);
  }
}

function readInteger(kind: IntegerKind, item: CborItem): Integer {
  const isInRange = item.kind === 'integer' && item.value >= 0n && item.value <= maxOf(kind);
  return isInRange ? toInteger(kind, item.value) : misfit(`expected an integer that is a ${kind}`);
}

function readBigNumber(kind: 'u128' | 'u256', item: CborItem): bigint {
  if (item.kind !== 'tag' || item.tag !== CBOR_TAG_POSITIVE) return misfit(`expected tag 2 for a ${kind}`);
  const bytes = readBytes(item.item);
  if (bytes.length > INTEGER_BITS[kind] / 8) fatal(`expected at most the bytes of a ${kind}, got ${bytes.length}`);
  return bytesToNumberBE(bytes);
}

function readBytes(item: CborItem): Uint8Array {
  return item.kind === 'bytes' ? item.bytes : misfit('expected bytes');
}

function textOf(item: CborItem): string {
  return item.kind === 'text' ? item.text : misfit('expected text');
}

function readVector(element: Type, item: CborItem): VectorValue {
  if (element.kind === 'u8') return new ByteVector(readBytes(item).slice());
  if (item.kind !== 'array') return misfit('expected an array');
  return vectorOf(
    element,
    item.items.map((inner) => read(element, inner)),
  );
}

function readStruct(type: Type, item: CborItem): StructInstance {
  switch (knownStruct(type)) {
    case 'string':
      return makeText(type, textOf(item));
    case 'ascii':
      return makeAscii(type, textOf(item));
    case 'option':
      return item.kind === 'null' ? makeNone(type) : makeSome(type, read(type.fields[0]!.item, item));
    case 'bytesMap':
      return item.kind === 'map' ? makeBytesMap(type, item.entries) : misfit('expected a map');
    default:
      return type.make(...readFields(type, item));
  }
}

function makeBytesMap(type: Type, entries: readonly CborEntry[]): StructInstance {
  const element = type.fields[0]!.item;
  const elements = entries.map(([key, value]) =>
    element.make(makeText(element.fields[0]!, textOf(key)), new ByteVector(writeCbor(value))),
  );
  return type.make(vectorOf(element, elements));
}

function readFields(type: Type, item: CborItem): unknown[] {
  const { fieldNames } = type.struct;
  switch (item.kind) {
    case 'map': {
      const members = membersOf(item.entries);
      return type.fields.map((field, index) =>
        read(field, members.get(fieldNames[index]!) ?? misfit(`expected the field ${fieldNames[index]}`)),
      );
    }
    case 'array':
      return type.fields.map((field, index) => read(field, item.items[index] ?? misfit('expected more fields')));
    default:
      return fatal(`expected a map or an array for a struct, got ${item.kind}`);
  }
}

/** The first of each name. */
function membersOf(entries: readonly CborEntry[]): ReadonlyMap<string, CborItem> {
  const members = new Map<string, CborItem>();
  for (const [key, value] of entries) {
    if (key.kind === 'text' && !members.has(key.text)) members.set(key.text, value);
  }
  return members;
}

/** A value of `type` in CBOR. */
function write(work: NodeWork, type: Type, value: unknown): CborItem {
  work.node(value instanceof ByteVector ? value.length : 0);
  switch (type.kind) {
    case 'bool':
      return { kind: 'bool', value: value as boolean };
    case 'u256':
      return cborBigNumber(value as bigint);
    case 'address':
      return { kind: 'bytes', bytes: value as Uint8Array };
    case 'vector':
      return writeVector(work, type.item, value as VectorValue);
    case 'struct':
      return writeStruct(work, type, value as StructInstance);
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u64':
    case 'u128':
      return cborNumber(BigInt(value as number | bigint));
    default:
      return misfit(`expected a type that CBOR can tell, got ${type.kind}`);
  }
}

function writeVector(work: NodeWork, item: Type, vector: VectorValue): CborItem {
  if (vector instanceof ByteVector) return { kind: 'bytes', bytes: vector.view() };
  return {
    kind: 'array',
    items: Array.from({ length: vector.length }, (_, index) => write(work, item, vector.get(index))),
  };
}

function writeStruct(work: NodeWork, type: Type, value: StructInstance): CborItem {
  switch (knownStruct(type)) {
    case 'string':
    case 'ascii':
      return { kind: 'text', text: writeText(work, value) };
    case 'option': {
      const inner = optionValue(value);
      return inner === undefined ? { kind: 'null' } : write(work, type.fields[0]!.item, inner);
    }
    case 'bytesMap': {
      const entries: CborEntry[] = [];
      for (const [text, bytes] of bytesMapEntries(work, value, BYTES_PER_NODE_READ)) {
        entries.push([{ kind: 'text', text }, readCbor(bytes)]);
      }
      return { kind: 'map', entries };
    }
    default: {
      const { fieldNames } = type.struct;
      const entries = type.fields.map(
        (field, index): CborEntry => [
          { kind: 'text', text: fieldNames[index]! },
          write(work, field, value.getField(index)),
        ],
      );
      return { kind: 'map', entries };
    }
  }
}
