/**
 * Opens the chain of another node as a store to fork.
 * @module
 */
import { A_BOOLEAN, argumentError, assertFits, assertMembers, TEXT, wholeNumber } from '../../base/argument.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { toHash } from '../../base/hash/hash-input.ts';
import { type HttpAddress, readHttpAddress } from '../../base/http-address.ts';
import type { Log } from '../../base/log.ts';
import { ALL_HISTORY, type History, historyOperation, readHistory } from '../../chain/ledger/history.ts';
import type { RootOrOrder } from '../../query/reader.ts';
import type { NodeSource } from '../../store/tree/tree.ts';
import { cacheFolder } from './cache-folder.ts';
import { ForkCache, type Place } from './fork-cache.ts';
import { ForkOrigin, readForkPoint } from './origin.ts';
import { type ForkPoint, RemoteStore } from './remote-store.ts';
import type { WireForkPoint } from './wire.ts';

/** Milliseconds that a node may take for an answer to its fork, with all attempts. */
export const FORK_TIMEOUT_MS = 10_000;

const TIMEOUT_MS_MAX = 600_000;

/** Which chain to fork, and how. */
export interface RemoteForkOptions {
  /** A movelet node that serves rows (`movelet serve --serve-nodes`), as an http or https URL. */
  readonly url: string;
  /**
   * Where the fork begins: after the transaction at an order, or at a state root, against which everything in the state is
   * then verified. Default: the node's head, whose root is that node's word.
   */
  readonly at?: RootOrOrder | undefined;
  /**
   * The folder in which rows are kept for later forks, or false for none. Several processes may share one. Default:
   * movelet/forks in the folder for caches of this user.
   */
  readonly cache?: string | false | undefined;
  /** Whether the node is asked for nothing: what was not read before throws `offline`. Default: false. */
  readonly offline?: boolean | undefined;
  /** Milliseconds that the node may take for an answer, with all attempts. Default: FORK_TIMEOUT_MS. */
  readonly timeoutMs?: number | undefined;
}

/** The nodes of a chain's genesis that this process has. */
export interface KnownGenesis {
  readonly hash: Uint8Array;
  readonly nodes: NodeSource;
}

interface RemoteSettings {
  readonly address: HttpAddress;
  readonly place: Place;
  readonly cache: ForkCache | undefined;
  readonly isOffline: boolean;
  readonly timeoutMs: number;
}

/**
 * The store of the node at `url`, as of one point.
 * @param known nodes that this process has anyway; those of another genesis may have the same ones
 * @throws {EngineError} `invalid-argument`; `transport-failed`, `not-supported` for a node that serves no rows,
 * `not-found` for a point that its chain does not have, `pruned`, `remote-untrue`; `offline`; `store-failed` for a folder
 * that was named and cannot be used
 */
export async function openRemote(options: RemoteForkOptions, known: KnownGenesis, log: Log): Promise<RemoteStore> {
  const { address, place, cache, isOffline, timeoutMs } = readSettings(options, log);
  const name = address.origin;
  const origin = isOffline ? undefined : new ForkOrigin(address, timeoutMs);
  try {
    const given = await pointAt(place, cache, origin, name);
    const point = readForkPoint(given, place, name);
    const { head } = point;
    cache?.keepPoint(place, head, given);
    origin?.begin(head);
    return new RemoteStore({
      point: { ...point, history: keptHistory(point) },
      origin,
      name,
      cache: cache?.at(head),
      known: known.nodes,
      hasGenesis: equalBytes(known.hash, head.genesisHash),
      isPinned: place instanceof Uint8Array,
    });
  } catch (error) {
    origin?.close();
    throw error;
  }
}

function readSettings(options: RemoteForkOptions, log: Log): RemoteSettings {
  assertMembers(options, ['url', 'at', 'cache', 'offline', 'timeoutMs'], 'fork.');
  const { url, at, cache, offline = false, timeoutMs = FORK_TIMEOUT_MS } = options;
  const address = typeof url === 'string' ? readHttpAddress(url) : undefined;
  if (address === undefined) throw argumentError('fork.url', 'an http or https URL', url);
  assertFits(timeoutMs, 'fork.timeoutMs', wholeNumber(1, TIMEOUT_MS_MAX));
  assertFits(offline, 'fork.offline', A_BOOLEAN);
  if (cache !== undefined && cache !== false) assertFits(cache, 'fork.cache', TEXT);
  if (offline && cache === false) {
    throw new EngineError('invalid-argument', 'fork.offline needs a cache: leave out one of offline and cache: false');
  }
  const place =
    at === undefined || typeof at === 'bigint' ? at : toHash(at, 'fork.at', 'an order (a bigint), or a state root');
  return { address, place, cache: openCache(cache, address.href, offline, log), isOffline: offline, timeoutMs };
}

/** A folder that nobody named is used if it can be. */
function openCache(given: string | false | undefined, url: string, isNeeded: boolean, log: Log): ForkCache | undefined {
  if (given === false) return undefined;
  try {
    return ForkCache.open(given ?? cacheFolder(), url);
  } catch (error) {
    if (given !== undefined || isNeeded || !(error instanceof EngineError)) throw error;
    log({ level: 'warning', message: `${error.message}; the fork reads all from its origin` });
    return undefined;
  }
}

/** A point at a named place is always the same; the head is asked for. */
async function pointAt(
  place: Place,
  cache: ForkCache | undefined,
  origin: ForkOrigin | undefined,
  name: string,
): Promise<WireForkPoint> {
  const stored = place === undefined && origin !== undefined ? undefined : cache?.point(place);
  if (stored !== undefined) return stored;
  if (origin !== undefined) return origin.point(place);
  const where = place === undefined ? 'its head' : typeof place === 'bigint' ? `order ${place}` : 'that state root';
  throw new EngineError(
    'offline',
    `${name} has not been forked at ${where} before, and the fork is offline: open it once without offline`,
    { details: { remote: name } },
  );
}

/** How much of its past a fork has: what the node has, of which the fork prunes nothing. */
function keptHistory({ history: row }: ForkPoint): Uint8Array | undefined {
  if (row === undefined) return undefined;
  const { oldest } = readHistory({ get: () => row }) ?? ALL_HISTORY;
  const operation = historyOperation({ kept: undefined, oldest, next: oldest + 1n, staleDone: 0n } satisfies History);
  return operation.type === 'put' ? operation.value : undefined;
}
