/**
 * movelet replay: replays a recorded run.
 * @module
 */
import { VIEW_MS_BOUND, VIEW_MS_MAX } from '../base/config.ts';
import type { Engine } from '../engine/engine.ts';
import { type ReplayOptions, replay } from '../engine/replay.ts';
import type { RpcOptions } from '../server/rpc/options.ts';
import {
  type Arguments,
  CHAIN_OPTIONS,
  type Command,
  clockOf,
  clockOption,
  command,
  logToStderr,
  orderOption,
  readInput,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { fillDirectory } from './dump.ts';
import { ANSWER_OPTIONS, DEV_OPTIONS, LISTENER, rpcOptions } from './node-options.ts';
import { COMPILE_OPTIONS } from './packages.ts';
import { longWork } from './progress.ts';
import { addGivenSources, LISTEN_OPTIONS, REACH_GROUP, readPort, SOURCES_OPTION, serveEngine } from './serve.ts';

async function run(args: Arguments): Promise<number> {
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data !== undefined && args.flag('check')) throw new UsageError('give --data or --check, not both');
  const port = readPort(args);
  const rpc = rpcOptions(args, LISTENER);
  const options = {
    to: orderOption(args, 'to'),
    viewMsMax: readNumber(args, 'view-ms-max', VIEW_MS_MAX, VIEW_MS_BOUND, 1),
    clock: clockOf(args),
  };
  const recording = await readInput('FILE', file);
  if (data !== undefined) {
    await fillDirectory(data, { ending: '.replaying' }, async (store) =>
      (await played(recording, { ...options, store }, `, into ${data}`)).close(),
    );
    return 0;
  }
  await addGivenSources(args);
  const engine = await played(recording, options, '');
  if (!args.flag('check')) return serveEngine(engine, args, { port, rpc, tried: traceOfLast(engine, file, rpc) });
  await engine.close();
  return 0;
}

/** Orders before the head that are looked through for a transaction that failed. */
const LOOKED_THROUGH_MAX = 10_000n;

/** The command that traces the last transaction that failed, or the last one if none did; undefined without any. */
function traceOfLast(engine: Engine, file: string, { dev }: RpcOptions): string | undefined {
  const last = engine.head.order;
  let shown: bigint | undefined;
  for (let order = last; order > 0n && last - order < LOOKED_THROUGH_MAX; order--) {
    const { transaction, executionInfo } = engine.transactions.get(order)!;
    if (transaction.data.kind !== 'l2-transaction') continue;
    shown ??= order;
    if (executionInfo.status.kind === 'executed') continue;
    shown = order;
    break;
  }
  if (shown === undefined) return undefined;
  return dev === true ? `trace ${shown}` : `replay ${file} --dev, and then movelet trace ${shown}`;
}

/** The engine after the run; `where` ends the line that says so. */
async function played(recording: Uint8Array, options: ReplayOptions, where: string): Promise<Engine> {
  const engine = await longWork('nothing is kept, and the same command begins anew', (show) => {
    const onProgress = (done: number, total: number): void => show({ name: 'inputs', done, total });
    return withFlagsNamed(() => replay(recording, { ...options, onProgress, log: logToStderr }));
  });
  const { order, stateRoot } = engine.head;
  process.stderr.write(`replayed to order ${order}, state root ${stateRoot}${where}\n`);
  return engine;
}

export const replayCommand: Command = command({
  name: 'replay',
  summary: 'replay a recorded run, and serve the chain that results',
  usage: 'FILE [--to ORDER] [--data DIR | --check]',
  example: 'failed.run --to 17',
  min: 1,
  help: `FILE was written by --record, by record(engine) or by a failed test. Every input is executed again and must lead to the
recorded roots; otherwise the first order that differs is named, with both roots, and the exit code is 1. Then the chain is
served, as movelet serve does. With --dev, movelet trace ORDER shows what a transaction did.

`,
  options: {
    to: { value: 'ORDER', help: 'stop after this order' },
    data: {
      value: 'DIR',
      completes: 'directory',
      help: 'write the chain to this directory instead of serving it; it must be empty or missing, and neither mounted itself nor the current one; until it is complete it is DIR.replaying',
    },
    check: { help: 'replay and end' },
    ...clockOption('fixed'),
    'view-ms-max': CHAIN_OPTIONS['view-ms-max']!,
    ...SOURCES_OPTION,
    ...LISTEN_OPTIONS,
    ...DEV_OPTIONS,
  },
  more: [REACH_GROUP, { title: 'What it answers', options: { ...ANSWER_OPTIONS, ...COMPILE_OPTIONS } }],
  completes: 'file',
  run,
});
