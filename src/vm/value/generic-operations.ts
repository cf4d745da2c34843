/**
 * Copy, equality, size and BCS of values, by walking type and value together.
 *
 * This runs where code generation is forbidden, and the generated operations (`translate/type-code.ts`) are tested
 * against it. Sources: the BCS specification; `values_impl.rs` of the reference.
 * @module
 */
import { HEAP_BYTES_MAX } from '../../base/bytes/arena.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import type { ByteReader } from '../../base/bytes/reader.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import type { ValueSizes } from '../gas/schedule.ts';
import type { Owner, StructInstance } from './struct.ts';
import type { Operations, Type } from './type.ts';
import { ArrayVector, ByteVector, EMPTY_ARRAYS, U64Vector, type VectorValue } from './vector.ts';

/** The operations of `type`, with the sizes of the gas schedule. */
export function genericOperations(type: Type, sizes: ValueSizes): Operations {
  return {
    copy: (value) => copy(type, value),
    equals: (left, right) => equals(type, left, right),
    assign: (target, value) => assign(type, target, value),
    size: (value) => size(type, value, sizes, false),
    comparedSize: (value) => size(type, value, sizes, true),
    write: (writer, value) => write(type, writer, value),
    read: (reader, owner) => read(type, reader, owner),
  };
}

/** A vector of no elements. */
export function emptyVector(item: Type): VectorValue {
  switch (item.kind) {
    case 'u8':
      return new ByteVector(EMPTY_ARRAYS.u8);
    case 'u64':
      return new U64Vector(EMPTY_ARRAYS.u64);
    default:
      return new ArrayVector([]);
  }
}

/** A vector of the given elements, whose array it takes over. */
export function vectorOf(item: Type, elements: unknown[]): VectorValue {
  if (elements.length === 0) return emptyVector(item);
  switch (item.kind) {
    case 'u8':
      return new ByteVector(Uint8Array.from(elements as number[]));
    case 'u64':
      return new U64Vector(BigUint64Array.from(elements as bigint[]));
    default:
      return new ArrayVector(elements);
  }
}

function copy(type: Type, value: unknown): unknown {
  switch (type.kind) {
    case 'vector': {
      if (value instanceof ArrayVector && type.item.isContainer) {
        return new ArrayVector(value.items.map((item) => copy(type.item, item)));
      }
      return (value as ArrayVector | ByteVector | U64Vector).copy();
    }
    case 'struct':
      return new type.structClass(
        ...type.fields.map((field, index) => copy(field, (value as StructInstance).getField(index))),
      );
    default:
      return value;
  }
}

function equals(type: Type, left: unknown, right: unknown): boolean {
  switch (type.kind) {
    case 'address':
      return equalBytes(left as Uint8Array, right as Uint8Array);
    case 'signer':
      return equalBytes((left as StructInstance).f0 as Uint8Array, (right as StructInstance).f0 as Uint8Array);
    case 'struct':
      return type.fields.every((field, index) =>
        equals(field, (left as StructInstance).getField(index), (right as StructInstance).getField(index)),
      );
    case 'vector': {
      const a = left as VectorValue;
      const b = right as VectorValue;
      if (a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) {
        if (!equals(type.item, a.get(index), b.get(index))) return false;
      }
      return true;
    }
    default:
      return left === right;
  }
}

function assign(type: Type, target: unknown, value: unknown): void {
  if (type.kind === 'vector') {
    (target as VectorValue).assign(value as VectorValue);
    return;
  }
  const fieldCount = type.kind === 'signer' ? 1 : type.fields.length;
  for (let index = 0; index < fieldCount; index++) {
    (target as StructInstance).setField(index, (value as StructInstance).getField(index));
  }
}

/** Whether Eq and Neq count vectors of this element type element by element: the reference's visitor omits them. */
function countsSingly(item: Type): boolean {
  return item.kind === 'u16' || item.kind === 'u32' || item.kind === 'u256';
}

