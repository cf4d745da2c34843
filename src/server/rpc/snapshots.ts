/**
 * The snapshots that clients took of a chain, by id.
 *
 * A snapshot can be used any number of times. The most recently taken or reverted to are kept, so a test suite can take
 * one before each test and still keep its first for as long as it uses it.
 * @module
 */

import { HANDLER_ERROR } from '../../base/json-rpc.ts';
import type { Snapshot } from '../../engine/snapshots.ts';
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
   * Takes a snapshot and returns its id.
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
   * Goes back, or forward, to a snapshot.
   * @throws {RpcError} `not-found` if the id is unknown or its snapshot was dropped
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
