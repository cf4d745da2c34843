/**
 * Prepared chains: the starting point of many tests is made once, and each of them gets a fork of it.
 * @module
 */

import { argumentError, assertFunction } from '../base/argument.ts';
import { toHex } from '../base/bytes/bytes.ts';
import { closeEach } from '../base/closing.ts';
import { EngineError } from '../base/error.ts';
import type { Engine } from './engine.ts';
import { prepareChain } from './preparation.ts';

/** Fixtures that an engine and its forks keep: each is a fork with the rows that its preparation wrote. */
const FIXTURES_MAX = 1_000;

export const FIXTURE_KEY_CHARACTERS_MAX = 4_096;

/** A fixture in preparation. */
interface Preparation {
  readonly name: string;
  /** The fixture in preparation that needs this one. */
  readonly around: Preparation | undefined;
  isOver: boolean;
}

/**
 * The prepared chains of an engine and of its forks that took over all of its options. A chain is identified by what it
 * began with and by its key: a fork with the same transactions behind it finds what was prepared on another.
 */
export class Fixtures {
  readonly #prepared = new Map<string, Promise<Engine>>();
  /** Including those in preparation. */
  readonly #chains = new Set<Engine>();
  #isClosed = false;
  /** The preparation that uses a chain. */
  readonly #preparations = new WeakMap<Engine, Preparation>();

  /** Called for each fork that a program makes: a preparation that waits for a chain also waits for its forks. */
  passOn(chain: Engine, fork: Engine): void {
    const preparation = this.#preparations.get(chain);
    if (preparation !== undefined) this.#preparations.set(fork, preparation);
  }

  /**
   * The result of `prepare` on a fork of `chain`, made now or earlier under the same key.
   * @param fork makes a fork of `chain`
   * @throws {EngineError} `invalid-argument`, `closed`, `limit-exceeded` for more than FIXTURES_MAX; as `prepareChain`
   */
  async take(chain: Engine, key: string, prepare: (engine: Engine) => unknown, fork: () => Engine): Promise<Engine> {
    if (typeof key !== 'string' || key.length === 0 || key.length > FIXTURE_KEY_CHARACTERS_MAX) {
      throw argumentError('key', `text of 1 to ${FIXTURE_KEY_CHARACTERS_MAX} characters`, key);
    }
    assertFunction(prepare, 'prepare');
    if (this.#isClosed) throw new EngineError('closed', 'the engine is closed, and its fixtures with it');
    const { core } = chain.inside;
    const name = `${toHex(core.writer.head.accumulator.root)} ${core.clock?.offset ?? 0n} ${key}`;
    // It would wait for itself.
    for (let found = this.#preparations.get(chain); found !== undefined; found = found.around) {
      if (found.isOver || found.name !== name) continue;
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
    const made = this.#prepare(fork(), { name, key }, prepare);
    this.#prepared.set(name, made);
    // A failed preparation is retried by the next caller.
    made.catch(() => this.#prepared.delete(name));
    return made;
  }

  async #prepare(
    chain: Engine,
    { name, key }: { readonly name: string; readonly key: string },
    prepare: (engine: Engine) => unknown,
  ): Promise<Engine> {
    const preparation = { name, around: this.#preparations.get(chain), isOver: false };
    this.#preparations.set(chain, preparation);
    this.#chains.add(chain);
    try {
      // Later than this call: nested requests for the same fixture must find it.
      await Promise.resolve();
      await prepareChain(chain, prepare);
      assertOpen(chain, key);
      return chain;
    } catch (error) {
      this.#chains.delete(chain);
      // The reason is what `prepare` threw.
      await chain.close().catch(() => undefined);
      throw error;
    } finally {
      preparation.isOver = true;
    }
  }

  /**
   * Closes all chains, the newest first, and prepares no more. Chains in preparation are closed too, since their
   * `prepare` may never end, or may wait for this call; its next step is refused with `closed`.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const chains = [...this.#chains].toReversed();
    this.#chains.clear();
    this.#prepared.clear();
    await closeEach(...chains.map((chain) => () => chain.close()));
  }
}

/** @throws {EngineError} `closed` */
function assertOpen(chain: Engine, key: string): void {
  try {
    chain.inside.core.assertOpen();
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    const message = `the fixture ${JSON.stringify(key)} was closed while it was being prepared`;
    throw new EngineError(cause.code, message, { cause });
  }
}
