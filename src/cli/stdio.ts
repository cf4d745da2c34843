/**
 * movelet stdio: JSON-RPC on standard input and output.
 * @module
 */
import { closeEach } from '../base/closing.ts';
import { Engine } from '../engine/engine.ts';
import type { Rpc } from '../server/rpc/rpc.ts';
import { createRpc } from '../server/rpc/server.ts';
import { serveStdio } from '../server/transport/stdio.ts';
import { ENGINE_HELP, ENGINE_OPTIONS, engineOptions, readArguments, withFlagsNamed } from './arguments.ts';
import type { Command } from './command.ts';
import { onEndSignal } from './interruption.ts';
import { RECORD_HELP, RECORD_OPTIONS, RecordFile } from './record-file.ts';
import { RPC_HELP, RPC_OPTIONS, rpcOptions } from './rpc-options.ts';

const OPTIONS = { ...ENGINE_OPTIONS, ...RPC_OPTIONS, ...RECORD_OPTIONS } as const;

async function run(rest: readonly string[]): Promise<number> {
  const usage = 'stdio [--data DIR]';
  const args = readArguments(rest, OPTIONS, { min: 0, max: 0, usage });
  const rpc = rpcOptions(args, { dev: true, workers: undefined });
  const options = await engineOptions(args);
  const file = RecordFile.open(args);
  let engine: Engine | undefined;
  let adapter: Rpc | undefined;
  let hasReader = true;
  try {
    engine = await withFlagsNamed(() => Engine.open(options));
    file?.take(engine);
    adapter = createRpc(engine, rpc);
    const server = serveStdio(adapter);
    // Why it failed, if it does, is what `ended` says.
    onEndSignal(() => void server.close().catch(() => undefined));
    hasReader = (await server.ended) !== 'output-closed';
  } finally {
    await closeEach(
      () => adapter?.close(),
      () => engine?.close(),
      () => file?.close(),
    );
  }
  // Answers that nobody reads would keep the process alive for as long as the pipe is open.
  if (!hasReader) process.exit(0);
  return 0;
}

export const stdioCommand: Command = {
  name: 'stdio',
  summary: 'a node on standard input and output, for tools',
  help: `usage: movelet stdio [OPTIONS]

Each line is one JSON-RPC message; or Content-Length frames, as language servers use them, if the input begins with one.
Answers use the same framing, and nothing else is written to stdout. The controls of a test node are on unless --no-dev
is given. At the end of input, what is in flight is answered, the store is closed, and the exit code is 0. After a signal
answers have five seconds to be read; a second signal ends it at once.

${RECORD_HELP}${RPC_HELP}${ENGINE_HELP}`,
  options: OPTIONS,
  run,
};
