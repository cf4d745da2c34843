/**
 * Commands of the `rooch` program that ask a node: `state`, `object`, `resource`, `dynamic-field`, `event`, `rpc`; and
 * `transaction`, which keeps transactions in files between building, signing and sending them.
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decode, encode } from '../../base/bcs.ts';
import { fromHex, toHex } from '../../base/bytes/bytes.ts';
import { transactionData, transactionHash } from '../../chain/transaction/signed.ts';
import { formatAddress } from '../../move/address.ts';
import { encodeTransaction } from '../../query/transaction-builder.ts';
import { type Arguments, type Options, UsageError, unreadableFile } from '../arguments.ts';
import { CALL_OPTIONS, optionsCall } from './call-argument.ts';
import { type RoochSession, SENDER_OPTIONS } from './session.ts';
import { asking, jsonAnswer, type RoochCommand, requiredOption } from './table.ts';

const LIMIT: Options = { limit: { value: 'N', help: 'items of the page' } };
const DESCENDING: Options = { 'descending-order': { short: 'd', help: 'the newest first' } };
const DISPLAY: Options = { 'show-display': { help: 'with the display fields of objects' } };

/** Where a page begins, and how long it is. */
const page = (args: Arguments): readonly (string | null)[] => [
  args.string('cursor') ?? null,
  args.string('limit') ?? null,
];

const stateOptions = (args: Arguments): object => ({ decode: true, showDisplay: args.flag('show-display') });

/** @throws {UsageError} for another word */
function boolean(args: Arguments, name: string): boolean | null {
  const text = args.string(name);
  if (text === undefined) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`--${name}: expected true or false, got ${text}`);
}

/** `TX_ORDER,INDEX`, as pages of objects continue. */
function objectCursor(args: Arguments): object | null {
  const text = args.string('cursor');
  if (text === undefined) return null;
  const [, tx_order, state_index] = /^(\d+),(\d+)$/.exec(text) ?? [];
  if (tx_order === undefined) throw new UsageError(`--cursor: expected TX_ORDER,INDEX, got ${text}`);
  return { tx_order, state_index };
}

/** Which objects `rooch object` asks for: ids, an owner, a type, or those of the active account. */
function objectFilter(session: RoochSession, args: Arguments): object {
  const ids = [...args.strings('object-ids'), ...args.positionals].map((id) => session.named(id));
  const type = args.string('object-type');
  const owner = args.string('owner');
  if (ids.length > 0) return { object_id: ids.join(',') };
  const object_type = type && session.named(type);
  if (type !== undefined && owner === undefined) return { object_type };
  const address = formatAddress(session.address(owner ?? 'default', '--owner'));
  return type === undefined ? { owner: address } : { object_type_with_owner: { object_type, owner: address } };
}

/** The methods that list objects of Bitcoin, which know more of them than their value. */
const BITCOIN_METHODS: Readonly<Record<string, string>> = {
  '0x4::utxo::UTXO': 'btc_queryUTXOs',
  '0x4::ord::Inscription': 'btc_queryInscriptions',
};

/** Which transactions `rooch transaction query` asks for. */
function transactionFilter(session: RoochSession, args: Arguments): object {
  const sender = args.string('sender');
  const [start_time, end_time] = [args.string('start-time'), args.string('end-time')];
  const [from_order, to_order] = [args.string('from-order'), args.string('to-order')];
  if (sender !== undefined) return { sender: formatAddress(session.address(sender, '--sender')) };
  if (args.given.has('tx-hashes'))
    return { tx_hashes: args.strings('tx-hashes').flatMap((text) => text.split(/[\s,]+/)) };
  if (start_time !== undefined && end_time !== undefined) return { time_range: { start_time, end_time } };
  if (from_order !== undefined && to_order !== undefined) return { tx_order_range: { from_order, to_order } };
  throw new UsageError('expected --sender, --tx-hashes, --start-time with --end-time, or --from-order with --to-order');
}

