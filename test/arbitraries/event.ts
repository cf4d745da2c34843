/** Events, as a transaction emits them and as the ledger keeps them. */
import fc from 'fast-check';
import type { Event, TransactionEvent } from '../../src/chain/transaction/event.ts';
import { bytesArbitrary } from './bytes.ts';
import { u64Arbitrary } from './integer.ts';
import { objectIdArbitrary } from './object-id.ts';
import { structTagArbitrary } from './type-tag.ts';

export const transactionEventArbitrary: fc.Arbitrary<TransactionEvent> = fc.record({
  eventType: structTagArbitrary,
  eventData: bytesArbitrary,
  eventIndex: u64Arbitrary,
  handle: objectIdArbitrary,
});

export const eventArbitrary: fc.Arbitrary<Event> = fc.record({
  handle: objectIdArbitrary,
  eventSeq: u64Arbitrary,
  eventType: structTagArbitrary,
  eventData: bytesArbitrary,
  eventIndex: u64Arbitrary,
});
