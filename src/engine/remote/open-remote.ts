/**
 * Opens the chain of another node as a store to fork.
 * @module
 */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { A_BOOLEAN, argumentError, assertFits, assertMembers, TEXT, wholeNumber } from '../../base/argument.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { toHash } from '../../base/hash/hash-input.ts';
import { type HttpAddress, readHttpAddress } from '../../base/http-address.ts';
import type { Log } from '../../base/log.ts';
import { type Head, storedHead } from '../../chain/ledger/head.ts';
import { ALL_HISTORY, type History, historyOperation, readHistory } from '../../chain/ledger/history.ts';
import type { RowReader } from '../../chain/ledger/transactions.ts';
import type { RootOrOrder } from '../../query/reader.ts';
import { ForkCache, type Place } from './fork-cache.ts';
import { ForkOrigin, type NodeOrigin, readForkPoint } from './origin.ts';
import { type ForkPoint, RemoteStore } from './remote-store.ts';
import { RoochOrigin } from './rooch-origin.ts';
import type { WireForkPoint } from './wire.ts';

/** Milliseconds that a node may take for an answer to its fork, with all attempts. */
export const FORK_TIMEOUT_MS = 10_000;

const KINDS: readonly unknown[] = ['movelet', 'rooch'];

const TIMEOUT_MS_MAX = 600_000;

/** Which chain to fork, and how. */
export interface RemoteForkOptions {
  /** A node, as an http or https URL. */
  readonly url?: string | undefined;
  /**
   * What that node is: a movelet that serves rows (`movelet serve --serve-nodes`), or anything that answers the `rooch_*`
   * methods of a Rooch node, of which a fork has no roots and no proofs. Default: 'movelet'.
   */
  readonly kind?: 'movelet' | 'rooch' | undefined;
  /** In place of `url`: a file that `movelet fork` has written. Such a fork is offline. */
  readonly file?: string | undefined;
  /**
   * Where the fork begins: after the transaction at an order, or at a state root, against which all state is then
   * verified. Default: the node's head, whose root is taken on its word.
   */
  readonly at?: RootOrOrder | undefined;
  /**
   * The folder in which rows are kept for later forks, or false for none. Several processes may share one. Default:
   * movelet/forks in this user's cache folder.
   */
  readonly cache?: string | false | undefined;
  /** Whether to send no requests: what was not read before throws `offline`. Default: false. */
  readonly offline?: boolean | undefined;
  /** Milliseconds that the node may take for an answer, with all attempts. Default: FORK_TIMEOUT_MS. */
  readonly timeoutMs?: number | undefined;
}

interface RemoteSettings {
  /** Undefined for an offline fork. */
  readonly address: HttpAddress | undefined;
  /** The node, for messages. */
  readonly name: string;
  readonly place: Place;
  readonly cache: ForkCache | undefined;
  readonly timeoutMs: number;
  readonly isRooch: boolean;
}

/**
 * The store of the node at `url`, as of one point.
 * @param genesis rows of a chain at its genesis that this process has: another chain may have tree nodes of it
 * @throws {EngineError} `invalid-argument`; `transport-failed`, `not-supported` for a node that serves no rows,
 * `not-found` for a point that its chain does not have, `pruned`, `remote-untrue`; `offline`; `store-failed` for a folder
 * that was named and cannot be used
 */
export async function openRemote(options: RemoteForkOptions, genesis: RowReader, log: Log): Promise<RemoteStore> {
  const { address, name, place, cache, timeoutMs, isRooch } = readSettings(options, log);
  const origin = address && (isRooch ? new RoochOrigin(address, timeoutMs) : new ForkOrigin(address, timeoutMs));
  try {
    const given = await pointAt(place, cache, origin, name);
    const point = readForkPoint(given, place, name);
    const { head } = point;
    warnOfAnother(cache, head, name, log);
    // Its rows are cached like all others.
    cache?.keepPoint(place, head, { ...given, more: [] });
    origin?.begin(head);
    return new RemoteStore({
      point: { ...point, history: keptHistory(point) },
      origin,
      name,
      cache: cache?.at(head),
      genesis,
      hasGenesis: equalBytes(storedHead(genesis).genesisHash, head.genesisHash),
      isPinned: place instanceof Uint8Array,
      hasTree: given.kind !== 'rooch',
    });
  } catch (error) {
    origin?.close();
    throw error;
  }
}

