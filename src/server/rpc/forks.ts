/**
 * The forks of a node's chain made by clients: each is a separate chain with its own id, behind the same adapter; and the
 * snapshots that clients took of a chain.
 *
 * A fork ends when it is dropped, when it has had no requests and no subscriptions for a while, or with the adapter. Forks
 * do not depend on each other: a fork of a fork outlives it.
 * @module
 */
import { messageOf } from '../../base/error.ts';
import { HANDLER_ERROR, SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import type { Log } from '../../base/log.ts';
import { keepRecent } from '../../base/recent.ts';
import type { Snapshot } from '../../engine/snapshots.ts';
import type { DevEngine } from './engine.ts';
import { type RpcError, rpcError } from './error.ts';
import type { DevContext } from './method.ts';

/** Milliseconds between two checks for idle forks, at most. */
const FORK_SWEEP_MS = 10_000;

/** What answers for a fork. */
export interface ForkServer {
  /** Whether anyone is subscribed to the fork. */
  readonly hasSubscriptions: boolean;
  /** Ends the fork's subscriptions and closes its chain. */
  end(reason: string): Promise<void>;
}

interface ForkOptions {
  readonly forksMax: number;
  readonly forkIdleMsMax: number;
  /** Receives a message about idle forks that could not be ended. */
  readonly log: Log;
}

interface Fork<Server> {
  readonly server: Server;
  /** Requests in progress. */
  users: number;
  /** When it was last used, on the clock of `performance`. */
  usedAt: number;
}

export class Forks<Server extends ForkServer> {
  readonly #options: ForkOptions;
  readonly #byId = new Map<string, Fork<Server>>();
  #made = 0;
  #isClosed = false;
  #sweep: ReturnType<typeof setInterval> | undefined;

  constructor(options: ForkOptions) {
    this.#options = options;
  }

  /**
   * Adds a fork and returns its id.
   * @throws {RpcError} `limit-exceeded` if there are too many, `closed` once the adapter is
   */
  add(make: () => Server): string {
    if (this.#isClosed) throw rpcError(SERVICE_UNAVAILABLE, 'the node is shutting down and makes no forks', 'closed');
    const { forksMax } = this.#options;
    if (this.#byId.size >= forksMax) {
      const hint = 'drop unused ones with dev_dropFork';
      throw rpcError(HANDLER_ERROR, `Too many forks: at most ${forksMax}; ${hint}`, 'limit-exceeded', {
        expected: `at most ${forksMax} forks`,
        hint,
      });
    }
    const id = `${++this.#made}`;
    this.#byId.set(id, { server: make(), users: 0, usedAt: performance.now() });
    this.#watch();
    return id;
  }

  /**
   * Runs `ask` on a fork, which stays alive meanwhile unless it is dropped.
   * @throws {RpcError} `not-found`
   */
  async use<T>(id: string, ask: (server: Server) => T | Promise<T>): Promise<T> {
    const fork = this.#byId.get(id);
    if (fork === undefined) throw this.#unknown(id);
    fork.users++;
    try {
      return await ask(fork.server);
    } finally {
      fork.users--;
      fork.usedAt = performance.now();
    }
  }

  /** Ends a fork. Returns false if there is none with that id. */
  async drop(id: string, reason: string): Promise<boolean> {
    const fork = this.#byId.get(id);
    if (fork === undefined) return false;
    this.#byId.delete(id);
    if (this.#byId.size === 0) this.#unwatch();
    await fork.server.end(reason);
    return true;
  }

  /** Ends all forks, and refuses new ones from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#byId.keys()].map((id) => this.drop(id, 'the node is shutting down')));
  }

  #watch(): void {
    if (this.#sweep !== undefined) return;
    this.#sweep = setInterval(() => this.#dropIdle(), Math.min(FORK_SWEEP_MS, this.#options.forkIdleMsMax));
    // Timers in a page have no `unref`.
    (this.#sweep as { unref?: () => void }).unref?.();
  }

  #unwatch(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #dropIdle(): void {
    const latest = performance.now() - this.#options.forkIdleMsMax;
    for (const [id, { server, users, usedAt }] of this.#byId) {
      if (users === 0 && usedAt <= latest && !server.hasSubscriptions) void this.#dropUnused(id);
    }
  }

  async #dropUnused(id: string): Promise<void> {
    try {
      await this.drop(id, 'the fork was not used');
    } catch (cause) {
      const message = `fork ${id} did not end well: ${messageOf(cause)}`;
      this.#options.log({ level: 'error', message });
    }
  }

  #unknown(id: string): RpcError {
    const minutes = this.#options.forkIdleMsMax / 60_000;
    const hint = `dev_fork makes one; a fork ends by dev_dropFork, or after ${minutes} minutes without use`;
    return rpcError(HANDLER_ERROR, `there is no fork ${id}: ${hint}`, 'not-found', { received: id, hint });
  }
}

/**
 * The snapshots that clients took of a chain, by id.
 *
 * A snapshot can be used any number of times. The most recently used ones are kept, so a test suite can take one before
 * each test and still keep its first one by using it.
 */
export function clientSnapshots(engine: Pick<DevEngine, 'snapshot' | 'revert'>, max: number): DevContext['snapshots'] {
  /** Least recently used first. */
  const byId = new Map<string, Snapshot>();
  let taken = 0;
  return {
    take: () => {
      const snapshot = engine.snapshot();
      const id = `${++taken}`;
      keepRecent(byId, id, snapshot, max);
      return id;
    },
    revert: async (id) => {
      const snapshot = byId.get(id);
      if (snapshot === undefined) {
        const hint = `dev_snapshot takes one, and the ${max} used last are kept`;
        throw rpcError(HANDLER_ERROR, `there is no snapshot ${id}: ${hint}`, 'not-found', { received: id, hint });
      }
      keepRecent(byId, id, snapshot, max);
      await engine.revert(snapshot);
    },
  };
}
