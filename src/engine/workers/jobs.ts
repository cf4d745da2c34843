/**
 * The program of a worker: it loads the engine's code once, then answers one job after the other.
 * @module
 */
import type * as WorkerThreads from 'node:worker_threads';
import { equalBytes } from '../../base/bytes/bytes.ts';

import { assert } from '../../base/error.ts';
import { storedHead } from '../../chain/ledger/head.ts';
import { addSources } from '../../execution/module-sources.ts';
import type { SentOutcome } from '../../pipeline/step-aside.ts';
import { CoinPlaces } from '../../query/balance.ts';
import { RecordView } from '../../query/chain-view.ts';
import type { Reader, ReaderSource } from '../../query/reader.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import type { DeadlineClock } from '../../vm/deadline.ts';
import type { StepTask } from '../long-work.ts';
import { loadExecution, type Shared } from '../open.ts';
import { StoreReader, treeOver } from '../present.ts';
import { Submissions } from '../submission.ts';
import { AskedRows, AskedTree } from './asked-rows.ts';
import type { Job, WorkerSettings } from './exchange.ts';

/** Bytes of tree nodes that a worker thread keeps: all framework modules take a tenth of it. */
const WORKER_TREE_CACHE_BYTES_MAX: number = 32 * 2 ** 20;

interface Host {
  readonly process: {
    getBuiltinModule(name: 'node:worker_threads'): typeof WorkerThreads;
    cpuUsage(): NodeJS.CpuUsage;
    /** Since Node 22. */
    threadCpuUsage?(): NodeJS.CpuUsage;
  };
}

export interface JobChain {
  /** The chain as of the job. It cannot wait between reads, and lacks what only the engine knows. */
  readonly view: RecordView;
}

export interface JobAnswer {
  readonly value: unknown;
  /** Buffers in the answer that are transferred instead of copied. */
  readonly moved: readonly ArrayBuffer[];
}

export async function answerJobs(answer: (chain: JobChain, task: unknown) => JobAnswer): Promise<void> {
  const { process } = globalThis as unknown as Host;
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads');
  assert(parentPort !== null, 'expected to run on a worker thread');
  const rows = new AskedRows(workerData as WorkerSettings, receiveMessageOnPort);
  const clock = workerClock(process, rows);
  const shared: Shared = {
    execution: await loadExecution(),
    nodes: new NodeCache({ bytesMax: WORKER_TREE_CACHE_BYTES_MAX }),
  };
  const tree = new AskedTree(rows, shared.nodes);
  let last: { readonly head: Job['head']; readonly reader: Reader } | undefined;
  parentPort.on('message', (job: Job) => {
    rows.begin(job);
    if (job.sources !== undefined) addSources(job.sources);
    // While the head stays the same, what was derived from its state is reused.
    if (last === undefined || !isSameHead(last.head, job.head)) {
      last = { head: job.head, reader: new StoreReader(storedHead(rows), () => rows, shared, tree) };
    }
    const { reader } = last;
    if (isStep(job.task)) {
      parentPort.postMessage(runStep(reader, shared, rows, job.basis.settings, job.task));
      return;
    }
    const { value, moved } = answer(jobChain(reader, shared, clock, job), job.task);
    parentPort.postMessage(value, moved);
  });
}

function isStep(task: unknown): task is StepTask {
  return (task as { readonly kind?: unknown } | undefined)?.kind === 'step';
}

/** Runs a step for the writer; undefined if it throws: the writer then runs it itself. */
function runStep(
  { head, state, rows, machines }: Reader,
  { execution }: Shared,
  asked: AskedRows,
  settings: Job['basis']['settings'],
  { given }: StepTask,
): SentOutcome | undefined {
  const { input, now, clockOffset } = given;
  const { step, sentOutcome } = execution();
  const sign = (hash: Uint8Array, order: bigint): Uint8Array => asked.sign(hash, order);
  try {
    const context = { head, state, rows, machines: machines(), settings, now, clockOffset, sign };
    return sentOutcome(step(input, context));
  } catch {
    return undefined;
  }
}

function isSameHead(left: Job['head'], right: Job['head']): boolean {
  return left !== undefined && right !== undefined && equalBytes(left, right);
}

function jobChain(reader: Reader, shared: Shared, deadlineClock: DeadlineClock, { basis }: Job): JobChain {
  const { viewMsMax, now, settings } = basis;
  const execution = shared.execution();
  const source: ReaderSource = {
    current: () => reader,
    hold: () => ({ reader, release: () => {} }),
    present: () => reader,
  };
  const submissions = new Submissions({
    source,
    execution: shared.execution,
    tree: (nodes) => treeOver(nodes, shared),
    writer: undefined,
    clock: now === undefined ? undefined : { read: () => now, offset: 0n },
    settings: () => settings,
    viewMsMax,
    deadlineClock,
  });
  const view = new RecordView(source, {
    places: new CoinPlaces(),
    bitcoin: (at, make) => new execution.BitcoinQueries(at, make),
    view: (at, call, options) => execution.callView(at, call, options, { msMax: viewMsMax, clock: deadlineClock }),
    history: (at) => new execution.HistoryQueries(at),
    encode: (at, type, value, name) => execution.encodeValue(type, value, name, at.state, at.machines()),
    diff: execution.diffStates,
    basis: () => basis,
    simulate: (at, transaction, options) => submissions.simulate(at, transaction, options),
    trace: (at, transaction) => submissions.tracing.trace(at, transaction),
    reads: () => {
      throw new Error('a worker thread serves no forks');
    },
    status: () => {
      throw new Error('a worker thread does not know the status of the node');
    },
  });
  return { view };
}

/** Time in which the engine's thread was too busy to answer does not count against a view's deadline. */
function workerClock(process: Host['process'], rows: AskedRows): DeadlineClock {
  return {
    now: () => performance.now() - rows.waitedMs,
    used: () => {
      const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
      return (user + system) / 1_000;
    },
  };
}
