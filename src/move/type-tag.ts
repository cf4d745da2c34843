/**
 * Concrete Move types, their BCS and their three text forms.
 *
 * The *canonical* form (addresses in full width, `,` between arguments) is hashed: object ids, field keys, type names on
 * chain. The *display* form (short addresses, `, `) is the one of JSON-RPC, and the *name* (`, `, and short addresses only
 * below 2^64) the one that programs compare. Confusing them changes hashes.
 * Source: third_party/move/language/move-core/types/src/language_storage.rs of the reference.
 * @module
 */
import { argumentError, assertText, parseArgument } from '../base/argument.ts';
import { type Codec, encode, vector } from '../base/bcs.ts';
import { equalBytes, toHex } from '../base/bytes/bytes.ts';
import type { ByteReader } from '../base/bytes/reader.ts';
import type { ByteWriter } from '../base/bytes/writer.ts';
import { EngineError, invalidArgument, malformedBytes } from '../base/error.ts';
import { ADDRESS_BYTES, type Address, address, formatAddress, formatAddressShort, parseAddressHex } from './address.ts';
import { IDENTIFIER_BYTES_MAX, identifier, isIdentifier } from './identifier.ts';

/**
 * Vectors and structs nested in one type tag; a primitive at the bottom does not count, nor does the struct that a bare
 * struct tag names. This is the reference's bound for reading the binary form, applied to text too. (The reference
 * writes one level more, which would be a stored state that cannot be loaded.)
 */
export const TYPE_TAG_DEPTH_MAX = 8;

/** Type nodes in one tag: a flat tag with many arguments is as costly as a deep one. */
export const TYPE_TAG_NODES_MAX = 256;

/** In the order of the BCS variant numbers, with `vector` at 6 and `struct` at 7. */
const VARIANTS = ['bool', 'u8', 'u64', 'u128', 'address', 'signer', 'vector', 'struct', 'u16', 'u32', 'u256'] as const;

export type PrimitiveKind = Exclude<(typeof VARIANTS)[number], 'vector' | 'struct'>;

/** The name of a struct type: where it is declared, and its type arguments. */
export interface StructTag {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly typeArguments: readonly TypeTag[];
}

/** The name of a type. */
export type TypeTag =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: 'vector'; readonly item: TypeTag }
  | { readonly kind: 'struct'; readonly struct: StructTag };

/**
 * Checks that a value is a type.
 * @throws {EngineError} `invalid-argument` naming the faulty part
 */
export function assertTypeTag(given: TypeTag, name: string, depth = 0): void {
  if (typeof given !== 'object' || given === null || !VARIANTS.includes(given.kind)) {
    throw argumentError(name, 'a Move type (an object with a kind, as parseTypeTag gives it)', given);
  }
  if (given.kind === 'vector') assertTypeTag(given.item, `${name}.item`, nested(depth));
  if (given.kind === 'struct') assertStructTag(given.struct, `${name}.struct`, depth);
}

/**
 * Checks that a value is a struct type.
 * @throws {EngineError} `invalid-argument` naming the faulty part
 */
function assertStructTag(given: StructTag, name: string, depth = 0): void {
  // A tag that was already encoded or named is valid.
  if (canonicalTexts.has(given)) return;
  if (!isStructTag(given)) throw argumentError(name, 'a struct type ({ address, module, name, typeArguments })', given);
  const within = nested(depth);
  for (const [index, type] of given.typeArguments.entries()) {
    assertTypeTag(type, `${name}.typeArguments[${index}]`, within);
  }
}

/** Types made by programs may be deeper than encodable ones; recursion into a cyclic one ends here. */
function nested(depth: number): number {
  if (depth < 4 * TYPE_TAG_DEPTH_MAX) return depth + 1;
  throw invalidArgument(`expected a type of at most ${TYPE_TAG_DEPTH_MAX} nested vectors and structs`);
}

/** Whether a value has the members of a struct type; its type arguments are not checked. */
function isStructTag(given: unknown): given is StructTag {
  const { address: owner, module, name, typeArguments } = (given ?? {}) as Partial<Record<keyof StructTag, unknown>>;
  return (
    owner instanceof Uint8Array &&
    owner.length === ADDRESS_BYTES &&
    typeof module === 'string' &&
    typeof name === 'string' &&
    Array.isArray(typeArguments)
  );
}

export function vectorTag(item: TypeTag): TypeTag {
  return { kind: 'vector', item };
}

export function structTag(
  owner: Address,
  module: string,
  name: string,
  typeArguments: readonly TypeTag[] = [],
): StructTag {
  return { address: owner, module, name, typeArguments };
}

export function structType(struct: StructTag): TypeTag {
  return { kind: 'struct', struct };
}

