/**
 * A type as bytecode writes it: with indexes into the tables of its own module.
 *
 * All tokens share one shape (tag, index, arguments), so walks over types are loops without cases, and the types that
 * carry nothing are single objects: two equal primitives are one reference. Tokens are frozen by convention and may be
 * shared; they mean something only beside the module they were read from.
 * Source: the reference's `SignatureToken` (`move-binary-format/src/file_format.rs`), execution.md section 3.2.
 * @module
 */

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

function primitive(tag: TokenTag): SignatureToken {
  return { tag, index: 0, arguments: NO_ARGUMENTS };
}

export const BOOL: SignatureToken = primitive(TokenTag.Bool);
export const U8: SignatureToken = primitive(TokenTag.U8);
export const U16: SignatureToken = primitive(TokenTag.U16);
export const U32: SignatureToken = primitive(TokenTag.U32);
export const U64: SignatureToken = primitive(TokenTag.U64);
export const U128: SignatureToken = primitive(TokenTag.U128);
export const U256: SignatureToken = primitive(TokenTag.U256);
export const ADDRESS: SignatureToken = primitive(TokenTag.Address);
export const SIGNER: SignatureToken = primitive(TokenTag.Signer);

export function vectorOf(element: SignatureToken): SignatureToken {
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

/** Structural equality within one module. */
export function equalTokens(left: SignatureToken, right: SignatureToken): boolean {
  if (left === right) return true;
  if (left.tag !== right.tag || left.index !== right.index) return false;
  return equalSignatures(left.arguments, right.arguments);
}

/** Equality of two lists of types of one module. */
export function equalSignatures(left: Signature, right: Signature): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!equalTokens(left[index]!, right[index]!)) return false;
  }
  return true;
}

export function isReference(token: SignatureToken): boolean {
  return token.tag === TokenTag.Reference || token.tag === TokenTag.MutableReference;
}

/** Whether the type is u8, u16, u32, u64, u128 or u256. */
export function isInteger(token: SignatureToken): boolean {
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
 * The type with its type parameters replaced. The same object comes back when nothing was replaced.
 * `typeArguments` must cover every parameter that occurs.
 */
export function substitute(token: SignatureToken, typeArguments: readonly SignatureToken[]): SignatureToken {
  if (token.tag === TokenTag.TypeParameter) return typeArguments[token.index]!;
  const inner = token.arguments;
  if (inner.length === 0) return token;
  let replaced: SignatureToken[] | undefined;
  for (let index = 0; index < inner.length; index++) {
    const before = inner[index]!;
    const after = substitute(before, typeArguments);
    if (after !== before) {
      replaced ??= inner.slice();
      replaced[index] = after;
    }
  }
  return replaced === undefined ? token : { tag: token.tag, index: token.index, arguments: replaced };
}