function size(type: Type, value: unknown, sizes: ValueSizes, compared: boolean): number {
  switch (type.kind) {
    case 'reference':
    case 'mutableReference':
      return sizes.reference;
    case 'signer':
      return sizes.struct + sizes.address;
    case 'struct':
      return type.fields.reduce(
        (sum, field, index) => sum + size(field, (value as StructInstance).getField(index), sizes, compared),
        sizes.struct,
      );
    case 'vector':
      return sizes.vector + elementsSize(type.item, value as VectorValue, sizes, compared);
    default:
      return sizes[type.kind];
  }
}

function elementsSize(item: Type, vector: VectorValue, sizes: ValueSizes, compared: boolean): number {
  if (!item.isContainer) {
    const { kind } = item as { kind: 'u8' };
    return vector.length * (compared && countsSingly(item) ? sizes[kind] : sizes[`per_${kind}_packed`]);
  }
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += size(item, vector.get(index), sizes, compared);
  return sum;
}

function write(type: Type, writer: ByteWriter, value: unknown): void {
  switch (type.kind) {
    case 'bool':
      writer.u8(value === true ? 1 : 0);
      return;
    case 'u8':
    case 'u16':
    case 'u32':
      writer[type.kind](value as number);
      return;
    case 'u64':
    case 'u128':
    case 'u256':
      writer[type.kind](value as bigint);
      return;
    case 'address':
      writer.bytes(value as Uint8Array);
      return;
    case 'signer':
      writer.bytes((value as StructInstance).f0 as Uint8Array);
      return;
    case 'vector': {
      const vector = value as VectorValue;
      writer.uleb128(vector.length);
      if (vector instanceof ByteVector) {
        writer.bytes(vector.view());
        return;
      }
      for (let index = 0; index < vector.length; index++) write(type.item, writer, vector.get(index));
      return;
    }
    case 'struct':
      type.fields.forEach((field, index) => {
        write(field, writer, (value as StructInstance).getField(index));
      });
      return;
    default:
      throw new EngineError('invariant-violation', 'expected a value with a BCS, got a reference');
  }
}

function read(type: Type, reader: ByteReader, owner: Owner | null): unknown {
  switch (type.kind) {
    case 'bool':
      return readBool(reader);
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u64':
    case 'u128':
    case 'u256':
      return reader[type.kind]();
    case 'address':
      return reader.copy(32);
    case 'signer':
      return new type.structClass(reader.copy(32));
    case 'vector': {
      const vector = readVector(type.item, reader, owner);
      vector.owner = owner;
      return vector;
    }
    case 'struct': {
      const value = new type.structClass(...type.fields.map((field) => read(field, reader, owner)));
      value.owner = owner;
      return value;
    }
    default:
      throw new EngineError('invariant-violation', 'expected a type with a BCS, got a reference');
  }
}

/** @throws {EngineError} `malformed-bytes` for any byte but 0 and 1. */
export function readBool(reader: ByteReader): boolean {
  const byte = reader.u8();
  if (byte > 1) throw new EngineError('malformed-bytes', `expected a bool of 0 or 1, got ${byte}`);
  return byte === 1;
}

/**
 * The length of a vector whose elements take at least one byte each, so no length allocates more than the input holds.
 * @throws {EngineError} `malformed-bytes`
 */
export function readLength(reader: ByteReader): number {
  const length = reader.uleb128();
  if (length > reader.remaining) {
    throw new EngineError('malformed-bytes', `expected ${length} elements, got ${reader.remaining} bytes`);
  }
  return length;
}

/** Long ones share memory with the input until they change; copying a short one is faster than making a view. */
export function readByteVector(reader: ByteReader): ByteVector {
  const length = readLength(reader);
  if (length === 0) return new ByteVector(EMPTY_ARRAYS.u8);
  if (length <= HEAP_BYTES_MAX) return new ByteVector(reader.copy(length));
  const vector = new ByteVector(reader.view(length));
  vector.shared = true;
  return vector;
}

function readVector(item: Type, reader: ByteReader, owner: Owner | null): VectorValue {
  if (item.kind === 'u8') return readByteVector(reader);
  const length = readLength(reader);
  const elements: unknown[] = new Array(length);
  for (let index = 0; index < length; index++) elements[index] = read(item, reader, owner);
  return vectorOf(item, elements);
}
