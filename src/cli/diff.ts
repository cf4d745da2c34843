/**
 * movelet diff: the differences between two states.
 * @module
 */
import { PAGE_ITEMS_MAX_CURRENT } from '../base/config.ts';
import { ENGINE_HELP, type Option, readArguments, readNumber } from './arguments.ts';
import type { Command } from './command.ts';
import { assertLasting, NODE_OPTIONS, openNode } from './node.ts';
import { readResult } from './node-answer.ts';
import { prettyJson } from './pretty-json.ts';

const OPTIONS: Readonly<Record<string, Option>> = {
  ...NODE_OPTIONS,
  limit: { type: 'string' },
  json: { type: 'boolean' },
};

const CHANGES_SHOWN = 200;

interface StateJson {
  readonly tx_order: string;
  readonly state_root: string;
}

interface PageJson {
  readonly data: readonly { readonly text: string }[];
  readonly next_cursor: string | null;
  readonly has_next_page: boolean;
  readonly before: StateJson;
  readonly after: StateJson;
}

interface Shown {
  readonly page: PageJson;
  /** For people. */
  readonly text: string;
}

async function run(rest: readonly string[]): Promise<number> {
  const usage = 'diff BEFORE [AFTER] [--limit N] [--url URL | --data DIR]';
  const args = readArguments(rest, OPTIONS, { min: 1, max: 2, usage });
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
      const read = (page: PageJson): Shown => {
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

function pageText({ data, has_next_page, before, after }: PageJson, isFirst: boolean, isLast: boolean): string {
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
  options: OPTIONS,
  run,
};
