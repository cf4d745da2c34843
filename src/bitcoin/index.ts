/**
 * The entry point `movelet/bitcoin`: Bitcoin's formats, without a chain.
 * @module
 */
import '../base/hash/all-noble.ts';

export { formatBitcoinAddress, nodeAddressOf, parseBitcoinAddress } from './address.ts';
export { type BitcoinBlock, type DecodedBlock, decodeBlock, encodeBlock } from './block.ts';
export { type Envelope, envelopesOf, type InscriptionRecord } from './envelope.ts';
export { formatBitcoinHash, parseBitcoinHash } from './hash.ts';
export { type BlockHeader, blockHeader, headerHash } from './header.ts';
export {
  formatInscriptionId,
  type Inscription,
  type InscriptionId,
  inscription,
  parseInscriptionId,
} from './inscription.ts';
export {
  type InscriptionContent,
  type MinedBlock,
  type MineOptions,
  type Payee,
  type PlannedInput,
  type PlannedOutput,
  RegtestChain,
  reveal,
  spend,
} from './mine.ts';
export { BITCOIN_NETWORKS, type BitcoinNetwork } from './network.ts';
export { formatOutPoint, type OutPoint, type OutPointInput, parseOutPoint, type Utxo, utxo } from './outpoint.ts';
export type { BitcoinTransaction } from './transaction.ts';
