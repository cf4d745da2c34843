/**
 * The results of ingestion, as programs get them. A block has thousands of transactions, so each is converted only on
 * access.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { type EventRecord, readEvents } from '../chain/ledger/events.ts';
import { readTransactionOrder, type TransactionRecord } from '../chain/ledger/transactions.ts';
import { printAs } from '../chain/value/byte-value.ts';
import { type PlainJson, plainJson, Readable } from '../chain/value/readable.ts';
import { EventValue } from './event-value.ts';
import type { ReaderSource } from './reader.ts';
import { TransactionValue } from './transaction-value.ts';

/** A ledger transaction of a Bitcoin block, and its events. */
export interface Ingested {
  readonly record: TransactionRecord;
  /**
   * If a block has more than INGESTED_EVENTS_MAX events in total, they are read from the ledger.
   * @throws {EngineError} in that case: `not-found` once the chain has been reverted to before the transaction;
   * `closed`.
   */
  readonly events: readonly EventRecord[];
}

interface Committed {
  readonly record: TransactionRecord;
  readonly events: readonly EventRecord[] | undefined;
}

export class IngestedValue extends Readable implements Ingested {
  readonly #record: TransactionRecord;
  readonly #events: readonly EventRecord[] | undefined;
  readonly #source: ReaderSource;

  /** `committed.events` holds the events that are in memory. */
  constructor({ record, events }: Committed, source: ReaderSource) {
    super();
    this.#record = record;
    this.#events = events;
    this.#source = source;
  }

  get record(): TransactionValue {
    return new TransactionValue(this.#record);
  }

  get events(): readonly EventRecord[] {
    const events = this.#events ?? this.#storedEvents();
    return events.map(({ position, event }) => ({ position, event: new EventValue(event) }));
  }

  #storedEvents(): readonly EventRecord[] {
    const { rows } = this.#source.present();
    const { order, executionInfo } = this.#record;
    if (readTransactionOrder(rows, executionInfo.txHash) === order) return readEvents(rows, order);
    throw new EngineError(
      'not-found',
      `the transaction at order ${order} is gone: the chain was reverted to before it`,
    );
  }

  override toJSON(): PlainJson {
    return { record: plainJson(this.record), events: plainJson(this.events) };
  }
}

printAs(IngestedValue, ({ record, events }, options, inspect) => inspect({ record, events }, options));
