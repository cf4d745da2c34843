/**
 * Prepared chains: the starting point of many tests is made once, and each of them gets a fork of it.
 * @module
 */

import { argumentError, assertFunction } from './argument.ts';
import { toHex } from './bytes/hex.ts';
import { FIXTURE_KEY_CHARACTERS_MAX, FIXTURES_MAX } from './config.ts';
import { EngineError } from './error.ts';
import type { Head } from './ledger/head.ts';

/** What is forked: an engine. */
export interface Forked {
  readonly head: Head;
  /** Milliseconds by which the clock was moved. */
  readonly time: { readonly offset: bigint };
  close(): Promise<void>;
}

/**
 * The prepared chains of an engine and of its forks that took over all of its options. A chain is identified by what it
 * began with and by its key: a fork with the same transactions behind it finds what was prepared on another.
 */
export class Fixtures<Chain extends Forked> {
  readonly #prepared = new Map<string, Promise<Chain>>();
  /** The names of the forks that are being prepared. */
  readonly #beingPrepared = new WeakMap<Chain, string>();

  /**
   * What `prepare` made of a fork of `chain`, now or earlier under the same key.
   * @param fork makes a fork of `chain`
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` for more than FIXTURES_MAX; what `prepare` throws
   */
  async take(chain: Chain, key: string, prepare: (engine: Chain) => unknown, fork: () => Chain): Promise<Chain> {
    if (typeof key !== 'string' || key.length === 0 || key.length > FIXTURE_KEY_CHARACTERS_MAX) {
      throw argumentError('key', `text of 1 to ${FIXTURE_KEY_CHARACTERS_MAX} characters`, key);
    }
    assertFunction(prepare, 'prepare');
    const { accumulator } = chain.head;
    const name = `${toHex(accumulator.root)} ${chain.time.offset} ${key}`;
    // It would wait for itself.
    if (this.#beingPrepared.get(chain) === name) {
      throw argumentError('key', 'another key than that of the fixture that is being prepared', key);
    }
    const found = this.#prepared.get(name);
    if (found !== undefined) return found;
    if (this.#prepared.size >= FIXTURES_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `an engine and its forks keep ${FIXTURES_MAX} fixtures; this is one more`,
      );
    }
    const made = this.#prepare(fork(), name, prepare);
    this.#prepared.set(name, made);
    // A failed preparation is retried by the next caller.
    made.catch(() => this.#prepared.delete(name));
    return made;
  }

  async #prepare(chain: Chain, name: string, prepare: (engine: Chain) => unknown): Promise<Chain> {
    this.#beingPrepared.set(chain, name);
    try {
      await prepare(chain);
      return chain;
    } catch (error) {
      await chain.close();
      throw error;
    } finally {
      this.#beingPrepared.delete(chain);
    }
  }

  /** Closes the prepared chains. */
  async close(): Promise<void> {
    const chains = await Promise.allSettled(this.#prepared.values());
    this.#prepared.clear();
    for (const chain of chains) if (chain.status === 'fulfilled') await chain.value.close();
  }
}
