/**
 * A `TestBox` with the methods of `@roochnetwork/test-suite`, for suites that are written for it. It starts no container
 * and no `rooch` program: nodes are in this process, and commands are answered by the table of program.ts.
 * @module
 */
import { execSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  A_BOOLEAN,
  argumentError,
  arrayOf,
  assertFits,
  assertOptions,
  assertText,
  bound,
  type Expectation,
  TEXT,
  wholeNumber,
} from '../../base/argument.ts';
import { EngineError } from '../../base/error.ts';
import { MinedBitcoin, type OrdProgram, OrdWallet, type RegtestNode } from './regtest-node.ts';
import { beginCommand, type RunningCommand } from './thread.ts';

/** The folder of a TestBox. */
export interface TestDirectory {
  readonly name: string;
  /** Deletes it. */
  removeCallback(): void;
}

/** Milliseconds that `roochAsyncCommand` waits for the output that it was told to wait for. */
const OUTPUT_MS_MAX = 300_000;

/** Where a suite that names no port expects its node. */
const PORT_DEFAULT = 6767;

/** The words of a command, or a line of them. */
const WORDS: Expectation = ['text, or an array of text', (given) => TEXT[1](given) || TEXTS[1](given)];
const TEXTS: Expectation = arrayOf(TEXT);
const PORT: Expectation = wholeNumber(0, 65_535);
const BITCOINS: Expectation = ['a number above 0', (given) => typeof given === 'number' && given > 0];
const SECONDS: Expectation = ['a number of at least 0', (given) => typeof given === 'number' && given >= 0];

/** A chain with the `rooch` program's commands, for a test. */
export class TestBox {
  /** Deleted by `cleanEnv`. */
  readonly tmpDir: TestDirectory;
  /** The `--config-dir` of the commands. */
  readonly roochDir: string;
  /** The port of the node that `loadRoochEnv` started. */
  roochPort: number | undefined;
  /** The port that answers `/metrics`: the node's own. */
  metricsPort: number | undefined;
  /** What stands for `bitcoind`, once `loadBitcoinEnv` has made it. */
  bitcoinContainer: RegtestNode | undefined;
  /** What stands for `ord`, once `loadORDEnv` has made it. */
  ordContainer: OrdProgram | undefined;
  /** What `defaultCmdAddress` found. */
  _defaultCmdAddress = '';
  readonly #running: RunningCommand[] = [];
  #bitcoin: MinedBitcoin | undefined;

  constructor() {
    const name = mkdtempSync(join(tmpdir(), 'movelet-testbox-'));
    this.tmpDir = { name, removeCallback: () => rmSync(name, { recursive: true, force: true }) };
    this.roochDir = join(name, '.rooch_test');
    mkdirSync(this.roochDir, { recursive: true });
    this.roochCommand(['init', '--config-dir', this.roochDir, '--skip-password']);
  }

  /**
   * Makes what stands for `bitcoind`; a node that is started afterwards follows its blocks.
   * @param customContainer none: containers are not started
   * @param autoMining whether each transaction is mined at once, with coins for `getFaucetBTC`
   */
  async loadBitcoinEnv(customContainer?: null, autoMining = false): Promise<void> {
    if (customContainer !== undefined && customContainer !== null) {
      throw argumentError('customContainer', 'nothing, since no containers are started', customContainer);
    }
    assertFits(autoMining, 'autoMining', A_BOOLEAN);
    this.#bitcoin = await MinedBitcoin.start(this.tmpDir.name, autoMining);
    this.bitcoinContainer = this.#bitcoin;
    if (autoMining) await this.#bitcoin.prepareFaucet();
  }

