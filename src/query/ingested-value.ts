/**
 * What ingestion made, as programs get it. A block has thousands of transactions, so each is made readable when asked.
 * @module
 */
import type { EventRecord } from '../ledger/events.ts';
import type { TransactionRecord } from '../ledger/transactions.ts';
import { printAs } from '../value/byte-value.ts';
import { type PlainJson, plainJson, Readable } from '../value/readable.ts';
import { EventValue } from './event-value.ts';
import { TransactionValue } from './transaction-value.ts';

/** A ledger transaction and its events. */
export class IngestedValue extends Readable {
  readonly #record: TransactionRecord;
  readonly #events: readonly EventRecord[];

  constructor({ record, events }: { readonly record: TransactionRecord; readonly events: readonly EventRecord[] }) {
    super();
    this.#record = record;
    this.#events = events;
  }

  get record(): TransactionValue {
    return new TransactionValue(this.#record);
  }

  get events(): readonly EventRecord[] {
    return this.#events.map(({ position, event }) => ({ position, event: new EventValue(event) }));
  }

  override toJSON(): PlainJson {
    return { record: plainJson(this.record), events: plainJson(this.events) };
  }
}

printAs(IngestedValue, ({ record, events }, options, inspect) => inspect({ record, events }, options));
