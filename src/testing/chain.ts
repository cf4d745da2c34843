/**
 * Chains for tests: a chain is opened and prepared once, and each test gets a fork of it to itself.
 * @module
 */

import { assertFunction, assertObject, assertText } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { messageOf } from '../base/error.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { prepareChain } from '../engine/preparation.ts';
import { record } from '../engine/recordings.ts';
import type { Recording } from '../log/recording/recording.ts';
import type { Account } from '../query/account.ts';
import { type RoochTransport, roochTransport } from '../server/rooch.ts';
import { createRpc } from '../server/rpc/server.ts';
import { type HttpServer, serveHttp } from '../server/transport/http.ts';
import { Journal } from './journal.ts';
import { type ReplayFolder, replayFolder } from './replay-file.ts';

/** How to open and prepare the chain that tests fork. */
export interface PreparedChainOptions extends EngineOptions {
  /**
   * Brings the chain into the state in which all tests start: it runs once, on the opened chain. Each transaction that it
   * submits has to be executed, whether or not it waits for the receipt.
   */
  readonly prepare?: ((engine: Engine) => unknown) | undefined;
  /**
   * A folder in which failed tests leave their runs as files for `movelet replay`. Default: the folder that the environment
   * variable MOVELET_REPLAYS names; without either, nothing is recorded.
   */
  readonly replays?: string | undefined;
}

/** A chain that tests fork. It is opened when it is first forked. */
export class PreparedChain {
  static {
    reportAtCaller(PreparedChain);
  }

  readonly #options: PreparedChainOptions;
  readonly #replays: ReplayFolder | undefined;
  #chain: OpenedChain | undefined;

  /**
   * @throws {EngineError} `invalid-argument` if `prepare` is not a function or `replays` is not a path; the engine's options
   * are checked when the chain is opened, on the first fork
   */
  constructor(options: PreparedChainOptions = {}) {
    assertObject(options, 'options', 'an object of options');
    if (options.prepare !== undefined) assertFunction(options.prepare, 'prepare');
    this.#options = options;
    this.#replays = replayFolder(options.replays);
  }

  /**
   * A fork for one test. Close it when the test is over.
   * @throws as `Engine.open`; `transaction-failed` if a transaction of `prepare` was not executed; whatever `prepare` throws;
   * `closed` if the chain is closed meanwhile
   */
  async fork(): Promise<TestChain> {
    this.#chain ??= opened(this.#options, this.#replays !== undefined);
    return new TestChain((await this.#chain.prepared).fork(), this.#replays);
  }

  /**
   * Closes the chain; if it is forked again, it is opened anew. It does not wait for `prepare`, which may be the caller, or
   * may never end: anything that `prepare` does after this is refused with `closed`.
   */
  async close(): Promise<void> {
    const chain = this.#chain;
    this.#chain = undefined;
    // If opening failed, the caller of `fork` already has the error.
    await chain?.engine.then(
      (engine) => engine.close(),
      () => {},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The same chain: once it is open, and once it is also prepared. */
interface OpenedChain {
  readonly engine: Promise<Engine>;
  readonly prepared: Promise<Engine>;
}

function opened({ prepare, replays, ...options }: PreparedChainOptions, isRecorded: boolean): OpenedChain {
  const engine = Engine.open(options);
  const prepared = engine.then(async (chain) => {
    try {
      // Recording begins here, so that the runs of tests include what `prepare` did.
      if (isRecorded) record(chain);
      if (prepare !== undefined) await prepareChain(chain, prepare);
      return chain;
    } catch (error) {
      await chain.close();
      throw error;
    }
  });
  return { engine, prepared };
}

/** A test's own chain, and the ways to connect to it. */
export class TestChain {
  static {
    reportAtCaller(TestChain);
  }

  readonly engine: Engine;
  readonly #journal: Journal;
  readonly #replays: ReplayFolder | undefined;
  readonly #recording: Recording | undefined;
  #server: Promise<HttpServer> | undefined;

  /** Use `PreparedChain.fork`. */
  constructor(engine: Engine, replays?: ReplayFolder) {
    this.engine = engine;
    this.#journal = new Journal(engine);
    this.#replays = replays;
    this.#recording = replays === undefined ? undefined : record(engine);
  }

  /** The funded accounts, with their keys. */
  get accounts(): readonly Account[] {
    return this.engine.accounts;
  }

  /** For `new RoochClient({ transport })` of the official SDK: no port and no socket. */
  transport(): RoochTransport {
    return roochTransport(this.engine);
  }

  /** The URL at which this chain is served, with the controls of a test node. The first call opens a port. */
  async rpcUrl(): Promise<string> {
    this.engine.inside.core.assertOpen();
    this.#server ??= serveHttp(createRpc(this.engine, { dev: true }), { port: 0 });
    return (await this.#server).url;
  }

  /** The transactions since the fork and how they changed the state, in words; empty if there were none. */
  explain(): string {
    return this.#journal.text();
  }

  /**
   * Writes the run of this chain to the folder of the option `replays`, for a test that failed. `movelet/vitest` does this
   * automatically.
   * @param test the name of the test, from which the file name is made
   * @returns a line that says where the file is, or why there is no file; undefined if nothing is recorded
   * @throws {EngineError} `invalid-argument`
   */
  async leaveReplay(test: string): Promise<string | undefined> {
    assertText(test, 'test', 'the name of a test');
    const recording = this.#recording;
    if (recording === undefined || this.#replays === undefined) return undefined;
    try {
      return await this.#replays.leave(test, await recording.bytes());
    } catch (error) {
      // This error must not hide the one for which the test failed.
      return `no replay file: ${messageOf(error)}`;
    }
  }

  async close(): Promise<void> {
    this.#journal.end();
    await (await this.#server)?.close();
    await this.engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * A fork on which `prepare` has run. `prepare` runs once per key, on a fork of this chain as it is at that time, and the
 * result is kept until this engine is closed; each call gets a fork of the result, in microseconds. The key has to name
 * everything that `prepare` depends on. Fixtures nest: the fixtures of a fixture are found again on each of its forks that
 * has not changed. `prepare` must work on the fork that it is given: if it asked this engine for the same fixture, it would
 * wait for itself. If this engine is closed while `prepare` runs, the fork is closed too.
 *
 * ```ts
 * const chain = await fixture(engine, 'counter', (fork) => fork.publish(alice, modules));
 * ```
 * @throws {EngineError} `transaction-failed` if a transaction of `prepare` was not executed; `invalid-argument`,
 * `limit-exceeded`, `closed`; and whatever `prepare` throws
 */
export async function fixture(engine: Engine, key: string, prepare: (engine: Engine) => unknown): Promise<Engine> {
  const prepared = await engine.inside.prepared(key, prepare);
  return prepared.fork();
}
