/**
 * movelet history: the versions of an object or a field; movelet diff: the differences between two states.
 * @module
 */
import { PAGE_ITEMS_MAX_CURRENT, PAGE_ITEMS_MAX_INTERFACE } from '../base/config.ts';
import { type Command, ENGINE_HELP, type Option, readArguments, readNumber } from './arguments.ts';
import { assertLasting, NODE_OPTIONS, openNode, prettyJson, readResult } from './node.ts';

const HISTORY_OPTIONS: Readonly<Record<string, Option>> = {
  ...NODE_OPTIONS,
  field: { type: 'string' },
  limit: { type: 'string' },
  'oldest-first': { type: 'boolean' },
  'no-fields': { type: 'boolean' },
  json: { type: 'boolean' },
};

const VERSIONS_SHOWN = 20;

interface ChangeJson {
  readonly text: string;
}

interface VersionsJson {
  readonly data: readonly {
    readonly tx_order: string | number;
    readonly tx_hash: string;
    readonly change: ChangeJson;
    readonly fields: readonly ChangeJson[];
    readonly has_more_fields: boolean;
  }[];
  readonly next_cursor: string | number | null;
  readonly has_next_page: boolean;
}

interface ShownVersions {
  readonly page: VersionsJson;
  /** For people. */
  readonly text: string;
}

async function runHistory(rest: readonly string[]): Promise<number> {
  const usage = 'history OBJECT [--field KEY] [--limit N] [--url URL | --data DIR]';
  const args = readArguments(rest, HISTORY_OPTIONS, { min: 1, max: 1, usage });
  const limit = readNumber(args, 'limit', VERSIONS_SHOWN, Number.MAX_SAFE_INTEGER, 1);
  const option = {
    field_key: args.string('field') ?? null,
    fields: !args.flag('no-fields'),
    descending: !args.flag('oldest-first'),
  };
  assertLasting(args);
  const node = await openNode(args, true);
  try {
    let cursor: VersionsJson['next_cursor'] = null;
    let seen = 0;
    for (let left = limit; left > 0; ) {
      const params = [args.positionals[0], cursor, Math.min(left, PAGE_ITEMS_MAX_INTERFACE), option];
      const answer = await node.ask('rooch_getHistory', JSON.stringify(params));
      const read = (page: VersionsJson): ShownVersions => {
        if (page.has_next_page) assertBeyond(page.next_cursor, cursor, option.descending);
        const text = page.data.map((version) => `${versionText(version)}\n`).join('');
        return { page, text };
      };
      const { page, text } = readResult('rooch_getHistory', answer, read);
      process.stdout.write(args.flag('json') ? `${prettyJson(answer)}\n` : text);
      seen += page.data.length;
      if (!page.has_next_page) break;
      cursor = page.next_cursor;
      left -= page.data.length;
    }
    if (seen === 0) process.stderr.write(`no transaction of this chain changed ${args.positionals[0]}\n`);
    return 0;
  } finally {
    await node.close();
  }
}

/**
 * A page may be empty, after a long search, but the next one must begin elsewhere: a server that never comes to an end
 * would be asked forever.
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

function versionText({ tx_order, tx_hash, change, fields, has_more_fields }: VersionsJson['data'][number]): string {
  const more = has_more_fields ? [`... and more fields: movelet diff ${BigInt(tx_order) - 1n} ${tx_order}`] : [];
  return [`order ${tx_order} by ${tx_hash}`, change.text, ...fields.map(({ text }) => text), ...more].join('\n');
}

export const historyCommand: Command = {
  name: 'history',
  summary: 'what transactions made of an object',
  help: `usage: movelet history OBJECT [OPTIONS]

movelet history 0x2::timestamp::Timestamp --limit 3 --url http://127.0.0.1:6767

OBJECT is an object id, or the type of a named object; it may be gone. Each version is the transaction that made it, and what
it changed: + created, ~ modified, - removed, . only the fields below.

  --url URL               ask the node at this address
  --field KEY             the versions of this field of the object
  --limit N               versions at most (default: ${VERSIONS_SHOWN})
  --oldest-first          from the first version on (default: from the last one back)
  --no-fields             without versions in which only fields of the object changed
  --json                  print the node's answers
${ENGINE_HELP}`,
  options: HISTORY_OPTIONS,
  run: runHistory,
};

const DIFF_OPTIONS: Readonly<Record<string, Option>> = {
  ...NODE_OPTIONS,
  limit: { type: 'string' },
  json: { type: 'boolean' },
};

const CHANGES_SHOWN = 200;

interface StateJson {
  readonly tx_order: string;
  readonly state_root: string;
}

interface DiffJson {
  readonly data: readonly { readonly text: string }[];
  readonly next_cursor: string | null;
  readonly has_next_page: boolean;
  readonly before: StateJson;
  readonly after: StateJson;
}

interface ShownDiff {
  readonly page: DiffJson;
  /** For people. */
  readonly text: string;
}

async function runDiff(rest: readonly string[]): Promise<number> {
  const usage = 'diff BEFORE [AFTER] [--limit N] [--url URL | --data DIR]';
  const args = readArguments(rest, DIFF_OPTIONS, { min: 1, max: 2, usage });
  const limit = readNumber(args, 'limit', CHANGES_SHOWN, Number.MAX_SAFE_INTEGER, 1);
  const [before = '', end] = args.positionals;
  assertLasting(args);
  const node = await openNode(args, true);
  try {
    let cursor: string | null = null;
    let after = end;
    for (let shown = 0; shown < limit; ) {
      const params = [before, after ?? null, cursor, Math.min(limit - shown, PAGE_ITEMS_MAX_CURRENT)];
      const answer = await node.ask('rooch_getDiff', JSON.stringify(params));
      const read = (page: DiffJson): ShownDiff => {
        // A server that never comes to an end would be asked forever.
        if (page.has_next_page && page.data.length === 0) throw new Error('an empty page before the last one');
        const text = pageText(page, cursor === null, shown + page.data.length >= limit);
        return { page, text };
      };
      const { page, text } = readResult('rooch_getDiff', answer, read);
      process.stdout.write(args.flag('json') ? `${prettyJson(answer)}\n` : text);
      if (!page.has_next_page) break;
      // The head may have moved since the first page.
      after = page.after.state_root;
      cursor = page.next_cursor;
      shown += page.data.length;
    }
    return 0;
  } finally {
    await node.close();
  }
}

function pageText({ data, has_next_page, before, after }: DiffJson, isFirst: boolean, isLast: boolean): string {
  const title = `order ${before.tx_order} (${before.state_root}) -> order ${after.tx_order} (${after.state_root})`;
  return [
    ...(isFirst ? [data.length === 0 ? `${title}: no difference` : title] : []),
    ...data.map(({ text }) => text),
    ...(isLast && has_next_page ? ['... and more that are not shown: --limit'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

export const diffCommand: Command = {
  name: 'diff',
  summary: 'what differs between two states',
  help: `usage: movelet diff BEFORE [AFTER] [OPTIONS]

movelet diff 41 42 --url http://127.0.0.1:6767

BEFORE and AFTER are each a state root, or the order of a transaction, which names the state that it left; without AFTER, the
state of the head. + is what was created, ~ what was modified, - what was removed.

  --url URL               ask the node at this address
  --limit N               changes at most (default: ${CHANGES_SHOWN})
  --json                  print the node's answers
${ENGINE_HELP}`,
  options: DIFF_OPTIONS,
  run: runDiff,
};
