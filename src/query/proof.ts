/**
 * Proofs of a chain's contents: of objects and fields under the state root, of transactions under the accumulator root,
 * of events under the event root of their transaction. `movelet/proof` checks them without a chain.
 *
 * A proof costs one walk for each part of an object's id; for transactions and events, a hash per level.
 * @module
 */

import { encode } from '../base/bcs.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { assert, EngineError } from '../base/error.ts';
import { type HashInput, toHash } from '../base/hash/hash-input.ts';
import { sha3 } from '../base/hash/sha3.ts';
import { readEvents } from '../chain/ledger/events.ts';
import { readTransaction, readTransactionOrder } from '../chain/ledger/transactions.ts';
import type { FieldKeyInput } from '../chain/object/field-key.ts';
import {
  type ObjectId,
  type ObjectIdInput,
  objectOrFieldId,
  parentObjectId,
  toObjectId,
} from '../chain/object/object-id.ts';
import { objectState } from '../chain/object/object-state.ts';
import { type EventProof, readableEventProof } from '../chain/proof/event-proof.ts';
import { type StateProof, type StateProofStep, StateProofValue } from '../chain/proof/state-proof.ts';
import { readableTransactionProof, type TransactionProof } from '../chain/proof/transaction-proof.ts';
import type { State } from '../chain/state/state.ts';
import { type LedgerTransactionData, l1Block, l1Transaction } from '../chain/transaction/ledger.ts';
import { transactionData } from '../chain/transaction/signed.ts';
import { append, EMPTY_ACCUMULATOR } from '../store/accumulator/accumulator.ts';
import { type AccumulatorSource, proveLeaf } from '../store/accumulator/proof.ts';
import { columnKey, orderBytes, type Position } from '../store/column.ts';
import { EMPTY_ROOT } from '../store/tree/tree.ts';
import { assertPosition } from './event.ts';
import type { Reader, ReaderSource } from './reader.ts';

export class ProofQueries {
  static {
    reportAtCaller(ProofQueries);
  }

  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /**
   * Proves that an object does or does not exist; with a key, that its field does or does not.
   * @throws {EngineError} `invalid-argument`, also for the root object; `state-not-loaded`.
   */
  object(id: ObjectIdInput, fieldKey?: FieldKeyInput): StateProof {
    const named = toObjectId(id, 'id');
    const whole = objectOrFieldId(named, fieldKey);
    return proveState(this.#source.current().state, whole);
  }

  /**
   * Proves that a transaction, given by its hash or its order, is in the ledger.
   * @throws {EngineError} `not-found`, `invalid-argument`.
   */
  transaction(hashOrOrder: HashInput | bigint): TransactionProof {
    const reader = this.#source.current();
    const order = orderOf(reader, hashOrOrder);
    const { transaction } = readTransaction(reader.rows, order);
    const info = reader.head.accumulator;
    const source: AccumulatorSource = (position) => reader.rows.get(columnKey('accumulatorNode', orderBytes(position)));
    const proof = proveLeaf(source, info, order);
    assert(proof !== undefined, `expected a leaf of the accumulator for order ${order}`);
    return readableTransactionProof({
      accumulatorRoot: info.root,
      numLeaves: info.numLeaves,
      order,
      transactionKind: transaction.data.kind,
      content: contentOf(transaction.data),
      siblings: proof.siblings,
    });
  }

  /**
   * Proves the data of an event, given by its position: the order of its transaction and its index there.
   * Costs a hash for each event of the transaction.
   * @throws {EngineError} `not-found`, `invalid-argument`.
   */
  event(position: Position): EventProof {
    assertPosition(position);
    const { rows, head } = this.#source.current();
    const { order, index } = position;
    const events = order < 0n || order > head.order ? [] : readEvents(rows, order);
    const found = events[index];
    if (found === undefined)
      throw new EngineError(
        'not-found',
        `position: expected that of an event of this chain, got event ${index} of order ${order}`,
      );
    const { info, nodes } = append(
      EMPTY_ACCUMULATOR,
      events.map(({ event }) => sha3(event.eventData)),
    );
    const hashes = new Map(nodes.map((node) => [node.position, node.hash]));
    const proof = proveLeaf((at) => hashes.get(at), info, BigInt(index));
    assert(proof !== undefined, `expected a leaf for event ${index} of order ${order}`);
    const { eventData } = found.event;
    const { siblings } = proof;
    return readableEventProof({
      eventRoot: info.root,
      eventCount: events.length,
      eventIndex: index,
      eventData,
      siblings,
    });
  }
}

/** The order of a transaction that the reader's accumulator holds. */
function orderOf({ rows, head }: Reader, given: HashInput | bigint): bigint {
  const isOrder = typeof given === 'bigint';
  const expected = 'hashOrOrder';
  const order = isOrder
    ? given
    : readTransactionOrder(rows, toHash(given, expected, 'an order (a bigint), or a transaction hash'));
  if (order !== undefined && order >= 0n && order <= head.order) return order;
  const named = isOrder ? `order ${given}` : `the hash ${toHexPrefixed(toHash(given, expected))}`;
  throw new EngineError('not-found', `hashOrOrder: expected a transaction up to order ${head.order}, got ${named}`);
}

/** The bytes of a transaction that are hashed. */
function contentOf(data: LedgerTransactionData): Uint8Array {
  switch (data.kind) {
    case 'l1-block':
      return encode(l1Block, data);
    case 'l1-transaction':
      return encode(l1Transaction, data);
    case 'l2-transaction':
      return encode(transactionData, data.data);
  }
}

/**
 * Proves that `id` does or does not exist in `state`.
 * @throws {EngineError} `invalid-argument` for the root object, which is in no tree.
 */
function proveState(state: State, id: ObjectId): StateProof {
  if (id.length === 0)
    throw new EngineError(
      'invalid-argument',
      'id: expected an object below the root object, which stands in no tree: its proof is the root',
    );
  const steps: StateProofStep[] = [];
  for (let depth = 1; depth <= id.length; depth++) {
    const parent = state.object(parentObjectId(id.slice(0, depth)) ?? []);
    const root = parent?.meta.stateRoot ?? EMPTY_ROOT;
    const object = state.object(id.slice(0, depth));
    const proof = state.tree.prove(root, id[depth - 1]!);
    steps.push({ proof, value: object === undefined ? undefined : encode(objectState, object) });
    if (object === undefined) break;
  }
  return new StateProofValue({ stateRoot: state.root, id, steps });
}