/** The binary form is bounded to TYPE_TAG_DEPTH_MAX nested vectors and structs, for reading and writing. */
export const typeTag: Codec<TypeTag> = {
  write: (writer, value) => writeTypeTag(writer, value, 0),
  read: (reader) => readTypeTag(reader, 0),
};

export const structTagCodec: Codec<StructTag> = {
  write: (writer, value) => writeStructTag(writer, value, 0),
  read: (reader) => readStructTag(reader, 0),
};

/** A list of type arguments. */
export const typeTags: Codec<readonly TypeTag[]> = vector(typeTag);

/** `depth` counts the vectors and structs around the type. */
function writeTypeTag(writer: ByteWriter, value: TypeTag, depth: number): void {
  writer.uleb128(VARIANTS.indexOf(value.kind));
  if (value.kind === 'vector') writeTypeTag(writer, value.item, deeper(depth, 'invalid-argument'));
  else if (value.kind === 'struct') writeStructTag(writer, value.struct, deeper(depth, 'invalid-argument'));
}

function writeStructTag(writer: ByteWriter, value: StructTag, depth: number): void {
  const known = encodings.get(value);
  if (known !== undefined && depth <= known.depth) {
    writer.bytes(known.bytes);
    return;
  }
  const start = writer.length;
  address.write(writer, value.address);
  identifier.write(writer, value.module);
  identifier.write(writer, value.name);
  writer.uleb128(value.typeArguments.length);
  for (const argument of value.typeArguments) writeTypeTag(writer, argument, depth);
  encodings.set(value, { bytes: writer.view().slice(start), depth });
}

/** The bytes of a struct type inside `depth` vectors and structs. */
interface Encoding {
  readonly bytes: Uint8Array;
  readonly depth: number;
}

/** Tags are immutable, and every object and event is written with its type; a whole block has some fifty types. */
const encodings = new WeakMap<StructTag, Encoding>();

function readTypeTag(reader: ByteReader, depth: number): TypeTag {
  const index = reader.uleb128();
  const kind = VARIANTS[index];
  if (kind === undefined) throw malformedBytes(`TypeTag has no variant number ${index}`);
  if (kind === 'vector') return { kind, item: readTypeTag(reader, deeper(depth, 'malformed-bytes')) };
  if (kind === 'struct') return { kind, struct: readStructTag(reader, deeper(depth, 'malformed-bytes')) };
  return { kind };
}

function readStructTag(reader: ByteReader, depth: number): StructTag {
  for (const { bytes, depth: depthMax, tag } of recent) {
    if (depth > depthMax || !reader.isNext(bytes)) continue;
    reader.skip(bytes.length);
    return tag;
  }
  const start = reader.offset;
  const tag = readNewStructTag(reader, depth);
  recent[nextRecent] = { bytes: reader.bytes.slice(start, reader.offset), depth, tag };
  nextRecent = (nextRecent + 1) % RECENT_TAGS_MAX;
  return tag;
}

/** The struct types read last: consecutive objects have few types, and caches by identity rely on one object per type. */
const recent: (Encoding & { readonly tag: StructTag })[] = [];
const RECENT_TAGS_MAX = 16;
let nextRecent = 0;

function readNewStructTag(reader: ByteReader, depth: number): StructTag {
  const owner = address.read(reader);
  const module = identifier.read(reader);
  const name = identifier.read(reader);
  const count = reader.uleb128();
  const typeArguments: TypeTag[] = [];
  for (let index = 0; index < count; index++) typeArguments.push(readTypeTag(reader, depth));
  return { address: owner, module, name, typeArguments };
}

function deeper(depth: number, code: 'invalid-argument' | 'malformed-bytes'): number {
  if (depth === TYPE_TAG_DEPTH_MAX) {
    throw new EngineError(code, `expected a type of at most ${TYPE_TAG_DEPTH_MAX} nested vectors and structs`);
  }
  return depth + 1;
}

/** `0x` + 64 digits in every address, `,` between arguments: the form that is hashed. */
export function canonicalType(type: TypeTag): string {
  if (type?.kind === 'struct') return canonicalStruct(type.struct);
  assertTypeTag(type, 'type');
  return formatType(type, formatAddress, ',');
}

/** Short addresses, `, ` between arguments: the form that the RPC shows. */
export function displayType(type: TypeTag): string {
  assertTypeTag(type, 'type');
  return formatType(type, formatAddressShort, ', ');
}

/**
 * The name of a type in results. Addresses have all of their 64 digits, like an account's text, so that
 * `` `${account.address}::counter::Added` `` is the name of a type; only those below 2^64 are short:
 * `0x3::gas_coin::RGas`.
 */
