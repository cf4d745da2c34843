/**
 * Chains for tests: one is opened and prepared once, and each test gets a fork of it, which nobody else sees.
 * @module
 */
import { assertFunction, assertObject } from '../argument.ts';
import { Engine } from '../engine.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { Account } from '../query/account.ts';
import { type RoochTransport, roochTransport } from '../rooch.ts';
import { createRpc } from '../rpc/server.ts';
import { type HttpServer, serveHttp } from '../transport/http.ts';
import { Journal } from './journal.ts';

/** How the chain is opened and prepared that tests fork. */
export interface PreparedChainOptions extends EngineOptions {
  /** What all tests begin with: runs once, on the opened chain. */
  readonly prepare?: ((engine: Engine) => unknown) | undefined;
}

/** A chain that tests fork. It is opened when the first fork is asked for. */
export class PreparedChain {
  readonly #options: PreparedChainOptions;
  #engine: Promise<Engine> | undefined;

  /**
   * @throws {EngineError} `invalid-argument` for options that are none, or a `prepare` that is no function; options of the
   * engine are looked at when it is opened
   */
  constructor(options: PreparedChainOptions = {}) {
    assertObject(options, 'options', 'an object of options');
    if (options.prepare !== undefined) assertFunction(options.prepare, 'prepare');
    this.#options = options;
  }

  /**
   * A fork for one test. Close it when the test is over.
   * @throws as `Engine.open`, and what `prepare` throws
   */
  async fork(): Promise<TestChain> {
    this.#engine ??= opened(this.#options);
    return new TestChain((await this.#engine).fork());
  }

  /** Closes the chain; it may be forked again, and is opened anew then. */
  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    // One that could not be opened has said so to whoever asked for a fork.
    await engine?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function opened({ prepare, ...options }: PreparedChainOptions): Promise<Engine> {
  const engine = await Engine.open(options);
  try {
    await prepare?.(engine);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A test's own chain, and the ways to it. */
export class TestChain {
  readonly engine: Engine;
  readonly #journal: Journal;
  #server: Promise<HttpServer> | undefined;

  /** Use `PreparedChain.fork`. */
  constructor(engine: Engine) {
    this.engine = engine;
    this.#journal = new Journal(engine);
  }

  /** The funded accounts, with their keys. */
  get accounts(): readonly Account[] {
    return this.engine.accounts;
  }

  /** For `new RoochClient({ transport })` of the official SDK: no port, no socket. */
  transport(): RoochTransport {
    return roochTransport(this.engine);
  }

  /** The URL of this chain, with the controls of a test node; a port is opened for the first who asks. */
  async rpcUrl(): Promise<string> {
    this.#server ??= serveHttp(createRpc(this.engine, { dev: true }), { port: 0 });
    return (await this.#server).url;
  }

  /** The transactions since the fork, in words; empty where there were none. */
  explain(): string {
    return this.#journal.text();
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
