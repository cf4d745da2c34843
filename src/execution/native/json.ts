/**
 * Natives of `0x2::json`: Move values as JSON.
 *
 * | Move | JSON |
 * | --- | --- |
 * | bool, u8 to u64 | `true`, `false`, number |
 * | u128, u256 | text of digits |
 * | address | text: bech32 `rooch1...`; `0x` and digits is read too |
 * | vector | array, also of bytes; `null` or nothing is read as empty |
 * | struct | object of its fields; those that are `null` are not written |
 * | String, ascii String | text |
 * | Option | the value or `null` |
 * | ObjectID | text: `0x` and the digits of all parts |
 * | DecimalValue | number or text |
 * | SimpleMap<String, String> | read from an object of any values, which become text |
 * | SimpleMap<String, vector<u8>> | written as an object; the bytes are JSON themselves |
 *
 * A mismatch yields none when reading and aborts when writing. In the reference, the vector inside an Option that was
 * read is refused by the vector functions if its elements are primitive; here it is a vector like any other. Source:
 * frameworks/moveos-stdlib/src/natives/moveos_stdlib/json.rs of the reference.
 *
 * A DecimalValue is a number if a double or u64 represents it exactly enough, otherwise text. A number of any kind is
 * read as a double first, so integers above 2^53 lose digits, as in the reference. Source:
 * moveos/moveos-types/src/moveos_std/decimal_value.rs of the reference; `f64::to_string` of Rust for the text of a
 * double, which never has an exponent.
 * @module
 */
import { decodeUtf8, encodeUtf8, fromHex } from '../../base/bytes/bytes.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import { ADDRESS_BYTES, type Address, formatAddressBech32, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { emptyVector, vectorOf } from '../../vm/value/generic-operations.ts';
import { type IntegerKind, maxOf } from '../../vm/value/integer.ts';
import { dereference } from '../../vm/value/reference.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import { bech32Bytes, readBech32 } from './bech32.ts';
import { convert, fatal, misfit, NodeWork } from './conversion.ts';
import { type ExactJson, formatJson, formatPositional, parseExactJson } from './json-value.ts';
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

interface DecimalValue {
  /** u256 */
  readonly value: bigint;
  /** How many of its digits are after the point; u8. */
  readonly decimal: number;
}

const DOUBLE_INTEGER_MAX = 1n << 53n;

const WHITE_SPACE = /\p{White_Space}/u;

/** `undefined` for JSON that is not a decimal number. */
function decimalFromJson(json: ExactJson): DecimalValue | undefined {
  if (typeof json === 'string') return parseDecimal(json);
  if (typeof json === 'number' || typeof json === 'bigint') return parseDecimal(formatPositional(Number(json)));
  return undefined;
}

/** Fatal for a decimal whose power of ten does not fit a u64, unless it is written as text. */
function decimalToJson({ value, decimal }: DecimalValue): ExactJson {
  if (value > maxOf('u128')) return formatDecimal(value, decimal);
  if (decimal === 0) return value <= maxOf('u64') ? value : formatDecimal(value, decimal);
  if (value > DOUBLE_INTEGER_MAX) return formatDecimal(value, decimal);
  const divisor = 10n ** BigInt(decimal);
  return divisor <= maxOf('u64')
    ? Number(value) / Number(divisor)
    : fatal(`expected at most 19 decimals, got ${decimal}`);
}

/** Reads the text of a u256: digits only; no digits mean zero. */
function parseU256(text: string): bigint | undefined {
  const digits = text.replace(/^0+/, '');
  if (!/^[0-9]{0,78}$/.test(digits)) return undefined;
  const value = digits === '' ? 0n : BigInt(digits);
  return value <= maxOf('u256') ? value : undefined;
}

function parseDecimal(text: string): DecimalValue | undefined {
  const trimmed = trim(text);
  const [whole = '', fraction = '', ...more] = trimmed.split('.', 3);
  if (trimmed === '' || more.length > 0) return undefined;
  const value = parseU256(whole + fraction);
  return value === undefined ? undefined : { value, decimal: fraction.length & 0xff };
}

