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
 * What does not fit yields none when reading and aborts when writing. An array that is shorter than the struct does not
 * fit; the reference makes a broken struct of it.
 * Source: `natives/moveos_stdlib/cbor.rs` of the reference.
 * @module
 */

import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { vectorOf } from '../../vm/value/generic-operations.ts';
import { bitsOf, type Integer, type IntegerKind, maxOf, toInteger } from '../../vm/value/integer.ts';
import { dereference } from '../../vm/value/reference.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import {
  CBOR_TAG_POSITIVE,
  type CborEntry,
  type CborItem,
  cborBigNumber,
  cborNumber,
  readCbor,
  writeCbor,
} from './cbor-item.ts';
import { convert, fatal, misfit } from './conversion.ts';
import { knownStruct } from './known-struct.ts';
import type { ModuleNatives } from './module-natives.ts';
import { NodeWork } from './node-work.ts';
import { makeNone, makeSome, optionValue } from './option.ts';
import { panicWithoutLayout } from './panic.ts';
import { makeText, readText } from './text.ts';

const WRITE_FAILED = 1;
const NO_LAYOUT = 2;
const ADDRESS_BYTES = 32;

/** Bytes that take a microsecond, measured on the smallest items: the schedule has no price of bytes. */
const BYTES_PER_WORK = 4;

/** How many copied bytes a parsed byte counts as. */
const BYTES_PER_NODE_READ = 20;

export const CBOR: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'cbor' },
  natives: (prices) => {
    const readCost = prices.of('cbor.from_bytes.base');
    const writeCost = prices.of('cbor.to_bytes.base');
    return {
      native_from_cbor: (
        context: NativeContext<SessionHost>,
        { typeArguments, returns }: NativeSignature,
        bytes: ByteVector,
      ): StructValue => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.host.work.spend(Math.ceil(bytes.length / BYTES_PER_WORK));
        const value = convert(context, () => read(type, readCbor(bytes.view())));
        context.charge(readCost);
        return value === undefined ? makeNone(returns[0]!) : makeSome(returns[0]!, value);
      },

      native_to_cbor: (
        context: NativeContext<SessionHost>,
        { typeArguments }: NativeSignature,
        reference: unknown,
      ): ByteVector => {
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
  if (bytes.length > bitsOf(kind) / 8) fatal(`expected at most the bytes of a ${kind}, got ${bytes.length}`);
  return bytes.length === 0 ? 0n : BigInt(toHexPrefixed(bytes));
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

function readStruct(type: Type, item: CborItem): StructValue {
  switch (knownStruct(type)) {
    case 'string':
      return makeText(type, textOf(item));
    case 'ascii': {
      const text = textOf(item);
      return /^\p{ASCII}*$/u.test(text) ? makeText(type, text) : misfit('expected ASCII');
    }
    case 'option':
      return item.kind === 'null' ? makeNone(type) : makeSome(type, read(type.fields[0]!.item, item));
    case 'bytesMap':
      return item.kind === 'map' ? makeBytesMap(type, item.entries) : misfit('expected a map');
    default:
      return type.make(...readFields(type, item));
  }
}

function makeBytesMap(type: Type, entries: readonly CborEntry[]): StructValue {
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
      return writeStruct(work, type, value as StructValue);
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

function writeStruct(work: NodeWork, type: Type, value: StructValue): CborItem {
  switch (knownStruct(type)) {
    case 'string':
    case 'ascii':
      return writeText(work, value);
    case 'option': {
      const inner = optionValue(value);
      return inner === undefined ? { kind: 'null' } : write(work, type.fields[0]!.item, inner);
    }
    case 'bytesMap':
      return writeBytesMap(work, value);
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

function writeText(work: NodeWork, value: StructValue): CborItem {
  work.node((value.f0 as ByteVector).length);
  return { kind: 'text', text: readText(value) ?? misfit('expected UTF-8') };
}

function writeBytesMap(work: NodeWork, value: StructValue): CborItem {
  const elements = value.f0 as VectorValue;
  const entries = Array.from({ length: elements.length }, (_, index): CborEntry => {
    const element = elements.get(index) as StructValue;
    const bytes = (element.f1 as ByteVector).view();
    // Their content is read item by item.
    work.node(bytes.length * BYTES_PER_NODE_READ);
    return [writeText(work, element.f0 as StructValue), readCbor(bytes)];
  });
  return { kind: 'map', entries };
}
