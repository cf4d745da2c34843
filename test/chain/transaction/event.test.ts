import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { event, transactionEvent } from '../../../src/chain/transaction/event.ts';
import { addressOf } from '../../../src/move/address.ts';
import { parseStructTag } from '../../../src/move/type-tag.ts';
import { eventArbitrary, transactionEventArbitrary } from '../../arbitraries/event.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';

describeCodec('TransactionEvent', transactionEvent, transactionEventArbitrary);
describeCodec('Event', event, eventArbitrary);

describe('the bytes of events (spec/state.md section 7)', () => {
  const one = `${'0'.repeat(63)}1`;
  const type = `${one}016d014500`;
  const shared = { eventType: parseStructTag('0x1::m::E'), eventData: Uint8Array.of(7, 8), eventIndex: 2n };

  it('as a transaction emits them: type, data, index, handle', () => {
    expect(toHex(encode(transactionEvent, { ...shared, handle: [addressOf(1)] }))).toBe(
      `${type}020708020000000000000001${one}`,
    );
  });

  it('as the ledger keeps them: handle, sequence number, type, data, index', () => {
    expect(toHex(encode(event, { ...shared, handle: [addressOf(1)], eventSeq: 3n }))).toBe(
      `01${one}0300000000000000${type}0207080200000000000000`,
    );
  });
});
