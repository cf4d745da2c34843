/**
 * dev_snapshot, dev_revert, dev_reset, dev_fork, dev_dropFork, dev_mine: what tests do to a chain as a whole.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import { type BitcoinTransaction, decodeTransaction } from '../../bitcoin/transaction.ts';
import type { BlockReference } from '../../execution/bitcoin-move/known-block.ts';
import { type Count, devOf, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { array, hex, memberOr, object, optional, type Parser, required, type Schema, text, u32 } from './param.ts';
import { integer } from './render.ts';

/** Transactions of a block mined over JSON-RPC: a request of 2 MiB cannot hold more. */
const MINED_TRANSACTIONS_MAX = 20_000;

/** Ids are decimal numbers as text, and may be sent as numbers too. */
const id: Parser<string, string | number> = {
  schema: { type: 'string', title: 'id' },
  parse: (value) => `${u32.parse(value)}`,
};

const parsedTransaction: Parser<BitcoinTransaction> = text(
  'a Bitcoin transaction in hex',
  { title: 'consensus bytes' },
  (value) => decodeTransaction(hex.parse(value)),
);

const blockReference: Parser<BlockReference> = {
  schema: { oneOf: [{ type: 'string', pattern: '^[0-9a-fA-F]{64}$' }, u32.schema] },
  parse: (value) => (typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value) ? value : u32.parse(value)),
};

interface MineOptions {
  readonly to: string | undefined;
  readonly transactions: readonly BitcoinTransaction[];
  readonly on: BlockReference | undefined;
}

const mineOptions: Parser<MineOptions, unknown> = object<MineOptions>({
  to: memberOr<string | undefined>(
    text('a Bitcoin address', { title: 'Bitcoin address' }, (value) => value),
    undefined,
  ),
  transactions: memberOr<readonly BitcoinTransaction[]>(array(parsedTransaction, MINED_TRANSACTIONS_MAX), []),
  on: memberOr<BlockReference | undefined>(blockReference, undefined),
});

const TRUE: Schema = { type: 'boolean' };

/** A fork. `url` is for clients of a listener; requests over any transport may name its id: `"fork": id`. */
export type ForkJson = { readonly id: string; readonly url: string | null };

export interface DevChainMethods {
  readonly snapshot: Method<[], string>;
  readonly revert: Method<[id: string | number], boolean>;
  readonly reset: Method<[], boolean>;
  readonly fork: Method<[], ForkJson>;
  readonly dropFork: Method<[id: string | number], boolean>;
  readonly mine: Method<
    [
      option?: {
        readonly to?: string | null;
        readonly transactions?: readonly string[] | null;
        readonly on?: Count | null;
      } | null,
    ],
    JsonObject
  >;
}

export const devChainMethods: DevChainMethods = {
  snapshot: method({
    description: 'Remembers this moment of the chain, for dev_revert. It is not used up.',
    params: [],
    result: { type: 'string', title: 'id' },
    errors: ['not-supported'],
    example: [],
    handle: (context) => devOf(context).snapshots.take(),
  }),
  revert: method({
    description: 'Goes back or forward to a snapshot, which can be used again.',
    params: [required('id', id, 'what dev_snapshot answered')],
    result: TRUE,
    errors: ['not-found'],
    example: ['1'],
    handle: async (context, [given]) => {
      await devOf(context).snapshots.revert(given);
      return true;
    },
  }),
  reset: method({
    description: 'Goes back to what the chain began with: its genesis, or, for a fork, the moment it was created.',
    params: [],
    result: TRUE,
    errors: ['not-supported'],
    example: [],
    handle: async (context) => {
      await devOf(context).engine.reset();
      return true;
    },
  }),
  fork: method({
    description:
      'Creates a separate chain that starts from the current state: over HTTP, WebSocket and server-sent events it answers at its URL, over any transport to requests with the member "fork".',
    params: [],
    result: { type: 'object', properties: { id: { type: 'string' }, url: { type: ['string', 'null'] } } },
    errors: ['limit-exceeded'],
    example: [],
    handle: (context) => {
      const made = devOf(context).forks.add();
      return { id: made.id, url: made.url ?? null };
    },
  }),
  dropFork: method({
    description: 'Ends a fork; false if there is none with that id.',
    params: [required('id', id, 'what dev_fork answered')],
    result: TRUE,
    example: ['1'],
    handle: (context, [given]) => devOf(context).forks.drop(given),
  }),
  mine: method({
    description: 'Mines a Bitcoin block for a test and ingests it.',
    params: [
      optional(
        'option',
        mineOptions,
        { to: undefined, transactions: [], on: undefined },
        'to: who gets the coinbase, the first funded account unless told; transactions: consensus bytes in hex; on: height or hash of the parent, for a competing branch',
      ),
    ],
    result: { type: 'object', title: 'height, hash, transactions' },
    errors: ['invalid-argument', 'not-found', 'not-supported'],
    example: [null],
    isWrite: true,
    handle: async (context, [{ to = payee(context), transactions, on }]) => {
      const planned = { to, transactions, ...(on !== undefined && { on }) };
      const block = await devOf(context).engine.bitcoin.mine(planned);
      return {
        height: integer(context, block.height),
        hash: block.hash,
        transactions: block.transactions.map(({ txid }) => txid),
      };
    },
  }),
};

function payee(context: MethodContext): string {
  const [first] = devOf(context).engine.accounts;
  if (first !== undefined) return first.bitcoin;
  throw new EngineError('invalid-argument', 'to: expected a Bitcoin address, since this chain began without accounts');
}
