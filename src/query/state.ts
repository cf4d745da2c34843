/**
 * States by access path: objects, resources, modules and fields, one by one or as a list.
 * Source: moveos/moveos-types/src/access_path.rs of the reference.
 *
 * Display fields are texts that a type's author wants shown with its objects, filled in from each object. The rules live
 * on chain in the object `0x2::display::Display<T>`, a map from names to templates. A template's `{path.to.field}` is
 * replaced by the field's text; a placeholder for something that cannot be shown is left as is.
 * Source: moveos/moveos-types/src/moveos_std/display.rs of the reference.
 * @module
 */
import { assertObject, assertText, ifGiven, listOf, parseArgument, readByKind } from '../base/argument.ts';
import { decode, pair, string, vector } from '../base/bcs.ts';
import { decodeUtf8, toHex } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { type AccessPath, assertIdCount, parseAccessPath } from '../chain/object/access-path.ts';
import { type FieldKeyInput, resourceFieldKey, stringFieldKey, toFieldKey } from '../chain/object/field-key.ts';
import {
  accountObjectId,
  childObjectId,
  formatObjectId,
  namedObjectId,
  type ObjectId,
  type ObjectIdInput,
  packageObjectId,
  ROOT_OBJECT_ID,
  toObjectId,
} from '../chain/object/object-id.ts';
import { isDynamicField, type ObjectState } from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import { formatAddressShort, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { annotate, type LayoutSource, type MoveValue } from '../move/layout.ts';
import { displayStruct, type StructTagInput, structTag, structType, toStructTag } from '../move/type-tag.ts';
import { followed, keyed, mapPage, type Page, type PageOptions, pageOf, toPage } from './page.ts';
import { Decoder, type ReaderSource } from './reader.ts';
import type { Makers, Records, Values } from './values.ts';

/** An access path: its text, or its parts. */
export type AccessPathInput =
  | string
  | { readonly kind: 'object'; readonly ids?: readonly ObjectIdInput[] | undefined }
  | {
      readonly kind: 'resource';
      readonly account: AddressInput;
      readonly types?: readonly StructTagInput[] | undefined;
    }
  | { readonly kind: 'module'; readonly account: AddressInput; readonly names?: readonly string[] | undefined }
  | { readonly kind: 'fields'; readonly object: ObjectIdInput; readonly keys?: readonly FieldKeyInput[] | undefined };

export class StateQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(StateQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;

  constructor(source: ReaderSource, make: Makers<Results>) {
    this.#source = source;
    this.#make = make;
  }

  /**
   * The objects that a path names, in its order, undefined for each that does not exist; empty for a path to a list.
   * Resources, modules and fields are returned as the dynamic field objects that hold them.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` for more than QUERY_IDS_MAX.
   */
  get(path: AccessPathInput): (Results['object'] | undefined)[] {
    const ids = pathIds(toAccessPath(path, 'path'));
    assertIdCount(ids.length);
    const { state } = this.#source.current();
    const decoder = new Decoder(this.#source, state);
    return ids.map((id) => {
      const object = state.object(id);
      return object && this.#make.object(object, decoder);
    });
  }

  /** The display fields of an object, sorted by name; undefined when its type has none. @internal */
  displayFields(object: ObjectState): DisplayFields | undefined {
    assertObject(object, 'object', 'an object as queries give it');
    assertObject(object.meta, 'object', 'an object as queries give it');
    const { state, layouts } = this.#source.current();
    return displayFields(state, layouts(state), object);
  }

  /**
   * The fields below a path without ids, types, names or keys, ascending by field key; a path to one object lists that
   * object's fields.
   * @throws {EngineError} `not-supported` for a path that names individual items, `invalid-argument`.
   */
  list(
    path: AccessPathInput,
    page: Omit<PageOptions<FieldKeyInput>, 'descending'> = {},
  ): Page<Results['field'], Results['hash']> {
    const parent = listParent(toAccessPath(path, 'path'));
    const request = toPage(keyed(page, toFieldKey), false);
    const { state } = this.#source.current();
    const found = state.fields(parent, { after: request.cursor, limit: request.limit + 1 });
    const decoder = new Decoder(this.#source, state);
    const fields = pageOf(found, request, ({ key }) => key);
    const made = mapPage(
      fields,
      (field) => this.#make.field(field, decoder),
      (key) => this.#make.hash(key, decoder),
    );
    return followed(made, (cursor) => this.list(path, { ...page, cursor }));
  }
}

const EXPECTED_PATH =
  'an access path (/object/ID, /resource/ADDRESS/TYPE, /module/ADDRESS/NAME, /fields/ID/KEY, or its parts with a kind)';

const PATHS = {
  object: { ids: ifGiven(listOf(toObjectId)) },
  resource: { account: toAddress, types: ifGiven(listOf(toStructTag)) },
  module: { account: toAddress, names: ifGiven(listOf(toModuleName)) },
  fields: { object: toObjectId, keys: ifGiven(listOf(toFieldKey)) },
};

/**
 * Reads an argument as an access path.
 * @throws {EngineError} `invalid-argument`
 */
function toAccessPath(given: AccessPathInput, name: string): AccessPath {
  if (typeof given === 'string') return parseArgument(name, EXPECTED_PATH, given, parseAccessPath);
  return readByKind(given, name, PATHS, EXPECTED_PATH);
}

function toModuleName(given: string, name: string): string {
  assertText(given, name, 'a module name');
  return given;
}

function pathIds(path: AccessPath): ObjectId[] {
  switch (path.kind) {
    case 'object':
      return [...(path.ids ?? [])];
    case 'resource':
      return (path.types ?? []).map((tag) => childObjectId(accountObjectId(path.account), resourceFieldKey(tag)));
    case 'module':
      return (path.names ?? []).map((name) => childObjectId(packageObjectId(path.account), stringFieldKey(name)));
    case 'fields':
      return (path.keys ?? []).map((key) => childObjectId(path.object, key));
  }
}

function listParent(path: AccessPath): ObjectId {
  switch (path.kind) {
    case 'object': {
      const [id, ...more] = path.ids ?? [ROOT_OBJECT_ID];
      if (id === undefined || more.length > 0) {
        throw new EngineError('not-supported', 'List query does not support more than one object id');
      }
      return id;
    }
    case 'resource':
      if (path.types !== undefined) throw listError();
      return accountObjectId(path.account);
    case 'module':
      if (path.names !== undefined) throw listError();
      return packageObjectId(path.account);
    case 'fields':
      if (path.keys !== undefined) throw listError();
      return path.object;
  }
}

function listError(): EngineError {
  return new EngineError('not-supported', 'List query does not support fields');
}

/**
 * Total characters that replace the placeholders in one object's display fields; a placeholder that would exceed them is
 * left as is. Otherwise a short template that repeats a long text could make gigabytes.
 */
export const DISPLAY_CHARACTERS_MAX: number = 2 ** 20;

const templates = vector(pair(string, string));

export type DisplayFields = readonly (readonly [name: string, text: string])[];

/** The display fields of an object, sorted by name; undefined when its type has none. */
export function displayFields(state: State, layouts: LayoutSource, object: ObjectState): DisplayFields | undefined {
  if (isDynamicField(object.meta)) return undefined;
  const type = structType(object.meta.objectType);
  const rules = state.object(namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'display', 'Display', [type])));
  if (rules === undefined) return undefined;
  const value = annotate(layouts.layout(type), object.value);
  let room = DISPLAY_CHARACTERS_MAX;
  const fill = (template: string): string =>
    template.replace(/\{([^{}]*)\}/g, (placeholder, path: string) => {
      const text = textAt(path.split('.'), object, value);
      if (text === undefined || text.length > room) return placeholder;
      room -= text.length;
      return text;
    });
  return decode(templates, rules.value)
    .map(([name, template]) => [name, fill(template)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** A struct may have a field `metadata` too; the object's own metadata is meant only by a path of exactly two names. */
function textAt(names: readonly string[], object: ObjectState, value: MoveValue): string | undefined {
  const [first, second] = names;
  if (names.length === 2 && first === 'metadata') return metadataText(object, second);
  return leafText(follow(value, names));
}

function metadataText({ meta }: ObjectState, name: string | undefined): string | undefined {
  if (name === 'id') return formatObjectId(meta.id).slice(2);
  return name === 'owner' ? toHex(meta.owner) : undefined;
}

function follow(value: MoveValue, names: readonly string[]): MoveValue | undefined {
  let found: MoveValue | undefined = value;
  for (const name of names) {
    if (found?.kind !== 'struct') return undefined;
    const index: number = found.layout.fields.findIndex((field) => field.name === name);
    found = found.fields[index];
  }
  return found;
}

/** The reference appends the type's name to the digits of most integers. */
function leafText(value: MoveValue | undefined): string | undefined {
  switch (value?.kind) {
    case 'bool':
    case 'u64':
      return value.value.toString();
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u128':
    case 'u256':
      return `${value.value}${value.kind}`;
    case 'address':
      return formatAddressShort(value.value).slice(2);
    case 'struct':
      return structText(value);
    default:
      return undefined;
  }
}

function structText({ layout, fields: [only] }: Extract<MoveValue, { kind: 'struct' }>): string | undefined {
  const type = displayStruct(layout.tag);
  if (type === '0x1::string::String' && only?.kind === 'bytes') return decodeUtf8(only.value);
  if (type !== '0x2::object::ObjectID' || only?.kind !== 'vector') return undefined;
  return only.items.map((part) => (part.kind === 'address' ? toHex(part.value) : '')).join('');
}
