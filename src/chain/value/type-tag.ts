/**
 * Move types in the public API.
 * @module
 */

import { argumentError, parseArgument } from '../../base/argument.ts';

import {
  assertStructTag,
  assertTypeTag,
  displayStruct,
  displayType,
  isStructTag,
  parseStructTag,
  parseTypeTag,
  type StructTag,
  type TypeTag,
} from '../../move/type-tag.ts';
import { AddressValue } from './address.ts';
import { printAsText } from './byte-value.ts';

/** Type names from requests whose parsed form is kept. */
const READ_TAGS_MAX = 256;

/** Characters of a type name that is kept this way: white space can make any type as long as a request. */
const READ_TAG_CHARACTERS_MAX = 512;

/** A struct type whose text is `0x3::gas_coin::RGas`, for example. */
export class StructTagValue implements StructTag {
  readonly address: AddressValue;
  readonly module: string;
  readonly name: string;
  readonly typeArguments: readonly TypeTag[];

  constructor(tag: StructTag) {
    this.address = new AddressValue(tag.address);
    this.module = tag.module;
    this.name = tag.name;
    this.typeArguments = tag.typeArguments;
  }

  toString(): string {
    return displayStruct(this);
  }

  toJSON(): string {
    return this.toString();
  }
}

printAsText(StructTagValue);

const values = new WeakMap<StructTag, StructTagValue>();

/** The readable form of a struct type; the same one for the same object. */
export function structTagValue(tag: StructTag): StructTagValue {
  if (tag instanceof StructTagValue) return tag;
  let value = values.get(tag);
  if (value === undefined) {
    value = new StructTagValue(tag);
    values.set(tag, value);
  }
  return value;
}

/** What a readable type has in addition to a plain one. */
const TYPE_TEXT = {
  toString(this: TypeTag): string {
    return displayType(this);
  },
  toJSON(this: TypeTag): string {
    return displayType(this);
  },
};

printAsText({ prototype: TYPE_TEXT });

/** The readable form of a type: the same members, with a text. */
export function typeTagValue(tag: TypeTag): TypeTag {
  return Object.assign(Object.create(TYPE_TEXT) as object, tag);
}

/** A struct type: its text, or the type itself. */
export type StructTagInput = string | StructTag;

const EXPECTED_STRUCT = 'a struct type (<address>::<module>::<name>)';

/**
 * The struct type that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toStructTag(given: StructTagInput, name: string): StructTag {
  if (typeof given === 'string') return parseArgument(name, EXPECTED_STRUCT, given, readStructTag);
  if (!isStructTag(given)) throw argumentError(name, EXPECTED_STRUCT, given);
  assertStructTag(given, name);
  return given;
}

/** A Move type: its text, or the type itself. */
export type TypeTagInput = string | TypeTag;

const EXPECTED_TYPE = 'a Move type (u64, address, vector<u8>, <address>::<module>::<name>)';

/**
 * The Move type that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toTypeTag(given: TypeTagInput, name: string): TypeTag {
  if (typeof given === 'string') return parseArgument(name, EXPECTED_TYPE, given, parseTypeTag);
  if (typeof given !== 'object') throw argumentError(name, EXPECTED_TYPE, given);
  assertTypeTag(given, name);
  return given;
}

const readTags = new Map<string, StructTag>();

/** The same text gives the same object while it is among the last ones read: queries keep what they derive from it. */
export function readStructTag(text: string): StructTag {
  let tag = readTags.get(text);
  if (tag === undefined) {
    tag = parseStructTag(text);
    if (text.length > READ_TAG_CHARACTERS_MAX) return tag;
    if (readTags.size >= READ_TAGS_MAX) readTags.clear();
    readTags.set(text, tag);
  }
  return tag;
}