/** @throws {UsageError} for text that is not JSON */
function params(args: Arguments): readonly unknown[] {
  const text = args.string('params') ?? '[]';
  try {
    const given: unknown = JSON.parse(text);
    return Array.isArray(given) ? given : [given];
  } catch (cause) {
    // The reference's program takes a single text without quotes.
    if (/^[\w:.-]+$/.test(text)) return [text];
    throw new UsageError(`--params: expected a JSON array, got ${text}`, { cause });
  }
}

export const CHAIN_ROWS: readonly RoochCommand[] = [
  {
    name: 'state',
    summary: 'what is at a path',
    options: {
      'access-path': { value: 'PATH', short: 'a', help: '/object/ID, /resource/ADDRESS/TYPE, ...' },
      ...DISPLAY,
    },
    run: asking((session, args) => {
      return ['rooch_getStates', session.named(requiredOption(args, 'access-path')), stateOptions(args)];
    }),
  },
  {
    name: 'object',
    summary: 'objects by id, owner or type',
    usage: '[ID...]',
    max: 100,
    options: {
      'object-ids': { value: 'ID', short: 'i', multiple: true, help: 'an id, or the type of a named object' },
      'object-type': { value: 'TYPE', short: 't', help: 'of this type' },
      owner: { value: 'WHO', short: 'o', help: 'of this account' },
      cursor: { value: 'ORDER,INDEX', help: 'where the last page ended' },
      ...LIMIT,
      ...DESCENDING,
      ...DISPLAY,
      'filter-out': { help: 'all but those of the type' },
    },
    run: asking((session, args) => {
      const descending = args.flag('descending-order');
      const page = [objectCursor(args), args.string('limit') ?? null];
      const method = BITCOIN_METHODS[session.named(args.string('object-type') ?? '')];
      if (method !== undefined) {
        const owner = args.string('owner');
        const filter = owner === undefined ? 'all' : { owner: formatAddress(session.address(owner, '--owner')) };
        return [method, filter, ...page, descending];
      }
      const options = { ...stateOptions(args), descending, filterOut: args.flag('filter-out') };
      return ['rooch_queryObjectStates', objectFilter(session, args), ...page, options];
    }),
  },
  {
    name: 'resource',
    summary: 'a resource of an account',
    options: {
      address: { value: 'WHO', help: 'the account' },
      resource: { value: 'TYPE', help: 'its type' },
      ...DISPLAY,
    },
    run: async (session, args) => {
      const owner = formatAddress(session.address(requiredOption(args, 'address'), '--address'));
      const path = `/resource/${owner}/${session.named(requiredOption(args, 'resource'))}`;
      const [state] = await session.read<readonly unknown[]>('rooch_getStates', path, stateOptions(args));
      return jsonAnswer(state ?? null);
    },
  },
  {
    name: 'dynamic-field list-field-states',
    summary: 'the fields of an object',
    options: {
      'object-id': { value: 'ID', help: 'the object' },
      cursor: { value: 'KEY', help: 'where the last page ended' },
      ...LIMIT,
    },
    run: asking((session, args) => {
      const id = session.named(requiredOption(args, 'object-id'));
      return ['rooch_listFieldStates', id, ...page(args), stateOptions(args)];
    }),
  },
  {
    name: 'dynamic-field get-field-states',
    summary: 'fields of an object by their keys',
    options: {
      'object-id': { value: 'ID', help: 'the object' },
      'field-keys': { value: 'KEY', multiple: true, help: 'a key; several with commas' },
    },
    run: asking((session, args) => {
      const keys = args.strings('field-keys').flatMap((text) => text.split(','));
      return ['rooch_getFieldStates', session.named(requiredOption(args, 'object-id')), keys, stateOptions(args)];
    }),
  },
  {
    name: 'event get-events-by-event-handle',
    summary: 'the events of a handle',
    options: {
      'event-handle': { value: 'TYPE|ID', short: 't', help: 'the type of the events, or the id of their handle' },
      cursor: { value: 'N', help: 'where the last page ended' },
      ...LIMIT,
      'descending-order': { value: 'true|false', short: 'd', help: 'the newest first' },
    },
    run: asking((session, args) => {
      const handle = session.named(requiredOption(args, 'event-handle'));
      const isDescending = boolean(args, 'descending-order');
      return ['rooch_getEventsByEventHandle', handle, ...page(args), isDescending, { decode: true }];
    }),
  },
  {
    name: 'rpc request',
    summary: 'any request to the node',
    options: {
      method: { value: 'NAME', help: 'such as rooch_getStates' },
      params: { value: 'JSON', help: 'an array' },
    },
    run: asking((_session, args) => [requiredOption(args, 'method'), ...params(args)]),
  },
  {
    name: 'transaction get-transactions-by-order',
    summary: 'transactions from an order on',
    options: {
      cursor: { value: 'N', help: 'the order before the first' },
      ...LIMIT,
      'descending-order': { value: 'true|false', short: 'd', help: 'the newest first' },
    },
    run: asking((_session, args) => {
      return ['rooch_getTransactionsByOrder', ...page(args), boolean(args, 'descending-order')];
    }),
  },
  {
    name: 'transaction get-transactions-by-hash',
    summary: 'transactions by hash',
    options: { hashes: { value: 'HASH', multiple: true, help: 'a hash; several with commas' } },
    run: asking((_session, args) => {
      return ['rooch_getTransactionsByHash', args.strings('hashes').flatMap((text) => text.split(','))];
    }),
  },
  {
    name: 'transaction query',
    summary: 'transactions by sender, hash, time or order',
    options: {
      sender: { value: 'WHO', short: 's', help: 'by sender' },
      'tx-hashes': { value: 'HASH', multiple: true, help: 'by hash' },
      'start-time': { value: 'MS', help: 'by time: from' },
      'end-time': { value: 'MS', help: 'by time: until' },
      'from-order': { value: 'N', help: 'by order: from' },
      'to-order': { value: 'N', help: 'by order: until' },
      cursor: { value: 'N', help: 'where the last page ended' },
      ...LIMIT,
      ...DESCENDING,
    },
    run: asking((session, args) => {
      const options = { decode: true, descending: args.flag('descending-order') };
      return ['rooch_queryTransactions', transactionFilter(session, args), ...page(args), options];
    }),
  },
  {
    name: 'transaction build',
    summary: 'write an unsigned transaction to a file',
    options: {
      ...CALL_OPTIONS,
      ...SENDER_OPTIONS,
      output: { value: 'FILE', short: 'o', help: 'where (default: a new file)' },
    },
    run: async (session, args) => {
      const data = await session.build(session.sender(args), await optionsCall(session, args), args);
      const name = `${toHex(transactionHash(data)).slice(0, 16)}.rtd`;
      return write(
        session,
        args.string('output') ?? join(tmpdir(), 'movelet-rooch', name),
        encode(transactionData, data),
      );
    },
  },
  {
    name: 'transaction sign',
    summary: 'sign the transaction of a file',
    usage: 'FILE',
    min: 1,
    options: {
      output: { value: 'FILE', short: 'o', help: 'where (default: beside it)' },
      yes: { short: 'y', help: 'accepted: nothing is asked' },
    },
    run: async (session, args) => {
      const [path = ''] = args.positionals;
      const data = decode(transactionData, read(session, path));
      const signed = (await session.signer(data.sender)).sign(data);
      return write(session, args.string('output') ?? path.replace(/(?:\.rtd)?$/, '.rst'), encodeTransaction(signed));
    },
  },
  {
    name: 'transaction submit',
    summary: 'send the signed transaction of a file',
    usage: 'FILE',
    min: 1,
    run: async (session, args) => ({ json: (await session.submit(read(session, args.positionals[0] ?? ''))).text }),
  },
];

function write(session: RoochSession, path: string, content: Uint8Array) {
  const file = session.path(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, toHex(content));
  return jsonAnswer({ path: file }, file);
}

/** @throws {EngineError} `not-found` */
function read(session: RoochSession, path: string): Uint8Array {
  const file = session.path(path);
  try {
    return fromHex(readFileSync(file, 'utf8').trim());
  } catch (cause) {
    throw unreadableFile('FILE', file, cause);
  }
}
