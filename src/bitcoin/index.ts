/**
 * The entry point `movelet/bitcoin`: Bitcoin's formats, without a chain.
 * @module
 */
import '../base/hash/all-curves.ts';

export { formatBitcoinAddress, nodeAddressOf, parseBitcoinAddress } from './address.ts';
export { type BitcoinBlock, type DecodedBlock, decodeBlock, encodeBlock } from './block.ts';
export { type Envelope, envelopesOf } from './envelope.ts';
export type { InscriptionRecord } from './envelope-record.ts';
export { formatBitcoinHash, parseBitcoinHash } from './hash.ts';
export { type BlockHeader, blockHeader, headerHash } from './header.ts';
export { type Inscription, inscription } from './inscription.ts';
export { formatInscriptionId, type InscriptionId, parseInscriptionId } from './inscription-id.ts';
export {
  type MinedBlock,
  type MineOptions,
  RegtestChain,
  reveal,
  spend,
} from './mine.ts';
export { BITCOIN_NETWORKS, type BitcoinNetwork } from './network.ts';
export { formatOutPoint, type NamedOutPoint, type OutPoint, parseOutPoint } from './outpoint.ts';
export type { Payee, PlannedInput, PlannedOutput } from './planned-transaction.ts';
export type { InscriptionContent } from './reveal.ts';
export type { BitcoinTransaction } from './transaction.ts';
export { type Utxo, utxo } from './utxo.ts';
