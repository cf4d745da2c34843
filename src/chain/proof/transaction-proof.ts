/**
 * Transaction proofs: that the ledger holds a transaction at an order, for a verifier who trusts the root of the
 * transaction accumulator and its number of leaves. `engine.head.accumulator` has both, and so does every
 * transaction's sequence info.
 *
 * The accumulator is over the transactions' hashes. The proof holds the bytes that are hashed, so it shows what the
 * transaction says and not only its hash. The signature is not part of the hash: the proof does not show it.
 *
 * The verifier needs the number of leaves, since leaves are not hashed again: without it an inner node could pass for a
 * leaf. Source: moveos/moveos-commons/accumulator/src/proof of the reference.
 * @module
 */

import {
  A_U64,
  argumentError,
  assertBytes,
  assertFits,
  assertObject,
  type Expectation,
  eachOf,
  oneOf,
} from '../../base/argument.ts';
import { bytes, bytes32, type Codec, decode, struct, u64, unit, variant, vector } from '../../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { unlessRefused } from '../../base/error.ts';
import { type HashInput, toHash } from '../../base/hash/hash-input.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { verifyLeaf } from '../../store/accumulator/proof.ts';
import {
  type L1Block,
  type L1Transaction,
  type LedgerTransactionData,
  l1Block,
  l1Transaction,
} from '../transaction/ledger.ts';
import { type TransactionData, transactionData } from '../transaction/signed.ts';
import { readable } from '../value/readable.ts';

/** A Bitcoin block, one of its transactions, or a transaction of the chain itself. */
export type TransactionKind = LedgerTransactionData['kind'];

export const TRANSACTION_KIND: Expectation = oneOf(['l1-block', 'l1-transaction', 'l2-transaction']);

/** Shows that a transaction is at an order of the ledger. */
export interface TransactionProof {
  readonly kind: 'transaction';
  /** Of the accumulator that the proof leads to, which may be a later one than the transaction's own. */
  readonly accumulatorRoot: Uint8Array;
  /** Leaves under that root: the order of its last transaction plus one. */
  readonly numLeaves: bigint;
  readonly order: bigint;
  readonly transactionKind: TransactionKind;
  /** What is hashed: BCS of the block, of the Bitcoin transaction's identifiers, or of the data that a sender signs. */
  readonly content: Uint8Array;
  /** The hash of the other half at each level, lowest first. */
  readonly siblings: readonly Uint8Array[];
}

const kinds = variant<{ readonly kind: TransactionKind }>('TransactionKind', [
  unit('l1-block'),
  unit('l1-transaction'),
  unit('l2-transaction'),
]);

const transactionKind: Codec<TransactionKind> = {
  write: (writer, kind) => kinds.write(writer, { kind }),
  read: (reader) => kinds.read(reader).kind,
};

export const transactionProof: Codec<Omit<TransactionProof, 'kind'>> = struct<Omit<TransactionProof, 'kind'>>({
  accumulatorRoot: bytes32,
  numLeaves: u64,
  order: u64,
  transactionKind,
  content: bytes,
  siblings: vector(bytes32),
});

/** A proof with hashes of its own, in readable form. */
export function readableTransactionProof(proof: Omit<TransactionProof, 'kind'>): TransactionProof {
  const { accumulatorRoot, siblings } = proof;
  const own = siblings.map((sibling) => sibling.slice());
  return readable({ kind: 'transaction', ...proof, accumulatorRoot: accumulatorRoot.slice(), siblings: own });
}

/** What a proof shows: the transaction at an order, without its signature. */
export interface ProvenTransaction {
  readonly order: bigint;
  /** The hash by which the ledger knows it. */
  readonly hash: string;
  readonly transaction:
    | ({ readonly kind: 'l1-block' } & L1Block)
    | ({ readonly kind: 'l1-transaction' } & L1Transaction)
    | { readonly kind: 'l2-transaction'; readonly data: TransactionData };
}

/** A trusted accumulator, such as `engine.head.accumulator`. */
export interface TrustedAccumulator {
  readonly root: HashInput;
  readonly numLeaves: bigint;
}

/**
 * The transaction that `proof` shows under the accumulator; undefined if it shows none. Reads no ledger.
 * @throws {EngineError} `invalid-argument` for anything that does not have the form of a proof, or of an accumulator
 */
export function verifyTransactionProof(
  proof: TransactionProof,
  accumulator: TrustedAccumulator,
): ProvenTransaction | undefined {
  assertForm(proof);
  assertObject(accumulator, 'accumulator', '{ root, numLeaves }');
  const root = toHash(accumulator.root, 'accumulator.root', 'the root of an accumulator');
  assertFits(accumulator.numLeaves, 'accumulator.numLeaves', A_U64);
  const { accumulatorRoot, numLeaves, order, content, siblings } = proof;
  if (!equalBytes(accumulatorRoot, root) || numLeaves !== accumulator.numLeaves) return undefined;
  const hash = sha3(content);
  if (!verifyLeaf({ siblings }, root, hash, order, numLeaves)) return undefined;
  const transaction = decodeContent(proof);
  return transaction === undefined ? undefined : { order, hash: toHexPrefixed(hash), transaction };
}

function assertForm(proof: TransactionProof): void {
  assertObject(proof, 'proof', 'a proof of a transaction, as engine.proofs.transaction gives it');
  if (proof.kind !== 'transaction') throw argumentError('proof.kind', "'transaction'", proof.kind);
  assertBytes(proof.accumulatorRoot, 'proof.accumulatorRoot');
  assertFits(proof.numLeaves, 'proof.numLeaves', A_U64);
  assertFits(proof.order, 'proof.order', A_U64);
  assertFits(proof.transactionKind, 'proof.transactionKind', TRANSACTION_KIND);
  assertBytes(proof.content, 'proof.content');
  eachOf(proof.siblings, 'proof.siblings', (sibling, name) => assertBytes(sibling, name));
}

/** Hashes of Bitcoin blocks and transactions must have 32 bytes, so that content of one kind cannot pass for another. */
function decodeContent({
  transactionKind: kind,
  content,
}: TransactionProof): ProvenTransaction['transaction'] | undefined {
  // Bytes that do not decode as this kind of transaction prove nothing about one.
  return unlessRefused(() => {
    switch (kind) {
      case 'l1-block': {
        const block = decode(l1Block, content);
        return block.blockHash.length === 32 ? { kind, ...block } : undefined;
      }
      case 'l1-transaction': {
        const named = decode(l1Transaction, content);
        return named.blockHash.length === 32 && named.txid.length === 32 ? { kind, ...named } : undefined;
      }
      case 'l2-transaction':
        return { kind, data: decode(transactionData, content) };
    }
  }, 'malformed-bytes');
}
