/**
 * The accounts paid by the outputs of one transaction, each looked up once.
 * @module
 */

import { equalBytes } from '../../base/bytes/compare.ts';
import { NO_ADDRESS, nodeAddressOf } from '../../bitcoin/address.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { type Address, BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';

export class Recipients {
  readonly #outputs: BitcoinTransaction['outputs'];
  /** By output. */
  readonly #known: (Address | undefined)[] = [];

  constructor({ outputs }: BitcoinTransaction) {
    this.#outputs = outputs;
  }

  /** The node address that an output pays; the Bitcoin package's own if its script has no address. */
  of(vout: number): Address {
    const known = this.#known[vout];
    if (known !== undefined) return known;
    const recipient = this.#outputs[vout]?.recipient ?? NO_ADDRESS;
    // Outputs to one account are often adjacent, and comparing is a hundred times faster than hashing.
    const before = this.#known[vout - 1];
    const isSame = before !== undefined && equalBytes(recipient, this.#outputs[vout - 1]!.recipient);
    const address = isSame ? before : recipient.length === 0 ? BITCOIN_MOVE_ADDRESS : nodeAddressOf(recipient);
    this.#known[vout] = address;
    return address;
  }
}
