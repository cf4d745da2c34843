/**
 * queryObjectStates. Source: crates/rooch-rpc-api/src/jsonrpc_types/state_view.rs of the reference.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/hex.ts';

import { EngineError } from '../../base/error.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import { countStructs, type LayoutSource, type MoveValue } from '../../move/layout.ts';
import { displayStruct } from '../../move/type-tag.ts';
import type { ObjectFilter } from '../../query/object.ts';
import type { FoundObject } from '../../query/values.ts';
import type { JsonValue } from './json.ts';
import { type Count, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { at, isObject, member, object, type Parser, required, type Schema, unexpected } from './param.ts';
import {
  account,
  bitcoinAddressText,
  type GivenQueryOptions,
  integer,
  type JsonPage,
  type JsonPosition,
  limitParam,
  metadata,
  objectIds,
  page,
  pageLimit,
  pageSchema,
  position,
  positionCursorParam,
  type QueryOptions,
  queryOptions,
  structTag,
  unitedAddress,
} from './render.ts';
import { decodedObject, display, valueIn } from './state.ts';

/** Structs inside one object that queryObjectStates decodes; the reference's number. */
const DECODED_STRUCTS_MAX = 200;

const withOwner = object({ object_type: member(structTag), owner: member(unitedAddress) });

/** The schema of an object with these members and no others. */
function exactly(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/**
 * Flat `object_type` and `owner`, alone or together, `object_type_with_owner`, or `object_id` with ids joined by commas.
 */
const objectFilter: Parser<ObjectFilter, unknown> = {
  schema: {
    oneOf: [
      exactly({ object_type: structTag.schema, owner: unitedAddress.schema }),
      exactly({ object_type: structTag.schema }),
      exactly({ owner: unitedAddress.schema }),
      exactly({ object_type_with_owner: withOwner.schema }),
      exactly({ object_id: objectIds.schema }),
    ],
  },
  parse: (value) => {
    const expected = 'an object with object_type, owner, both, object_type_with_owner or object_id';
    if (!isObject(value)) throw unexpected(expected, value);
    const one = <T>(key: string, parser: Parser<T>): T => at(`.${key}`, () => parser.parse(value[key]));
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
        return { kind: 'type', type: one('object_type', structTag) };
      case 'owner':
        return { kind: 'owner', owner: one('owner', unitedAddress) };
      case 'object_id':
        return { kind: 'ids', ids: one('object_id', objectIds) };
      default:
        throw unexpected(expected, value);
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
    owner: account(context, meta.owner),
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
    state_root: meta.stateRoot === undefined ? null : toHexPrefixed(meta.stateRoot),
  };
}

function currentRecord(
  context: MethodContext,
  layouts: LayoutSource,
  options: QueryOptions,
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

/** Which objects, as a client writes it. */
type GivenFilter =
  | { readonly object_type: string; readonly owner?: string }
  | { readonly owner: string }
  | { readonly object_type_with_owner: { readonly object_type: string; readonly owner: string } }
  | { readonly object_id: string };

export interface ObjectMethods {
  readonly queryObjectStates: Method<
    [filter: GivenFilter, cursor?: JsonPosition | null, limit?: Count | null, query_option?: GivenQueryOptions | null],
    JsonPage<JsonObject, JsonPosition>
  >;
}

export const objectMethods: ObjectMethods = {
  queryObjectStates: method({
    description: 'Objects by type, owner, both or ids, in the order in which they were last touched, newest first.',
    params: [
      required('filter', objectFilter, 'object_type, owner, both, object_type_with_owner or object_id'),
      positionCursorParam('state_index'),
      limitParam,
      queryOptions(true),
    ],
    result: pageSchema({ type: 'object', title: 'object' }, { type: 'object', title: 'tx_order and state_index' }),
    example: [{ object_type: '0x3::coin_store::CoinStore' }, null, '10', { decode: true, descending: true }],
    handle: async (context, [by, cursor, asked, options]) => {
      const request = { cursor, limit: pageLimit(context, asked), descending: options.descending };
      const selected: ObjectFilter =
        by.kind === 'type-and-owner' && options.filterOut ? { ...by, otherTypes: true } : by;
      const found = await context.chain.objects.query(selected, request);
      const layouts = context.chain.layouts();
      return page(
        found,
        (item) =>
          context.forms === 'interface'
            ? interfaceRecord(context, layouts, item)
            : currentRecord(context, layouts, options, item),
        (place) => position(context, place, 'state_index'),
      );
    },
  }),
};
