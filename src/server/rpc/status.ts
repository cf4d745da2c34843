import { memberOrNull } from '../../chain/value/readable.ts';
import type { BlockPlace } from '../../query/bitcoin.ts';
import type { FollowerStatus, ForkStatus, HistoryStatus, LogStatus } from '../../query/status.ts';
import type { JsonValue } from './json.ts';
import { immediate, type JsonObject, type Method } from './method.ts';

function block(value: BlockPlace | undefined): JsonValue {
  if (value === undefined) return null;
  return { block_height: value.blockHeight.toString(), block_hash: value.blockHash };
}

/** This node does not publish to a data availability layer. */
const NO_DATA_AVAILABILITY: JsonValue = {
  last_block_number: null,
  last_tx_order: null,
  last_block_update_time: null,
  last_avail_block_number: null,
  last_avail_tx_order: null,
  last_avail_block_update_time: null,
  avail_backends: [],
};

/** Other machines are not told where the Bitcoin node is; its errors would reveal that too. */
function followed(status: FollowerStatus, isExposed: boolean): JsonValue {
  const { state, node, height, nodeHeight, lag, blocksPerSecond, secondsLeft, failures, problem, lastError } = status;
  const heights = { height: height ?? null, node_height: nodeHeight ?? null, lag: lag ?? null };
  const pace = { blocks_per_second: blocksPerSecond ?? null, seconds_left: secondsLeft ?? null };
  const progress = { state, ...heights, ...pace, failures };
  return isExposed ? progress : { ...progress, node, problem: problem ?? null, last_error: lastError ?? null };
}

/** Whether some states are no longer readable, or will cease to be. */
function isBounded({ kept: bound, oldestOrder }: HistoryStatus): boolean {
  return bound !== 'all' || oldestOrder > 0n;
}

function kept({ kept: bound, oldestOrder, oldestRoot }: HistoryStatus): JsonValue {
  return { kept: String(bound), oldest_order: oldestOrder.toString(), oldest_root: oldestRoot.toString() };
}

/** `problem` may reveal where the log is. */
function logged(
  { role, state, epoch, applied, head, behind, ageMs, problem }: LogStatus,
  isExposed: boolean,
): JsonValue {
  const orders = { applied: applied.toString(), head: head.toString(), behind: behind.toString() };
  const progress = { role, state, epoch: epoch.toString(), ...orders, age_ms: ageMs };
  return isExposed ? progress : { ...progress, problem: problem ?? null };
}

/** `remote` may reveal where the node is. */
function forked(status: ForkStatus, isExposed: boolean): JsonValue {
  const { remote, kind, order, stateRoot, trust, verified, unverified, hasLists, isOffline } = status;
  const accumulatorRoot = memberOrNull(status, 'accumulatorRoot');
  const point = { kind, order: order.toString(), state_root: stateRoot, accumulator_root: accumulatorRoot, trust };
  const rest = {
    verified: { ...verified },
    unverified: [...unverified],
    has_lists: hasLists,
    is_offline: isOffline,
  };
  return isExposed ? { ...point, ...rest } : { remote, ...point, ...rest, requests: status.requests };
}

export interface StatusMethods {
  readonly getChainID: Method<[], string>;
  readonly status: Method<[], JsonObject>;
}

export const statusMethods: StatusMethods = {
  getChainID: immediate({
    description: 'The chain id: 1 main, 2 test, 3 dev, 4 local, or the number of a custom chain.',
    params: [],
    result: { type: 'string', title: 'u64' },
    example: [],
    handle: ({ chain }) => chain.chainId.toString(),
  }),
  status: immediate({
    description:
      'Whether the node takes transactions, how far it has sequenced, its state root and its Bitcoin blocks; `follower_status` if it follows a Bitcoin node, `log_status` if it shares a commit log, `fork_status` if it is a fork of another node, `history_status` where it does not keep all history.',
    params: [],
    result: { type: 'object' },
    example: [],
    handle: ({ chain, forms, isExposed }) => {
      const { service, head, bitcoin, history, follower, log, fork } = chain.status();
      const roots = memberOrNull(head.accumulator, 'frozenSubtreeRoots');
      return {
        service_status: service,
        [forms === 'interface' ? 'chain_status' : 'rooch_status']: {
          sequencer_info: {
            last_order: head.order.toString(),
            last_accumulator_info: {
              accumulator_root: memberOrNull(head.accumulator, 'root'),
              frozen_subtree_roots: roots && [...roots],
              num_leaves: head.accumulator.numLeaves.toString(),
              num_nodes: head.accumulator.numNodes.toString(),
            },
          },
          da_info: NO_DATA_AVAILABILITY,
          root_state: { state_root: memberOrNull(head, 'stateRoot'), size: head.size.toString() },
        },
        bitcoin_status: { confirmed_block: block(bitcoin.confirmed), pending_block: block(bitcoin.pending) },
        // Not in the reference; only on nodes with a bounded history, a Bitcoin node, a commit log, or a fork's origin.
        ...(isBounded(history) && { history_status: kept(history) }),
        ...(follower && { follower_status: followed(follower, isExposed) }),
        ...(log && { log_status: logged(log, isExposed) }),
        ...(fork && { fork_status: forked(fork, isExposed) }),
      };
    },
  }),
};
