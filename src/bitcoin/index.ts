/**
 * The entry point `movelet/bitcoin`: Bitcoin's formats, without a chain.
 * @module
 */
import '../base/hash/all-curves.ts';

export { formatBitcoinAddress, nodeAddressOf, parseBitcoinAddress } from './address.ts';
export { type BitcoinBlock, type DecodedBlock, decodeBlock, encodeBlock } from './block.ts';
export type { InscriptionRecord } from './envelope.ts';
export { type Envelope, envelopesOf } from './envelope.ts';
export { formatBitcoinHash, parseBitcoinHash } from './hash.ts';
export { type BlockHeader, blockHeader, headerHash } from './header.ts';
export {
  formatInscriptionId,
  type Inscription,
  type InscriptionId,
  inscription,
  parseInscriptionId,
} from './inscription.ts';
export type { InscriptionContent, Payee, PlannedInput, PlannedOutput } from './mine.ts';
export {
  type MinedBlock,
  type MineOptions,
  RegtestChain,
  reveal,
  spend,
} from './mine.ts';
export { BITCOIN_NETWORKS, type BitcoinNetwork } from './network.ts';
export { formatOutPoint, type NamedOutPoint, type OutPoint, parseOutPoint, type Utxo, utxo } from './outpoint.ts';
export type { BitcoinTransaction } from './transaction.ts';
