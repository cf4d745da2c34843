/**
 * Replaying a recorded run (recording/run-file.ts): an engine that has taken the same steps, root by root.
 * @module
 */

import { A_FUNCTION, A_U64, assertBytes, assertObject, assertOptions } from '../base/argument.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { PACKAGE_VERSION } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { HEAD_KEY } from '../chain/ledger/head.ts';
import { type RunFile, type RunHeader, readRunFile } from '../log/recording/run-file.ts';
import { type RunLeg, RunTurn, runPlan } from '../log/recording/run-plan.ts';
import { loadDump } from '../store/dump.ts';
import { openStore } from '../store/open.ts';
import { isRevertible, type Store } from '../store/store.ts';
import { Engine } from './engine.ts';
import { assertEngineOptions, type EngineOptions } from './engine-options.ts';
import type { Snapshot } from './snapshots.ts';

const ENGINE_NAMES = [
  'clock',
  'durability',
  'fork',
  'log',
  'sequencerKey',
  'store',
  'treeCacheBytesMax',
  'treeCacheNodesMax',
  'viewMsMax',
] as const;

/** How a run is replayed, and how the engine goes on from there. */
export interface ReplayOptions extends Pick<EngineOptions, (typeof ENGINE_NAMES)[number]> {
  /**
   * The order after which to stop, on the branch that the run ends with; a run without reverts has only one. Default:
   * the end of the run.
   */
  readonly to?: bigint | undefined;
  /** Called after each part of the run with the number of inputs played so far, and their total. */
  readonly onProgress?: ((played: number, total: number) => void) | undefined;
  /** Called with the engine before its first input: `record` it then, and the run can be passed on with what follows it. */
  readonly onStart?: ((engine: Engine) => void) | undefined;
}

/**
 * Plays a recorded run on a new chain and compares what each input leads to. Genesis, chain id and the checks of
 * signatures and blocks are those of the run. In memory all of it is played, reverts included; a durable store gets
 * only the branch that the run ends with.
 *
 * ```ts
 * const engine = await replay(await readFile('failed.run'), { to: 17n });
 * ```
 * @param recording the file, as `Recording.bytes` returns it. An entry that is cut off at its end is left out, and
 * `log` is told.
 * @returns the engine, with the chain as the run left it. Close it when done.
 * @throws {EngineError} `replay-differs` naming the first order that leads elsewhere, with both roots in its details;
 * `genesis-mismatch` if this version has another genesis; `malformed-bytes`, `format-unknown`, `corrupt` for a file
 * that is not a sound run; `invalid-argument`, also for a store that is not empty; as `Engine.open`
 */
export async function replay(recording: Uint8Array, options: ReplayOptions = {}): Promise<Engine> {
  assertBytes(recording, 'recording');
  assertObject(options, 'options', 'an object of options');
  const { to, onProgress, onStart, ...own } = options;
  assertOptions({ to, onProgress, onStart }, { to: A_U64, onProgress: A_FUNCTION, onStart: A_FUNCTION });
  assertEngineOptions(own, ENGINE_NAMES);
  const run = readRunFile(recording);
  // Checked before a store is opened, so that an order that does not exist leaves no directory.
  runPlan(run, to, false);
  if (run.isTorn) {
    const message = `the recorded run ends within an entry, which is left out: ${run.entries.length} entries are whole`;
    own.log?.({ level: 'warning', message });
  }
  const engine = await openAt(run, own);
  try {
    onStart?.(engine);
    await play(engine, run, options);
    engine.inside.core.startClock();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The chain as it was before the first entry. */
async function openAt(
  { header }: RunFile,
  options: Omit<ReplayOptions, 'to' | 'onProgress' | 'onStart'>,
): Promise<Engine> {
  const { start, chainId, settings, stateRoot } = header;
  const { verifySignatures, ...ingest } = settings;
  // What was refused for lack of coins is not in the run.
  const own: EngineOptions = { ...options, chainId, verifySignatures, ingest, gasGift: true };
  if (start.kind === 'fork') {
    // The run names the state root at which its fork began.
    const fork = { ...(options.fork ?? { url: start.remote }), at: stateRoot };
    return begun(await Engine.open({ ...own, fork }), header);
  }
  if (options.fork !== undefined)
    throw new EngineError('invalid-argument', 'fork: expected none: the run is not one of a fork of another node');
  const store = await openStore(options.store, { durability: options.durability });
  try {
    await assertEmpty(store);
    if (start.kind === 'dump') await loadDump(store, [start.dump], { headKey: HEAD_KEY });
    const genesis = start.kind === 'dump' ? {} : genesisOptions(start);
    return await begun(await Engine.open({ ...own, ...genesis, store }), header);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The engine, if it is where the run begins; otherwise it is closed. */
async function begun(engine: Engine, header: RunHeader): Promise<Engine> {
  try {
    assertStart(engine, header);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function genesisOptions(start: Extract<RunHeader['start'], { kind: 'genesis' }>): EngineOptions {
  return {
    bitcoinNetwork: start.bitcoinNetwork as BitcoinNetwork,
    reorganisationDepth: Number(start.reorganisationDepth),
    accountBalance: start.accountBalance,
  };
}

async function assertEmpty(store: Store): Promise<void> {
  const [first] = await store.range({ limit: 1 });
  if (first === undefined) return;
  throw new EngineError(
    'invalid-argument',
    'store: expected an empty one to replay a run into, got one that holds rows',
  );
}

function assertStart(engine: Engine, { genesisHash, stateRoot, order, version }: RunHeader): void {
  const { head } = engine;
  const isSameState = head.stateRoot === toHexPrefixed(stateRoot) && head.order === order;
  if (head.genesisHash === toHexPrefixed(genesisHash) && isSameState) return;
  const expected = `order ${order} with the state root ${toHexPrefixed(stateRoot)}`;
  const details = { expected: toHexPrefixed(genesisHash), received: head.genesisHash };
  throw new EngineError(
    'genesis-mismatch',
    `the run begins at ${expected}, as movelet ${version} recorded it, and movelet ${PACKAGE_VERSION} begins with ${head.stateRoot}: replay it with the version that recorded it`,
    { details },
  );
}

async function play(engine: Engine, run: RunFile, { to, onProgress }: ReplayOptions): Promise<void> {
  const legs = runPlan(run, to, isRevertible(engine.inside.core.writer.store));
  const total = legs.reduce((count, leg) => count + (leg.kind === 'play' ? leg.entries.length : 0), 0);
  const kept = new Map<number, Snapshot>();
  let played = 0;
  for (const leg of legs) {
    if (leg.kind === 'keep') kept.set(leg.moment, engine.snapshot());
    else if (leg.kind === 'return') await engine.revert(kept.get(leg.moment)!);
    else
      for (const part of partsOf(leg)) {
        await playPart(engine, part, run.header.version);
        played += part.length;
        onProgress?.(played, total);
      }
  }
}

/** Inputs between two progress reports. */
const PROGRESS_INPUTS = 1_000;

function* partsOf({ entries }: Extract<RunLeg, { kind: 'play' }>): Iterable<readonly Uint8Array[]> {
  for (let at = 0; at < entries.length; at += PROGRESS_INPUTS) yield entries.slice(at, at + PROGRESS_INPUTS);
}

function playPart(engine: Engine, entries: readonly Uint8Array[], recordedBy: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown): void => (error === undefined ? resolve() : reject(error));
    engine.inside.core.writer.submit(new RunTurn(entries, recordedBy, done));
  });
}
