/**
 * States by access path: objects, resources, modules and fields, one by one or as a list.
 * Source: spec/rpc.md sections 6, 8.2 and 8.3.
 * @module
 */

import { QUERY_IDS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import type { AccessPath } from '../object/access-path.ts';
import { type FieldKey, resourceFieldKey, stringFieldKey } from '../object/field-key.ts';
import { packageObjectId } from '../object/module-store.ts';
import { accountObjectId, childObjectId, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import type { ObjectState } from '../object/object-state.ts';
import type { Field, State } from '../state/state.ts';
import { type DisplayFields, displayFields } from './display.ts';
import { assertPage, type Page, type PageRequest, pageOf } from './page.ts';
import type { Reader, ReaderSource } from './reader.ts';

/** Where a state query reads: the head, or an earlier root. */
export interface StateOptions {
  readonly stateRoot?: Uint8Array | undefined;
}

export class StateQueries {
  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /**
   * The objects that a path names, in its order, undefined for each that does not exist; nothing for a path that asks
   * for a list. Resources, modules and fields are the dynamic field objects that hold them.
   * @throws {EngineError} `limit-exceeded` for more than QUERY_IDS_MAX, `not-found` for an unknown root.
   */
  get(path: AccessPath, options: StateOptions = {}): (ObjectState | undefined)[] {
    const state = stateOf(this.#source.current(), options);
    const ids = pathIds(path);
    assertIdCount(ids.length);
    return ids.map((id) => state.object(id));
  }

  /** The display fields of an object, sorted by name; undefined when its type has none (query/display.ts). */
  displayFields(object: ObjectState, options: StateOptions = {}): DisplayFields | undefined {
    const reader = this.#source.current();
    const state = stateOf(reader, options);
    return displayFields(state, reader.layouts(state), object);
  }

  /** The object `id`, or undefined. */
  object(id: ObjectId, options: StateOptions = {}): ObjectState | undefined {
    return stateOf(this.#source.current(), options).object(id);
  }

  /**
   * The fields below a path without ids, types, names or keys, ascending by field key; a path to one object lists that
   * object's fields.
   * @throws {EngineError} `not-supported` for a path that names what it asks for, `not-found` for an unknown root.
   */
  list(
    path: AccessPath,
    page: Omit<PageRequest<FieldKey>, 'descending'>,
    options: StateOptions = {},
  ): Page<Field, FieldKey> {
    assertPage(page);
    const state = stateOf(this.#source.current(), options);
    const found = state.fields(listParent(path), { after: page.cursor, limit: page.limit + 1 });
    return pageOf(found, { ...page, descending: false }, ({ key }) => key);
  }
}

function stateOf(reader: Reader, options: StateOptions): State {
  return options.stateRoot === undefined ? reader.state : reader.stateAt(options.stateRoot);
}

/** @throws {EngineError} `limit-exceeded` for more ids than one query may name. */
export function assertIdCount(count: number): void {
  if (count > QUERY_IDS_MAX) {
    throw new EngineError('limit-exceeded', `Too many object IDs requested. Maximum allowed: ${QUERY_IDS_MAX}`, {
      details: { received: count, expected: QUERY_IDS_MAX },
    });
  }
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
