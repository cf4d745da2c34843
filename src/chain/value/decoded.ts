/**
 * Move values as JavaScript values, in results; `query/view-argument.ts` has the values of arguments.
 *
 * | Move type | value |
 * | --- | --- |
 * | `bool` | boolean |
 * | `u8`, `u16`, `u32` | number |
 * | `u64`, `u128`, `u256` | bigint |
 * | `address`, `signer` | text: `0x` and 64 digits |
 * | `vector<u8>` | bytes |
 * | `vector<T>` | array |
 * | `0x1::string::String`, `0x1::ascii::String` | text; bytes if they are not UTF-8 |
 * | `0x1::option::Option<T>` | the value, or null |
 * | `0x2::object::ObjectID` | text: `0x` and the digits of its parts |
 * | other structs | an object with a member for each field |
 *
 * All of these print and stringify readably (readable.ts).
 * @module
 */
import { decodeUtf8 } from '../../base/bytes/bytes.ts';
import { formatAddress } from '../../move/address.ts';
import type { MoveValue, StructValue } from '../../move/layout.ts';
import { displayStruct } from '../../move/type-tag.ts';
import { formatObjectId } from '../object/object-id.ts';
import { Readable } from './readable.ts';

/** A decoded Move value; the table above lists the form of each type. */
export type DecodedValue =
  | boolean
  | number
  | bigint
  | string
  | null
  | Uint8Array
  | readonly DecodedValue[]
  | DecodedStruct;

/** A decoded struct: its fields by name. */
export interface DecodedStruct {
  readonly [field: string]: DecodedValue;
}

class StructFields extends Readable {
  constructor({ layout, fields }: StructValue) {
    super();
    for (const [index, { name }] of layout.fields.entries()) {
      // Not by assignment: `__proto__` is a name that Move allows.
      Object.defineProperty(this, name, { value: decodedValue(fields[index]!), enumerable: true });
    }
  }
}

/** The JavaScript value of a Move value. */
export function decodedValue(value: MoveValue): DecodedValue {
  switch (value.kind) {
    case 'address':
    case 'signer':
      return formatAddress(value.value);
    case 'bytes':
      return value.value.slice();
    case 'vector':
      return value.items.map(decodedValue);
    case 'struct':
      return decodedStruct(value);
    default:
      return value.value;
  }
}

function decodedStruct(value: StructValue): DecodedValue {
  const { name } = value.layout.tag;
  const [only] = value.fields;
  if (name === 'String' && only?.kind === 'bytes' && isText(value)) return textOf(only.value);
  if (name === 'Option' && only?.kind === 'vector' && isOption(value)) return optionOf(only.items);
  if (name === 'Option' && only?.kind === 'bytes' && isOption(value)) return only.value[0] ?? null;
  if (name === 'ObjectID' && only?.kind === 'vector' && displayStruct(value.layout.tag) === '0x2::object::ObjectID') {
    return formatObjectId(only.items.map((part) => (part.kind === 'address' ? part.value : new Uint8Array(32))));
  }
  return new StructFields(value) as Readable & DecodedStruct;
}

function isText({ layout }: StructValue): boolean {
  const type = displayStruct(layout.tag);
  return type === '0x1::string::String' || type === '0x1::ascii::String';
}

function isOption({ layout }: StructValue): boolean {
  return displayStruct({ ...layout.tag, typeArguments: [] }) === '0x1::option::Option';
}

function optionOf([some]: readonly MoveValue[]): DecodedValue {
  return some === undefined ? null : decodedValue(some);
}

function textOf(bytes: Uint8Array): string | Uint8Array {
  return decodeUtf8(bytes) ?? bytes.slice();
}
