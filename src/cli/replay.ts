/**
 * movelet replay: replays a recorded run.
 * @module
 */
import { VIEW_MS_BOUND, VIEW_MS_MAX } from '../base/config.ts';
import type { Engine } from '../engine/engine.ts';
import { type ReplayOptions, replay } from '../engine/replay.ts';
import {
  type Arguments,
  type Command,
  command,
  logToStderr,
  orderOption,
  readInput,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { fillDirectory } from './dump.ts';
import { LISTENER, RPC_HELP, RPC_OPTIONS, rpcOptions } from './node-options.ts';
import { longWork } from './progress.ts';
import { LISTEN_HELP, LISTEN_OPTIONS, readPort, serveEngine } from './serve.ts';

async function run(args: Arguments): Promise<number> {
  const data = args.string('data');
  const [file = ''] = args.positionals;
  if (data !== undefined && args.flag('check')) throw new UsageError('give --data or --check, not both');
  const port = readPort(args);
  const rpc = rpcOptions(args, LISTENER);
  const options = {
    to: orderOption(args, 'to'),
    viewMsMax: readNumber(args, 'view-ms-max', VIEW_MS_MAX, VIEW_MS_BOUND, 1),
  };
  const recording = await readInput('FILE', file);
  if (data !== undefined) {
    await fillDirectory(data, { ending: '.replaying' }, async (store) =>
      (await played(recording, { ...options, store }, `, into ${data}`)).close(),
    );
    return 0;
  }
  const engine = await played(recording, options, '');
  if (!args.flag('check')) return serveEngine(engine, args, { port, rpc });
  await engine.close();
  return 0;
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
  summary: 'play a recorded run again, and serve the chain as it left it',
  usage: 'FILE [--to ORDER] [--data DIR | --check]',
  min: 1,
  help: `FILE is of --record, of record(engine), or what a failed test left behind. Every input is executed once more and must lead
to the roots that were recorded; the first order that leads elsewhere is named, with both roots, and the exit code is 1.
Then the chain is served, as movelet serve does.

  --to ORDER              stop after this order
  --data DIR              write the chain to this directory instead of serving it; it must be empty or missing, and neither
                          mounted itself nor the current one; until it is complete it is DIR.replaying
  --check                 replay and end
  --view-ms-max N         milliseconds that one view or dry run may take (default: ${VIEW_MS_MAX})
${LISTEN_HELP}${RPC_HELP}`,
  options: {
    to: { type: 'string' },
    data: { type: 'string', completes: 'directory' },
    check: { type: 'boolean' },
    'view-ms-max': { type: 'string' },
    ...RPC_OPTIONS,
    ...LISTEN_OPTIONS,
  },
  completes: 'file',
  run,
});
