/**
 * movelet history: the versions of an object or a field; movelet diff: the differences between two states.
 * @module
 */
import { PAGE_ITEMS_MAX_CURRENT, PAGE_ITEMS_MAX_INTERFACE } from '../base/config.ts';
import { INVALID_PARAMS } from '../base/json-rpc.ts';
import { parseAccount } from '../bitcoin/address.ts';
import { formatAddress, formatAddressShort } from '../move/address.ts';
import { accountName } from './account.ts';
import { type Arguments, type Command, command, readNumber, UsageError } from './arguments.ts';
import {
  type AskedNode,
  NodeRefusal,
  OPENING_GROUP,
  onNode,
  PAST_OPTIONS,
  printAnswer,
  readFrom,
  readResult,
} from './node.ts';

const VERSIONS_SHOWN = 20;
const CHANGES_SHOWN = 200;

interface PageJson {
  readonly data: readonly unknown[];
  readonly has_next_page: boolean;
}

/** How the pages of a list are asked for and shown. */
interface Listing<P extends PageJson> {
  readonly method: string;
  /** Items of all pages together. */
  readonly limit: number;
  readonly pageItemsMax: number;
  /** The parameters for up to `count` items after the last page. */
  readonly params: (last: P | undefined, count: number) => readonly unknown[];
  /** A page for people, which may have to ask for more. Throws if a node cannot have sent it. */
  readonly text: (page: P, last: P | undefined, shown: number) => string | (() => Promise<string>);
}

/** Prints the items of a list, page by page, and returns how many there were. */
async function printPages<P extends PageJson>(
  args: Arguments,
  node: AskedNode,
  { method, limit, pageItemsMax, params, text: textOf }: Listing<P>,
): Promise<number> {
  let last: P | undefined;
  let shown = 0;
  do {
    const answer = await asked(node, method, params(last, Math.min(limit - shown, pageItemsMax)));
    const [page, text] = readResult(method, answer, (page: P) => [page, textOf(page, last, shown)] as const);
    printAnswer(args, answer, typeof text === 'string' ? text : args.flag('json') ? '' : await text());
    shown += page.data.length;
    last = page;
  } while (last.has_next_page && shown < limit);
  return shown;
}

/** @throws {UsageError} for parameters, which come from the command line, that the node does not understand */
async function asked(node: AskedNode, method: string, params: unknown): Promise<string> {
  try {
    return await node.ask(method, JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.number !== INVALID_PARAMS) throw error;
    throw new UsageError(error.reason.replace(/^Invalid params: params\[\d+\] /, ''), { cause: error });
  }
}

interface ChangeJson {
  readonly text: string;
}

interface VersionsJson extends PageJson {
  readonly data: readonly {
    readonly tx_order: string | number;
    readonly tx_hash: string;
    readonly change: ChangeJson;
    readonly fields: readonly ChangeJson[];
    readonly has_more_fields: boolean;
  }[];
  readonly next_cursor: string | number | null;
}

async function runHistory(args: Arguments): Promise<number> {
  const [object] = args.positionals;
  const descending = !args.flag('oldest-first');
  const option = { field_key: args.string('field') ?? null, fields: !args.flag('no-fields'), descending };
  const versions = (node: AskedNode): Listing<VersionsJson> => ({
    method: 'rooch_getHistory',
    limit: readNumber(args, 'limit', VERSIONS_SHOWN, Number.MAX_SAFE_INTEGER, 1),
    pageItemsMax: PAGE_ITEMS_MAX_INTERFACE,
    params: (last, count) => [object, last?.next_cursor ?? null, count, option],
    text: (page, last) => {
      if (page.has_next_page) assertBeyond(page.next_cursor, last?.next_cursor ?? null, descending);
      const texts = page.data.map(versionText);
      return async () => {
        const titles = await titlesOf(node, page.data);
        return texts.map((text, at) => `order ${page.data[at]!.tx_order}: ${titles[at]}\n${text}\n`).join('');
      };
    },
  });
  const seen = await onNode(args, (node) => printPages(args, node, versions(node)), true);
  if (seen === 0) process.stderr.write(`no transaction of this chain changed ${object}\n`);
  return 0;
}

/**
 * A page may be empty after a long search, but the next one must begin elsewhere: a server whose pages never end would
 * be asked forever.
 */
function assertBeyond(
  next: VersionsJson['next_cursor'],
  cursor: VersionsJson['next_cursor'],
  descending: boolean,
): void {
  const order = BigInt(next ?? 'no order');
  const last = cursor === null ? undefined : BigInt(cursor);
  const isBeyond = last === undefined || (descending ? order < last : order > last);
  if (order < 0n || !isBeyond) throw new Error(`the page after ${cursor} begins at ${next}`);
}

function versionText({ tx_order, change, fields, has_more_fields }: VersionsJson['data'][number]): string {
  const before = BigInt(tx_order) - 1n;
  const more = has_more_fields ? [`... and more fields: movelet diff ${before} ${tx_order}`] : [];
  return [change.text, ...fields.map(({ text }) => text), ...more].join('\n');
}