  /**
   * Makes what stands for `ord`.
   * @param customContainer none: containers are not started
   * @throws {EngineError} `not-found` without `loadBitcoinEnv`
   */
  async loadORDEnv(customContainer?: null): Promise<void> {
    if (customContainer !== undefined && customContainer !== null) {
      throw argumentError('customContainer', 'nothing, since no containers are started', customContainer);
    }
    this.ordContainer = new OrdWallet(this.#mined());
  }

  /**
   * Sends bitcoins, and mines them.
   * @param amount in bitcoins
   * @returns the transaction's id
   * @throws {EngineError} `not-found` without `loadBitcoinEnv`
   */
  async getFaucetBTC(address: string, amount = 0.001): Promise<string> {
    assertText(address, 'address', 'a Bitcoin address');
    assertFits(amount, 'amount', BITCOINS);
    return this.#mined().getFaucetBTC(address, amount);
  }

  #mined(): MinedBitcoin {
    if (this.#bitcoin !== undefined) return this.#bitcoin;
    throw new EngineError('not-found', 'there are no blocks yet: call loadBitcoinEnv() before');
  }

  /**
   * Starts a node in this process, and lets the commands ask it.
   * @param target `local` or `container`, which are the same here
   * @param port to listen on; 0 for a free one
   * @param serverArgs further options of `rooch server start`
   */
  async loadRoochEnv(
    target: 'local' | 'container' | RoochContainer = 'local',
    port: number = PORT_DEFAULT,
    serverArgs: readonly string[] = [],
  ): Promise<void> {
    if (target !== 'local' && target !== 'container') {
      throw argumentError('target', "'local' or 'container'", target);
    }
    assertFits(port, 'port', PORT);
    assertFits(serverArgs, 'serverArgs', TEXTS);
    const words = ['server', 'start', '--config-dir', this.roochDir, '-n', 'local', '-d', 'TMP', '--port', `${port}`];
    const bitcoin = this.#bitcoin && ['--btc-rpc-url', this.#bitcoin.getRpcUrl(), '--btc-sync-block-interval', '0'];
    const output = await this.#printed(
      [...words, ...(bitcoin ?? []), ...serverArgs],
      'JSON-RPC HTTP Server start listening 0.0.0.0:',
      [],
    );
    await this.#bitcoin?.beginFollowed();
    this.roochPort = Number(/listening 0\.0\.0\.0:(\d+)/.exec(output)![1]);
    this.metricsPort = this.roochPort;
    const rpc = `http://127.0.0.1:${this.roochPort}`;
    this.roochCommand(['env', 'add', '--config-dir', this.roochDir, '--alias', 'local', '--rpc', rpc]);
    this.roochCommand(['env', 'switch', '--config-dir', this.roochDir, '--alias', 'local']);
  }

  /** Ends the nodes of this box, and deletes its folder. */
  cleanEnv(): void {
    for (const command of this.#running.splice(0)) command.end();
    this.#bitcoin?.stop();
    this.#bitcoin = undefined;
    this.bitcoinContainer = undefined;
    this.ordContainer = undefined;
    this.roochPort = undefined;
    this.metricsPort = undefined;
    this.tmpDir.removeCallback();
  }

  /** As `cleanEnv`. */
  stop(): void {
    this.cleanEnv();
  }

  /** Resolves after some seconds. A node here has written everything when it answers: there is nothing to wait for. */
  async delay(second: number): Promise<void> {
    assertFits(second, 'second', SECONDS);
    await new Promise((resolve) => setTimeout(resolve, second * 1000));
  }

  /** Runs a command of the machine's shell, and returns what it prints. */
  shell(args: readonly string[] | string): string {
    assertFits(args, 'args', WORDS);
    return execSync(typeof args === 'string' ? args : args.join(' '), { encoding: 'utf8' });
  }

  /**
   * Runs a command of the `rooch` program, and returns what it prints.
   * @param args its words, or all of them in one text
   * @param envs variables of the environment, `NAME=VALUE`
   * @throws {EngineError} with what the program would write to standard error
   */
  roochCommand(args: readonly string[] | string, envs: readonly string[] = []): string {
    assertFits(args, 'args', WORDS);
    assertFits(envs, 'envs', TEXTS);
    return beginCommand(wordsOf(args), environment(envs)).wait();
  }

  /**
   * Begins a command that goes on, such as `server start`, and resolves when its output has `waitFor`. `cleanEnv` ends it.
   * @returns what names the command; there is no process, and so no process id
   * @throws {EngineError} if it fails, or ends without that output, or time is up
   */
  async roochAsyncCommand(
    args: readonly string[] | string,
    waitFor: string,
    envs: readonly string[] = [],
    timeoutMs: number = OUTPUT_MS_MAX,
  ): Promise<string> {
    assertFits(args, 'args', WORDS);
    assertText(waitFor, 'waitFor');
    assertFits(envs, 'envs', TEXTS);
    assertFits(timeoutMs, 'timeoutMs', bound(0));
    await this.#printed(wordsOf(args), waitFor, envs, timeoutMs);
    return `in process: rooch ${wordsOf(args).join(' ')}`;
  }

  async #printed(
    words: readonly string[],
    waitFor: string,
    envs: readonly string[],
    ms = OUTPUT_MS_MAX,
  ): Promise<string> {
    const command = beginCommand(words, environment(envs));
    const output = await command.printed(waitFor, ms);
    this.#running.push(command);
    return output;
  }

