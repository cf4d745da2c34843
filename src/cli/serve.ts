/**
 * movelet serve and movelet stdio: a node on HTTP and WebSocket, or on standard input and output.
 * @module
 */
import { closeEach } from '../base/closing.ts';
import { BITCOIN_HEIGHT_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import { Engine } from '../engine/engine.ts';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../execution/framework/accounts.ts';
import { GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import { addSources } from '../execution/module-sources.ts';
import { parseAddressHex } from '../move/address.ts';
import { Follower } from '../server/follower/follower.ts';
import type { RpcOptions } from '../server/rpc/options.ts';
import type { Rpc } from '../server/rpc/rpc.ts';
import { createRpc } from '../server/rpc/server.ts';
import { type HttpServer, serveHttp } from '../server/transport/http.ts';
import { serveStdio } from '../server/transport/stdio.ts';
import {
  type Arguments,
  type Command,
  command,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  engineOptions,
  logToStderr,
  type Options,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import {
  bitcoinNode,
  FOLLOWER_HELP,
  FOLLOWER_OPTIONS,
  forwardOption,
  LISTENER,
  LOG_HELP,
  LOG_OPTIONS,
  logOptions,
  RECORD_HELP,
  RECORD_OPTIONS,
  RecordFile,
  RPC_HELP,
  RPC_OPTIONS,
  rpcOptions,
} from './node-options.ts';
import { COMPILE_HELP, COMPILE_OPTIONS, packageAt } from './packages.ts';
import { onEndSignal } from './progress.ts';

const PORT_DEFAULT = 6767;
const PORT_MAX = 65_535;

/** Options of a listener. */
export const LISTEN_OPTIONS: Options = {
  host: { type: 'string' },
  port: { type: 'string' },
  cors: { type: 'string', multiple: true },
  'allow-host': { type: 'string', multiple: true },
  quiet: { type: 'boolean' },
  'dev-exposed': { type: 'boolean' },
  metrics: { type: 'boolean' },
  health: { type: 'boolean' },
};

export const LISTEN_HELP: string = `  --host HOST             address to listen on (default: 127.0.0.1, this machine only)
  --port PORT             TCP port; 0 picks a free one (default: ${PORT_DEFAULT})
  --cors ORIGIN           a web origin that may call, besides those of this machine; may be repeated
  --allow-host NAME       another name by which the node is called, behind a proxy for example; may be repeated
  --dev-exposed           with --dev, allow the controls from other machines too: on another host, or under --allow-host
  --metrics               answer GET /metrics in OpenMetrics text, as Prometheus reads it
  --health                answer GET /health: 200 while the node is healthy, 503 when it is not
  --quiet                 print only the first line
`;

/** How a chain is served. */
interface Served {
  readonly port: number;
  readonly rpc: RpcOptions;
  readonly follower?: Follower | undefined;
}

async function runServe(args: Arguments): Promise<number> {
  const port = readPort(args);
  const node = bitcoinNode(args);
  const rpc = {
    ...rpcOptions(args, LISTENER),
    broadcast: node && ((transaction: Uint8Array) => node.broadcast(transaction)),
    forward: forwardOption(args),
  };
  const from = readNumber(args, 'bitcoin-from', 0, BITCOIN_HEIGHT_MAX);
  const options = { ...(await engineOptions(args)), ...(await logOptions(args)) };
  for (const folder of args.strings('sources')) addSources((await sourcesAt(folder, args)).modules);
  const file = RecordFile.open(args);
  try {
    const engine = await withFlagsNamed(() => Engine.open(options));
    file?.take(engine);
    const follower = node && new Follower(engine, node, { from, log: logToStderr });
    return await serveEngine(engine, args, { port, rpc, follower });
  } finally {
    file?.close();
  }
}

/** The package of a `--sources`, whose errors name it. */
async function sourcesAt(folder: string, args: Arguments): Promise<TestedPackage> {
  try {
    return await packageAt(folder, args, false);
  } catch (cause) {
    if (!(cause instanceof EngineError) || !cause.message.startsWith('directory: ')) throw cause;
    throw new UsageError(cause.message.replace('directory', '--sources'), { cause });
  }
}

/** @throws {UsageError} for anything but a port */
export function readPort(args: Arguments): number {
  return readNumber(args, 'port', PORT_DEFAULT, PORT_MAX);
}

/** Serves a chain until the process is asked to end, then closes it; returns the exit code. */
export async function serveEngine(engine: Engine, args: Arguments, { port, rpc, follower }: Served): Promise<number> {
  let adapter: Rpc | undefined;
  try {
    adapter = createRpc(engine, rpc);
    const server = await listen(adapter, args, port);
    // A program that reads the next line may end the process at once.
    const end = new Promise<void>(onEndSignal);
    process.stdout.write(`listening on ${server.url}\n`);
    if (!args.flag('quiet')) process.stdout.write(greeting(engine, server));
    const controls = rpc.dev ? controlsNotice(server, args.flag('dev-exposed')) : undefined;
    if (controls !== undefined) logToStderr({ level: 'warning', message: controls });
    follower?.start();
    await end;
    await server.close();
  } finally {
    await closeEach(
      () => follower?.stop(),
      () => adapter?.close(),
      () => engine.close(),
    );
  }
  return 0;
}

function listen(adapter: Rpc, args: Arguments, port: number): Promise<HttpServer> {
  return withFlagsNamed(() =>
    serveHttp(adapter, {
      host: args.string('host') ?? '127.0.0.1',
      port,
      cors: args.strings('cors'),
      hosts: args.strings('allow-host'),
      devExposed: args.flag('dev-exposed'),
      metrics: args.flag('metrics'),
      health: args.flag('health'),
      log: logToStderr,
    }),
  );
}

/** What a new user needs: accounts with keys, and a request to copy. */
function greeting(engine: Engine, { url }: HttpServer): string {
  const funded = DEV_ACCOUNTS.filter(({ address }) => hasGas(engine, address));
  const [first] = funded;
  const lines = [
    `chain ${engine.chainId}, order ${engine.head.order}, ${engine.inside.core.writer.store.kind} store; the web client is at ${url}`,
  ];
  if (first !== undefined) {
    lines.push('', `accounts of the mnemonic "${DEV_MNEMONIC}" (public: for tests only)`);
    for (const account of funded) {
      lines.push(`  address ${account.address}  ${account.regtestAddress}`, `  key     0x${account.privateKey}`);
    }
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'chain_getBalance',
      params: [first.address, '0x3::gas_coin::RGas'],
    };
    lines.push('', 'try', `  curl -s ${url} -H 'content-type: application/json' -d '${JSON.stringify(request)}'`);
  }
  return `${lines.join('\n')}\n`;
}

/** A warning about the controls if other machines can reach them. */
function controlsNotice({ isLocal, host }: HttpServer, isExposed: boolean): string | undefined {
  if (isLocal) return undefined;
  return isExposed
    ? `the controls of a test node (dev_*) are on: anybody who can reach ${host} can act in the name of any account`
    : 'the controls of a test node (dev_*) are refused, since other machines can reach this one: --dev-exposed allows them';
}

function hasGas(engine: Engine, address: string): boolean {
  return engine.balances.amount(parseAddressHex(address), GAS_COIN_TYPE) > 0n;
}

export const serveCommand: Command = command({
  name: 'serve',
  summary: 'a node on HTTP and WebSocket, with a web client',
  usage: '[--data DIR] [--host HOST] [--port PORT]',
  help: `The first line on stdout is "listening on http://HOST:PORT". SIGINT or SIGTERM ends it once what is in flight is answered;
a second one ends it at once.

${LISTEN_HELP}  --sources DIR           name the constants and source lines of this Move package in failures and traces; may be given again
${COMPILE_HELP}${RECORD_HELP}${FOLLOWER_HELP}${LOG_HELP}${RPC_HELP}${ENGINE_HELP}`,
  options: {
    ...ENGINE_OPTIONS,
    ...RPC_OPTIONS,
    ...LISTEN_OPTIONS,
    ...RECORD_OPTIONS,
    ...FOLLOWER_OPTIONS,
    ...LOG_OPTIONS,
    ...COMPILE_OPTIONS,
    sources: { type: 'string', multiple: true, completes: 'directory' },
  },
  run: runServe,
});

async function runStdio(args: Arguments): Promise<number> {
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

export const stdioCommand: Command = command({
  name: 'stdio',
  summary: 'a node on standard input and output, for tools',
  usage: '[--data DIR]',
  help: `Each line is one JSON-RPC message; or Content-Length frames, as language servers use them, if the input begins with one.
Answers use the same framing, and nothing else is written to stdout. The controls of a test node are on unless --no-dev
is given. At the end of input, what is in flight is answered, the store is closed, and the exit code is 0. After a signal
answers have five seconds to be read; a second signal ends it at once.

${RECORD_HELP}${RPC_HELP}${ENGINE_HELP}`,
  options: { ...ENGINE_OPTIONS, ...RPC_OPTIONS, ...RECORD_OPTIONS },
  run: runStdio,
});
