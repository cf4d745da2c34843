/**
 * The state: getStates, listStates, getObjectStates, getFieldStates, listFieldStates, queryObjectStates, queryFields.
 *
 * Under `rooch_` every state is an object with its metadata. The interface's getStates shows an object as an entity
 * (id, owner, flag, inner value) and a resource, module or table entry as its value alone.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/state_view.rs and field_view.rs of the reference.
 * @module
 */

import { encode } from '../../base/bcs.ts';
import { concatBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { QUERY_IDS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { knownHash } from '../../base/hash/unknown-hash.ts';
import { type AccessPath, parseAccessPath } from '../../chain/object/access-path.ts';
import { formatFieldKey } from '../../chain/object/field-key.ts';
import { formatObjectId, objectId } from '../../chain/object/object-id.ts';
import { isDynamicField, type ObjectState } from '../../chain/object/object-state.ts';
import type { Field } from '../../chain/state/state.ts';
import { formatAddress, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { countStructs, type LayoutSource, type MoveValue } from '../../move/layout.ts';
import { displayStruct, displayType, structTag, structType, type TypeTag } from '../../move/type-tag.ts';
import type { ObjectFilter } from '../../query/object.ts';
import type { FoundField, FoundObject } from '../../query/values.ts';
import type { RpcChain } from './engine.ts';
import { type JsonValue, stringifyJson } from './json.ts';
import { type Count, immediate, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import * as param from './param.ts';
import {
  annotateStored,
  annotateStoredPrefix,
  bitcoinAddressText,
  integer,
  type JsonInteger,
  type JsonPage,
  type JsonPosition,
  metadata,
  page,
  position,
  renderAccount,
  renderMoveValue,
  renderTop,
} from './render.ts';

const accessPath: param.Parser<AccessPath, string> = param.text(
  'an access path such as /object/ID, /resource/ADDRESS, /module/ADDRESS or /fields/ID',
  { title: 'access path' },
  param.boundedIds(parseAccessPath),
);

export const STATE: param.Schema = { type: 'object', title: 'object state' };
const STATES: param.Schema = { type: 'array', items: { oneOf: [STATE, { type: 'null' }] } };
const LIST: param.Schema = param.pageSchema({ type: 'object', title: 'field' }, { type: 'string', title: 'field key' });
const fieldCursor = param.optional('cursor', param.fieldKeyParser, undefined, 'field key after which the page starts');

/** Where the states in an answer come from, and how much of them is shown. */
interface Rendering {
  readonly context: MethodContext;
  /** At the state that the options name. */
  readonly chain: RpcChain;
  readonly options: param.StateRenderOptions;
  readonly layouts: LayoutSource;
  readonly decodes: boolean;
  readonly displays: boolean;
  readonly withBitcoinAddress: boolean;
}

/** How to render what a path names: objects and resources may show display fields, which requires decoding them. */
function rendering(
  context: MethodContext,
  given: param.StateRenderOptions,
  { kind }: Pick<AccessPath, 'kind'>,
): Rendering {
  const chain = param.chainAt(context, given);
  const displays = given.showDisplay && (kind === 'object' || kind === 'resource');
  const decodes = given.decode || displays;
  return { context, chain, options: given, layouts: chain.layouts(), decodes, displays, withBitcoinAddress: false };
}

/** An object with its metadata: the current form of every state. */
function objectState(from: Rendering, object: ObjectState): Record<string, JsonValue> {
  const { context, layouts } = from;
  const readValue = valueIn(context, layouts, object);
  return stateMembers(from, object, readValue, {
    value: context.room.hex(object.value),
    decoded_value: from.decodes ? decodedObject(object, readValue) : null,
  });
}

function stateMembers(
  { context, chain, displays, withBitcoinAddress }: Rendering,
  object: ObjectState,
  readValue: () => MoveValue,
  { value, decoded_value, ...more }: StateValue,
): Record<string, JsonValue> {
  const { meta } = object;
  return {
    ...metadata(context, meta, withBitcoinAddress ? bitcoinAddressText(context, meta.owner) : null),
    value,
    decoded_value,
    display_fields: displays ? display({ ...context, chain }, object, readValue) : null,
    ...more,
  };
}

type StateValue = { value: JsonValue; decoded_value: JsonValue; value_type?: string };

/** An object with its metadata and its value decoded. */
export function decodedState(context: MethodContext, object: ObjectState): JsonObject {
  const options = { decode: true, showDisplay: false, stateRoot: undefined, order: undefined };
  return objectState({ ...rendering(context, options, { kind: 'object' }), withBitcoinAddress: true }, object);
}

/** Only the state knows the root object's type: no module defines it. */
const ROOT: JsonValue = { abilities: 8, type: '0x2::object::Root', value: { dummy_field: false } };

/** An object's value in JSON; `readValue` decodes it. */
function decodedObject({ meta }: ObjectState, readValue: () => MoveValue): JsonValue {
  return meta.id.length === 0 ? ROOT : renderTop(readValue());
}

/** Decodes an object's value as part of an answer, when it is needed first. */
function valueIn({ room }: MethodContext, layouts: LayoutSource, { meta, value }: ObjectState): () => MoveValue {
  let decoded: MoveValue | undefined;
  return () => (decoded ??= annotateStored(room, layouts, structType(meta.objectType), value));
}

function display(context: MethodContext, object: ObjectState, readValue: () => MoveValue): JsonValue {
  const fields = context.chain.states.displayFields(object);
  if (fields === undefined) return null;
  // Filling the fields decoded the value, so its parts count.
  readValue();
  for (const [name, shown] of fields) context.room.takeCharacters(name.length + shown.length);
  return { fields: Object.fromEntries(fields) };
}

/** The interface's state record: the object as an entity, or a field's value alone. */
function stateRecord(from: Rendering, path: AccessPath, object: ObjectState): JsonObject {
  const field = path.kind === 'object' ? undefined : splitField(from, object);
  const readValue = valueIn(from.context, from.layouts, object);
  return stateMembers(from, object, readValue, field ? fieldValue(from, field) : entity(from, object, readValue));
}

function entity({ context, options }: Rendering, object: ObjectState, readValue: () => MoveValue): StateValue {
  const { meta, value } = object;
  const type = displayStruct(structTag(MOVEOS_STD_ADDRESS, 'object', 'ObjectEntity', [structType(meta.objectType)]));
  const bytes = concatBytes(encode(objectId, meta.id), meta.owner, Uint8Array.of(meta.flag), value);
  const decoded: JsonValue = options.decode
    ? {
        abilities: 0,
        type,
        value: {
          flag: meta.flag,
          id: formatObjectId(meta.id),
          owner: formatAddress(meta.owner),
          value: decodedObject(object, readValue),
        },
      }
    : null;
  return { value: context.room.hex(bytes), value_type: type, decoded_value: decoded };
}

/** The name and the value of a dynamic field. */
interface SplitField {
  readonly nameType: TypeTag;
  readonly valueType: TypeTag;
  readonly name: MoveValue;
  readonly nameBytes: Uint8Array;
  readonly valueBytes: Uint8Array;
}

function splitField({ context, layouts }: Rendering, { meta, value }: ObjectState): SplitField | undefined {
  const [nameType, valueType] = meta.objectType.typeArguments;
  if (!isDynamicField(meta) || nameType === undefined || valueType === undefined) return undefined;
  const name = annotateStoredPrefix(context.room, layouts, nameType, value);
  return {
    nameType,
    valueType,
    name: name.value,
    nameBytes: value.subarray(0, name.length),
    valueBytes: value.subarray(name.length),
  };
}

function fieldValue({ context, layouts, options }: Rendering, field: SplitField): StateValue {
  return {
    value: context.room.hex(field.valueBytes),
    value_type: displayType(field.valueType),
    decoded_value: options.decode
      ? renderTop(annotateStored(context.room, layouts, field.valueType, field.valueBytes))
      : null,
  };
}

function listItem(from: Rendering, field: Field): JsonObject {
  if (from.context.forms === 'interface' && from.context.listItem === 'B') return keyStateItem(from, field);
  return { field_key: formatFieldKey(field.key), state: objectState(from, field.object) };
}

/** Form B of the interface: the field's name beside its value. A child object's name is its id. */
function keyStateItem(from: Rendering, { object }: Field): JsonObject {
  const field = splitField(from, object);
  if (field === undefined) {
    const id = formatObjectId(object.meta.id);
    return {
      key_state: {
        key: toHexPrefixed(encode(objectId, object.meta.id)),
        key_type: '0x2::object::ObjectID',
        decoded_key: id,
      },
      state: { ...entity(from, object, valueIn(from.context, from.layouts, object)), display_fields: null },
    };
  }
  const name = renderMoveValue(field.name);
  return {
    key_state: {
      key: from.context.room.hex(field.nameBytes),
      key_type: displayType(field.nameType),
      decoded_key: typeof name === 'string' ? name : stringifyJson(name),
    },
    state: { ...fieldValue(from, field), display_fields: null },
  };
}

function list(
  context: MethodContext,
  path: AccessPath,
  cursor: Uint8Array | undefined,
  asked: number | undefined,
  options: param.StateRenderOptions,
): Promise<JsonPage<JsonObject, string>> {
  if (context.forms === 'current' && path.kind === 'object' && path.ids !== undefined) {
    throw new EngineError('not-supported', 'List query does not support specific object id');
  }
  const from = rendering(context, options, path);
  const found = from.chain.states.list(path, { cursor, limit: param.pageLimit(context, asked) });
  return page(found, (field) => listItem(from, field), formatFieldKey);
}

/** Structs inside one object that queryObjectStates decodes; the reference's number. */
const DECODED_STRUCTS_MAX = 200;

const withOwner = param.object({
  object_type: param.member(param.structTagParser),
  owner: param.member(param.unitedAddress),
});

/** The schema of an object with these members and no others. */
function exactly(properties: Readonly<Record<string, param.Schema>>): param.Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/**
 * Flat `object_type` and `owner`, alone or together, `object_type_with_owner`, or `object_id` with ids joined by commas.
 */
const objectFilter: param.Parser<ObjectFilter, unknown> = {
  schema: {
    oneOf: [
      exactly({ object_type: param.structTagParser.schema, owner: param.unitedAddress.schema }),
      exactly({ object_type: param.structTagParser.schema }),
      exactly({ owner: param.unitedAddress.schema }),
      exactly({ object_type_with_owner: withOwner.schema }),
      exactly({ object_id: param.objectIds.schema }),
    ],
  },
  parse: (value) => {
    const expected = 'an object with object_type, owner, both, object_type_with_owner or object_id';
    if (!param.isObject(value)) throw param.unexpected(expected, value);
    const one = <T>(key: string, parser: param.Parser<T>): T => param.at(`.${key}`, () => parser.parse(value[key]));
    switch (Object.keys(value).sort().join()) {
      case 'object_type,owner': {
        const { object_type: type, owner } = withOwner.parse(value);
        return { kind: 'type-and-owner', type, owner };
      }
      case 'object_type_with_owner': {
        const { object_type: type, owner } = one('object_type_with_owner', withOwner);
        return { kind: 'type-and-owner', type, owner };
      }
      case 'object_type':
        return { kind: 'type', type: one('object_type', param.structTagParser) };
      case 'owner':
        return { kind: 'owner', owner: one('owner', param.unitedAddress) };
      case 'object_id':
        return { kind: 'ids', ids: one('object_id', param.objectIds) };
      default:
        throw param.unexpected(expected, value);
    }
  },
};

/** A decoded object, guarded against values with thousands of structs, as in the reference. */
function decoded(object: ObjectState, readValue: () => MoveValue): JsonValue {
  const { meta } = object;
  if (meta.id.length > 0 && countStructs(readValue()) > DECODED_STRUCTS_MAX) {
    throw new EngineError('limit-exceeded', 'The size of the object is too large to decode and display', {
      details: { objectId: formatObjectId(meta.id), expected: DECODED_STRUCTS_MAX },
    });
  }
  return decodedObject(object, readValue);
}

/** The interface's record: `value` is always the decoded struct. */
function interfaceRecord(
  context: MethodContext,
  layouts: LayoutSource,
  { object, position: place }: FoundObject,
): JsonObject {
  const { meta } = object;
  return {
    object_id: formatObjectId(meta.id),
    owner: renderAccount(context, meta.owner),
    owner_bitcoin_address: bitcoinAddressText(context, meta.owner),
    flag: meta.flag,
    value: decoded(object, valueIn(context, layouts, object)),
    object_type: displayStruct(meta.objectType),
    key_type: null,
    size: integer(context, meta.size),
    tx_order: integer(context, place.order),
    state_index: integer(context, place.index),
    created_at: integer(context, meta.createdAt),
    updated_at: integer(context, meta.updatedAt),
    state_root: meta.stateRoot === undefined ? null : knownHash(meta.stateRoot),
  };
}

function currentRecord(
  context: MethodContext,
  layouts: LayoutSource,
  options: param.QueryOptions,
  { object, position: place }: FoundObject,
): JsonObject {
  const readValue = valueIn(context, layouts, object);
  return {
    ...metadata(context, object.meta, bitcoinAddressText(context, object.meta.owner)),
    value: context.room.hex(object.value),
    decoded_value: options.decode || options.showDisplay ? decoded(object, readValue) : null,
    tx_order: integer(context, place.order),
    state_index: integer(context, place.index),
    display_fields: options.showDisplay ? display(context, object, readValue) : null,
  };
}

type GivenFilter =
  | { readonly object_type: string; readonly owner?: string }
  | { readonly owner: string }
  | { readonly object_type_with_owner: { readonly object_type: string; readonly owner: string } }
  | { readonly object_id: string };

const fieldFilter = param.object({ object_id: param.member(param.objectIds) });

function field(context: MethodContext, { key, object: state, sortKey }: FoundField, decodes: boolean): JsonObject {
  return {
    field_key: formatFieldKey(key),
    state: {
      ...metadata(context, state.meta, null),
      value: context.room.hex(state.value),
      decoded_value: null,
      display_fields: null,
    },
    sort_key: sortKey.toString(),
    decoded_value: decodes ? decodedObject(state, valueIn(context, context.chain.layouts(), state)) : null,
  };
}

export interface StateMethods {
  readonly getStates: Method<
    [access_path: string, state_option?: param.GivenStateOptions | null],
    readonly (JsonObject | null)[]
  >;
  readonly listStates: Method<
    [access_path: string, cursor?: string | null, limit?: Count | null, state_option?: param.GivenStateOptions | null],
    JsonPage<JsonObject, string>
  >;
  readonly getObjectStates: Method<
    [object_ids: string, state_option?: param.GivenStateOptions | null],
    readonly (JsonObject | null)[]
  >;
  readonly getFieldStates: Method<
    [object_id: string, field_key: readonly string[], state_option?: param.GivenStateOptions | null],
    readonly (JsonObject | null)[]
  >;
  readonly listFieldStates: Method<
    [object_id: string, cursor?: string | null, limit?: Count | null, state_option?: param.GivenStateOptions | null],
    JsonPage<JsonObject, string>
  >;
  readonly queryObjectStates: Method<
    [
      filter: GivenFilter,
      cursor?: JsonPosition | null,
      limit?: Count | null,
      query_option?: param.GivenQueryOptions | null,
    ],
    JsonPage<JsonObject, JsonPosition>
  >;
  readonly queryFields: Method<
    [
      filter: { readonly object_id: string },
      page?: Count | null,
      limit?: Count | null,
      query_option?: param.GivenQueryOptions | null,
    ],
    JsonPage<JsonObject, JsonInteger>
  >;
}

export const stateMethods: StateMethods = {
  getStates: immediate({
    description: 'The states that an access path names, in its order; null for each that does not exist.',
    params: [
      param.required(
        'access_path',
        accessPath,
        'for example /object/0x3 or /resource/0x3/0x3::account_coin_store::AutoAcceptCoins',
      ),
      param.stateOptions,
    ],
    result: STATES,
    errors: ['not-found', 'pruned'],
    example: ['/object/0x2::timestamp::Timestamp', { decode: true }],
    handle: (context, [path, options]) => {
      const from = rendering(context, options, path);
      return from.chain.states.get(path).map((object) => {
        if (object === undefined) return null;
        return context.forms === 'interface' ? stateRecord(from, path, object) : objectState(from, object);
      });
    },
  }),
  listStates: method({
    description: 'The states below an access path, ascending by field key.',
    params: [
      param.required(
        'access_path',
        accessPath,
        '/object for all objects; /resource/ADDRESS; /module/ADDRESS; /fields/ID',
      ),
      fieldCursor,
      param.limitParam,
      param.stateOptions,
    ],
    result: LIST,
    isDivisible: true,
    errors: ['not-found', 'pruned'],
    example: ['/resource/0x3', null, '10', { decode: true }],
    handle: (context, [path, cursor, asked, options]) => list(context, path, cursor, asked, options),
  }),
  getObjectStates: immediate({
    description: 'Objects by their ids, null for each that does not exist.',
    params: [param.required('object_ids', param.objectIds, 'ids joined by commas, in one string'), param.stateOptions],
    result: STATES,
    errors: ['not-found', 'pruned'],
    example: ['0x2,0x3', { decode: true }],
    handle: (context, [ids, options]) => {
      const from: Rendering = {
        ...rendering(context, options, { kind: 'object' }),
        decodes: options.decode,
        withBitcoinAddress: true,
      };
      const objects = ids.length === 0 ? [] : from.chain.states.get({ kind: 'object', ids });
      return objects.map((object) => (object === undefined ? null : objectState(from, object)));
    },
  }),
  getFieldStates: immediate({
    description: 'Fields of an object by their keys, null for each that does not exist.',
    params: [
      param.required('object_id', param.objectIdParser, 'the object that has the fields'),
      param.required('field_key', param.array(param.fieldKeyParser, QUERY_IDS_MAX), 'field keys'),
      param.stateOptions,
    ],
    result: STATES,
    errors: ['not-found', 'pruned'],
    example: ['0x2::module_store::ModuleStore', ['0x3'], { decode: true }],
    handle: (context, [object, keys, options]) => {
      const from = rendering(context, options, { kind: 'fields' });
      const found = keys.length === 0 ? [] : from.chain.states.get({ kind: 'fields', object, keys });
      return found.map((field) => (field === undefined ? null : objectState(from, field)));
    },
  }),
  listFieldStates: method({
    description: 'The fields of an object, ascending by field key.',
    params: [
      param.required('object_id', param.objectIdParser, 'the object whose fields are listed'),
      fieldCursor,
      param.limitParam,
      param.stateOptions,
    ],
    result: LIST,
    isDivisible: true,
    errors: ['not-found', 'pruned'],
    example: ['0x2::module_store::ModuleStore', null, '10', null],
    handle: (context, [object, cursor, asked, options]) =>
      list(context, { kind: 'fields', object, keys: undefined }, cursor, asked, options),
  }),
  queryObjectStates: method({
    description: 'Objects by type, owner, both or ids, in the order in which they were last touched, newest first.',
    params: [
      param.required('filter', objectFilter, 'object_type, owner, both, object_type_with_owner or object_id'),
      param.positionCursorParam('state_index'),
      param.limitParam,
      param.queryOptions(true),
    ],
    result: param.pageSchema(
      { type: 'object', title: 'object' },
      { type: 'object', title: 'tx_order and state_index' },
    ),
    example: [{ object_type: '0x3::coin_store::CoinStore' }, null, '10', { decode: true, descending: true }],
    handle: async (context, [by, cursor, asked, options]) => {
      const request = { cursor, limit: param.pageLimit(context, asked), descending: options.descending };
      const selected: ObjectFilter =
        by.kind === 'type-and-owner' && options.filterOut ? { ...by, otherTypes: true } : by;
      const found = await context.chain.objects.list(selected, request);
      const layouts = context.chain.layouts();
      return page(
        found,
        (item) =>
          context.forms === 'interface'
            ? interfaceRecord(context, layouts, item)
            : currentRecord(context, layouts, options, item),
        (cursor) => position(context, cursor, 'state_index'),
      );
    },
  }),
  queryFields: method({
    description:
      'Fields of objects registered for this index, by their integer values, highest first. The cursor is a page number.',
    params: [
      param.required('filter', fieldFilter, 'object_id: ids of registered objects, joined by commas'),
      param.optional('page', param.u64Param, 1n, 'page number, from 1'),
      param.limitParam,
      param.queryOptions(true),
    ],
    result: param.pageSchema({ type: 'object', title: 'field with its sort key' }, { title: 'page number' }),
    example: [{ object_id: '0x2::module_store::ModuleStore' }, null, '10', null],
    handle: async (context, [{ object_id: parents }, given, asked, { descending, decode }]) => {
      // As in the reference, where zero is the first page too.
      const page = given < 1n ? 1n : given;
      const limit = param.pageLimit(context, asked);
      const found = await context.chain.fields.list(parents, { page, limit, descending });
      return {
        data: found.data.map((item) => field(context, item, decode)),
        next_cursor: integer(context, found.hasNextPage ? page + 1n : page),
        has_next_page: found.hasNextPage,
      };
    },
  }),
};
