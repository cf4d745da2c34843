/**
 * movelet serve and movelet stdio: a node on HTTP and WebSocket, or on standard input and output.
 * @module
 */
import { basename, relative } from 'node:path';
import { closeEach } from '../base/closing.ts';
import { BITCOIN_HEIGHT_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import { Engine } from '../engine/engine.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import { coinText, GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import { addSources } from '../execution/module-sources.ts';
import { parseAddressHex } from '../move/address.ts';
import { Follower } from '../server/follower/follower.ts';
import type { RpcOptions } from '../server/rpc/options.ts';
import type { Rpc } from '../server/rpc/rpc.ts';
import { createRpc } from '../server/rpc/server.ts';
import type { RpcHandler } from '../server/transport/handler.ts';
import { type HttpServer, serveHttp } from '../server/transport/http.ts';
import { serveStdio } from '../server/transport/stdio.ts';
import {
  type Arguments,
  CHAIN_OPTIONS,
  type Command,
  clockOption,
  command,
  DATA_OPTION,
  engineOptions,
  logToStderr,
  type OptionGroup,
  type Options,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { BlockTime } from './block-time.ts';
import { NODE_URL_DEFAULT } from './node.ts';
import {
  ANSWER_OPTIONS,
  bitcoinNode,
  DEV_OPTIONS,
  FOLLOWER_OPTIONS,
  forkOptions,
  forwardOption,
  LISTENER,
  LOG_OPTIONS,
  logOptions,
  RECORD_OPTIONS,
  REMOTE_FORK_OPTIONS,
  RecordFile,
  rpcOptions,
} from './node-options.ts';
import { COMPILE_OPTIONS, packageAt } from './packages.ts';
import { onEndSignal } from './progress.ts';

const PORT_DEFAULT = 6767;
const PORT_MAX = 65_535;
/** The longest that a timer of JavaScript waits. */
const BLOCK_TIME_MAX = 2 ** 31 - 1;

/** Where a node listens. */
export const LISTEN_OPTIONS: Options = {
  port: { value: 'PORT', help: `TCP port; 0 picks a free one (default: ${PORT_DEFAULT})` },
  host: { value: 'HOST', help: 'address to listen on (default: 127.0.0.1, this machine only)' },
  quiet: { help: 'print only the first line' },
};

/** Who may reach a node, and what it tells about itself. */
const REACH_OPTIONS: Options = {
  cors: { value: 'ORIGIN', multiple: true, help: 'a web origin that may call, besides those of this machine' },
  'allow-host': {
    value: 'NAME',
    multiple: true,
    help: 'another host name of the node, behind a proxy for example',
  },
  'dev-exposed': {
    help: 'with --dev, allow the controls from other machines too: on another host, or under --allow-host',
  },
  metrics: { help: 'answer GET /metrics in OpenMetrics text, as Prometheus reads it' },
  health: { help: 'answer GET /health: 200 while the node is healthy, 503 when it is not' },
};

export const REACH_GROUP: OptionGroup = { title: 'Who may reach it', options: REACH_OPTIONS };

/** How to serve a chain. */
interface Served {
  readonly port: number;
  readonly rpc: RpcOptions;
  readonly follower?: Follower | undefined;
  /** Milliseconds after which time moves by itself. */
  readonly blockTime?: number | undefined;
  /** The command that the greeting says to try, without the program's name and `--url`; one that runs on any chain unless told. */
  readonly tried?: string | undefined;
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
  const blockTime = readBlockTime(args);
  const fork = forkOptions(args);
  const options = { ...(await engineOptions(args, 'system')), ...(await logOptions(args)), ...(fork && { fork }) };
  await addGivenSources(args);
  // An address that is taken is noticed before a directory is created or filled.
  if (args.string('data') !== undefined) await (await listen(NOBODY, args, port)).close();
  const file = RecordFile.open(args);
  try {
    const engine = await withFlagsNamed(() => Engine.open(options));
    file?.take(engine);
    const follower = node && new Follower(engine, node, { from, log: logToStderr });
    return await serveEngine(engine, args, { port, rpc, follower, blockTime });
  } finally {
    file?.close();
  }
}

export const SOURCES_OPTION: Options = {
  sources: {
    value: 'DIR',
    multiple: true,
    completes: 'directory',
    help: 'name the constants and source lines of this Move package in failures and traces',
  },
};

/** Tells the engines of this process the sources that SOURCES_OPTION names. */
export async function addGivenSources(args: Arguments): Promise<void> {
  for (const folder of args.strings('sources')) addSources((await sourcesAt(folder, args)).modules);
}

/** The package of a `--sources`; errors name the flag. */
async function sourcesAt(folder: string, args: Arguments): Promise<TestedPackage> {
  try {
    return await packageAt(folder, args, false);
  } catch (cause) {
    if (!(cause instanceof EngineError) || !cause.message.startsWith('directory: ')) throw cause;
    throw new UsageError(cause.message.replace('directory', '--sources'), { cause });
  }
}

/** @throws {UsageError} */
function readBlockTime(args: Arguments): number | undefined {
  const milliseconds = readNumber(args, 'block-time', undefined, BLOCK_TIME_MAX, 1);
  if (milliseconds === undefined) return undefined;
  if (args.string('clock') === 'fixed') throw new UsageError('give --block-time or --clock fixed, not both');
  if (args.string('role') === 'reader') throw new UsageError('--block-time: expected a node that writes, not a reader');
  return milliseconds;
}

/** @throws {UsageError} for anything but a port */
export function readPort(args: Arguments): number {
  return readNumber(args, 'port', PORT_DEFAULT, PORT_MAX);
}

/** Serves a chain until the process is asked to end, then closes it; returns the exit code. */
export async function serveEngine(
  engine: Engine,
  args: Arguments,
  { port, rpc, follower, blockTime, tried }: Served,
): Promise<number> {
  const time = blockTime === undefined ? undefined : new BlockTime(engine, blockTime, logToStderr);
  let adapter: Rpc | undefined;
  try {
    adapter = createRpc(engine, rpc);
    const server = await listen(adapter, args, port);
    // A program that reads the next line may end the process at once.
    const end = new Promise<void>(onEndSignal);
    process.stdout.write(`listening on ${server.url}\n`);
    if (!args.flag('quiet'))
      process.stdout.write(greeting(engine, args, server, { hasControls: rpc.dev === true, tried }));
    const controls = rpc.dev ? controlsNotice(server, args.flag('dev-exposed')) : undefined;
    if (controls !== undefined) logToStderr({ level: 'warning', message: controls });
    follower?.start();
    time?.start();
    await end;
    await server.close();
  } finally {
    await closeEach(
      () => time?.stop(),
      () => follower?.stop(),
      () => adapter?.close(),
      () => engine.close(),
    );
  }
  return 0;
}

/** Answers nothing. */
const NOBODY: RpcHandler = { handle: async () => undefined };

function listen(adapter: RpcHandler, args: Arguments, port: number): Promise<HttpServer> {
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

/** From the first of the funded accounts. */
const TRANSFER = 'run 0x3::transfer::transfer_coin 0x42 1000 --type-args 0x3::gas_coin::RGas';

/** What a new user needs: the page, the accounts, a command to try, how to end the node. */
function greeting(
  engine: Engine,
  args: Arguments,
  { url }: HttpServer,
  { hasControls, tried }: { readonly hasControls: boolean } & Pick<Served, 'tried'>,
): string {
  const { fork } = engine.status();
  const where = fork === undefined ? (args.string('data') ?? 'in memory') : `a fork of ${fork.remote} in memory`;
  const controls = hasControls ? ', with the controls of a test node (dev_*)' : '';
  const funded = DEV_ACCOUNTS.flatMap(({ address }, number) => {
    if (engine.balances.amount(parseAddressHex(address), GAS_COIN_TYPE) === 0n) return [];
    const { balance, info } = engine.balances.get(address, GAS_COIN_TYPE);
    return [`  ${number}  ${address}  ${coinText(balance, info)}`];
  });
  const program = programName();
  const there = url === NODE_URL_DEFAULT ? '' : ` --url ${url}`;
  return `${[
    `open it in a browser to look at the chain: id ${engine.chainId}, ${where}, order ${engine.head.order}${controls}`,
    ...(funded.length === 0 ? [] : ['', `accounts (${program} account list has their keys)`, ...funded]),
    '',
    `try   ${program} ${tried ?? (funded.length === 0 ? 'status' : TRANSFER)}${there}`,
    'end   Ctrl-C',
  ].join('\n')}\n`;
}

/** A warning about the controls if other machines can reach them. */
function controlsNotice({ isLocal, host }: HttpServer, isExposed: boolean): string | undefined {
  if (isLocal) return undefined;
  return isExposed
    ? `the controls of a test node (dev_*) are on: anybody who can reach ${host} can act in the name of any account`
    : 'the controls of a test node (dev_*) are refused, since other machines can reach this one: --dev-exposed allows them';
}

/** How this program was started, to be typed again. */
function programName(): string {
  const [, script = ''] = process.argv;
  return basename(script) === 'cli.js' ? `node ${shellWord(relative('', script))}` : 'npx movelet';
}

/** A text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export const serveCommand: Command = command({
  name: 'serve',
  summary: 'a node on HTTP and WebSocket, with a web client',
  usage: '[--data DIR] [--port PORT] [--dev] ...',
  example: '--dev --data ./chain',
  help: `The first line on stdout is "listening on http://HOST:PORT". SIGINT or SIGTERM (Ctrl-C) ends it once requests in flight are
answered; a second one ends it immediately.

Time is that of this machine; Move code sees the time of the last transaction. With --block-time, time passes on an idle chain
too, without Bitcoin blocks. dev_setTime and dev_advanceTime move the clock forward; a directory remembers by how much.`,
  options: {
    ...DATA_OPTION,
    ...LISTEN_OPTIONS,
    dev: DEV_OPTIONS['dev']!,
    ...clockOption('system'),
    'block-time': {
      value: 'MS',
      help: "keep the chain's time at most this old, with transactions that do nothing else (default: off)",
    },
    ...SOURCES_OPTION,
    ...RECORD_OPTIONS,
    'bitcoin-rpc': FOLLOWER_OPTIONS['bitcoin-rpc']!,
  },
  more: [
    REACH_GROUP,
    { title: 'What it answers', options: { 'no-dev': DEV_OPTIONS['no-dev']!, ...ANSWER_OPTIONS, ...COMPILE_OPTIONS } },
    { title: 'The chain', options: CHAIN_OPTIONS },
    { title: 'A fork of another chain', options: REMOTE_FORK_OPTIONS },
    { title: 'Following a Bitcoin node', options: FOLLOWER_OPTIONS },
    { title: 'A log that several nodes share', options: LOG_OPTIONS },
  ],
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
    // If this fails, `ended` says why.
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
  example: '--data ./chain',
  help: `Each line is one JSON-RPC message; or Content-Length frames, as language servers use them, if the input begins with one.
Answers use the same framing, and nothing else is written to stdout. The controls of a test node are on unless --no-dev
is given. At the end of input, requests in flight are answered, the store is closed, and the exit code is 0. After a signal
answers have five seconds to be read; a second signal ends it at once.`,
  options: { ...DATA_OPTION, ...clockOption('fixed'), ...RECORD_OPTIONS, ...DEV_OPTIONS },
  more: [
    { title: 'What it answers', options: ANSWER_OPTIONS },
    { title: 'The chain', options: CHAIN_OPTIONS },
  ],
  run: runStdio,
});
