/**
 * getHistory, getBlame, getDiff: the versions of an object, who wrote it last, and what differs between two states.
 * @module
 */
import { childObjectId, formatObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { memberOrNull, plainJson } from '../../chain/value/readable.ts';
import { displayStruct } from '../../move/type-tag.ts';
import type { StateChange } from '../../query/change.ts';
import type { DiffedState } from '../../query/diff.ts';
import type { ObjectVersion } from '../../query/object-version.ts';
import { eachInPieces } from '../../store/piece.ts';
import type { JsonValue } from './json.ts';
import { type Count, type JsonObject, type Method, type MethodContext, method, type Room } from './method.ts';
import * as param from './param.ts';
import { integer, type JsonInteger, type JsonPage, page } from './render.ts';

/** Changed members of one object in a JSON-RPC answer; a list whose items all moved has one for each. */
export const CHANGE_MEMBERS_MAX = 1_000;

/** Fields that an answer over JSON-RPC lists with each version of their object. */
export const VERSION_FIELDS_MAX = 20;

/** What a change contains: the one side that exists, or the members that differ if both do. */
const CHANGE: param.Schema = {
  type: 'object',
  title: 'kind, object_id, object_type, is_field, before, after, members, omitted_members, text',
};

const VERSION: param.Schema = {
  type: 'object',
  title: 'tx_order, tx_hash, tx_timestamp, change, fields, has_more_fields',
};

const STATE: param.Schema = { type: 'object', title: 'tx_order and state_root' };
const ORDER: param.Schema = { type: ['integer', 'string'], title: 'order' };

function valueJson(room: Room, value: unknown): JsonValue {
  const json = plainJson(value) as JsonValue;
  takeAll(room, json);
  return json;
}

function takeAll(room: Room, value: JsonValue): void {
  room.takeParts(1);
  if (typeof value === 'string') room.takeCharacters(value.length);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) takeAll(room, part);
}

function changeJson(room: Room, change: StateChange): JsonObject {
  const { kind, id, isField, before, after } = change;
  const { meta } = (change.inside.after ?? change.inside.before)!;
  const isWhole = before === undefined || after === undefined;
  const sides = isWhole ? (change.shown() as { readonly before?: unknown; readonly after?: unknown }) : {};
  const { members, count, parts } = change.membersUpTo(CHANGE_MEMBERS_MAX);
  room.takeParts(parts);
  return {
    kind,
    object_id: id,
    object_type: displayStruct(meta.objectType),
    is_field: isField,
    before: valueJson(room, sides.before),
    after: valueJson(room, sides.after),
    members: members.map((member) => ({
      path: member.path,
      before: valueJson(room, member.before),
      after: valueJson(room, member.after),
    })),
    omitted_members: count - members.length,
    text: String(change),
  };
}

/** A version in pieces: each of its changes may be of an object that takes a second. */
async function versionJson(context: MethodContext, version: ObjectVersion): Promise<JsonObject> {
  const fields = version.fieldsUpTo(VERSION_FIELDS_MAX + 1);
  const shown = [version.change, ...fields.slice(0, VERSION_FIELDS_MAX)];
  const [change, ...others] = await eachInPieces(shown, (one) => changeJson(context.room, one));
  return {
    tx_order: integer(context, version.order),
    tx_hash: version.transactionHash,
    tx_timestamp: integer(context, version.timestamp),
    change: change!,
    fields: others,
    has_more_fields: fields.length > VERSION_FIELDS_MAX,
  };
}

function stateJson(context: MethodContext, state: DiffedState): JsonObject {
  return { tx_order: integer(context, state.order), state_root: memberOrNull(state, 'stateRoot') };
}

interface GivenVersionOptions {
  readonly field_key?: string | null;
  readonly fields?: boolean | null;
  readonly descending?: boolean | null;
}

const versionOptions = param.options(
  'query_option',
  param.object({
    field_key: param.memberOr(param.fieldKeyParser),
    fields: param.memberOr(param.boolean, true),
    descending: param.memberOr(param.boolean, true),
  }),
  'field_key: versions of this field of the object; fields: also versions in which only its fields changed; descending: newest first',
);

const objectParam = param.required('object_id', param.objectIdParser, 'the object, which may have been removed');

