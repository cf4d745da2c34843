/**
 * movelet history: the versions of an object or a field.
 * @module
 */
import { PAGE_ITEMS_MAX_INTERFACE } from '../base/config.ts';
import { ENGINE_HELP, type Option, readArguments, readNumber } from './arguments.ts';
import type { Command } from './command.ts';
import { assertLasting, NODE_OPTIONS, openNode } from './node.ts';
import { readResult } from './node-answer.ts';
import { prettyJson } from './pretty-json.ts';

const OPTIONS: Readonly<Record<string, Option>> = {
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

interface PageJson {
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

interface Shown {
  readonly page: PageJson;
  /** For people. */
  readonly text: string;
}

async function run(rest: readonly string[]): Promise<number> {
  const usage = 'history OBJECT [--field KEY] [--limit N] [--url URL | --data DIR]';
  const args = readArguments(rest, OPTIONS, { min: 1, max: 1, usage });
  const limit = readNumber(args, 'limit', VERSIONS_SHOWN, Number.MAX_SAFE_INTEGER, 1);
  const option = {
    field_key: args.string('field') ?? null,
    fields: !args.flag('no-fields'),
    descending: !args.flag('oldest-first'),
  };
  assertLasting(args);
  const node = await openNode(args, true);
  try {
    let cursor: PageJson['next_cursor'] = null;
    let seen = 0;
    for (let left = limit; left > 0; ) {
      const params = [args.positionals[0], cursor, Math.min(left, PAGE_ITEMS_MAX_INTERFACE), option];
      const answer = await node.ask('rooch_getHistory', JSON.stringify(params));
      const read = (page: PageJson): Shown => {
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
function assertBeyond(next: PageJson['next_cursor'], cursor: PageJson['next_cursor'], descending: boolean): void {
  const order = BigInt(next ?? 'no order');
  const last = cursor === null ? undefined : BigInt(cursor);
  const isBeyond = last === undefined || (descending ? order < last : order > last);
  if (order < 0n || !isBeyond) throw new Error(`the page after ${cursor} begins at ${next}`);
}

function versionText({ tx_order, tx_hash, change, fields, has_more_fields }: PageJson['data'][number]): string {
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
  options: OPTIONS,
  run,
};
