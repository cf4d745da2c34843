/**
 * Chains for tests: one is opened and prepared once, and each test gets a fork of it, which nobody else sees.
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

/** How the chain that tests fork is opened and prepared. */
export interface PreparedChainOptions extends EngineOptions {
  /**
   * The starting point of all tests: runs once, on the opened chain. Each transaction that it submits has to be executed,
   * whether it waits for the receipt or not.
   */
  readonly prepare?: ((engine: Engine) => unknown) | undefined;
  /**
   * A folder in which failed tests leave their runs as files, for `movelet replay`; the environment variable
   * MOVELET_REPLAYS names one too. Default: nothing is recorded.
   */
  readonly replays?: string | undefined;
}

/** A chain that tests fork. It is opened for the first fork. */
export class PreparedChain {
  static {
    reportAtCaller(PreparedChain);
  }

  readonly #options: PreparedChainOptions;
  readonly #replays: ReplayFolder | undefined;
  #chain: OpenedChain | undefined;

  /**
   * @throws {EngineError} `invalid-argument` for a `prepare` that is not a function, or a folder that is not a path; other
   * options are those of the engine, and are checked when it is opened for the first fork
   */
  constructor(options: PreparedChainOptions = {}) {
    assertObject(options, 'options', 'an object of options');
    if (options.prepare !== undefined) assertFunction(options.prepare, 'prepare');
    this.#options = options;
    this.#replays = replayFolder(options.replays);
  }

  /**
   * A fork for one test. Close it when the test is over.
   * @throws as `Engine.open`; `transaction-failed` for a step of `prepare` that was not executed; what `prepare` throws;
   * `closed` if the chain is closed meanwhile
   */
  async fork(): Promise<TestChain> {
    this.#chain ??= opened(this.#options, this.#replays !== undefined);
    return new TestChain((await this.#chain.prepared).fork(), this.#replays);
  }

  /**
   * Closes the chain; if it is forked again, it is opened anew. It does not wait for `prepare`, which may be what closes
   * it, or may never end: what such a one does next is refused with `closed`.
   */
  async close(): Promise<void> {
    const chain = this.#chain;
    this.#chain = undefined;
    // If opening failed, whoever asked for a fork has been told.
    await chain?.engine.then(
      (engine) => engine.close(),
      () => {},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A chain, and the same once it is prepared. */
interface OpenedChain {
  readonly engine: Promise<Engine>;
  readonly prepared: Promise<Engine>;
}

function opened({ prepare, replays, ...options }: PreparedChainOptions, isRecorded: boolean): OpenedChain {
  const engine = Engine.open(options);
  const prepared = engine.then(async (chain) => {
    try {
      // From here on, so that what `prepare` did is part of the tests' runs.
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

  /** For `new RoochClient({ transport })` of the official SDK: no port, no socket. */
  transport(): RoochTransport {
    return roochTransport(this.engine);
  }

  /** The URL of this chain, with the controls of a test node; a port is opened on the first call. */
  async rpcUrl(): Promise<string> {
    this.engine.inside.core.assertOpen();
    this.#server ??= serveHttp(createRpc(this.engine, { dev: true }), { port: 0 });
    return (await this.#server).url;
  }

  /** The transactions since the fork and the resulting difference in the state, in words; empty if there were none. */
  explain(): string {
    return this.#journal.text();
  }

  /**
   * Writes the run of this chain to the folder of the option `replays`, for a test that failed. `movelet/vitest` does
   * so automatically.
   * @param test its name, from which the file name is made
   * @returns a line that says where the file is, or why there is none; undefined if nothing is recorded
   * @throws {EngineError} `invalid-argument`
   */
  async leaveReplay(test: string): Promise<string | undefined> {
    assertText(test, 'test', 'the name of a test');
    const recording = this.#recording;
    if (recording === undefined || this.#replays === undefined) return undefined;
    try {
      return await this.#replays.leave(test, await recording.bytes());
    } catch (error) {
      // The test failed for a reason of its own, which this must not hide.
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
