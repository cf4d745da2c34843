/**
 * States by access path: objects, resources, modules and fields, one by one or as a list.
 * Source: moveos/moveos-types/src/access_path.rs of the reference.
 * @module
 */

import { argumentError, assertObject, assertText, each, parseArgument } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { type AccessPath, assertIdCount, parseAccessPath } from '../chain/object/access-path.ts';
import { type FieldKeyInput, resourceFieldKey, stringFieldKey, toFieldKey } from '../chain/object/field-key.ts';
import {
  accountObjectId,
  childObjectId,
  type ObjectId,
  type ObjectIdInput,
  packageObjectId,
  ROOT_OBJECT_ID,
  toObjectId,
} from '../chain/object/object-id.ts';
import type { ObjectState } from '../chain/object/object-state.ts';
import { type StructTagInput, toStructTag } from '../move/type-tag.ts';
import { type DisplayFields, displayFields } from './display.ts';
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

  /** The display fields of an object, sorted by name; undefined when its type has none (query/display.ts). @internal */
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

/**
 * Reads an argument as an access path.
 * @throws {EngineError} `invalid-argument`
 */
function toAccessPath(given: AccessPathInput, name: string): AccessPath {
  if (typeof given === 'string') return parseArgument(name, EXPECTED_PATH, given, parseAccessPath);
  switch (given?.kind) {
    case 'object':
      return { kind: 'object', ids: each(given.ids, `${name}.ids`, toObjectId) };
    case 'resource': {
      const account = toAddress(given.account, `${name}.account`);
      return { kind: 'resource', account, types: each(given.types, `${name}.types`, toStructTag) };
    }
    case 'module': {
      const account = toAddress(given.account, `${name}.account`);
      return { kind: 'module', account, names: each(given.names, `${name}.names`, toModuleName) };
    }
    case 'fields': {
      const object = toObjectId(given.object, `${name}.object`);
      return { kind: 'fields', object, keys: each(given.keys, `${name}.keys`, toFieldKey) };
    }
    default:
      throw argumentError(name, EXPECTED_PATH, given);
  }
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
