/**
 * Arguments of calls as JavaScript values, encoded by the Move types of the function's parameters.
 *
 * | Move type | value |
 * | --- | --- |
 * | `bool` | boolean |
 * | integers | number, bigint, or decimal string |
 * | `address` | text in any form of `parseAccount`, a Bitcoin address included, 32 bytes, or an account |
 * | `vector<u8>` | bytes, or hex text with `0x` |
 * | `vector<T>` | array |
 * | `0x1::string::String`, `0x1::ascii::String` | text |
 * | `0x1::option::Option<T>` | the value, or null or undefined for none |
 * | `0x2::object::ObjectID`, `Object<T>` and references to it | text as `parseObjectId` reads it, its parts, or 32 bytes; a named object's type |
 * | other structs | an object with a member for each field |
 *
 * Any value may also be given as `{ bcs: bytes }`. For a struct whose only field is `bcs: vector<u8>`, the bytes are
 * then the BCS of the whole struct, as when encoding by an ABI, which does not know fields; to give the field itself,
 * write it as hex text or an array.
 * @module
 */

import { describeReceived } from '../base/argument.ts';
import { bool, string } from '../base/bcs.ts';
import { fromHex, hasLoneSurrogate, isAsciiText } from '../base/bytes/bytes.ts';
import { ByteWriter } from '../base/bytes/writer.ts';
import { EngineError } from '../base/error.ts';
import { ADDRESS_EXPECTED, type AddressInput, addressNamedBy, parseAccount } from '../bitcoin/address.ts';
import { type ObjectId, objectId, parseObjectId } from '../chain/object/object-id.ts';
import {
  type ArgumentType,
  argumentTypeText,
  isObjectHandle,
  isObjectId,
  isString,
  isStruct,
} from '../execution/runtime/call-arguments.ts';
import { MOVE_STD_ADDRESS } from '../move/address.ts';

/** The accepted forms of an integer of any width; text is decimal. */
export type IntegerInput = number | bigint | string;

/** A value to encode as a Move type; the table in this file says which one each type takes. */
export type ViewArgument =
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | null
  | undefined
  | readonly ViewArgument[]
  | AddressInput
  | { readonly bcs: Uint8Array }
  | { readonly [field: string]: ViewArgument };

/**
 * The BCS of `value` as `type`, or as the type it refers to.
 * @param name of the argument, for messages
 * @throws {EngineError} `invalid-argument`, naming the argument and the Move type of the part that does not fit
 */
export function encodeArgument(type: ArgumentType, value: ViewArgument, name: string): Uint8Array {
  const raw = rawBytes(value);
  // A copy, since a call waits for its turn.
  if (raw !== undefined) return new Uint8Array(raw);
  const writer = new ByteWriter();
  write(type.isReference ? type.item : type, value, name, writer);
  return writer.finish();
}

/** The bytes of `{ bcs: bytes }`. */
export function rawBytes(value: ViewArgument): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Array.isArray(value))
    return undefined;
  const { bcs } = value as { readonly bcs?: ViewArgument };
  return bcs instanceof Uint8Array && Object.keys(value).length === 1 ? bcs : undefined;
}

function write(type: ArgumentType, value: ViewArgument, name: string, writer: ByteWriter): void {
  const raw = rawBytes(value);
  if (raw !== undefined) {
    writer.bytes(raw);
    return;
  }
  switch (type.kind) {
    case 'bool':
      if (typeof value !== 'boolean') throw misfit(type, value, name, 'true or false');
      bool.write(writer, value);
      return;
    case 'u8':
    case 'u16':
    case 'u32':
      writer[type.kind](Number(integer(type, value, name)));
      return;
    case 'u64':
    case 'u128':
    case 'u256':
      writer[type.kind](integer(type, value, name));
      return;
    case 'address':
    case 'signer':
      writer.bytes(addressBytes(type, value, name));
      return;
    case 'vector':
      writeVector(type, value, name, writer);
      return;
    case 'struct':
      writeStruct(type, value, name, writer);
      return;
    default:
      throw new EngineError('invariant-violation', 'a reference to a reference is no Move type');
  }
}

function integer(type: ArgumentType, value: ViewArgument, name: string): bigint {
  const max = (1n << BigInt(type.kind.slice(1))) - 1n;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw misfit(type, value, name, 'a bigint or a decimal string, since a number of 2^53 or more is not exact');
  }
  const number = toInteger(value);
  if (number === undefined || number < 0n || number > max) {
    throw misfit(type, value, name, `an integer from 0 to ${max}, as a number, bigint or decimal string`);
  }
  return number;
}

