/**
 * What a node reports to monitoring: the chain's progress, what the engine holds, and whether it is healthy.
 * @module
 */
import { PACKAGE_VERSION } from '../../base/config.ts';
import type { WorkersUsage } from '../../engine/workers/workers.ts';
import type { FollowerStatus, LogAppends, LogStatus, Status } from '../../query/status.ts';
import type { CacheUsage, Usage } from '../../query/usage.ts';
import type { JsonValue } from './json.ts';
import { counter, gauge, type Metric } from './metric.ts';

/** Whether the node is healthy, and its progress. */
export interface Health {
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
    {
      name: 'movelet_node',
      type: 'info',
      help: 'The program and its chain.',
      samples: [{ suffix: '_info', labels, value: 1 }],
    },
    gauge('movelet_active', 'Whether the node takes transactions: 1, or 0.', service === 'active' ? 1 : 0),
    counter('movelet_commits', 'Transactions that were written since the engine was opened.', [
      { value: usage.commits },
    ]),
    gauge('movelet_order', 'Order of the last transaction.', Number(head.order)),
    { name: 'movelet_bitcoin_height', type: 'gauge', help: 'Height of the newest Bitcoin blocks.', samples: heights },
    gauge(
      'movelet_writer_queue',
      'Transactions, blocks and controls that wait for the writer or are at it.',
      usage.writerQueue,
    ),
    ...cacheMetrics({ tree_nodes: usage.treeNodes, modules: usage.modules }),
    gauge('movelet_tree_cache_bytes', 'Tree nodes held in memory, as estimated.', usage.treeNodes.bytes, 'bytes'),
    gauge(
      'movelet_tree_cache_limit_bytes',
      'The bound of movelet_tree_cache_bytes.',
      usage.treeNodes.bytesMax,
      'bytes',
    ),
    ...(follower === undefined ? [] : followerMetrics(follower)),
    ...(log === undefined ? [] : logMetrics(log)),
  ];
}

/** The metrics of worker threads, if there are any. */
export function workerMetrics({ waiting, waitingMax, running, threadsMax }: WorkersUsage): Metric[] {
  return [
    gauge('movelet_worker_waiting_calls', 'Views and dry runs that wait for a worker thread.', waiting),
    gauge('movelet_worker_waiting_calls_limit', 'The bound of movelet_worker_waiting_calls.', waitingMax),
    gauge('movelet_worker_running_calls', 'Views and dry runs that a worker thread is at.', running),
    gauge('movelet_worker_running_calls_limit', 'Worker threads at most: one call runs on each.', threadsMax),
  ];
}

function cacheMetrics(caches: Readonly<Record<string, CacheUsage>>): Metric[] {
  const each = (value: (cache: CacheUsage) => number) =>
    Object.entries(caches).map(([cache, usage]) => ({ labels: { cache }, value: value(usage) }));
  return [
    {
      name: 'movelet_cache_entries',
      type: 'gauge',
      help: 'Entries of a cache.',
      samples: each(({ entries }) => entries),
    },
    {
      name: 'movelet_cache_entries_limit',
      type: 'gauge',
      help: 'The bound of movelet_cache_entries.',
      samples: each(({ entriesMax }) => entriesMax),
    },
    counter(
      'movelet_cache_hits',
      'What was asked of a cache and was there.',
      each(({ hits }) => hits),
    ),
    counter(
      'movelet_cache_misses',
      'What was asked of a cache and had to be read.',
      each(({ misses }) => misses),
    ),
  ];
}

/** The metrics of a node that shares a commit log. */
function logMetrics({ role, state, epoch, applied, head, behind, ageMs, appends }: LogStatus): Metric[] {
  const isActive = state === 'writing' || state === 'following';
  return [
    {
      name: 'movelet_log',
      type: 'info',
      help: 'The part that the node has in its commit log.',
      samples: [{ suffix: '_info', labels: { role }, value: 1 }],
    },
    gauge('movelet_log_active', 'Whether the log is written or followed: 1, or 0 after a failure.', isActive ? 1 : 0),
    gauge('movelet_log_epoch', 'Writers that the log has had.', Number(epoch)),
    gauge('movelet_log_applied_order', 'Order of the last commit of the log that the node has.', Number(applied)),
    gauge('movelet_log_head_order', 'Order of the last commit that the log is known to have.', Number(head)),
    gauge('movelet_log_behind_commits', 'Commits that the log has and the node has not.', Number(behind)),
    gauge(
      'movelet_log_age_seconds',
      'Time since a reader had everything, or a writer an answer.',
      ageMs / 1_000,
      'seconds',
    ),
    ...(appends === undefined ? [] : appendMetrics(appends)),
  ];
}

/** Commits per append is the group size; seconds per append, a round trip to the log. */
function appendMetrics({ count, commits, ms, failed }: LogAppends): Metric[] {
  const one = (name: string, help: string, value: number): Metric => counter(name, help, [{ value }]);
  return [
    one('movelet_log_appends', 'Groups of commits that the log took.', count),
    one('movelet_log_appended_commits', 'Commits in them.', commits),
    { ...one('movelet_log_append_seconds', 'Time that they took.', ms / 1_000), unit: 'seconds' },
    one('movelet_log_append_failures', 'Attempts that failed, or whose outcome was not known.', failed),
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
    counter('movelet_follower_errors', 'Failures while following.', [{ value: failures }]),
  ];
}