export function typeName(type: TypeTag): string {
  assertTypeTag(type, 'type');
  return type.kind === 'struct' ? structName(type.struct) : formatType(type, ownerName, ', ');
}

/** The address in the name of a type, a module or a function. */
export function ownerName(owner: Address): string {
  return owner.subarray(0, ADDRESS_BYTES - 8).some((byte) => byte !== 0)
    ? formatAddress(owner)
    : formatAddressShort(owner);
}

type Texts = WeakMap<StructTag, string>;

/** Formats struct types, each once: tags are immutable, and the same few are formatted over and over. */
function structFormatter(
  formatOwner: (owner: Address) => string,
  separator: string,
  texts: Texts = new WeakMap(),
): (value: StructTag) => string {
  return (value) => {
    let text = texts.get(value);
    if (text === undefined) {
      assertStructTag(value, 'type');
      text = formatStruct(value, formatOwner, separator);
      texts.set(value, text);
    }
    return text;
  };
}

const canonicalTexts: Texts = new WeakMap();

/** As `canonicalType`, `displayType` and `typeName`, of a struct type. */
export const canonicalStruct: (value: StructTag) => string = structFormatter(formatAddress, ',', canonicalTexts);
export const displayStruct: (value: StructTag) => string = structFormatter(formatAddressShort, ', ');
export const structName: (value: StructTag) => string = structFormatter(ownerName, ', ');

function formatType(value: TypeTag, formatOwner: (owner: Address) => string, separator: string): string {
  if (value.kind === 'vector') return `vector<${formatType(value.item, formatOwner, separator)}>`;
  if (value.kind === 'struct') return formatStruct(value.struct, formatOwner, separator);
  return value.kind;
}

function formatStruct(value: StructTag, formatOwner: (owner: Address) => string, separator: string): string {
  const name = `${formatOwner(value.address)}::${value.module}::${value.name}`;
  if (value.typeArguments.length === 0) return name;
  const inner = value.typeArguments.map((argument) => formatType(argument, formatOwner, separator));
  return `${name}<${inner.join(separator)}>`;
}

/** Whether two types are the same. */
export function equalTypes(left: TypeTag, right: TypeTag): boolean {
  if (left.kind === 'vector') return right.kind === 'vector' && equalTypes(left.item, right.item);
  if (left.kind === 'struct') return right.kind === 'struct' && equalStructs(left.struct, right.struct);
  return left.kind === right.kind;
}

/** Whether two struct types are the same. */
export function equalStructs(left: StructTag, right: StructTag): boolean {
  if (left === right) return true;
  const { typeArguments } = right;
  return (
    left.name === right.name &&
    left.module === right.module &&
    left.typeArguments.length === typeArguments.length &&
    equalBytes(left.address, right.address) &&
    left.typeArguments.every((type, index) => equalTypes(type, typeArguments[index]!))
  );
}

/** The UTF-8 of the canonical form, which the hash formulas append. */
export function canonicalTypeBytes(value: TypeTag): Uint8Array {
  return utf8.encode(canonicalType(value));
}

const utf8 = new TextEncoder();

/** A short key for maps: the hexadecimal BCS of the type. Only equal types have equal keys. */
export function typeKey(value: TypeTag): string {
  return toHex(encode(typeTag, value));
}

/**
 * Reads a type: `0x` and 1 to 64 digits in addresses, ASCII white space anywhere between tokens, a trailing comma allowed.
 * @throws {EngineError} `invalid-argument` naming the position.
 */
export function parseTypeTag(text: string): TypeTag {
  assertText(text, 'text', 'a Move type as text');
  return new TypeParser(text).whole(0);
}

/**
 * Reads a struct type as `parseTypeTag` does.
 * @throws {EngineError} `invalid-argument`, also for a type that is not a struct.
 */
export function parseStructTag(text: string): StructTag {
  assertText(text, 'text', 'a struct type as text');
  const known = parsedTags.get(text);
  if (known !== undefined) return known;
  const value = new TypeParser(text).whole(-1);
  if (value.kind !== 'struct') {
    throw invalidArgument(`expected a struct type <address>::<module>::<name>, got ${value.kind}`);
  }
  if (text.length <= PARSED_TAG_CHARACTERS_MAX) {
    if (parsedTags.size >= PARSED_TAGS_MAX) parsedTags.clear();
    parsedTags.set(text, value.struct);
  }
  return value.struct;
}

/** Cached texts: equal texts give the same object, which keys the caches of queries. */
const PARSED_TAGS_MAX = 256;

/** Characters of a cached text: white space can make any type as long as a request. */
const PARSED_TAG_CHARACTERS_MAX = 512;

