import { describe, expect, it } from 'vitest';
import type { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { EventLog } from '../../../src/execution/runtime/event-log.ts';
import { MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';

const TYPE = structTag(MOVEOS_STD_ADDRESS, 'event', 'Event');
const HANDLE = [new Uint8Array(32)];

/** Bytes as they are. */
const raw = { write: (writer: ByteWriter, value: Uint8Array): void => writer.bytes(value) };

describe('the events of a session', () => {
  it('keep what was emitted, whatever becomes of the bytes that it was emitted from', () => {
    const log = new EventLog();
    const data = new Uint8Array(100);
    for (const byte of [1, 2, 3]) log.emit(TYPE, HANDLE, raw, data.fill(byte));
    log.emit(TYPE, HANDLE, raw, new Uint8Array(0));
    data.fill(0xff);
    expect(log.finish().map(({ eventIndex, eventData }) => [eventIndex, [...eventData]])).toEqual([
      [0n, new Array(100).fill(1)],
      [1n, new Array(100).fill(2)],
      [2n, new Array(100).fill(3)],
      [3n, []],
    ]);
  });

  it('may be many, and long', () => {
    const log = new EventLog();
    const data = Array.from({ length: 50 }, (_, index) => new Uint8Array(index * 400).fill(index));
    for (const one of data) expect(log.emit(TYPE, HANDLE, raw, one)).toBe(one.length);
    expect(log.finish().map(({ eventData }) => new Uint8Array(eventData))).toEqual(data);
  });

  it("are their own session's, while others are at work and after them", () => {
    const first = new EventLog();
    const second = new EventLog();
    first.emit(TYPE, HANDLE, raw, Uint8Array.of(1));
    second.emit(TYPE, HANDLE, raw, Uint8Array.of(2));
    const [one] = first.finish();
    first.finish();
    const third = new EventLog();
    third.emit(TYPE, HANDLE, raw, Uint8Array.of(3));
    second.emit(TYPE, HANDLE, raw, Uint8Array.of(4));
    expect(one!.eventData).toEqual(Uint8Array.of(1));
    expect(second.finish().map(({ eventData }) => [...eventData])).toEqual([[2], [4]]);
    expect(third.finish().map(({ eventData }) => [...eventData])).toEqual([[3]]);
  });
});
