/**
 * What a worker does: it loads the engine's code once, and then answers one job after the other.
 * @module
 */
import type * as WorkerThreads from 'node:worker_threads';
import { equalBytes } from '../bytes/compare.ts';
import { WORKER_TREE_CACHE_BYTES_MAX } from '../config.ts';
import { assert } from '../error.ts';
import { storedHead } from '../ledger/head.ts';
import { loadExecution, type Shared } from '../open.ts';
import { readerOf } from '../present.ts';
import { CoinPlaces } from '../query/balance.ts';
import { Moment } from '../query/moment.ts';
import type { ReaderSource } from '../query/reader.ts';
import { NodeCache } from '../tree/cache.ts';
import type { DeadlineClock } from '../vm/deadline.ts';
import { AskedRows } from './asked-rows.ts';
import type { Job, WorkerSettings } from './exchange.ts';

interface Host {
  readonly process: {
    getBuiltinModule(name: 'node:worker_threads'): typeof WorkerThreads;
    cpuUsage(): NodeJS.CpuUsage;
    /** Since Node 22. */
    threadCpuUsage?(): NodeJS.CpuUsage;
  };
}

/** Answers the jobs of this worker thread by `answer`, which gets the chain at the moment of each. */
export async function answerJobs(answer: (chain: Moment, task: unknown) => unknown): Promise<void> {
  const { process } = globalThis as unknown as Host;
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads');
  assert(parentPort !== null, 'expected to run on a worker thread');
  const rows = new AskedRows(workerData as WorkerSettings, receiveMessageOnPort);
  const shared: Shared = {
    execution: await loadExecution(),
    nodes: new NodeCache({ bytesMax: WORKER_TREE_CACHE_BYTES_MAX }),
  };
  const clock = workerClock(process, rows);
  let last: { readonly job: Job; readonly chain: Moment } | undefined;
  parentPort.on('message', (job: Job) => {
    rows.begin(job);
    // What was found out of a state serves as long as the head is the same.
    if (last === undefined || !isSameChain(last.job, job)) last = { job, chain: momentOf(rows, shared, clock, job) };
    parentPort.postMessage(answer(last.chain, job.task));
  });
}

function isSameChain(left: Job, right: Job): boolean {
  if (left.head === undefined || right.head === undefined) return false;
  return equalBytes(left.head, right.head) && left.viewMsMax === right.viewMsMax;
}

/** The chain that a job is for. What waits between reads has no place here, nor has what the engine alone knows. */
function momentOf(rows: AskedRows, shared: Shared, clock: DeadlineClock, { viewMsMax }: Job): Moment {
  const reader = readerOf(storedHead(rows), rows, shared);
  const source: ReaderSource = {
    current: () => reader,
    read: (query) => query(reader),
    present: () => reader,
  };
  const execution = shared.execution();
  return new Moment(reader, {
    source,
    places: new CoinPlaces(),
    bitcoin: (at) => new execution.BitcoinQueries(at),
    views: (at) => new execution.ViewQueries(at, viewMsMax, clock),
    viewMsMax,
    status: () => {
      throw new Error('a worker thread does not know the status of the node');
    },
  });
}

/** A view is not refused for the time in which the engine's thread had no time for its rows. */
function workerClock(process: Host['process'], rows: AskedRows): DeadlineClock {
  return {
    now: () => performance.now() - rows.waitedMs,
    used: () => {
      const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
      return (user + system) / 1_000;
    },
  };
}