function toInteger(value: ViewArgument): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : undefined;
}

function addressBytes(type: ArgumentType, value: ViewArgument, name: string): Uint8Array {
  const named = addressNamedBy(value) ?? value;
  if (named instanceof Uint8Array && named.length === 32) return named;
  if (typeof named !== 'string') throw misfit(type, value, name, ADDRESS_EXPECTED);
  try {
    return parseAccount(named);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    throw misfit(type, value, name, ADDRESS_EXPECTED);
  }
}

function writeVector(type: ArgumentType, value: ViewArgument, name: string, writer: ByteWriter): void {
  if (type.item.kind === 'u8' && !Array.isArray(value)) {
    const bytes = byteString(type, value, name);
    writer.uleb128(bytes.length);
    writer.bytes(bytes);
    return;
  }
  if (!Array.isArray(value)) throw misfit(type, value, name, 'an array');
  const items = value as readonly ViewArgument[];
  writer.uleb128(items.length);
  for (const [index, item] of items.entries()) write(type.item, item, `${name}[${index}]`, writer);
}

function byteString(type: ArgumentType, value: ViewArgument, name: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string' || !value.startsWith('0x')) throw misfit(type, value, name, 'bytes, or hex with 0x');
  return read(() => fromHex(value), type, name);
}

function writeStruct(type: ArgumentType, value: ViewArgument, name: string, writer: ByteWriter): void {
  if (isString(type)) {
    assertTextFor(type, value, name);
    string.write(writer, value);
  } else if (isObjectId(type) || isObjectHandle(type)) {
    read(() => objectId.write(writer, toObjectId(type, value, name)), type, name);
  } else if (isStruct(type, MOVE_STD_ADDRESS, 'option', 'Option')) {
    const isNone = value === null || value === undefined;
    writer.u8(isNone ? 0 : 1);
    if (!isNone) write(type.struct.typeArguments[0]!, value, name, writer);
  } else {
    writeFields(type, value, name, writer);
  }
}

/** Text valid for the type: the encoder would replace a lone surrogate, and Move's ASCII strings must be ASCII. */
function assertTextFor(type: ArgumentType, value: ViewArgument, name: string): asserts value is string {
  if (typeof value !== 'string') throw misfit(type, value, name, 'text');
  if (isStruct(type, MOVE_STD_ADDRESS, 'ascii', 'String')) {
    if (!isAsciiText(value)) throw misfit(type, value, name, 'ASCII text');
  } else if (hasLoneSurrogate(value)) {
    throw misfit(type, value, name, 'text without lone surrogates, which have no UTF-8');
  }
}

function toObjectId(type: ArgumentType, value: ViewArgument, name: string): ObjectId {
  if (typeof value === 'string') return parseObjectId(value);
  if (value instanceof Uint8Array && value.length === 32) return [value];
  const isParts = Array.isArray(value) && [...value].every((part) => part instanceof Uint8Array && part.length === 32);
  if (!isParts) throw misfit(type, value, name, 'an object id as text or its 32-byte parts');
  return value as readonly Uint8Array[];
}

function writeFields(type: ArgumentType, value: ViewArgument, name: string, writer: ByteWriter): void {
  const { fieldNames } = type.struct;
  const isRecord =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  const given = isRecord ? Object.keys(value) : [];
  if (!isRecord || given.some((key) => !fieldNames.includes(key))) {
    throw misfit(type, value, name, `an object with ${fieldNames.join(', ')}`);
  }
  const fields = value as Readonly<Record<string, ViewArgument>>;
  for (const [index, field] of fieldNames.entries()) {
    // A Move field may have the name of an inherited member, such as `constructor`; only the value's own counts.
    const isLeftOut = field in Object.prototype && !Object.hasOwn(fields, field);
    write(type.fields[index]!, isLeftOut ? undefined : fields[field], `${name}.${field}`, writer);
  }
}

/** Runs a parser of text, adding the argument's name and type to its refusals. */
function read<T>(parse: () => T, type: ArgumentType, name: string): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'invalid-argument' || error.details['type'] !== undefined) {
      throw error;
    }
    const text = argumentTypeText(type);
    throw new EngineError('invalid-argument', `${name} (${text}): ${error.message}`, {
      details: { ...error.details, path: name, type: text },
      cause: error,
    });
  }
}

function misfit(type: ArgumentType, value: ViewArgument, name: string, expected: string): EngineError {
  const text = argumentTypeText(type);
  const received = describeReceived(value);
  return new EngineError('invalid-argument', `${name} (${text}): expected ${expected}, got ${received}`, {
    details: { path: name, type: text, expected, received },
  });
}
