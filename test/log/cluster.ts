/**
 * Engines that share a log, for tests.
 * @module
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '../../src/base/bcs.ts';
import { concatBytes } from '../../src/base/bytes/bytes.ts';
import { readChangeSet } from '../../src/chain/ledger/change-sets.ts';
import { signedRow } from '../../src/chain/ledger/transactions.ts';
import { stateChangeSetExt } from '../../src/chain/object/change-set.ts';
import { nodeBytes, nodeOrder, nodeSource } from '../../src/chain/state/node-row.ts';
import { Engine, type EngineOptions } from '../../src/index.ts';
import { type CommitLog, openDirectoryLog } from '../../src/log/index.ts';
import { COLUMN, orderBytes, readOrder } from '../../src/store/column.ts';
import type { ReadableStore, Row } from '../../src/store/index.ts';

/** A directory log, and the engines and logs that a test opened. */
export class Cluster implements AsyncDisposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'movelet-cluster-'));
  readonly #engines: Engine[] = [];
  readonly #logs: CommitLog[] = [];

  /** The log, opened once more; an engine that gets it closes it. */
  async log(segmentBytes?: number): Promise<CommitLog> {
    const log = await openDirectoryLog(join(this.directory, 'log'), { segmentBytes });
    this.#logs.push(log);
    return log;
  }

  async open(options: EngineOptions): Promise<Engine> {
    const engine = await Engine.open(options);
    this.#engines.push(engine);
    return engine;
  }

  async writer(options: EngineOptions = {}): Promise<Engine> {
    return this.open({ commitLog: await this.log(), ...options });
  }

  async reader(options: EngineOptions = {}): Promise<Engine> {
    return this.open({ commitLog: await this.log(), role: 'reader', ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of this.#engines.toReversed()) await engine.close();
    for (const log of this.#logs) await log.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The content of every row of a chain, by its key, in hexadecimal. The form of a row differs between stores. */
export async function rowsOf(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  const store = engine.fork();
  try {
    const { rows: stored } = store.inside.core.current();
    for await (const row of stored.scan({})) {
      rows.set(Buffer.from(row.key).toString('hex'), Buffer.from(contentOf(stored, row)).toString('hex'));
    }
  } finally {
    await store.close();
  }
  return rows;
}

/** The content of a row, whatever its form. */
export function contentOf(rows: Pick<ReadableStore, 'get'>, { key, value }: Row): Uint8Array {
  if (key[0] === COLUMN.node) {
    return concatBytes(orderBytes(nodeOrder(value)), nodeBytes(rows, value, key.subarray(1)));
  }
  if (key[0] === COLUMN.transaction) return signedRow(rows, { key, value }).value;
  if (key[0] !== COLUMN.changeSet) return value;
  return encode(stateChangeSetExt, readChangeSet(rows, nodeSource(rows), readOrder(key, 1)));
}

/** Resolves when the engine has reached the order, however often it says on a slow machine that it is behind. */
export async function reached(engine: Engine, order: bigint): Promise<void> {
  for (;;) {
    try {
      return await engine.waitFor(order);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'behind') throw error;
    }
  }
}

/** Resolves when the engine's role in its log satisfies `isSo`. */
export async function logStatus(
  engine: Engine,
  isSo: (status: NonNullable<ReturnType<Engine['status']>['log']>) => boolean,
): Promise<NonNullable<ReturnType<Engine['status']>['log']>> {
  for (;;) {
    const { log } = engine.status();
    if (log === undefined) throw new Error('the engine takes part in no log');
    if (isSo(log)) return log;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
