/**
 * Natives of `0x2::rlp`: Ethereum's recursive length prefix.
 *
 * A struct, and a vector of anything but bytes, is a list; bytes and addresses are strings; a number is its big-endian
 * bytes without leading zeros. Decoding reads the first item and ignores trailing bytes, as well as items of a list
 * beyond the fields of a struct. But bytes after the outermost list count as items of it: a bug of the reference's
 * decoder that decides what can be decoded. Source: Ethereum's yellow paper, appendix B; rlp 0.6 of the reference.
 * @module
 */
import { bigEndian, bytesToNumberBE } from '../../base/bytes/bigint.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { vectorOf } from '../../vm/value/generic-operations.ts';
import { INTEGER_BITS, type IntegerKind, toInteger } from '../../vm/value/integer.ts';
import { dereference } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import { convert, fatal, misfit, NodeWork } from './conversion.ts';
import type { ModuleNatives } from './module-natives.ts';
import { panicWithoutLayout } from './panic.ts';

const ENCODE_FAILED = 1;
const DECODE_FAILED = 2;

const STRING = 0x80;
const LIST = 0xc0;
/** The first byte holds the length of contents up to this one. */
const SHORT_LENGTH_MAX = 55;
const ADDRESS_BYTES = 32;
const U256_BYTES = 32;

/** Initial size of the buffer in bytes; it doubles when full. */
const BUFFER_BYTES = 256;

/** Bytes per microsecond, measured on the smallest items: the schedule has no price per byte. */
const BYTES_PER_WORK = 4;

export const RLP: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'rlp' },
  natives: (prices) => {
    const encodeCost = prices.of('rlp.to_bytes.base');
    const decodeCost = prices.of('rlp.from_bytes.base');
    return {
      to_bytes: (context, { typeArguments }, reference: unknown): ByteVector => {
        const type = typeArguments[0]!;
        context.charge(encodeCost);
        if (type.layoutFault !== 0) return context.abort(ENCODE_FAILED);
        const work = new NodeWork(context.host.work);
        const bytes = new Encoder(work).encode(type, dereference(type, reference));
        work.settle();
        return new ByteVector(bytes);
      },

      from_bytes: (context, { typeArguments }, bytes: ByteVector): unknown => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.host.work.spend(Math.ceil(bytes.length / BYTES_PER_WORK));
        const value = convert(context, () => decode(type, bytes.view()));
        context.charge(decodeCost);
        return value === undefined ? context.abort(DECODE_FAILED) : value;
      },
    };
  },
};

/**
 * Writes a value from its end on: the length of a list, which precedes its items, is only known once they are written.
 * An array for each item would take a hundred times the memory of its byte.
 */
class Encoder {
  readonly #work: NodeWork;
  #bytes: Uint8Array = new Uint8Array(BUFFER_BYTES);
  /** Start of the output. */
  #start = BUFFER_BYTES;

  constructor(work: NodeWork) {
    this.#work = work;
  }

  encode(type: Type, value: unknown): Uint8Array {
    this.#write(type, value);
    return this.#bytes.slice(this.#start);
  }

  #write(type: Type, value: unknown): void {
    this.#work.node(value instanceof ByteVector ? value.length : 0);
    switch (type.kind) {
      case 'bool':
        this.#writeString(bigEndian(value === true ? 1n : 0n));
        break;
      case 'address':
        this.#writeString(value as Uint8Array);
        break;
      case 'signer':
        this.#writeString((value as StructInstance).f0 as Uint8Array);
        break;
      case 'struct':
        this.#writeList(type.fields.length, (index) => {
          this.#write(type.fields[index]!, (value as StructInstance).getField(index));
        });
        break;
      case 'vector': {
        const vector = value as VectorValue;
        if (vector instanceof ByteVector) this.#writeString(vector.view());
        else this.#writeList(vector.length, (index) => this.#write(type.item, vector.get(index)));
        break;
      }
      default:
        this.#writeString(bigEndian(BigInt(value as number | bigint)));
    }
  }

  #writeList(count: number, write: (index: number) => void): void {
    const end = this.#bytes.length - this.#start;
    for (let index = count - 1; index >= 0; index--) write(index);
    this.#writePrefix(LIST, this.#bytes.length - this.#start - end);
  }

  #writeString(content: Uint8Array): void {
    this.#put(content);
    // A small byte encodes itself.
    if (content.length !== 1 || content[0]! >= STRING) this.#writePrefix(STRING, content.length);
  }

  #writePrefix(kind: typeof STRING | typeof LIST, length: number): void {
    if (length <= SHORT_LENGTH_MAX) {
      this.#put(Uint8Array.of(kind + length));
      return;
    }
    const digits = bigEndian(BigInt(length));
    this.#put(digits);
    this.#put(Uint8Array.of(kind + SHORT_LENGTH_MAX + digits.length));
  }

  /** Puts bytes before the output. */
  #put(bytes: Uint8Array): void {
    if (bytes.length > this.#start) {
      const written = this.#bytes.subarray(this.#start);
      this.#bytes = new Uint8Array(2 * (written.length + bytes.length));
      this.#start = this.#bytes.length - written.length;
      this.#bytes.set(written, this.#start);
    }
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }
}

