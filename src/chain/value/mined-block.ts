/**
 * Blocks mined for a test, as programs get them.
 * @module
 */

import type { BlockHeader } from '../../bitcoin/header.ts';
import type { MinedBlock } from '../../bitcoin/mine.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { BitcoinHashValue } from './bitcoin-hash.ts';
import { Readable } from './readable.ts';

export class MinedBlockValue extends Readable implements MinedBlock {
  readonly height: number;
  readonly hash: BitcoinHashValue;
  readonly header: BlockHeader;
  readonly transactions: readonly BitcoinTransaction[];
  readonly bytes: Uint8Array;

  constructor({ height, hash, header, transactions, bytes }: MinedBlock) {
    super();
    this.height = height;
    this.hash = new BitcoinHashValue(hash);
    this.header = headerValue(header);
    this.transactions = transactions.map((transaction) => ({
      ...transaction,
      txid: new BitcoinHashValue(transaction.txid),
    }));
    this.bytes = bytes;
  }
}

/** A header whose hashes are readable. */
export function headerValue(header: BlockHeader): BlockHeader {
  const previousHash = new BitcoinHashValue(header.previousHash);
  return { ...header, previousHash, merkleRoot: new BitcoinHashValue(header.merkleRoot) };
}
