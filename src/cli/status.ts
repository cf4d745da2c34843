/**
 * movelet status: the head of a chain and the state of its node, for people.
 * @module
 */
import { type Arguments, type Command, chainName, command } from './arguments.ts';
import { NODE_OPTIONS, OPENING_GROUP, onNode, prettyJson, readFrom, readResult, readView } from './node.ts';

interface BlockJson {
  readonly block_height: string;
  readonly block_hash: string;
}

/** Of chain_status, what is printed. */
interface StatusJson {
  readonly service_status: string;
  readonly chain_status: {
    readonly sequencer_info: { readonly last_order: string };
    readonly root_state: { readonly state_root: string; readonly size: string };
  };
  readonly bitcoin_status: { readonly confirmed_block: BlockJson | null; readonly pending_block: BlockJson | null };
  readonly history_status?: { readonly kept: string; readonly oldest_order: string };
  readonly follower_status?: { readonly state: string; readonly lag: number | null; readonly problem?: string | null };
  readonly log_status?: {
    readonly role: string;
    readonly state: string;
    readonly behind: string;
    readonly problem?: string | null;
  };
}

const run = (args: Arguments): Promise<number> =>
  onNode(
    args,
    async (node) => {
      const answer = await node.ask('chain_status', '[]');
      if (args.flag('json') || args.flag('compact')) {
        process.stdout.write(`${args.flag('compact') ? answer : prettyJson(answer)}\n`);
        return 0;
      }
      const id = await readFrom(node, 'chain_getChainID', [], (result: string) => `${result}`);
      const isoTime = (now?: string): string => new Date(Number(now)).toISOString();
      const now = '0x2::timestamp::now_milliseconds';
      const time = await readView(node, now, [], isoTime, 'chain_executeViewFunction');
      const rows: readonly Row[] = [
        ['chain', `${id}${chainName(id)}`],
        ['asked', node.where],
        ...readResult('chain_status', answer, statusLines),
        ['time', `${time}, that of the last transaction`],
      ];
      process.stdout.write(rows.map(([name, text]) => `${name.padEnd(10)}${text}\n`).join(''));
      return 0;
    },
    true,
  );

type Row = readonly [name: string, text: string];

function statusLines(status: StatusJson): Row[] {
  const { service_status: service, chain_status: chain, bitcoin_status: bitcoin } = status;
  const { history_status: history, follower_status: follower, log_status: log } = status;
  const { state_root: root, size } = chain.root_state;
  const rows: Row[] = [
    ['service', service],
    ['order', `${chain.sequencer_info.last_order}, of the last transaction; the genesis is 0`],
    ['state', `${root}, ${size} objects at the top`],
    ['Bitcoin', bitcoinText(bitcoin)],
  ];
  if (history) rows.push(['history', `kept: ${history.kept}, from order ${history.oldest_order} on`]);
  if (follower)
    rows.push(['follower', `${follower.state}, ${follower.lag ?? '?'} behind${problemText(follower.problem)}`]);
  if (log) rows.push(['log', `${log.role}, ${log.state}, ${log.behind} behind${problemText(log.problem)}`]);
  return rows;
}

function problemText(problem: string | null | undefined): string {
  return problem ? `: ${problem}` : '';
}

function bitcoinText({ confirmed_block: confirmed, pending_block: pending }: StatusJson['bitcoin_status']): string {
  if (confirmed === null && pending === null) return 'no block';
  const last = confirmed && `height ${confirmed.block_height} (${confirmed.block_hash})`;
  const waiting = pending && `height ${pending.block_height} awaits confirmation`;
  return [last, waiting].filter(Boolean).join(', ');
}

export const statusCommand: Command = command({
  name: 'status',
  summary: 'the head of a chain, and the state of its node',
  usage: '[--json] [--url URL | --data DIR]',
  example: '--data ./chain',
  help: 'A directory that cannot be written is read through links among the temporary files.',
  options: {
    json: { help: 'print the whole answer of chain_status' },
    compact: { help: 'print that on one line' },
    ...NODE_OPTIONS,
  },
  more: [OPENING_GROUP],
  run,
});