/** The value of `type` in the item at the start of `bytes`. */
function decode(type: Type, bytes: Uint8Array): unknown {
  switch (type.kind) {
    case 'bool': {
      const number = decodeNumber('u8', bytes);
      return number === 0 || number === 1 ? number === 1 : misfit(`expected a bool of 0 or 1, got ${number}`);
    }
    case 'address':
      return decodeAddress(bytes);
    case 'signer':
      return new type.structClass(decodeAddress(bytes));
    case 'struct': {
      const list = new ListCursor(bytes);
      return type.make(...type.fields.map((field) => decode(field, list.next() ?? misfit('expected a field'))));
    }
    case 'vector':
      return decodeVector(type.item, bytes);
    case 'u256':
      return decodeU256(bytes);
    default:
      return decodeNumber(type.kind as IntegerKind, bytes);
  }
}

function decodeVector(item: Type, bytes: Uint8Array): VectorValue {
  if (item.kind === 'u8') return new ByteVector(stringContent(bytes).slice());
  const list = new ListCursor(bytes);
  if (!list.isList) return misfit('expected a list');
  const elements: unknown[] = [];
  for (let next = list.next(); next !== undefined; next = list.next()) elements.push(decode(item, next));
  return vectorOf(item, elements);
}

function decodeAddress(bytes: Uint8Array): Uint8Array {
  const content = stringContent(bytes);
  return content.length === ADDRESS_BYTES
    ? content.slice()
    : misfit(`expected an address, got ${content.length} bytes`);
}

function decodeU256(bytes: Uint8Array): bigint {
  const content = stringContent(bytes);
  if (content.length > U256_BYTES) fatal(`expected a u256 of at most ${U256_BYTES} bytes, got ${content.length}`);
  return bytesToNumberBE(content);
}

function decodeNumber(kind: IntegerKind, bytes: Uint8Array): number | bigint {
  const content = stringContent(bytes);
  if (content.length > INTEGER_BITS[kind] / 8 || content[0] === 0) misfit(`expected the shortest bytes of a ${kind}`);
  return toInteger(kind, bytesToNumberBE(content));
}

/**
 * The content of the string at the start of `bytes`: a view. A list is a mismatch, and so is a truncated string or one
 * not in shortest form.
 */
function stringContent(bytes: Uint8Array): Uint8Array {
  const first = bytes[0];
  if (first === undefined || first >= LIST) return misfit('expected a string');
  if (first < STRING) return bytes.subarray(0, 1);
  const isLong = first > STRING + SHORT_LENGTH_MAX;
  const lengthBytes = isLong ? first - STRING - SHORT_LENGTH_MAX : 0;
  const length = isLong ? readLength(bytes, lengthBytes) : first - STRING;
  const start = 1 + lengthBytes;
  if (length === undefined || start + length > bytes.length) return misfit('expected a complete string');
  const content = bytes.subarray(start, start + length);
  return first === STRING + 1 && content[0]! < STRING ? misfit('expected a byte without a prefix') : content;
}

/** A length of several bytes after the first one; `undefined` if it is truncated or begins with a zero. */
function readLength(bytes: Uint8Array, lengthBytes: number): number | undefined {
  if (bytes.length < 1 + lengthBytes || bytes[1] === 0) return undefined;
  let length = 0;
  for (let at = 1; at <= lengthBytes; at++) length = length * 256 + bytes[at]!;
  return length;
}

/** Length of the item at the start of `bytes`, including the prefix; `undefined` if it is truncated. */
function itemExtent(bytes: Uint8Array): { readonly start: number; readonly end: number } | undefined {
  const first = bytes[0];
  if (first === undefined) return undefined;
  if (first < STRING) return { start: 0, end: 1 };
  const kind = first < LIST ? STRING : LIST;
  let start = 1;
  let length: number | undefined = first - kind;
  if (length > SHORT_LENGTH_MAX) {
    start += length - SHORT_LENGTH_MAX;
    length = readLength(bytes, start - 1);
    if (length === undefined || length <= SHORT_LENGTH_MAX) return undefined;
  }
  return start + length <= bytes.length ? { start, end: start + length } : undefined;
}

/** Iterates over the items of the list at the start of `bytes`, and over everything after it. */
class ListCursor {
  readonly isList: boolean;
  readonly #bytes: Uint8Array;
  /** Where the next item begins; -1 before the first. */
  #at = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.isList = (bytes[0] ?? 0) >= LIST;
  }

  /** The next item with its prefix; `undefined` at the end, at a truncated item, and if there is no list. */
  next(): Uint8Array | undefined {
    if (!this.isList) return undefined;
    const rest = this.#at < 0 ? this.#content() : this.#bytes.subarray(this.#at);
    const extent = rest === undefined ? undefined : itemExtent(rest);
    if (rest === undefined || extent === undefined) return undefined;
    this.#at = rest.byteOffset - this.#bytes.byteOffset + extent.end;
    return rest.subarray(0, extent.end);
  }

  #content(): Uint8Array | undefined {
    const extent = itemExtent(this.#bytes);
    return extent === undefined ? undefined : this.#bytes.subarray(extent.start, extent.end);
  }
}
