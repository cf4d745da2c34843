/**
 * Random blocks with every kind of inscription and output, valid or not by Bitcoin's own rules: unknown inputs, outputs
 * worth more than the inputs, coinbases that claim less than they may or repeat an earlier one.
 */

import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { scriptOfAddress } from '../../../src/bitcoin/address-derivation.ts';
import {
  type BitcoinTransaction,
  type DecodedBlock,
  headerHash,
  type InscriptionContent,
  type OutPoint,
  parseBitcoinAddress,
  spend,
} from '../../../src/bitcoin/index.ts';
import { envelopeScript } from '../../../src/bitcoin/mine.ts';
import { subsidyOf } from '../../../src/bitcoin/network.ts';
import { NULL_OUTPOINT } from '../../../src/bitcoin/outpoint.ts';
import { createTransaction } from '../../../src/bitcoin/transaction.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';

interface Coin {
  readonly outpoint: OutPoint;
  readonly value: bigint;
}

const PEOPLE = DEV_ACCOUNTS.slice(0, 4).map(({ regtestAddress }) =>
  scriptOfAddress(parseBitcoinAddress(regtestAddress)),
);
/** Nobody's: a script without address, and one that nobody can spend. */
const OTHERS = ['51', '6a', '6a0101'].map(fromHex);
/** Envelopes that no writer makes: with a field cut short, a number pushed by its opcode, a stutter, no content. */
const ODD_ENVELOPES = ['0063036f7264016368', '0063036f7264005168', '000063036f726468', '0063036f726468'].map(fromHex);

export class RandomBlocks {
  readonly #next: (below: number) => number;
  readonly #coins: Coin[] = [];
  readonly #coinbases: BitcoinTransaction[] = [];
  readonly #revealed: Uint8Array[] = [];
  #height: number;
  #previousHash: Uint8Array = new Uint8Array(32);
  #unique = 0;

  constructor(next: (below: number) => number, height: number) {
    this.#next = next;
    this.#height = height;
  }

  /** The next block. Its transactions are those that its header would name if that were checked. */
  mine(): { block: DecodedBlock; height: number } {
    const height = this.#height++;
    const transactions: BitcoinTransaction[] = [];
    let fees = 0n;
    for (let count = this.#next(6); count > 0; count--) {
      const { transaction, fee } = this.#transaction();
      transactions.push(transaction);
      fees += fee > 0n ? fee : 0n;
    }
    const coinbase = this.#coinbase(subsidyOf(height) + fees);
    const header = {
      version: 0x2000_0000,
      previousHash: this.#previousHash,
      merkleRoot: coinbase.txid,
      time: 1_800_000_000 + height * 600,
      bits: 0x207f_ffff,
      nonce: this.#unique++,
    };
    this.#previousHash = headerHash(header);
    const block = { header, hash: this.#previousHash, transactions: [coinbase, ...transactions], rawTransactions: [] };
    return { block, height };
  }

  #transaction(): { transaction: BitcoinTransaction; fee: bigint } {
    const coins = Array.from({ length: 1 + this.#next(4) }, () => this.#takeCoin());
    const total = coins.reduce((sum, { value }) => sum + value, 0n);
    const inputs = coins.map(({ outpoint }) => ({
      outpoint,
      scriptSig: Uint8Array.of(4, ...this.#uniqueBytes()),
      witness: this.#next(2) === 0 ? this.#witness(total) : [],
    }));
    const transaction = spend(inputs, this.#outputs(this.#share(total)));
    this.#keep(transaction);
    this.#revealed.push(transaction.txid);
    const fee = total - transaction.outputs.reduce((sum, { value }) => sum + value, 0n);
    return { transaction, fee };
  }

  /** Mostly less than there is, now and then nothing or more. */
  #share(total: bigint): bigint {
    const kind = this.#next(8);
    if (kind === 0) return 0n;
    if (kind === 1) return total + 1_000n;
    return kind < 5 ? total : total / BigInt(1 + this.#next(5));
  }

  #outputs(total: bigint): { scriptPubkey: Uint8Array; value: bigint }[] {
    let left = total;
    return Array.from({ length: 1 + this.#next(4) }, (_, index) => {
      const value = index === 3 || this.#next(4) === 0 ? left : left / BigInt(1 + this.#next(3));
      const used = this.#next(6) === 0 ? 0n : value;
      left -= used;
      return { scriptPubkey: this.#script(), value: used };
    });
  }

  #script(): Uint8Array {
    const from = this.#next(4) === 0 ? OTHERS : PEOPLE;
    return from[this.#next(from.length)]!;
  }

  /** One that is there, one that was never seen, or one that is worth nothing. */
  #takeCoin(): Coin {
    if (this.#coins.length === 0 || this.#next(12) === 0) {
      return { outpoint: { txid: concatBytes(this.#uniqueBytes(), new Uint8Array(28)), vout: 0 }, value: 0n };
    }
    return this.#coins.splice(this.#next(this.#coins.length), 1)[0]!;
  }

  #witness(total: bigint): Uint8Array[] {
    const scripts = Array.from({ length: 1 + this.#next(3) }, () =>
      this.#next(5) === 0 ? ODD_ENVELOPES[this.#next(ODD_ENVELOPES.length)]! : envelopeScript(this.#content(total)),
    );
    return [new Uint8Array(64), concatBytes(...scripts), Uint8Array.of(0xc0)];
  }

  #content(total: bigint): InscriptionContent {
    const { length } = this.#revealed;
    const parent = {
      txid: this.#revealed[this.#next(Math.max(length, 1))] ?? new Uint8Array(32),
      index: this.#next(2),
    };
    const pointer = (total * BigInt(this.#next(130))) / 100n;
    return {
      body: `${this.#unique}`,
      ...(this.#next(2) === 0 && { contentType: 'text/plain' }),
      ...(this.#next(4) === 0 && { pointer }),
      ...(this.#next(4) === 0 && { metaprotocol: 'test' }),
      ...(this.#next(5) === 0 && { metadata: this.#uniqueBytes() }),
      ...(this.#next(5) === 0 && { contentEncoding: 'br' }),
      ...(this.#next(4) === 0 && { parents: this.#next(2) === 0 ? [parent] : [parent, parent] }),
      ...(this.#next(5) === 0 && { fields: [[11 + this.#next(12), this.#uniqueBytes()] as const] }),
    };
  }

  #coinbase(reward: bigint): BitcoinTransaction {
    if (this.#coinbases.length > 0 && this.#next(25) === 0) {
      return this.#coinbases[this.#next(this.#coinbases.length)]!;
    }
    const scriptSig = Uint8Array.of(4, ...this.#uniqueBytes());
    const claimed = this.#next(3) === 0 ? reward / BigInt(1 + this.#next(4)) : reward;
    const coinbase = createTransaction({
      inputs: [{ previousOutput: NULL_OUTPOINT, scriptSig, sequence: 0, witness: [] }],
      outputs: this.#outputs(claimed),
    });
    this.#coinbases.push(coinbase);
    this.#keep(coinbase);
    return coinbase;
  }

  #keep({ txid, outputs }: BitcoinTransaction): void {
    for (const [vout, { value, scriptPubkey }] of outputs.entries()) {
      if (scriptPubkey[0] !== 0x6a) this.#coins.push({ outpoint: { txid, vout }, value });
    }
  }

  #uniqueBytes(): Uint8Array {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, ++this.#unique, true);
    return bytes;
  }
}
