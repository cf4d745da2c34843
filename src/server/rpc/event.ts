/**
 * getEventsByEventHandle, queryEvents, and what the subscribing methods share.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/event_view.rs of the reference.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { SUBSCRIPTION_PAGE_ITEMS } from '../../base/config.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import type { Event } from '../../chain/transaction/event.ts';
import type { LayoutSource } from '../../move/layout.ts';
import { displayStruct, structType } from '../../move/type-tag.ts';
import type { EventFilter } from '../../query/event.ts';
import type { FoundEvent } from '../../query/values.ts';
import type { JsonValue } from './json.ts';
import {
  type Count,
  type JsonObject,
  type Method,
  type MethodContext,
  method,
  type SubscribedItems,
} from './method.ts';
import * as param from './param.ts';
import {
  annotateStored,
  integer,
  type JsonInteger,
  type JsonPage,
  type JsonPosition,
  page,
  position,
  renderAccount,
  renderTop,
} from './render.ts';

interface SubscriptionOptions {
  readonly from_order: bigint | undefined;
  readonly decode: boolean;
}

export const subscriptionOptions: param.Param<SubscriptionOptions, unknown> = param.options(
  'subscription_option',
  param.object({ from_order: param.memberOr(param.u64Param), decode: param.memberOr(param.boolean, false) }),
  'from_order: the first transaction order, also one of the past; decode: decode the event data',
);

export type GivenSubscriptionOptions = { readonly from_order?: Count | null; readonly decode?: boolean | null };

export type UnsubscribeMethod = Method<[subscription: number], boolean>;

/** A value that is not an id belongs to no subscription. */
const subscriptionId: param.Parser<number, unknown> = {
  schema: { type: 'integer' },
  parse: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : -1),
};

export const unsubscribe: UnsubscribeMethod = method({
  description: 'Ends a subscription of the same connection; false if there is none with that id.',
  params: [param.required('subscription', subscriptionId, 'the id of the subscription')],
  result: { type: 'boolean' },
  errors: ['not-supported'],
  example: [1],
  handle: (context, [id]) => context.unsubscribe(id),
});

const EVENT: param.Schema = { type: 'object', title: 'event' };

const eventOptions = param.options(
  'event_options',
  param.ofPresent('this list', param.readOptions({ decode: param.memberOr(param.boolean, false) })),
  'decode: decode the event data',
);

function eventId(context: MethodContext, event: Event): JsonValue {
  return { event_handle_id: formatObjectId(event.handle), event_seq: integer(context, event.eventSeq) };
}

function decoded({ room }: MethodContext, layouts: LayoutSource | undefined, event: Event): JsonValue {
  if (layouts === undefined) return null;
  return renderTop(annotateStored(room, layouts, structType(event.eventType), event.eventData));
}

export function handleEvent(context: MethodContext, layouts: LayoutSource | undefined, event: Event): JsonObject {
  return {
    event_id: eventId(context, event),
    event_type: displayStruct(event.eventType),
    event_data: context.room.hex(event.eventData),
    event_index: integer(context, event.eventIndex),
    decoded_event_data: decoded(context, layouts, event),
  };
}

function indexedEvent(context: MethodContext, layouts: LayoutSource | undefined, value: FoundEvent): JsonObject {
  const { event } = value;
  return {
    indexer_event_id: position(context, value.position, 'event_index'),
    event_id: eventId(context, event),
    event_type: displayStruct(event.eventType),
    event_data: context.room.hex(event.eventData),
    tx_hash: toHexPrefixed(value.txHash),
    sender: renderAccount(context, value.sender),
    created_at: integer(context, value.createdAt),
    decoded_event_data: decoded(context, layouts, event),
  };
}

/** `"all"` is a filter of subscriptions; a query is refused with it, as in the reference. */
const eventFilter: param.Parser<EventFilter | 'all', unknown> = param.filter<EventFilter | 'all'>(
  [
    param.form(
      'event_type_with_sender',
      param.object({ event_type: param.member(param.structTagParser), sender: param.member(param.unitedAddress) }),
      ({ event_type: type, sender }) => ({ kind: 'type', type, sender }),
    ),
    param.form('event_type', param.structTagParser, (type) => ({ kind: 'type', type })),
    param.form(
      'event_handle_with_sender',
      param.object({ event_handle_id: param.member(param.objectIdParser), sender: param.member(param.unitedAddress) }),
      ({ event_handle_id: handle, sender }) => ({ kind: 'handle', handle, sender }),
    ),
    param.form('event_handle', param.objectIdParser, (handle) => ({ kind: 'handle', handle })),
    param.form('sender', param.unitedAddress, (sender) => ({ kind: 'sender', sender })),
    param.form('tx_hash', param.hash, (value) => ({ kind: 'transaction', hash: value })),
    ...param.rangeForms,
  ],
  'all',
);