/** Without surrounding white space as defined by Unicode, which differs slightly from that of `String.trim`. */
function trim(text: string): string {
  // From both ends, since an expression that is anchored at the end takes quadratic time for spaces within the text.
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function formatDecimal(value: bigint, decimal: number): string {
  if (decimal === 0) return value.toString();
  const digits = value.toString().padStart(decimal + 1, '0');
  return `${digits.slice(0, -decimal)}.${digits.slice(-decimal)}`;
}

const NO_STRUCT = 1;
const WRITE_FAILED = 2;
const NO_LAYOUT = 3;

/** Bytes read per microsecond, measured on the smallest items. */
const READ_PER_WORK = 5;

/** Number of copied bytes that a byte read counts as. */
const BYTES_PER_NODE_READ = 10;

export const JSON_NATIVES: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'json' },
  natives: (prices) => {
    const readCost = prices.linear('json.from_bytes', 'per_byte_in_str');
    // Free on chains older than the native.
    const writeCost = prices.linearOrFree('json.to_bytes', 'per_byte_in_str');
    return {
      native_from_json: (context, { typeArguments, returns }, bytes: ByteVector): StructInstance => {
        const type = typeArguments[0]!;
        panicWithoutLayout(context, type);
        context.charge(readCost(bytes.length));
        context.host.work.spend(Math.ceil(bytes.length / READ_PER_WORK));
        if (type.kind !== 'struct') return context.abort(NO_STRUCT);
        const work = new NodeWork(context.host.work);
        const value = convert(context, () => read(work, type, readJson(bytes.view())));
        work.settle();
        return value === undefined ? makeNone(returns[0]!) : makeSome(returns[0]!, value);
      },

      native_to_json: (context, { typeArguments }, reference: unknown): ByteVector => {
        const type = typeArguments[0]!;
        if (type.layoutFault !== 0) {
          context.charge(writeCost(0));
          return context.abort(NO_LAYOUT);
        }
        const work = new NodeWork(context.host.work);
        const json = convert(context, () => write(work, type, dereference(type, reference)));
        work.settle();
        if (json === undefined) {
          context.charge(writeCost(0));
          return context.abort(WRITE_FAILED);
        }
        const bytes = encodeUtf8(formatJson(json));
        context.charge(writeCost(bytes.length));
        return new ByteVector(bytes);
      },
    };
  },
};

function readJson(bytes: Uint8Array): ExactJson {
  const text = decodeUtf8(bytes) ?? misfit('expected UTF-8');
  const json = parseExactJson(text);
  return json === undefined ? misfit('expected JSON') : json;
}

/** The value of `type` in `json`. The bytes have been counted, so only values without text are. */
function read(work: NodeWork, type: Type, json: ExactJson): unknown {
  switch (type.kind) {
    case 'bool':
      return typeof json === 'boolean' ? json : misfit('expected true or false');
    case 'u8':
    case 'u16':
    case 'u32':
      return Number(readUnsigned(type.kind, json));
    case 'u64':
      return readUnsigned(type.kind, json);
    case 'u128':
      return readU128(textOf(json));
    case 'u256':
      return parseU256(textOf(json)) ?? misfit('expected the digits of a u256');
    case 'address':
      return readAddress(textOf(json));
    case 'vector':
      return readVector(work, type.item, json);
    case 'struct':
      return readStruct(work, type, json);
    default:
      return misfit(`expected a type that JSON can tell, got ${type.kind}`);
  }
}

function textOf(json: ExactJson): string {
  return typeof json === 'string' ? json : misfit('expected text');
}

function readUnsigned(kind: IntegerKind, json: ExactJson): bigint {
  const isInRange = typeof json === 'bigint' && json >= 0n && json <= maxOf(kind);
  return isInRange ? json : misfit(`expected a number that is a ${kind}`);
}

function readU128(text: string): bigint {
  const digits = /^\+?0*([0-9]{1,39})$/.exec(text)?.[1] ?? misfit('expected the digits of a u128');
  const value = BigInt(digits);
  return value <= maxOf('u128') ? value : misfit('expected at most the largest u128');
}

function readAddress(text: string): Address {
  if (text.startsWith('0x')) {
    const digits = /^0x([0-9a-fA-F]{0,64})$/.exec(text)?.[1] ?? misfit('expected at most 64 hex digits');
    return fromHex(digits.padStart(ADDRESS_BYTES * 2, '0'));
  }
  const decoded = readBech32(encodeUtf8(text));
  const bytes = decoded?.prefix === 'rooch' ? bech32Bytes(decoded.words) : undefined;
  return bytes?.length === ADDRESS_BYTES ? bytes : misfit('expected a bech32 address rooch1...');
}

function readVector(work: NodeWork, item: Type, json: ExactJson): VectorValue {
  if (json === null) return emptyVector(item);
  if (!Array.isArray(json)) return misfit('expected an array');
  return vectorOf(
    item,
    (json as readonly ExactJson[]).map((element) => read(work, item, element)),
  );
}