interface TransactionJson {
  readonly transaction: {
    readonly data:
      | { readonly type: 'l1_block'; readonly bitcoin_block_hash: string }
      | { readonly type: 'l1_tx'; readonly bitcoin_txid: string }
      | {
          readonly type: 'l2_tx';
          readonly sender: string;
          readonly action: { readonly function_call?: { readonly function_id: string } };
          readonly action_type: string;
        };
  };
}

/** Transactions can be as large as what they publish. */
const TITLES_AT_ONCE = 20;

/** What the transactions of versions are, each with its hash: `0x42::counter::add by account 0, 0xhash`. */
async function titlesOf(node: AskedNode, versions: VersionsJson['data']): Promise<string[]> {
  const titles: string[] = [];
  for (let at = 0; at < versions.length; at += TITLES_AT_ONCE) {
    const hashes = versions.slice(at, at + TITLES_AT_ONCE).map(({ tx_hash }) => tx_hash);
    const read = (found: readonly (TransactionJson | null)[]): string[] =>
      hashes.map((hash, index) => {
        const known = found[index] ?? undefined;
        return known === undefined ? hash : `${titleOf(known)}, ${hash}`;
      });
    titles.push(...(await readFrom(node, 'rooch_getTransactionsByHash', [hashes], read)));
  }
  return titles;
}

function titleOf({ transaction: { data } }: TransactionJson): string {
  if (data.type === 'l1_block') return `Bitcoin block ${data.bitcoin_block_hash}`;
  if (data.type === 'l1_tx') return `Bitcoin transaction ${data.bitcoin_txid}`;
  const { function_call: call } = data.action;
  const what = call?.function_id.replace(/^0x0*(?=[0-9a-f])/, '0x') ?? ACTIONS[data.action_type] ?? data.action_type;
  const sender = parseAccount(data.sender);
  return `${what} by ${accountName(formatAddress(sender)) ?? formatAddressShort(sender)}`;
}

const ACTIONS: Readonly<Record<string, string>> = { scriptcall: 'a script', modulebundle: 'publishing modules' };

export const historyCommand: Command = command({
  name: 'history',
  summary: 'the versions of an object, and the transactions that made them',
  usage: 'OBJECT [--field KEY] [--limit N] [--url URL | --data DIR]',
  min: 1,
  example: '0x2::timestamp::Timestamp --limit 3',
  help: `OBJECT is an object id, or the type of a named object; it may have been removed. Each version is shown with the transaction
that made it and what that changed: + created, ~ modified, - removed, . only the fields below.
`,
  options: {
    ...PAST_OPTIONS,
    field: { value: 'KEY', help: 'the versions of this field of the object' },
    limit: { value: 'N', help: `show at most N versions (default: ${VERSIONS_SHOWN})` },
    'oldest-first': { help: 'start with the first version (default: with the last)' },
    'no-fields': { help: 'leave out versions in which only fields changed' },
    json: { help: "print the node's answers" },
  },
  more: [OPENING_GROUP],
  run: runHistory,
});

interface StateJson {
  readonly tx_order: string;
  readonly state_root: string;
}

interface DiffJson extends PageJson {
  readonly data: readonly ChangeJson[];
  readonly next_cursor: string | null;
  readonly before: StateJson;
  readonly after: StateJson;
}

async function runDiff(args: Arguments): Promise<number> {
  const limit = readNumber(args, 'limit', CHANGES_SHOWN, Number.MAX_SAFE_INTEGER, 1);
  const [before, after = null] = args.positionals;
  const changes: Listing<DiffJson> = {
    method: 'rooch_getDiff',
    limit,
    pageItemsMax: PAGE_ITEMS_MAX_CURRENT,
    // The head may have moved since the first page.
    params: (last, count) => [before, last?.after.state_root ?? after, last?.next_cursor ?? null, count],
    text: (page, last, shown) => {
      // A server whose pages never end would be asked forever.
      if (page.has_next_page && page.data.length === 0) throw new Error('an empty page before the last one');
      return diffText(page, last === undefined, shown + page.data.length >= limit);
    },
  };
  await onNode(args, (node) => printPages(args, node, changes), true);
  return 0;
}

function diffText({ data, has_next_page, before, after }: DiffJson, isFirst: boolean, isLast: boolean): string {
  const title = `order ${before.tx_order} (${before.state_root}) -> order ${after.tx_order} (${after.state_root})`;
  return [
    ...(isFirst ? [data.length === 0 ? `${title}: no difference` : title] : []),
    ...data.map(({ text }) => text),
    ...(isLast && has_next_page ? ['... and more that are not shown: --limit'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

export const diffCommand: Command = command({
  name: 'diff',
  summary: 'what differs between two states',
  usage: 'BEFORE [AFTER] [--limit N] [--url URL | --data DIR]',
  min: 1,
  max: 2,
  example: '41 42',
  help: `BEFORE and AFTER are each a state root, or the order of a transaction, for the state after it; AFTER defaults to the head.
+ marks what was created, ~ what was modified, - what was removed.
`,
  options: {
    ...PAST_OPTIONS,
    limit: { value: 'N', help: `show at most N changes (default: ${CHANGES_SHOWN})` },
    json: { help: "print the node's answers" },
  },
  more: [OPENING_GROUP],
  run: runDiff,
});