/** An event filter as a client writes it. `"all"` is refused: it is for subscriptions. */
type GivenFilter =
  | { readonly event_type: string }
  | { readonly event_type_with_sender: { readonly event_type: string; readonly sender: string } }
  | { readonly event_handle: string }
  | { readonly event_handle_with_sender: { readonly event_handle_id: string; readonly sender: string } }
  | { readonly sender: string }
  | { readonly tx_hash: string }
  | param.GivenRange
  | 'all';

export interface EventMethods {
  readonly getEventsByEventHandle: Method<
    [
      event_handle: string,
      cursor?: Count | null,
      limit?: Count | null,
      descending_order?: boolean | null,
      event_options?: { readonly decode?: boolean | null } | null,
    ],
    JsonPage<JsonObject, JsonInteger>
  >;
  readonly queryEvents: Method<
    [
      filter: GivenFilter,
      cursor?: JsonPosition | null,
      limit?: Count | null,
      query_option?: param.GivenQueryOptions | null,
    ],
    JsonPage<JsonObject, JsonPosition>
  >;
  readonly subscribeEvents: Method<
    [filter: GivenFilter, subscription_option?: GivenSubscriptionOptions | null],
    JsonInteger
  >;
  readonly unsubscribeEvents: UnsubscribeMethod;
}

const UNDECODED: SubscribedItems<FoundEvent> = subscribed('events', () => undefined);
const DECODED: SubscribedItems<FoundEvent> = subscribed('decoded events', (context, { position: { order } }) =>
  context.chain.layouts(rootAt(context, order)),
);

function subscribed(
  name: string,
  layouts: (context: MethodContext, event: FoundEvent) => LayoutSource | undefined,
): SubscribedItems<FoundEvent> {
  return {
    name,
    page: ({ chain }, order, from) =>
      chain.events.ofTransaction(order, from, SUBSCRIPTION_PAGE_ITEMS).map((value) => ({
        value,
        bytes: value.event.eventData.length,
        json: (context) => indexedEvent(context, layouts(context, value), value),
      })),
  };
}

export const eventMethods: EventMethods = {
  getEventsByEventHandle: method({
    description: 'The events of a handle, or of the handle of an event type, newest first unless asked otherwise.',
    params: [
      param.required('event_handle', param.objectIdParser, 'an event type, or the object id of a handle'),
      param.numberCursor,
      param.limitParam,
      param.descendingOrder,
      eventOptions,
    ],
    result: param.pageSchema(EVENT, { title: 'sequence number' }),
    isDivisible: true,
    example: ['0x3::coin_store::DepositEvent', null, '10', true, { decode: true }],
    handle: (context, [handle, cursor, asked, descending, { decode }]) => {
      const found = context.chain.events.byHandle(handle, {
        cursor,
        limit: param.pageLimit(context, asked),
        descending,
      });
      const layouts = decode ? context.chain.layouts() : undefined;
      return page(
        found,
        ({ event }) => handleEvent(context, layouts, event),
        (cursor) => integer(context, cursor),
      );
    },
  }),
  queryEvents: method({
    description: 'Events by type, handle, sender, transaction, time or order (ends exclusive).',
    params: [
      param.required(
        'filter',
        eventFilter,
        'one of event_type, event_type_with_sender, event_handle, event_handle_with_sender, sender, tx_hash, time_range, tx_order_range',
      ),
      param.positionCursorParam('event_index'),
      param.limitParam,
      param.queryOptions(true),
    ],
    result: param.pageSchema(EVENT, { type: 'object', title: 'tx_order and event_index' }),
    errors: ['not-supported'],
    isDivisible: true,
    example: [{ event_type: '0x3::coin_store::DepositEvent' }, null, '10', { descending: true, decode: true }],
    handle: async (context, [by, cursor, asked, { descending, decode }]) => {
      if (by === 'all') throw param.notForQueries('events');
      const request = { cursor, limit: param.pageLimit(context, asked), descending };
      const found = await context.chain.events.list(by, request);
      const layouts = decode ? context.chain.layouts() : undefined;
      return page(
        found,
        (event) => indexedEvent(context, layouts, event),
        (cursor) => position(context, cursor, 'event_index'),
      );
    },
  }),
  subscribeEvents: method({
    description:
      'Pushes events by a filter of queryEvents, or "all"; from the next transaction on, or from from_order.',
    params: [param.required('filter', eventFilter, '"all", or a filter of queryEvents'), subscriptionOptions],
    result: { type: 'integer', title: 'id of the subscription' },
    errors: ['not-supported', 'limit-exceeded'],
    example: ['all', { decode: true }],
    handle: (context, [by, { decode, from_order: from }]) => {
      const matches = context.chain.events.matcher(by === 'all' ? undefined : by);
      return context.subscribe(from, decode ? DECODED : UNDECODED, matches);
    },
  }),
  unsubscribeEvents: unsubscribe,
};

/** The root of the state after a transaction; the modules in that state decode its events. */
function rootAt({ chain }: MethodContext, order: bigint): Uint8Array | undefined {
  return chain.transactions.get(order)?.executionInfo.stateRoot;
}
