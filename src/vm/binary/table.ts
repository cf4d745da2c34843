/**
 * Reading and writing the entries of each table.
 *
 * A table has no count: its entries extend to its last byte. Reader and writer of a table are one row here, so that
 * they cannot diverge. Source: the reference's `deserializer.rs` and `serializer.rs`.
 * @module
 */
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import { StatusCode } from '../status.ts';
import { readCode, StoredCode, writeCode } from './code.ts';
import type { BinaryCursor } from './cursor.ts';
import { FORMAT_LIMITS, type TableName } from './format.ts';
import {
  type Code,
  type Constant,
  type FieldDefinition,
  type FieldHandle,
  type FunctionDefinition,
  type FunctionHandle,
  type Instantiation,
  type Metadata,
  type Module,
  type ModuleHandle,
  type StructDefinition,
  type StructHandle,
  type StructTypeParameter,
  Visibility,
} from './module.ts';
import { readSignatureToken, type Signature, writeSignatureToken } from './signature-token.ts';

/** How one entry of a table is read and written. The version is that of the whole binary. */
export interface EntryCodec<T> {
  readonly read: (cursor: BinaryCursor) => T;
  readonly write: (writer: ByteWriter, entry: T, version: number) => void;
}

const moduleHandle: EntryCodec<ModuleHandle> = {
  read: (cursor) => ({ address: cursor.index('address'), name: cursor.index('identifier') }),
  write: (writer, { address, name }) => writeNumbers(writer, address, name),
};

const structHandle: EntryCodec<StructHandle> = {
  read: (cursor) => ({
    module: cursor.index('module handle'),
    name: cursor.index('identifier'),
    abilities: readAbilities(cursor, 'struct'),
    typeParameters: readList(cursor, FORMAT_LIMITS.typeParameterCountMax, 'type parameter count', readStructParameter),
  }),
  write: (writer, { module, name, abilities, typeParameters }) => {
    writeNumbers(writer, module, name, abilities);
    writeCount(writer, typeParameters.length, FORMAT_LIMITS.typeParameterCountMax, 'type parameters');
    for (const { constraints, isPhantom } of typeParameters) {
      writer.uleb128(constraints);
      writer.u8(isPhantom ? 1 : 0);
    }
  },
};

function readStructParameter(cursor: BinaryCursor): StructTypeParameter {
  const constraints = readAbilities(cursor, 'structParameter');
  const isPhantom = cursor.version >= 3 && cursor.bounded(1, 'phantom flag') === 1;
  return { constraints, isPhantom };
}

/** Reads the constraints of a function's type parameters. */
export function readAbilitySets(cursor: BinaryCursor): readonly AbilitySet[] {
  return readList(cursor, FORMAT_LIMITS.typeParameterCountMax, 'type parameter count', readFunctionParameter);
}

function readFunctionParameter(cursor: BinaryCursor): AbilitySet {
  return readAbilities(cursor, 'functionParameter');
}

export function writeAbilitySets(writer: ByteWriter, sets: readonly AbilitySet[]): void {
  writeCount(writer, sets.length, FORMAT_LIMITS.typeParameterCountMax, 'type parameters');
  writeNumbers(writer, ...sets);
}

/** The kinds of version 1: the ability set of each, from kind 1. */
const KINDS_OF_VERSION_1 = {
  struct: [ABILITY_STORE | ABILITY_KEY, ABILITY_STORE | ABILITY_COPY | ABILITY_DROP],
  functionParameter: [ABILITY_STORE, ABILITY_STORE | ABILITY_COPY | ABILITY_DROP, ABILITY_STORE | ABILITY_KEY],
  structParameter: [0, ABILITY_COPY | ABILITY_DROP, ABILITY_KEY],
} as const;

function readAbilities(cursor: BinaryCursor, position: keyof typeof KINDS_OF_VERSION_1): AbilitySet {
  if (cursor.version >= 2) return cursor.bounded(FORMAT_LIMITS.abilitySetMax, 'ability set');
  const start = cursor.offset;
  const kind = cursor.u8();
  const abilities = KINDS_OF_VERSION_1[position][kind - 1];
  if (abilities === undefined) throw cursor.error(StatusCode.UNKNOWN_ABILITY, `expected a kind, got ${kind}`, start);
  return abilities;
}

const functionHandle: EntryCodec<FunctionHandle> = {
  read: (cursor) => ({
    module: cursor.index('module handle'),
    name: cursor.index('identifier'),
    parameters: cursor.index('signature'),
    returns: cursor.index('signature'),
    typeParameters: readAbilitySets(cursor),
  }),
  write: (writer, handle) => {
    writeNumbers(writer, handle.module, handle.name, handle.parameters, handle.returns);
    writeAbilitySets(writer, handle.typeParameters);
  },
};

