/**
 * Opens the chain of another node as a store to fork.
 * @module
 */
import { argumentError, assertFits, assertMembers, wholeNumber } from '../base/argument.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { toHash } from '../base/hash/hash-input.ts';
import { readHttpAddress } from '../base/http-address.ts';
import { ALL_HISTORY, type History, historyOperation, readHistory } from '../chain/ledger/history.ts';
import type { RootOrOrder } from '../query/reader.ts';
import type { NodeSource } from '../store/tree/tree.ts';
import { ForkOrigin } from './origin.ts';
import { type ForkPoint, RemoteStore } from './remote-store.ts';

/** Milliseconds that a node may take for an answer to its fork, with all attempts. */
export const FORK_TIMEOUT_MS = 10_000;

const TIMEOUT_MS_MAX = 600_000;

interface RemoteOptions {
  readonly url: string;
  readonly at?: RootOrOrder | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The nodes of a chain's genesis that this process has. */
export interface KnownGenesis {
  readonly hash: Uint8Array;
  readonly nodes: NodeSource;
}

/**
 * The store of the node at `url`, as of one point.
 * @param known nodes that this process has anyway; those of another genesis may have the same ones
 * @throws {EngineError} `invalid-argument`; `transport-failed`, `not-supported` for a node that serves no rows,
 * `not-found` for a point that its chain does not have, `pruned`, `remote-untrue`
 */
export async function openRemote(options: RemoteOptions, known: KnownGenesis): Promise<RemoteStore> {
  assertMembers(options, ['url', 'at', 'timeoutMs'], 'fork.');
  const { url, at, timeoutMs = FORK_TIMEOUT_MS } = options;
  const address = typeof url === 'string' ? readHttpAddress(url) : undefined;
  if (address === undefined) throw argumentError('fork.url', 'an http or https URL', url);
  assertFits(timeoutMs, 'fork.timeoutMs', wholeNumber(1, TIMEOUT_MS_MAX));
  const place =
    at === undefined || typeof at === 'bigint' ? at : toHash(at, 'fork.at', 'an order (a bigint), or a state root');
  const origin = new ForkOrigin(address, timeoutMs);
  try {
    const point = await origin.begin(place);
    const hasGenesis = equalBytes(known.hash, point.head.genesisHash);
    return new RemoteStore({
      point: { ...point, history: keptHistory(point) },
      origin,
      known: known.nodes,
      hasGenesis,
    });
  } catch (error) {
    origin.close();
    throw error;
  }
}

/** How much of its past a fork has: what the node has, of which the fork prunes nothing. */
function keptHistory({ history: row }: ForkPoint): Uint8Array | undefined {
  if (row === undefined) return undefined;
  const { oldest } = readHistory({ get: () => row }) ?? ALL_HISTORY;
  const operation = historyOperation({ kept: undefined, oldest, next: oldest + 1n, staleDone: 0n } satisfies History);
  return operation.type === 'put' ? operation.value : undefined;
}
