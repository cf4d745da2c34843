/**
 * The forks of a node's chain that clients made: each a chain of its own behind the same adapter, under an id.
 *
 * A fork goes when it is dropped, when nobody has asked it anything or listened to it for a while, or with the adapter.
 * They are all of one row: a fork of a fork does not go with it.
 * @module
 */
import { FORK_SWEEP_MS } from '../config.ts';
import { HANDLER_ERROR, type RpcError, rpcError } from './error.ts';

/** What answers for a fork. */
export interface ForkServer {
  /** Whether somebody listens to the fork. */
  readonly hasSubscriptions: boolean;
  /** Ends its subscriptions and its chain. */
  end(reason: string): Promise<void>;
}

export interface ForkLimits {
  readonly forksMax: number;
  readonly forkIdleMsMax: number;
}

interface Fork<Server> {
  readonly server: Server;
  /** Requests at work. */
  users: number;
  /** When it was asked last, on the clock of `performance`. */
  usedAt: number;
}

export class Forks<Server extends ForkServer> {
  readonly #limits: ForkLimits;
  readonly #byId = new Map<string, Fork<Server>>();
  #made = 0;
  #sweep: ReturnType<typeof setInterval> | undefined;

  constructor(limits: ForkLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a fork; gives its id.
   * @throws {RpcError} `limit-exceeded` where there are as many as there may be
   */
  add(make: () => Server): string {
    const { forksMax } = this.#limits;
    if (this.#byId.size >= forksMax) {
      const hint = 'drop those that are done, by dev_dropFork';
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
   * Runs `ask` on a fork, which stays meanwhile unless somebody drops it.
   * @throws {RpcError} `not-found`
   */
  async use<T>(id: string, ask: (server: Server) => Promise<T>): Promise<T> {
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

  /** Ends a fork; false where there is none of that id. */
  async drop(id: string, reason: string): Promise<boolean> {
    const fork = this.#byId.get(id);
    if (fork === undefined) return false;
    this.#byId.delete(id);
    if (this.#byId.size === 0) this.#unwatch();
    await fork.server.end(reason);
    return true;
  }

  /** Ends them all. */
  async close(): Promise<void> {
    await Promise.all([...this.#byId.keys()].map((id) => this.drop(id, 'the node is shutting down')));
  }

  #watch(): void {
    if (this.#sweep !== undefined) return;
    this.#sweep = setInterval(() => this.#dropIdle(), Math.min(FORK_SWEEP_MS, this.#limits.forkIdleMsMax));
    // A page has no handles that keep it alive.
    (this.#sweep as { unref?: () => void }).unref?.();
  }

  #unwatch(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #dropIdle(): void {
    const latest = performance.now() - this.#limits.forkIdleMsMax;
    for (const [id, { server, users, usedAt }] of this.#byId) {
      if (users === 0 && usedAt <= latest && !server.hasSubscriptions) void this.drop(id, 'nobody used the fork');
    }
  }

  #unknown(id: string): RpcError {
    const minutes = this.#limits.forkIdleMsMax / 60_000;
    const hint = `dev_fork makes one; a fork goes by dev_dropFork, or when it is not used for ${minutes} minutes`;
    return rpcError(HANDLER_ERROR, `there is no fork ${id}: ${hint}`, 'not-found', { received: id, hint });
  }
}
