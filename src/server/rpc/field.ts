/**
 * queryFields. Source: crates/rooch-rpc-api/src/jsonrpc_types/field_view.rs of the reference.
 * @module
 */
import { formatFieldKey } from '../../chain/object/field-key.ts';
import type { FoundField } from '../../query/values.ts';
import { type Count, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { member, object, optional, required, u64 } from './param.ts';
import {
  type GivenQueryOptions,
  integer,
  type JsonInteger,
  type JsonPage,
  limitParam,
  metadata,
  objectIds,
  pageLimit,
  pageSchema,
  queryOptions,
} from './render.ts';
import { decodedObject, valueIn } from './state.ts';

const fieldFilter = object({ object_id: member(objectIds) });

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

export interface FieldMethods {
  readonly queryFields: Method<
    [
      filter: { readonly object_id: string },
      page?: Count | null,
      limit?: Count | null,
      query_option?: GivenQueryOptions | null,
    ],
    JsonPage<JsonObject, JsonInteger>
  >;
}

export const fieldMethods: FieldMethods = {
  queryFields: method({
    description:
      'Fields of objects that are registered for it, by their integer values, highest first. The cursor is a page number.',
    params: [
      required('filter', fieldFilter, 'object_id: ids of registered objects, joined by commas'),
      optional('page', u64, 1n, 'page number, from 1'),
      limitParam,
      queryOptions(true),
    ],
    result: pageSchema({ type: 'object', title: 'field with its sort key' }, { title: 'page number' }),
    example: [{ object_id: '0x2::module_store::ModuleStore' }, null, '10', null],
    handle: async (context, [{ object_id: parents }, given, asked, { descending, decode }]) => {
      // As in the reference, where zero is the first page too.
      const page = given < 1n ? 1n : given;
      const limit = pageLimit(context, asked);
      const found = await context.chain.fields.query(parents, { page, limit, descending });
      return {
        data: found.data.map((item) => field(context, item, decode)),
        next_cursor: integer(context, found.hasNextPage ? page + 1n : page),
        has_next_page: found.hasNextPage,
      };
    },
  }),
};