function readStruct(work: NodeWork, type: Type, json: ExactJson): StructInstance {
  switch (knownStruct(type)) {
    case 'string':
      return makeText(type, textOf(json));
    case 'ascii':
      return makeAscii(type, textOf(json));
    case 'option':
      return json === null ? makeNone(type) : makeSome(type, read(work, type.fields[0]!.item, json));
    case 'objectId':
      return readObjectId(type, json);
    case 'decimalValue': {
      const { value, decimal } = decimalFromJson(json) ?? misfit('expected a decimal number');
      return type.make(value, decimal);
    }
    case 'textMap':
      return json instanceof Map ? makeTextMap(type, json) : misfit('expected an object');
    default:
      return readFields(work, type, json);
  }
}

/** Fewer than 64 digits are padded on the left; digits beyond a multiple of 64 are dropped. */
function readObjectId(type: Type, json: ExactJson): StructInstance {
  const item = type.fields[0]!.item;
  if (json === null) return type.make(emptyVector(item));
  const digits = /^(?:0x)?([0-9a-fA-F]*)$/.exec(textOf(json))?.[1] ?? misfit('expected hex digits');
  if (digits === '') return type.make(emptyVector(item));
  const padded = digits.padStart(ADDRESS_BYTES * 2, '0');
  if (padded.length % 2 !== 0) misfit('expected an even number of hex digits');
  const bytes = fromHex(padded);
  const parts: Uint8Array[] = [];
  for (let end = ADDRESS_BYTES; end <= bytes.length; end += ADDRESS_BYTES) {
    parts.push(bytes.slice(end - ADDRESS_BYTES, end));
  }
  return type.make(vectorOf(item, parts));
}

function makeTextMap(type: Type, members: ReadonlyMap<string, ExactJson>): StructInstance {
  const element = type.fields[0]!.item;
  const [key, value] = element.fields;
  const elements = [...members].map(([name, member]) =>
    element.make(makeText(key!, name), makeText(value!, typeof member === 'string' ? member : formatJson(member))),
  );
  return type.make(vectorOf(element, elements));
}

/** A missing field reads as `null` if it is a struct or vector. Anything but an object has no fields. */
function readFields(work: NodeWork, type: Type, json: ExactJson): StructInstance {
  const members = json instanceof Map ? (json as ReadonlyMap<string, ExactJson>) : undefined;
  const { fieldNames } = type.struct;
  const values = type.fields.map((field, index) => {
    const member = members?.get(fieldNames[index]!);
    if (member !== undefined) return read(work, field, member);
    const isNullable = field.kind === 'struct' || field.kind === 'vector';
    if (!isNullable) return misfit(`expected the field ${fieldNames[index]}`);
    // Two bytes of an array can stand for a struct of hundreds of fields.
    work.node();
    return read(work, field, null);
  });
  return type.make(...values);
}

/** A value of `type` in JSON. */
function write(work: NodeWork, type: Type, value: unknown): ExactJson {
  work.node();
  switch (type.kind) {
    case 'bool':
      return value as boolean;
    case 'u8':
    case 'u16':
    case 'u32':
      return BigInt(value as number);
    case 'u64':
      return value as bigint;
    case 'u128':
    case 'u256':
      return String(value as bigint);
    case 'address':
      return formatAddressBech32(value as Address);
    case 'vector':
      return writeVector(work, type.item, value as VectorValue);
    case 'struct':
      return writeStruct(work, type, value as StructInstance);
    default:
      return misfit(`expected a type that JSON can tell, got ${type.kind}`);
  }
}

function writeVector(work: NodeWork, item: Type, vector: VectorValue): ExactJson {
  return Array.from({ length: vector.length }, (_, index) => write(work, item, vector.get(index)));
}

function writeStruct(work: NodeWork, type: Type, value: StructInstance): ExactJson {
  switch (knownStruct(type)) {
    case 'string':
    case 'ascii':
      return writeText(work, value);
    case 'option': {
      const inner = optionValue(value);
      return inner === undefined ? null : write(work, type.fields[0]!.item, inner);
    }
    case 'objectId': {
      const parts = value.f0 as VectorValue;
      work.node(parts.length * ADDRESS_BYTES);
      return formatObjectId(Array.from({ length: parts.length }, (_, index) => parts.get(index) as Uint8Array));
    }
    case 'decimalValue':
      return decimalToJson({ value: value.f0 as bigint, decimal: value.f1 as number });
    case 'bytesMap': {
      const members = new Map<string, ExactJson>();
      for (const [name, bytes] of bytesMapEntries(work, value, BYTES_PER_NODE_READ)) members.set(name, readJson(bytes));
      return members;
    }
    default:
      return writeFields(work, type, value);
  }
}

function writeFields(work: NodeWork, type: Type, value: StructInstance): ExactJson {
  const { fieldNames } = type.struct;
  const members = new Map<string, ExactJson>();
  for (const [index, field] of type.fields.entries()) {
    const json = write(work, field, value.getField(index));
    if (json !== null) members.set(fieldNames[index]!, json);
  }
  return members;
}
