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

export {
  BITCOIN_NETWORKS,
  type BitcoinBlock,
  type BitcoinNetwork,
  type BitcoinTransaction,
  type BlockHeader,
  blockHeader,
  type DecodedBlock,
  decodeBlock,
  type Envelope,
  encodeBlock,
  envelopesOf,
  formatBitcoinAddress,
  formatBitcoinHash,
  formatInscriptionId,
  formatOutPoint,
  headerHash,
  type Inscription,
  type InscriptionContent,
  type InscriptionId,
  type InscriptionRecord,
  inscription,
  type MinedBlock,
  type MineOptions,
  nodeAddressOf,
  type OutPoint,
  type OutPointInput,
  type Payee,
  type PlannedInput,
  type PlannedOutput,
  parseBitcoinAddress,
  parseBitcoinHash,
  parseInscriptionId,
  parseOutPoint,
  RegtestChain,
  reveal,
  spend,
  type Utxo,
  utxo,
} from '../../bitcoin/index.ts';
export type { FollowerStatus } from '../../query/status.ts';
export { BitcoinNode, type BitcoinNodeOptions, cookieFile } from './bitcoin-node.ts';
export { type FollowedEngine, Follower, type FollowerOptions } from './follower.ts';
