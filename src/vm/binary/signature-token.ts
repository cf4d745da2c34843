/**
 * A type in bytecode form: with indexes into the tables of its module.
 *
 * All tokens share one shape (tag, index, arguments), so walks over types need no case distinctions. Types without
 * parts are singletons: equal primitives are the same object. Tokens are immutable by convention and may be shared;
 * they are meaningful only within their module. Source: the reference's `SignatureToken`
 * (`move-binary-format/src/file_format.rs`).
 * @module
 */
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import { StatusCode } from '../status.ts';
import type { BinaryCursor } from './cursor.ts';
import { FORMAT_LIMITS } from './format.ts';

/** Tags of the serialised form. */
export const TokenTag = {
  Bool: 0x1,
  U8: 0x2,
  U64: 0x3,
  U128: 0x4,
  Address: 0x5,
  Reference: 0x6,
  MutableReference: 0x7,
  Struct: 0x8,
  TypeParameter: 0x9,
  Vector: 0xa,
  StructInstantiation: 0xb,
  Signer: 0xc,
  U16: 0xd,
  U32: 0xe,
  U256: 0xf,
} as const;

export type TokenTag = (typeof TokenTag)[keyof typeof TokenTag];

/** The primitive types by their tags: the kind, which is also the type's name in Move. */
export const PRIMITIVE_KINDS: Readonly<Partial<Record<TokenTag, PrimitiveKind>>> = {
  [TokenTag.Bool]: 'bool',
  [TokenTag.U8]: 'u8',
  [TokenTag.U16]: 'u16',
  [TokenTag.U32]: 'u32',
  [TokenTag.U64]: 'u64',
  [TokenTag.U128]: 'u128',
  [TokenTag.U256]: 'u256',
  [TokenTag.Address]: 'address',
  [TokenTag.Signer]: 'signer',
};

export interface SignatureToken {
  readonly tag: TokenTag;
  /** Struct handle index of `Struct` and `StructInstantiation`, number of a `TypeParameter`; otherwise 0. */
  readonly index: number;
  /** The inner type of a vector or reference, the type arguments of a struct instantiation; otherwise empty. */
  readonly arguments: readonly SignatureToken[];
}

/** The types of parameters, return values, locals or type arguments. */
export type Signature = readonly SignatureToken[];

const NO_ARGUMENTS: readonly SignatureToken[] = [];

/** By tag. */
const PRIMITIVES: readonly (SignatureToken | undefined)[] = Array.from({ length: 16 }, (_, tag) =>
  tag in PRIMITIVE_KINDS ? { tag: tag as TokenTag, index: 0, arguments: NO_ARGUMENTS } : undefined,
);

export const BOOL: SignatureToken = PRIMITIVES[TokenTag.Bool]!;
export const U8: SignatureToken = PRIMITIVES[TokenTag.U8]!;
export const U16: SignatureToken = PRIMITIVES[TokenTag.U16]!;
export const U32: SignatureToken = PRIMITIVES[TokenTag.U32]!;
export const U64: SignatureToken = PRIMITIVES[TokenTag.U64]!;
export const U128: SignatureToken = PRIMITIVES[TokenTag.U128]!;
export const U256: SignatureToken = PRIMITIVES[TokenTag.U256]!;
export const ADDRESS: SignatureToken = PRIMITIVES[TokenTag.Address]!;
export const SIGNER: SignatureToken = PRIMITIVES[TokenTag.Signer]!;

export function vectorToken(element: SignatureToken): SignatureToken {
  return { tag: TokenTag.Vector, index: 0, arguments: [element] };
}

export function referenceTo(target: SignatureToken): SignatureToken {
  return { tag: TokenTag.Reference, index: 0, arguments: [target] };
}

export function mutableReferenceTo(target: SignatureToken): SignatureToken {
  return { tag: TokenTag.MutableReference, index: 0, arguments: [target] };
}

/** The struct of handle `handle`, applied to type arguments if there are any. */
export function structOf(handle: number, typeArguments: readonly SignatureToken[] = NO_ARGUMENTS): SignatureToken {
  const tag = typeArguments.length === 0 ? TokenTag.Struct : TokenTag.StructInstantiation;
  return { tag, index: handle, arguments: typeArguments };
}

export function typeParameter(index: number): SignatureToken {
  return { tag: TokenTag.TypeParameter, index, arguments: NO_ARGUMENTS };
}

