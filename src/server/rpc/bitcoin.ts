/**
 * btc_queryUTXOs, btc_queryInscriptions and btc_broadcastTX.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/btc of the reference.
 * @module
 */

import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { formatBitcoinHash, parseBitcoinHash } from '../../bitcoin/hash.ts';
import {
  formatInscriptionId,
  type Inscription,
  type InscriptionId,
  parseInscriptionId,
  signedInscriptionNumber,
} from '../../bitcoin/inscription.ts';
import type { OutPoint, Utxo } from '../../bitcoin/outpoint.ts';
import { formatObjectId } from '../../chain/object/object-id.ts';
import { displayStruct } from '../../move/type-tag.ts';
import type { BitcoinFilter } from '../../query/bitcoin.ts';
import type { Page, PageOptions } from '../../query/page.ts';
import type { FoundObject } from '../../query/values.ts';
import type { Position } from '../../store/column.ts';
import { type JsonValue, stringifyJson } from './json.ts';
import { type Count, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import * as param from './param.ts';
import {
  bitcoinAddressText,
  integer,
  type JsonPage,
  type JsonPosition,
  metadata,
  page,
  position,
  renderAccount,
} from './render.ts';

const txid: param.Parser<Uint8Array, string> = param.text(
  'a txid of 64 hex digits without 0x',
  { pattern: '^[0-9a-fA-F]{64}$' },
  parseBitcoinHash,
);
const outPoint: param.Parser<OutPoint> = param.object({ txid: param.member(txid), vout: param.member(param.u32Param) });
const inscriptionId: param.Parser<InscriptionId> = param.text(
  'an inscription id <txid>i<index>',
  {},
  parseInscriptionId,
);

function bitcoinFilter<Id>(idForm: param.FilterForm<BitcoinFilter<Id>>): param.Parser<BitcoinFilter<Id>, unknown> {
  return param.filter<BitcoinFilter<Id>>(
    [
      param.form('owner', param.unitedAddress, (owner) => ({ kind: 'owner', owner })),
      idForm,
      param.form('object_id', param.objectIds, (ids) => ({ kind: 'object-ids', ids })),
    ],
    { kind: 'all' },
  );
}

const utxoFilter = bitcoinFilter<OutPoint>(param.form('out_point', outPoint, (id) => ({ kind: 'id', id })));
const inscriptionFilter = bitcoinFilter<InscriptionId>(
  param.form('inscription_id', inscriptionId, (id) => ({ kind: 'id', id })),
);

/** The record around the value of a UTXO or inscription, in both forms. */
function record(context: MethodContext, { object: { meta }, position: at }: FoundObject, value: JsonValue): JsonObject {
  const owner = bitcoinAddressText(context, meta.owner);
  const place = { tx_order: integer(context, at.order), state_index: integer(context, at.index) };
  if (context.forms === 'current') return { ...metadata(context, meta, owner), value, ...place };
  return {
    object_id: formatObjectId(meta.id),
    id: formatObjectId(meta.id),
    owner: renderAccount(context, meta.owner),
    owner_bitcoin_address: owner,
    flag: meta.flag,
    object_type: displayStruct(meta.objectType),
    value,
    ...place,
    created_at: integer(context, meta.createdAt),
    updated_at: integer(context, meta.updatedAt),
  };
}

function utxoValue(context: MethodContext, value: Utxo): JsonValue {
  return {
    txid: toHexPrefixed(value.txid),
    bitcoin_txid: formatBitcoinHash(value.txid),
    vout: value.vout,
    value: integer(context, value.value),
    seals: context.forms === 'interface' ? stringifyJson(sealText(value)) : seals(value),
  };
}

function seals(value: Utxo): JsonValue {
  return Object.fromEntries(value.seals.map(({ protocol, objects }) => [protocol, objects.map(formatObjectId)]));
}

/** The interface's form shows seals as JSON text with a `data` array. */
function sealText(value: Utxo): JsonValue {
  return {
    data: value.seals.map(({ protocol, objects }) => ({ key: protocol, value: objects.map(formatObjectId) })),
  };
}

function inscriptionValue(context: MethodContext, value: Inscription): JsonValue {
  const current: Record<string, JsonValue> = {
    id: formatInscriptionId(value.id),
    location: {
      output: { txid: formatBitcoinHash(value.location.outpoint.txid), vout: value.location.outpoint.vout },
      offset: integer(context, value.location.offset),
    },
    sequence_number: value.sequenceNumber,
    inscription_number: signedInscriptionNumber(value),
    charms: value.charms,
    body: context.room.hex(value.body),
    content_encoding: value.contentEncoding ?? null,
    content_type: value.contentType ?? null,
    metadata: context.room.hex(value.metadata),
    metaprotocol: value.metaprotocol ?? null,
    parents: value.parents.map(formatInscriptionId),
    pointer: value.pointer === undefined ? null : integer(context, value.pointer),
  };
  if (context.forms === 'current') return current;
  const [parent] = value.parents;
  return {
    txid: toHexPrefixed(value.id.txid),
    bitcoin_txid: formatBitcoinHash(value.id.txid),
    index: value.id.index,
    parent: parent === undefined ? null : formatInscriptionId(parent),
    ...current,
  };
}

const CURSOR = { type: 'object', title: 'tx_order and state_index' };

type GivenFilter<Id> = { readonly owner: string } | Id | { readonly object_id: string } | 'all';
type GivenOutPoint = { readonly out_point: { readonly txid: string; readonly vout: Count } };

type Query<Filter> = Method<
  [filter?: Filter | null, cursor?: JsonPosition | null, limit?: Count | null, descending_order?: boolean | null],
  JsonPage<JsonObject, JsonPosition>
>;

export interface BitcoinMethods {
  readonly queryUTXOs: Query<GivenFilter<GivenOutPoint>>;
  readonly queryInscriptions: Query<GivenFilter<{ readonly inscription_id: string }>>;
  readonly broadcastTX: Method<[hex: string], string>;
}

function query<Id, Item extends FoundObject>(
  [what, title, id]: readonly [what: string, title: string, id: string],
  filters: param.Parser<BitcoinFilter<Id>, unknown>,
  find: (
    context: MethodContext,
    by: BitcoinFilter<Id>,
    request: PageOptions<Position>,
  ) => Promise<Page<Item, Position>>,
  render: (context: MethodContext, item: Item) => JsonValue,
): Query<unknown> {
  return method({
    description: `${what}, or all, newest first unless asked otherwise.`,
    params: [
      param.optional('filter', filters, { kind: 'all' } as const, `owner, ${id}, object_id, "all" or null`),
      param.positionCursorParam('state_index'),
      param.limitParam,
      param.descendingOrder,
    ],
    result: param.pageSchema({ type: 'object', title }, CURSOR),
    example: [null, null, '10', true],
    handle: async (context, [by, cursor, asked, descending]) => {
      const found = await find(context, by, { cursor, limit: param.pageLimit(context, asked), descending });
      return page(
        found,
        (item) => record(context, item, render(context, item)),
        (cursor) => position(context, cursor, 'state_index'),
      );
    },
  });
}

export const bitcoinMethods: BitcoinMethods = {
  queryUTXOs: query<OutPoint, FoundObject & Utxo>(
    ['Unspent outputs by owner, outpoint or object id', 'UTXO', 'out_point'],
    utxoFilter,
    ({ chain }, by, request) => chain.bitcoin.utxos(by, request),
    utxoValue,
  ),
  queryInscriptions: query<InscriptionId, FoundObject & Inscription>(
    ['Inscriptions by owner, inscription id or object id', 'inscription', 'inscription_id'],
    inscriptionFilter,
    ({ chain }, by, request) => chain.bitcoin.inscriptions(by, request),
    inscriptionValue,
  ),
  broadcastTX: method({
    description: 'Hands a Bitcoin transaction to the Bitcoin node that this one follows.',
    params: [param.required('hex', param.hex, 'the transaction')],
    result: { type: 'string', title: 'txid' },
    errors: ['not-supported'],
    example: ['0x00'],
    handle: ({ broadcast }, [transaction]) => {
      if (broadcast === undefined) throw new EngineError('not-supported', 'Bitcoin client is not configured');
      return broadcast(transaction);
    },
  }),
};