const instantiation: EntryCodec<Instantiation> = {
  read: (cursor) => ({ generic: cursor.index('generic'), typeArguments: cursor.index('signature') }),
  write: (writer, { generic, typeArguments }) => writeNumbers(writer, generic, typeArguments),
};

const signature: EntryCodec<Signature> = {
  read: (cursor) => readList(cursor, FORMAT_LIMITS.signatureLengthMax, 'signature length', readSignatureToken),
  write: (writer, tokens) => {
    writeCount(writer, tokens.length, FORMAT_LIMITS.signatureLengthMax, 'types in a signature');
    for (const token of tokens) writeSignatureToken(writer, token);
  },
};

const utf8 = new TextEncoder();

const identifier: EntryCodec<string> = {
  read: (cursor) => {
    const start = cursor.offset;
    const text = cursor.letters(FORMAT_LIMITS.identifierBytesMax, 'identifier length');
    if (!isModuleIdentifier(text)) {
      throw cursor.malformed(`expected an identifier, got ${JSON.stringify(text.slice(0, 80))}`, start);
    }
    return text;
  },
  write: (writer, text) => writeBlob(writer, utf8.encode(text), FORMAT_LIMITS.identifierBytesMax, 'identifier'),
};

/**
 * The grammar of `move/identifier.ts` without its bound on length: the format allows 65,535 bytes. All of it is ASCII,
 * so bytes above that, valid UTF-8 or not, fail here.
 */