const parsedTags = new Map<string, StructTag>();

class TypeParser {
  readonly #text: string;
  #at = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses the whole text as a type, inside `depth` vectors and structs; -1 if the outermost one does not count. */
  whole(depth: number): TypeTag {
    const value = this.#type(depth);
    this.#space();
    if (this.#at !== this.#text.length) throw this.#error('the end of the type');
    return value;
  }

  #type(depth: number): TypeTag {
    this.#space();
    const start = this.#at;
    this.#nodes++;
    if (this.#nodes > TYPE_TAG_NODES_MAX) throw this.#error(`a type of at most ${TYPE_TAG_NODES_MAX} parts`, start);
    const word = this.#match(/[0-9a-zA-Z_]+/y, 'a type');
    const isStruct = /^0[xX]/.test(word);
    if (isStruct || word === 'vector') {
      if (depth === TYPE_TAG_DEPTH_MAX) {
        throw this.#error(`a type of at most ${TYPE_TAG_DEPTH_MAX} nested vectors and structs`, start);
      }
      return isStruct ? this.#struct(word, start, depth + 1) : this.#vector(start, depth + 1);
    }
    const kind = VARIANTS.find((name) => name === word && name !== 'struct');
    if (kind === undefined) throw this.#error('a primitive type, vector<T> or 0x<address>::<module>::<name>', start);
    return { kind: kind as PrimitiveKind };
  }

  #vector(start: number, depth: number): TypeTag {
    const [item, ...more] = this.#arguments(depth);
    if (item === undefined || more.length > 0) throw this.#error('vector to have one type argument', start);
    return { kind: 'vector', item };
  }

  #struct(owner: string, start: number, depth: number): TypeTag {
    if (!/^0[xX][0-9a-fA-F]{1,64}$/.test(owner)) throw this.#error('an address of 0x and 1 to 64 hex digits', start);
    this.#match(/::/y, '"::"');
    const module = this.#name();
    this.#match(/::/y, '"::"');
    const name = this.#name();
    const typeArguments = this.#peek('<') ? this.#arguments(depth) : [];
    return structType({ address: parseAddressHex(owner), module, name, typeArguments });
  }

  #name(): string {
    this.#space();
    const start = this.#at;
    const name = this.#match(/[a-zA-Z][a-zA-Z0-9_]*/y, 'an identifier');
    if (!isIdentifier(name)) throw this.#error(`an identifier of at most ${IDENTIFIER_BYTES_MAX} characters`, start);
    return name;
  }

  #arguments(depth: number): TypeTag[] {
    this.#match(/</y, '"<"');
    const values: TypeTag[] = [];
    while (!this.#peek('>')) {
      values.push(this.#type(depth));
      if (!this.#peek('>')) this.#match(/,/y, '"," or ">"');
    }
    this.#match(/>/y, '">"');
    return values;
  }

  #space(): void {
    while (/[ \t\n\f\r]/.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #peek(token: string): boolean {
    this.#space();
    return this.#text.startsWith(token, this.#at);
  }

  #match(pattern: RegExp, expected: string): string {
    this.#space();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.#error(expected);
    this.#at += found.length;
    return found;
  }

  #error(expected: string, at = this.#at): EngineError {
    const rest = this.#text.slice(at, at + 40);
    const got = rest === '' ? 'the end' : JSON.stringify(rest);
    return invalidArgument(`expected ${expected} at position ${at} of the type, got ${got}`);
  }
}

/** A struct type: its text, or the type itself. */
export type StructTagInput = string | StructTag;

const EXPECTED_STRUCT = 'a struct type (<address>::<module>::<name>)';

/** A module and a struct, or only the struct; type arguments are compared as they are written. */
const END_OF_TYPE = /^(?:[A-Za-z_]\w*::)?[A-Z]\w*(?:<.+>)?$/;

/**
 * A test whether the name of a type matches: the whole name, with any form of its address, or its end, `counter::Added`.
 * Type arguments may be omitted.
 * @throws {EngineError} `invalid-argument`
 */
export function typeMatcher(asked: string, name: string): (type: string) => boolean {
  const isEnd = typeof asked === 'string' && END_OF_TYPE.test(asked);
  const wanted = isEnd ? asked : structName(toStructTag(asked, name));
  return (type) => {
    const bare = wanted.includes('<') ? type : type.replace(/<.*$/, '');
    return bare === wanted || (isEnd && bare.endsWith(`::${wanted}`));
  };
}

/**
 * The struct type that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toStructTag(given: StructTagInput, name: string): StructTag {
  if (typeof given === 'string') return parseArgument(name, EXPECTED_STRUCT, given, parseStructTag);
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
