/**
 * Options of a JSON-RPC adapter, and its bounds.
 * @module
 */
import {
  A_BOOLEAN,
  A_FUNCTION,
  arrayOf,
  assertOptions,
  bound,
  type Expectation,
  oneOf,
  wholeNumber,
} from '../../base/argument.ts';
import {
  BATCH_REQUESTS_MAX,
  FORK_IDLE_MS_MAX,
  FORKS_MAX,
  JSON_DEPTH_MAX,
  PAGE_ITEMS_MAX_CURRENT,
  PAGE_ITEMS_MAX_INTERFACE,
  RESPONSE_CHARACTERS_MAX,
  SNAPSHOTS_MAX,
  WORKERS_MAX,
} from '../../base/config.ts';
import type { Log } from '../../base/log.ts';
import type { Forward } from './forward.ts';
import type { Broadcast } from './method.ts';
import type { Namespace } from './methods.ts';

/** Which methods exist, and how they answer. */
export interface RpcOptions {
  /** Prefixes under which the chain's methods answer. Default: both. */
  readonly namespaces?: readonly Namespace[] | undefined;
  /**
   * Enables the controls of a test node, such as `dev_call`: anyone who can reach the adapter can then act on behalf of
   * any account. Default: false.
   */
  readonly dev?: boolean | undefined;
  /**
   * Lets other machines fork this chain (`Engine.open({ fork: { url } })`): they read its rows in many small requests,
   * and the views at which forks began are held while they are used. Default: false.
   */
  readonly serveNodes?: boolean | undefined;
  /**
   * The form of the answers of `btc_` and `dev_` methods: that of the `chain_` methods or of the `rooch_` methods; under
   * the base path `/rooch` always the latter. Default: 'chain'.
   */
  readonly wire?: 'chain' | 'rooch' | undefined;
  /** Items of chain_listStates: the object that holds each state, or the state beside its key. Default: 'object'. */
  readonly listStates?: 'object' | 'keyed' | undefined;
  /** Sends the transactions of btc_broadcastTX. Default: the method is refused. */
  readonly broadcast?: Broadcast | undefined;
  /**
   * For a reader of a commit log: where write requests are forwarded, such as `forwardTo(url)` of `movelet/rpc`.
   * Default: they are refused, with the writer's address.
   */
  readonly forward?: Forward | undefined;
  /** Receives unexpected errors. Default: nothing is logged. */
  readonly log?: Log | undefined;
  /**
   * Worker threads for views and dry runs, so that long ones do not delay other requests; close the adapter when done.
   * 'auto': those that take longer than BRIEF_MS_MAX run on a thread started when first needed; on a host without threads
   * they run on the engine's, and the log says so. Either way, transactions longer than STEP_MS_MAX get another thread.
   * Default: only that one, for transactions longer than STEP_MS_MAX_IN_PROCESS, and only if the host has threads. 0:
   * none at all.
   */
  readonly workers?: number | 'auto' | undefined;
  /** Nesting levels of a message. Default: JSON_DEPTH_MAX. */
  readonly jsonDepthMax?: number | undefined;
  /** Requests in a batch. Default: BATCH_REQUESTS_MAX. */
  readonly batchRequestsMax?: number | undefined;
  /** Characters of one answer, batch or not. Default: RESPONSE_CHARACTERS_MAX. */
  readonly responseCharactersMax?: number | undefined;
  /** Snapshots by dev_snapshot to keep. Default: SNAPSHOTS_MAX. */
  readonly snapshotsMax?: number | undefined;
  /** Forks by dev_fork that may exist at once. Default: FORKS_MAX. */
  readonly forksMax?: number | undefined;
  /** Milliseconds after which an unused fork is dropped. Default: FORK_IDLE_MS_MAX. */
  readonly forkIdleMsMax?: number | undefined;
  /** Items of a page under `chain_` and `btc_`. Default: PAGE_ITEMS_MAX_INTERFACE. */
  readonly pageItemsMaxInterface?: number | undefined;
  /** Items of a page under `rooch_`. Default: PAGE_ITEMS_MAX_CURRENT. */
  readonly pageItemsMaxCurrent?: number | undefined;
}

const LIMITS = {
  jsonDepthMax: JSON_DEPTH_MAX as number,
  batchRequestsMax: BATCH_REQUESTS_MAX as number,
  responseCharactersMax: RESPONSE_CHARACTERS_MAX as number,
  pageItemsMaxInterface: PAGE_ITEMS_MAX_INTERFACE as number,
  pageItemsMaxCurrent: PAGE_ITEMS_MAX_CURRENT as number,
  snapshotsMax: SNAPSHOTS_MAX as number,
  forksMax: FORKS_MAX as number,
  forkIdleMsMax: FORK_IDLE_MS_MAX as number,
};
const LIMIT_NAMES = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

const [EXPECTED_WORKERS, areWorkers] = wholeNumber(0, WORKERS_MAX);

const OPTIONS: { readonly [name in keyof RpcOptions]-?: Expectation } = {
  namespaces: arrayOf(oneOf(['chain', 'rooch'])),
  dev: A_BOOLEAN,
  serveNodes: A_BOOLEAN,
  wire: oneOf(['chain', 'rooch']),
  listStates: oneOf(['object', 'keyed']),
  broadcast: A_FUNCTION,
  forward: A_FUNCTION,
  log: A_FUNCTION,
  workers: [`${EXPECTED_WORKERS} or 'auto'`, (value) => value === 'auto' || areWorkers(value)],
  ...(Object.fromEntries(LIMIT_NAMES.map((name) => [name, bound(0)])) as Record<keyof typeof LIMITS, Expectation>),
};

/** @throws {EngineError} `invalid-argument` naming the option that is unknown or invalid */
export function assertRpcOptions(options: RpcOptions): void {
  assertOptions(options, OPTIONS);
}

/** The limits of one adapter, as listed by `rpc.discover`. */
export type RpcLimits = { readonly [name in keyof typeof LIMITS]: number };

export function limitsOf(options: RpcOptions): RpcLimits {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, options[name] ?? LIMITS[name]])) as RpcLimits;
}