function isModuleIdentifier(text: string): boolean {
  return /^(?:[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+|<SELF>)$/.test(text);
}

const address: EntryCodec<Uint8Array> = {
  read: (cursor) => {
    const start = cursor.skip(32);
    return cursor.bytes.slice(start, start + 32);
  },
  write: (writer, bytes) => writer.bytes(bytes),
};

const constant: EntryCodec<Constant> = {
  read: (cursor) => ({
    type: readSignatureToken(cursor),
    data: cursor.blob(FORMAT_LIMITS.constantBytesMax, 'constant length'),
  }),
  write: (writer, { type, data }) => {
    writeSignatureToken(writer, type);
    writeBlob(writer, data, FORMAT_LIMITS.constantBytesMax, 'constant');
  },
};

const metadata: EntryCodec<Metadata> = {
  read: (cursor) => ({
    key: cursor.blob(FORMAT_LIMITS.metadataKeyBytesMax, 'metadata key length'),
    value: cursor.blob(FORMAT_LIMITS.metadataValueBytesMax, 'metadata value length'),
  }),
  write: (writer, { key, value }) => {
    writeBlob(writer, key, FORMAT_LIMITS.metadataKeyBytesMax, 'metadata key');
    writeBlob(writer, value, FORMAT_LIMITS.metadataValueBytesMax, 'metadata value');
  },
};

const NATIVE_STRUCT = 1;
const DECLARED_STRUCT = 2;

const structDefinition: EntryCodec<StructDefinition> = {
  read: (cursor) => {
    const handle = cursor.index('struct handle');
    const start = cursor.offset;
    const flag = cursor.u8();
    if (flag === NATIVE_STRUCT) return { handle, fields: undefined };
    if (flag !== DECLARED_STRUCT) {
      throw cursor.error(StatusCode.UNKNOWN_NATIVE_STRUCT_FLAG, `expected a struct flag of 1 or 2, got ${flag}`, start);
    }
    return { handle, fields: readList(cursor, FORMAT_LIMITS.fieldCountMax, 'field count', readField) };
  },
  write: (writer, { handle, fields }) => {
    writer.uleb128(handle);
    writer.u8(fields === undefined ? NATIVE_STRUCT : DECLARED_STRUCT);
    if (fields === undefined) return;
    writeCount(writer, fields.length, FORMAT_LIMITS.fieldCountMax, 'fields');
    for (const { name, type } of fields) {
      writer.uleb128(name);
      writeSignatureToken(writer, type);
    }
  },
};

function readField(cursor: BinaryCursor): FieldDefinition {
  return { name: cursor.index('identifier'), type: readSignatureToken(cursor) };
}

const fieldHandle: EntryCodec<FieldHandle> = {
  read: (cursor) => ({
    struct: cursor.index('struct definition'),
    field: cursor.bounded(FORMAT_LIMITS.fieldOffsetMax, 'field'),
  }),
  write: (writer, { struct, field }) => writeNumbers(writer, struct, field),
};

const FLAG_NATIVE = 0x2;
const FLAG_ENTRY = 0x4;

function readFunction(cursor: BinaryCursor, readBody: (cursor: BinaryCursor) => Code): FunctionDefinition {
  const handle = cursor.index('function handle');
  const start = cursor.offset;
  const { visibility, isEntry, flags } = readFunctionFlags(cursor);
  const acquires = readList(cursor, FORMAT_LIMITS.acquiresCountMax, 'acquires count', readAcquired);
  const code = (flags & FLAG_NATIVE) !== 0 ? undefined : readBody(cursor);
  if ((flags & ~FLAG_NATIVE) !== 0) {
    throw cursor.error(StatusCode.INVALID_FLAG_BITS, `expected no other function flags, got ${flags}`, start);
  }
  return { handle, visibility, isEntry, acquires, code };
}

function readAcquired(cursor: BinaryCursor): number {
  return cursor.index('struct definition');
}

/** A function whose body is decoded on first use. */
export function readStoredFunction(cursor: BinaryCursor): FunctionDefinition {
  return readFunction(cursor, (at) => new StoredCode(at));
}

const functionDefinition: EntryCodec<FunctionDefinition> = {
  read: (cursor) => readFunction(cursor, readCode),
  write: (writer, { handle, visibility, isEntry, acquires, code }, version) => {
    writer.uleb128(handle);
    writer.u8(visibility);
    writer.u8((code === undefined ? FLAG_NATIVE : 0) | (isEntry ? FLAG_ENTRY : 0));
    writeCount(writer, acquires.length, FORMAT_LIMITS.acquiresCountMax, 'acquired resources');
    writeNumbers(writer, ...acquires);
    if (code !== undefined) writeCode(writer, code, version);
  },
};

interface FunctionFlags {
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  /** The rest of the flag byte: the native bit, and undefined bits. */
  readonly flags: number;
}

/**
 * Before version 5 entry functions were a third visibility, `script` (2); in version 1 visibility was a bit of the
 * flags.
 */
function readFunctionFlags(cursor: BinaryCursor): FunctionFlags {
  const start = cursor.offset;
  const first = cursor.u8();
  if (cursor.version === 1) {
    return {
      visibility: (first & 1) === 1 ? Visibility.Public : Visibility.Private,
      isEntry: false,
      flags: first & ~1,
    };
  }
  const isScript = cursor.version < 5 && first === 2;
  const visibility = isScript ? Visibility.Public : first;
  if (!isVisibility(visibility)) throw cursor.malformed(`expected a visibility of 0, 1 or 3, got ${first}`, start);
  const flags = cursor.u8();
  if (cursor.version < 5) return { visibility, isEntry: isScript, flags };
  return { visibility, isEntry: (flags & FLAG_ENTRY) !== 0, flags: flags & ~FLAG_ENTRY };
}

function isVisibility(byte: number): byte is Visibility {
  return byte === Visibility.Private || byte === Visibility.Public || byte === Visibility.Friend;
}

const NOTHING: readonly never[] = [];

function readList<T>(cursor: BinaryCursor, max: number, what: string, read: (cursor: BinaryCursor) => T): readonly T[] {
  const count = cursor.bounded(max, what);
  if (count === 0) return NOTHING;
  const items: T[] = [];
  for (let index = 0; index < count; index++) items.push(read(cursor));
  return items;
}

function writeNumbers(writer: ByteWriter, ...numbers: readonly number[]): void {
  for (const number of numbers) writer.uleb128(number);
}

function writeCount(writer: ByteWriter, count: number, max: number, what: string): void {
  if (count > max) throw new EngineError('limit-exceeded', `expected at most ${max} ${what}, got ${count}`);
  writer.uleb128(count);
}

function writeBlob(writer: ByteWriter, bytes: Uint8Array, max: number, what: string): void {
  if (bytes.length > max) {
    throw new EngineError('limit-exceeded', `expected a ${what} of at most ${max} bytes, got ${bytes.length}`);
  }
  writer.uleb128(bytes.length);
  writer.bytes(bytes);
}

/** The codec of each table's entries. */
export const TABLES: { readonly [Name in TableName]: EntryCodec<Module[Name][number]> } = {
  moduleHandles: moduleHandle,
  structHandles: structHandle,
  functionHandles: functionHandle,
  functionInstantiations: instantiation,
  signatures: signature,
  identifiers: identifier,
  addresses: address,
  constants: constant,
  metadata,
  structDefinitions: structDefinition,
  structInstantiations: instantiation,
  functionDefinitions: functionDefinition,
  fieldHandles: fieldHandle,
  fieldInstantiations: instantiation,
  friends: moduleHandle,
};
