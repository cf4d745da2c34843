/**
 * Prepared chains for tests.
 * @module
 */
import type { Engine } from '../engine/engine.ts';

/**
 * A fork on which `prepare` has run. It runs once per key, on a fork of this chain as it is, and the outcome is kept
 * until this engine closes; each call gets a fork of that, in microseconds. Whatever `prepare` depends on belongs in
 * the key. Fixtures nest: those of a fixture are found again on each of its forks that has not changed. `prepare` works
 * on the fork that it is given; asking this engine for the same fixture would wait for itself. If this engine is closed
 * meanwhile, so is that fork.
 *
 * ```ts
 * const chain = await fixture(engine, 'counter', (fork) => fork.publish(alice, modules));
 * ```
 * @throws {EngineError} `transaction-failed` for a step of `prepare` that was not executed; `invalid-argument`,
 * `limit-exceeded`, `closed`; and what `prepare` throws
 */
export async function fixture(engine: Engine, key: string, prepare: (engine: Engine) => unknown): Promise<Engine> {
  const prepared = await engine.inside.prepared(key, prepare);
  return prepared.fork();
}
