/**
 * The snapshots that clients took of a chain, by the ids that they were given.
 *
 * A snapshot is not used up. The most recently taken or reverted to are kept: a suite that takes one before each of its
 * tests runs on, and its first one stays as long as it is used.
 * @module
 */

import { HANDLER_ERROR } from '../json-rpc.ts';
import type { Snapshot } from '../snapshots.ts';
import type { DevEngine } from './engine.ts';
import { rpcError } from './error.ts';

export class Snapshots {
  readonly #engine: Pick<DevEngine, 'snapshot' | 'revert'>;
  readonly #max: number;
  /** Least recently used first. */
  readonly #byId = new Map<string, Snapshot>();
  #taken = 0;

  constructor(engine: Pick<DevEngine, 'snapshot' | 'revert'>, max: number) {
    this.#engine = engine;
    this.#max = max;
  }

  /**
   * Remembers this moment; gives its id.
   * @throws {EngineError} `not-supported` on a durable store
   */
  take(): string {
    const snapshot = this.#engine.snapshot();
    const id = `${++this.#taken}`;
    this.#byId.set(id, snapshot);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > this.#max && oldest !== undefined) this.#byId.delete(oldest);
    return id;
  }

  /**
   * Goes back, or forth, to a snapshot.
   * @throws {RpcError} `not-found` for an id that was not given, or whose snapshot was let go
   */
  async revert(id: string): Promise<void> {
    const snapshot = this.#byId.get(id);
    if (snapshot === undefined) {
      const kept = `dev_snapshot takes one, and the ${this.#max} used last are kept`;
      throw rpcError(HANDLER_ERROR, `there is no snapshot ${id}: ${kept}`, 'not-found', { received: id, hint: kept });
    }
    this.#byId.delete(id);
    this.#byId.set(id, snapshot);
    await this.#engine.revert(snapshot);
  }
}
