/**
 * Monitoring of a node: metrics as data and as text, counts of its requests, and its health.
 * Source: https://github.com/prometheus/OpenMetrics, specification/OpenMetrics.md, sections 4 and 5.
 * @module
 */

import { PACKAGE_VERSION } from '../base/config.ts';
import type { WorkersUsage } from '../engine/workers/workers.ts';
import type { CacheUsage, FollowerStatus, LogAppends, LogStatus, Status, Usage } from '../query/status.ts';
import type { JsonValue } from './rpc/json.ts';

/** One number. */
export interface MetricSample {
  /** What follows the metric's name: `_total`, `_bucket`, `_sum`, `_count`, `_info`; nothing for a gauge. */
  readonly suffix?: '_total' | '_bucket' | '_sum' | '_count' | '_info';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one kind. */
export interface Metric {
  /** Ends with its unit, if it has one. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  /** One sentence for people. */
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** One number, or one for each set of labels. */
type Values = number | readonly Omit<MetricSample, 'suffix'>[];

const samplesOf = (values: Values): readonly Omit<MetricSample, 'suffix'>[] =>
  typeof values === 'number' ? [{ value: values }] : values;

/** A metric of numbers that go up and down. */
export function gauge(name: string, help: string, values: Values): Metric {
  return { name, type: 'gauge', help, samples: samplesOf(values) };
}

/** A metric of numbers that only grow. */
function counter(name: string, help: string, values: Values): Metric {
  const samples = samplesOf(values).map((sample) => ({ suffix: '_total' as const, ...sample }));
  return { name, type: 'counter', help, samples };
}

function info(name: string, help: string, labels: Readonly<Record<string, string>>): Metric {
  return { name, type: 'info', help, samples: [{ suffix: '_info', labels, value: 1 }] };
}

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** The exposition of metrics, whose names must differ. A metric without samples is left out. */
export function openMetricsText(metrics: readonly Metric[]): string {
  return `${metrics.map(familyText).join('')}# EOF\n`;
}

function familyText({ name, type, help, samples }: Metric): string {
  if (samples.length === 0) return '';
  const lines = [`# TYPE ${name} ${type}`];
  const unit = /_(bytes|seconds)$/.exec(name)?.[1];
  if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
  lines.push(`# HELP ${name} ${escaped(help)}`, ...samples.map((sample) => sampleText(name, sample)));
  return `${lines.join('\n')}\n`;
}

function sampleText(name: string, { suffix, labels = {}, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix ?? ''}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Whether the node is healthy, and its progress. */
interface Health {
  /** False if it accepts no more transactions because its store failed. A read-only chain is healthy. */
  readonly isWell: boolean;
  readonly answer: JsonValue;
}

export function healthOf({ service, head, bitcoin, follower }: Status): Health {
  const isWell = service !== 'maintenance';
  const best = bitcoin.pending ?? bitcoin.confirmed;
  return {
    isWell,
    answer: {
      status: isWell ? 'ok' : 'failing',
      service,
      order: head.order.toString(),
      bitcoin_height: best?.blockHeight.toString() ?? null,
      follower: follower === undefined ? null : { state: follower.state, lag: follower.lag ?? null },
    },
  };
}

/** The metrics of a chain and of the engine that holds it. */
export function nodeMetrics({ service, head, bitcoin, follower, log }: Status, usage: Usage): Metric[] {
  const labels = { version: PACKAGE_VERSION, chain_id: head.chainId.toString() };
  const heights = [
    ...(bitcoin.confirmed ? [{ labels: { block: 'confirmed' }, value: Number(bitcoin.confirmed.blockHeight) }] : []),
    ...(bitcoin.pending ? [{ labels: { block: 'pending' }, value: Number(bitcoin.pending.blockHeight) }] : []),
  ];
  return [
    info('movelet_node', 'The program and its chain.', labels),
    gauge('movelet_active', 'Whether the node takes transactions: 1, or 0.', service === 'active' ? 1 : 0),
    counter('movelet_commits', 'Transactions that were written since the engine was opened.', usage.commits),
    gauge('movelet_order', 'Order of the last transaction.', Number(head.order)),
    gauge('movelet_bitcoin_height', 'Height of the newest Bitcoin blocks.', heights),
    gauge(
      'movelet_writer_queue',
      'Transactions, blocks and controls that wait for the writer or are being written.',
      usage.writerQueue,
    ),
    ...cacheMetrics({ tree_nodes: usage.treeNodes, modules: usage.modules }),
    gauge('movelet_tree_cache_bytes', 'Tree nodes held in memory, as estimated.', usage.treeNodes.bytes),
    gauge('movelet_tree_cache_limit_bytes', 'The bound of movelet_tree_cache_bytes.', usage.treeNodes.bytesMax),
    ...(follower === undefined ? [] : followerMetrics(follower)),
    ...(log === undefined ? [] : logMetrics(log)),
  ];
}

/** The metrics of worker threads, if there are any. */
export function workerMetrics({ waiting, waitingMax, running, threadsMax }: WorkersUsage): Metric[] {
  return [
    gauge('movelet_worker_waiting_calls', 'Views and dry runs that wait for a worker thread.', waiting),
    gauge('movelet_worker_waiting_calls_limit', 'The bound of movelet_worker_waiting_calls.', waitingMax),
    gauge('movelet_worker_running_calls', 'Views and dry runs that run on worker threads.', running),
    gauge('movelet_worker_running_calls_limit', 'Worker threads at most: one call runs on each.', threadsMax),
  ];
}

function cacheMetrics(caches: Readonly<Record<string, CacheUsage>>): Metric[] {
  const each = (name: keyof CacheUsage) =>
    Object.entries(caches).map(([cache, usage]) => ({ labels: { cache }, value: usage[name] }));
  return [
    gauge('movelet_cache_entries', 'Entries of a cache.', each('entries')),
    gauge('movelet_cache_entries_limit', 'The bound of movelet_cache_entries.', each('entriesMax')),
    counter('movelet_cache_hits', 'Lookups that found an entry in a cache.', each('hits')),
    counter('movelet_cache_misses', 'Lookups that found no entry in a cache.', each('misses')),
  ];
}

/** The metrics of a node that shares a commit log. */
function logMetrics({ role, state, epoch, applied, head, behind, ageMs, appends }: LogStatus): Metric[] {
  const isActive = state === 'writing' || state === 'following';
  return [
    info('movelet_log', 'The role of the node in its commit log.', { role }),
    gauge('movelet_log_active', 'Whether the log is written or followed: 1, or 0 after a failure.', isActive ? 1 : 0),
    gauge('movelet_log_epoch', 'Writers that the log has had.', Number(epoch)),
    gauge('movelet_log_applied_order', 'Order of the last commit of the log that the node has.', Number(applied)),
    gauge('movelet_log_head_order', 'Order of the last commit that the log is known to have.', Number(head)),
    gauge('movelet_log_behind_commits', 'Commits in the log that the node does not have.', Number(behind)),
    gauge(
      'movelet_log_age_seconds',
      'Time since a reader was up to date, or since the log answered a writer.',
      ageMs / 1_000,
    ),
    ...(appends === undefined ? [] : appendMetrics(appends)),
  ];
}

/** Commits per append is the group size; seconds per append, a round trip to the log. */
function appendMetrics({ count, commits, ms, failed }: LogAppends): Metric[] {
  return [
    counter('movelet_log_appends', 'Groups of commits appended to the log.', count),
    counter('movelet_log_appended_commits', 'Commits in them.', commits),
    counter('movelet_log_append_seconds', 'Time spent on appending.', ms / 1_000),
    counter('movelet_log_append_failures', 'Attempts to append that failed, or whose outcome was not known.', failed),
  ];
}

function followerMetrics({ state, height, nodeHeight, lag, failures }: FollowerStatus): Metric[] {
  const known = (name: string, help: string, value: number | undefined): Metric[] =>
    value === undefined ? [] : [gauge(name, help, value)];
  return [
    gauge(
      'movelet_follower_active',
      'Whether the Bitcoin node is followed: 1, or 0 after a failure.',
      state === 'following' ? 1 : 0,
    ),
    ...known('movelet_follower_height', 'Height of our newest Bitcoin block.', height),
    ...known('movelet_follower_node_height', "Height of the Bitcoin node's best block.", nodeHeight),
    ...known('movelet_follower_lag_blocks', 'Blocks by which we are behind the Bitcoin node.', lag),
    counter('movelet_follower_errors', 'Failures while following.', failures),
  ];
}

/** Boundaries of the histogram of request times, in seconds: from one tree read to the deadline of a view and beyond. */
const METRIC_SECONDS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface MethodTally {
  /** By outcome: `ok`, the stable word of an error, or `notification` for a request without an answer. */
  readonly outcomes: Map<string, number>;
  /**
   * By index in METRIC_SECONDS: how many took at most that long, but longer than the previous boundary. The last entry
   * counts the rest.
   */
  readonly buckets: number[];
  /** Their total time in milliseconds. */
  ms: number;
}

/** Requests by method and outcome, with the time they took. Nothing is counted until metrics are enabled. */
export class RequestTally {
  readonly #methods = new Map<string, MethodTally>();
  #isOn = false;
  /** Number of requests waiting in the queue. */
  waiting = 0;

  begin(): void {
    this.#isOn = true;
  }

  /** When a request arrived, for `count`; undefined while nothing is counted. Milliseconds. */
  arrival(): number | undefined {
    return this.#isOn ? performance.now() : undefined;
  }

  /**
   * Counts a request that is answered.
   * @param arrival the result of `arrival`; without it nothing is counted
   * @param method an existing method, or `unknown`: names invented by clients would take memory
   */
  count(arrival: number | undefined, method: string, outcome: string): void {
    if (arrival === undefined) return;
    let tally = this.#methods.get(method);
    if (tally === undefined) {
      tally = { outcomes: new Map(), buckets: new Array<number>(METRIC_SECONDS.length + 1).fill(0), ms: 0 };
      this.#methods.set(method, tally);
    }
    const ms = performance.now() - arrival;
    tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
    const longer = METRIC_SECONDS.findIndex((seconds) => ms <= seconds * 1_000);
    tally.buckets[longer === -1 ? METRIC_SECONDS.length : longer]!++;
    tally.ms += ms;
  }

  metrics(): Metric[] {
    const methods = [...this.#methods].sort(([one], [other]) => (one < other ? -1 : 1));
    return [
      counter(
        'movelet_requests',
        'JSON-RPC requests that were answered, each of a batch.',
        methods.flatMap(([method, { outcomes }]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { method, outcome }, value })),
        ),
      ),
      {
        name: 'movelet_request_seconds',
        type: 'histogram',
        help: 'Time from the arrival of a JSON-RPC request to its answer, waiting for its turn included.',
        samples: methods.flatMap(([method, tally]) => histogram({ method }, tally)),
      },
      gauge('movelet_waiting_requests', 'JSON-RPC requests that wait for the thread.', this.waiting),
    ];
  }
}

/** Each bucket of a histogram includes all shorter ones. */
function histogram(labels: Readonly<Record<string, string>>, { buckets, ms }: MethodTally): MetricSample[] {
  let count = 0;
  const samples = buckets.map((more, index): MetricSample => {
    count += more;
    return { suffix: '_bucket', labels: { ...labels, le: boundary(METRIC_SECONDS[index]) }, value: count };
  });
  return [...samples, { suffix: '_count', labels, value: count }, { suffix: '_sum', labels, value: ms / 1_000 }];
}

/** A boundary as OpenMetrics writes it: even whole numbers have a fraction. */
function boundary(seconds: number | undefined): string {
  if (seconds === undefined) return '+Inf';
  return Number.isInteger(seconds) ? `${seconds}.0` : `${seconds}`;
}