  /**
   * Compiles and publishes a package of the active account.
   * @returns whether the transaction was executed
   */
  async cmdPublishPackage(
    packagePath: string,
    options: { readonly namedAddresses: string } = { namedAddresses: 'rooch_examples=default' },
  ): Promise<boolean> {
    assertText(packagePath, 'packagePath');
    assertOptions(options, { namedAddresses: TEXT });
    const place = ['--config-dir', this.roochDir, '--named-addresses', options.namedAddresses, '--json'];
    const answer = this.roochCommand(['move', 'publish', '-p', packagePath, ...place]);
    const { execution_info: info } = JSON.parse(answer) as { execution_info: { status: { type: string } } };
    return info.status.type === 'executed';
  }

  /** The address of the active account, in hex. */
  async defaultCmdAddress(): Promise<string> {
    if (this._defaultCmdAddress === '') {
      const answer = this.roochCommand(['account', 'list', '--config-dir', this.roochDir, '--json']);
      this._defaultCmdAddress = (JSON.parse(answer) as { default: { hex_address: string } }).default.hex_address;
    }
    return this._defaultCmdAddress;
  }

  /** Host and port of the node; that of `loadRoochEnv`'s default before it ran. */
  getRoochServerAddress(): string {
    return `127.0.0.1:${this.roochPort ?? PORT_DEFAULT}`;
  }

  /** The port that answers `/metrics`. */
  getMetricsPort(): number | undefined {
    return this.metricsPort;
  }

  /** @throws {EngineError} `not-supported`: there is no network between a suite and a node of its process */
  async simulateRoochRpcDelay(): Promise<void> {
    throw noNetwork('a delay');
  }

  /** @throws {EngineError} `not-supported`, as above */
  async simulateRoochRpcPacketLoss(): Promise<void> {
    throw noNetwork('a loss of packets');
  }

  /** @throws {EngineError} `not-supported`, as above */
  async simulateRoochRpcBandwidthLimit(): Promise<void> {
    throw noNetwork('a limit of bandwidth');
  }
}

const noNetwork = (what: string): EngineError =>
  new EngineError(
    'not-supported',
    `${what} is not simulated: the node is in this process; put a proxy before its port`,
  );

const environment = (envs: readonly string[]): Readonly<Record<string, string | undefined>> => ({
  ...process.env,
  ...Object.fromEntries(envs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
});

/** The words of a line, as a shell would split it: by spaces outside of quotes. */
function wordsOf(args: readonly string[] | string): readonly string[] {
  if (typeof args !== 'string') return args;
  return Array.from(args.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

/** A port of this machine that is free at the moment. */
export function getUnusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause) => reject(new EngineError('transport-failed', 'no port is free', { cause })));
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Stands for the reference's class of this name in the types of suites: containers are not started here. */
export class RoochContainer {
  /** @throws {EngineError} `not-supported` */
  constructor() {
    throw new EngineError(
      'not-supported',
      "no containers are started here: loadRoochEnv('local') starts a node in this process",
    );
  }
}
