/**
 * Access paths: the text form in which states are requested.
 *
 * `/object/ID[,ID]`, `/resource/ADDRESS/TYPE[,TYPE]`, `/module/ADDRESS/NAME[,NAME]`, `/fields/ID/KEY[,KEY]` (or
 * `/table/...`). Without ids, types, names or keys, a path asks for the list.
 * Source: moveos/moveos-types/src/access_path.rs of the reference.
 * @module
 */
import { argumentError, assertText, textError } from '../../base/argument.ts';
import { QUERY_IDS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { type Address, formatAddressShort, parseAddress } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import { displayStruct, parseStructTag, type StructTag } from '../../move/type-tag.ts';
import { type FieldKey, formatFieldKey, parseFieldKey, stringFieldKey } from './field-key.ts';
import { formatObjectId, type ObjectId, parseObjectId } from './object-id.ts';

/** An access path: objects, resources, modules or fields. */
export type AccessPath =
  /** The objects, or all objects of the root if `ids` is undefined. */
  | { readonly kind: 'object'; readonly ids: readonly ObjectId[] | undefined }
  | { readonly kind: 'resource'; readonly account: Address; readonly types: readonly StructTag[] | undefined }
  | { readonly kind: 'module'; readonly account: Address; readonly names: readonly string[] | undefined }
  | { readonly kind: 'fields'; readonly object: ObjectId; readonly keys: readonly FieldKey[] | undefined };

const GRAMMAR = '/object/ID, /resource/ADDRESS/TYPE, /module/ADDRESS/NAME or /fields/ID/KEY';
const EXPECTED = `an access path ${GRAMMAR}`;

/**
 * Reads an access path, with or without leading slashes. An account may be given in any form of `parseAddress`; the
 * reference accepts only `0x` and digits.
 * @throws {EngineError} `invalid-argument`; `limit-exceeded` for more names than one query may have
 */
export function parseAccessPath(text: string): AccessPath {
  assertText(text, 'text', `an access path as text (${GRAMMAR})`);
  // Further segments are ignored.
  const [kind = '', ...segments] = text.replace(/^\/+/, '').split('/', 3);
  switch (kind) {
    case 'object': {
      return { kind, ids: splitTypes(segments[0])?.map(parseObjectId) };
    }
    case 'resource':
      return {
        kind,
        account: parseAddress(required(segments[0], text)),
        types: splitTypes(segments[1])?.map(parseStructTag),
      };
    case 'module':
      return {
        kind,
        account: parseAddress(required(segments[0], text)),
        names: named((segments[1] ?? '').split(','))?.map(moduleName),
      };
    case 'fields':
    case 'table':
      return {
        kind: 'fields',
        object: parseObjectId(required(segments[0], text)),
        keys: splitKeys(segments[1])?.map(parseKey),
      };
    default:
      throw textError(EXPECTED, text);
  }
}

/** The path in text, with short addresses. */
export function formatAccessPath(path: AccessPath): string {
  const join = (base: string, items: readonly string[] | undefined): string =>
    items === undefined ? base : `${base}/${items.join(',')}`;
  switch (path?.kind) {
    case 'object':
      return join('/object', path.ids?.map(formatObjectId));
    case 'resource':
      return join(`/resource/${formatAddressShort(path.account)}`, path.types?.map(displayStruct));
    case 'module':
      return join(`/module/${formatAddressShort(path.account)}`, path.names);
    case 'fields':
      return join(`/fields/${formatObjectId(path.object)}`, path.keys?.map(formatFieldKey));
    default:
      throw argumentError('path', 'an access path with a kind: object, resource, module or fields', path);
  }
}

function required(segment: string | undefined, text: string): string {
  if (segment === undefined || segment === '') throw textError(EXPECTED, text);
  return segment;
}

/** The pieces that are not empty; undefined if there are none. */
function named(pieces: readonly string[]): readonly string[] | undefined {
  const kept = pieces.filter((piece) => piece.trim() !== '');
  return kept.length === 0 ? undefined : counted(kept);
}

/** The pieces, counted before any is parsed: a request has room for a hundred thousand. */
function counted(pieces: readonly string[]): readonly string[] {
  assertIdCount(pieces.length);
  return pieces;
}

/** @throws {EngineError} `limit-exceeded` for more ids than one query may name. */
export function assertIdCount(count: number): void {
  if (count > QUERY_IDS_MAX) {
    throw new EngineError('limit-exceeded', `Too many object IDs requested. Maximum allowed: ${QUERY_IDS_MAX}`, {
      details: { received: count, expected: QUERY_IDS_MAX },
    });
  }
}

/** Splits at commas; undefined for nothing but spaces. An empty piece is a name like any other. */
function splitKeys(segment: string | undefined): readonly string[] | undefined {
  return segment === undefined || segment.trim() === '' ? undefined : counted(segment.split(','));
}

/** Splits at commas outside of `<>`; the reference splits object ids at every comma. */
function splitTypes(segment: string | undefined): readonly string[] | undefined {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const character of segment ?? '') {
    if (character === '<') depth++;
    if (character === '>') depth--;
    if (character === ',' && depth === 0) {
      pieces.push(piece);
      piece = '';
    } else {
      piece += character;
    }
  }
  pieces.push(piece);
  return named(pieces);
}

function moduleName(text: string): string {
  if (!isIdentifier(text)) throw textError('a module name', text);
  return text;
}

/** Text that begins with `0x` is a field key; any other text is a string name. */
function parseKey(text: string): FieldKey {
  return text.startsWith('0x') ? parseFieldKey(text) : stringFieldKey(text);
}