const SHARED_STRUCTS_MAX = 256;
const sharedStructs: (SignatureToken | undefined)[] = [];

/**
 * The struct of a handle without type arguments; the same object for all modules, since this is the most common form.
 */
function sharedStruct(handle: number): SignatureToken {
  if (handle >= SHARED_STRUCTS_MAX) return structOf(handle);
  sharedStructs[handle] ??= structOf(handle);
  return sharedStructs[handle];
}

/** Whether the type is a struct, with or without type arguments. */
export function isStructToken({ tag }: SignatureToken): boolean {
  return tag === TokenTag.Struct || tag === TokenTag.StructInstantiation;
}

export function isReference(token: SignatureToken): boolean {
  return token.tag === TokenTag.Reference || token.tag === TokenTag.MutableReference;
}

/** Whether the type is u8, u16, u32, u64, u128 or u256. */
export function isIntegerToken(token: SignatureToken): boolean {
  switch (token.tag) {
    case TokenTag.U8:
    case TokenTag.U16:
    case TokenTag.U32:
    case TokenTag.U64:
    case TokenTag.U128:
    case TokenTag.U256:
      return true;
    default:
      return false;
  }
}

/**
 * Reads one token.
 * @throws {EngineError} `malformed-module`: MALFORMED, UNKNOWN_SERIALIZED_TYPE.
 */
export function readSignatureToken(cursor: BinaryCursor): SignatureToken {
  return readNested(cursor, 1);
}

function readNested(cursor: BinaryCursor, depth: number): SignatureToken {
  const start = cursor.offset;
  const tag = cursor.u8();
  const token = readFlat(cursor, tag, start);
  // The reference keeps unfinished types on a stack of 256; a type that needs another level is refused after it is
  // read.
  if (depth > FORMAT_LIMITS.signatureTokenDepthMax) {
    throw cursor.malformed(`expected a type of at most ${FORMAT_LIMITS.signatureTokenDepthMax} levels`, start);
  }
  if (token !== undefined) return token;
  if (tag !== TokenTag.StructInstantiation) {
    return { tag: tag as TokenTag, index: 0, arguments: [readNested(cursor, depth + 1)] };
  }
  const index = cursor.index('struct handle');
  const arity = cursor.bounded(FORMAT_LIMITS.typeParameterCountMax, 'type argument count');
  if (arity === 0) throw cursor.malformed('expected at least one type argument', start);
  const typeArguments: SignatureToken[] = [];
  for (let count = 0; count < arity; count++) typeArguments.push(readNested(cursor, depth + 1));
  return { tag, index, arguments: typeArguments };
}

/** The token if it has no arguments; `undefined` for a constructor whose arguments follow. */
function readFlat(cursor: BinaryCursor, tag: number, start: number): SignatureToken | undefined {
  if (tag >= TokenTag.U16 && tag <= TokenTag.U256 && cursor.version < 6) {
    throw cursor.malformed('u16, u32 and u256 require format version 6', start);
  }
  switch (tag) {
    case TokenTag.Struct:
      return sharedStruct(cursor.index('struct handle'));
    case TokenTag.TypeParameter:
      return typeParameter(cursor.typeParameterIndex());
    case TokenTag.Reference:
    case TokenTag.MutableReference:
    case TokenTag.Vector:
    case TokenTag.StructInstantiation:
      return undefined;
    default: {
      const token = PRIMITIVES[tag];
      if (token !== undefined) return token;
      throw cursor.error(StatusCode.UNKNOWN_SERIALIZED_TYPE, `expected a type, got the tag ${tag}`, start);
    }
  }
}

/** @throws {EngineError} `limit-exceeded` for a type that the format cannot hold. */
export function writeSignatureToken(writer: ByteWriter, token: SignatureToken, depth = 1): void {
  if (depth > FORMAT_LIMITS.signatureTokenDepthMax) {
    throw new EngineError(
      'limit-exceeded',
      `expected a type of at most ${FORMAT_LIMITS.signatureTokenDepthMax} levels`,
    );
  }
  writer.u8(token.tag);
  switch (token.tag) {
    case TokenTag.Struct:
    case TokenTag.TypeParameter:
      writer.uleb128(token.index);
      break;
    case TokenTag.StructInstantiation:
      writer.uleb128(token.index);
      writer.uleb128(token.arguments.length);
      break;
    default:
  }
  for (const argument of token.arguments) writeSignatureToken(writer, argument, depth + 1);
}
