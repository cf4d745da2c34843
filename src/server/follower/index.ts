/**
 * Follows a Bitcoin Core node: ingests its blocks, including reorganisations, and sends it transactions.
 *
 * ```ts
 * const node = new BitcoinNode({ url: 'http://user:password@127.0.0.1:8332' });
 * await using follower = new Follower(engine, node, { from: 840_000 });
 * follower.start();
 * const rpc = createRpc(engine, { broadcast: (transaction) => node.broadcast(transaction) });
 * engine.status().follower;      // { state: 'following', height, nodeHeight, lag, secondsLeft, problem, ... }
 * ```
 * @module
 */
export type { FollowerStatus } from '../../query/status.ts';
export { BitcoinNode, type BitcoinNodeOptions, cookieFile } from './bitcoin-node.ts';
export { type FollowedEngine, Follower, type FollowerOptions } from './follower.ts';