function readSettings(options: RemoteForkOptions, log: Log): RemoteSettings {
  assertMembers(options, ['url', 'kind', 'file', 'at', 'cache', 'offline', 'timeoutMs'], 'fork.');
  const { url, kind = 'movelet', file, at, cache, offline = false, timeoutMs = FORK_TIMEOUT_MS } = options;
  assertFits(timeoutMs, 'fork.timeoutMs', wholeNumber(1, TIMEOUT_MS_MAX));
  assertFits(offline, 'fork.offline', A_BOOLEAN);
  if (!KINDS.includes(kind)) throw argumentError('fork.kind', `'movelet' or 'rooch'`, kind);
  if (cache !== undefined && cache !== false) assertFits(cache, 'fork.cache', TEXT);
  const place = readPlace(at);
  const isRooch = kind === 'rooch';
  if (file !== undefined) {
    if (url !== undefined) throw new EngineError('invalid-argument', 'fork: expected url or file, got both');
    const { cache: packed, remote } = ForkCache.ofFile(readPack(file));
    return { address: undefined, name: remote, place, cache: packed, timeoutMs, isRooch };
  }
  const address = readUrl(url);
  if (offline && cache === false) {
    throw new EngineError('invalid-argument', 'fork.offline needs a cache: leave out one of offline and cache: false');
  }
  const opened = openCache(cache, isRooch ? `rooch ${address.href}` : address.href, offline, log);
  return { address: offline ? undefined : address, name: address.origin, place, cache: opened, timeoutMs, isRooch };
}

function readUrl(url: unknown): HttpAddress {
  const address = typeof url === 'string' ? readHttpAddress(url) : undefined;
  if (address === undefined) throw argumentError('fork.url', 'an http or https URL', url);
  return address;
}

function readPlace(at: RootOrOrder | undefined): Place {
  return at === undefined || typeof at === 'bigint'
    ? at
    : toHash(at, 'fork.at', 'an order (a bigint), or a state root');
}

function readPack(file: unknown): Uint8Array {
  assertFits(file, 'fork.file', TEXT);
  try {
    return readFileSync(file as string);
  } catch (cause) {
    throw new EngineError('not-found', `fork.file: ${file as string} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The rows that forks of a node have read, as a file for `fork.file`.
 * @throws {EngineError} `not-found` if nothing was read of that place; as `openRemote`
 */
export function packFork(options: Pick<RemoteForkOptions, 'url' | 'kind' | 'at' | 'cache'>): Uint8Array {
  const { address, name, place, cache } = readSettings(options, () => {});
  if (cache === undefined || address === undefined) throw argumentError('fork.cache', 'a folder', options.cache);
  return cache.pack(place, name);
}

/**
 * The default folder for rows of forks, in this user's cache folder.
 * Source: the XDG base directory specification; the guidelines of macOS and Windows.
 */
function cacheFolder(): string {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = process.env;
  const caches =
    named !== undefined && named !== ''
      ? named
      : process.platform === 'win32' && local !== undefined
        ? local
        : join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  return join(caches, 'movelet', 'forks');
}

/** The default folder is used if possible; a folder that was named must be usable. */
function openCache(given: string | false | undefined, url: string, isNeeded: boolean, log: Log): ForkCache | undefined {
  if (given === false) return undefined;
  try {
    return ForkCache.open(given ?? cacheFolder(), url, ({ message }) => log({ level: 'warning', message }));
  } catch (error) {
    if (given !== undefined || isNeeded || !(error instanceof EngineError)) throw error;
    log({ level: 'warning', message: `${error.message}; the fork reads all from its origin` });
    return undefined;
  }
}

/** A named place is always the same point; the head is requested. */
async function pointAt(
  place: Place,
  cache: ForkCache | undefined,
  origin: NodeOrigin | undefined,
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

/** Warns if the state root of an order has changed: the node has another chain now, or was not honest. */
function warnOfAnother(cache: ForkCache | undefined, { order, stateRoot }: Head, name: string, log: Log): void {
  const before = cache?.point(order);
  if (before === undefined || equalBytes(readForkPoint(before, order, name).head.stateRoot, stateRoot)) return;
  log({
    level: 'warning',
    message: `${name} had another state root at order ${order} when it was forked before: it has another chain now, or one of its answers was not true`,
  });
}

/** The history of a fork: what the node has, none of which the fork prunes. */
function keptHistory({ history: row }: ForkPoint): Uint8Array | undefined {
  if (row === undefined) return undefined;
  const { oldest } = readHistory({ get: () => row }) ?? ALL_HISTORY;
  const operation = historyOperation({ kept: undefined, oldest, next: oldest + 1n, staleDone: 0n } satisfies History);
  return operation.type === 'put' ? operation.value : undefined;
}