function named(id: ObjectId, key: Uint8Array | undefined): ObjectId {
  return key === undefined ? id : childObjectId(id, key);
}

type GivenState = Count | string;

export interface HistoryMethods {
  readonly getHistory: Method<
    [object_id: string, cursor?: Count | null, limit?: Count | null, query_option?: GivenVersionOptions | null],
    JsonPage<JsonObject, JsonInteger>
  >;
  readonly getBlame: Method<
    [object_id: string, field_key?: string | null, cursor?: Count | null],
    { readonly version: JsonObject | null; readonly next_cursor: JsonInteger | null }
  >;
  readonly getDiff: Method<
    [before: GivenState, after?: GivenState | null, cursor?: string | null, limit?: Count | null],
    JsonPage<JsonObject, string> & { readonly before: JsonObject; readonly after: JsonObject }
  >;
}

export const historyMethods: HistoryMethods = {
  getHistory: method({
    description:
      'The versions of an object or a field: each change that a transaction made to it, with the value before and after. A page may end early after a long search: next_cursor continues from there.',
    params: [objectParam, param.numberCursor, param.limitParam, versionOptions],
    result: param.pageSchema(VERSION, ORDER),
    errors: ['pruned'],
    example: ['0x2::timestamp::Timestamp', null, '10', { descending: false }],
    handle: async (context, [id, cursor, asked, { field_key: key, fields, descending }]) => {
      const limit = param.pageLimit(context, asked);
      const found = await context.chain.objects.history(named(id, key), { cursor, limit, fields, descending });
      return page(
        found,
        (version) => versionJson(context, version),
        (cursor) => integer(context, cursor),
      );
    },
  }),
  getBlame: method({
    description:
      'The transaction that last wrote an object or one of its fields, or removed it; null if it never existed. A long search ends with a next_cursor, from which another request continues.',
    params: [
      objectParam,
      param.optional('field_key', param.fieldKeyParser, undefined, 'a field of the object'),
      param.numberCursor,
    ],
    result: {
      type: 'object',
      properties: {
        version: { oneOf: [VERSION, { type: 'null' }] },
        next_cursor: { oneOf: [ORDER, { type: 'null' }] },
      },
      required: ['version', 'next_cursor'],
    },
    errors: ['pruned'],
    example: ['0x2::timestamp::Timestamp'],
    handle: async (context, [id, key, cursor]) => {
      const { version, nextCursor } = await context.chain.lastVersion(named(id, key), cursor);
      return {
        version: version === undefined ? null : await versionJson(context, version),
        next_cursor: nextCursor === undefined ? null : integer(context, nextCursor),
      };
    },
  }),
  getDiff: method({
    description:
      'What differs between two states, each named by its root or by the order of the transaction that left it: objects and fields, by ascending ids. Continue with the same two states: before and after of the answer name them.',
    params: [
      param.required('before', param.hashOrOrder, 'a state root or an order'),
      param.optional(
        'after',
        param.hashOrOrder,
        undefined,
        'a state root or an order; by default the state of the head',
      ),
      param.optional(
        'cursor',
        param.objectIdParser,
        undefined,
        'where the page starts, exclusive: next_cursor of the page before',
      ),
      param.limitParam,
    ],
    result: {
      type: 'object',
      properties: {
        ...param.pageSchema(CHANGE, param.objectIdParser.schema)['properties']!,
        before: STATE,
        after: STATE,
      },
      required: ['data', 'next_cursor', 'has_next_page', 'before', 'after'],
    },
    errors: ['not-found', 'pruned'],
    isDivisible: true,
    example: ['0', null, null, '10'],
    handle: async (context, [before, after, cursor, asked]) => {
      const limit = param.pageLimit(context, asked);
      // A page of zero items still says whether there are any.
      const { chain } = context;
      const later = after === undefined ? chain : chain.at(after);
      const diff = chain.at(before).diff(later, { limit: Math.max(1, limit), cursor });
      const changes = diff.changes.slice(0, limit);
      const last = changes.at(-1)?.id ?? (cursor && formatObjectId(cursor));
      return {
        data: await eachInPieces(changes, (change) => changeJson(context.room, change)),
        next_cursor: last ?? null,
        has_next_page: diff.hasMore || changes.length < diff.changes.length,
        before: stateJson(context, diff.before),
        after: stateJson(context, diff.after),
      };
    },
  }),
};
