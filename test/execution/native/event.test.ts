import { describe, expect, it } from 'vitest';
import { encode, u64 } from '../../../src/base/bcs.ts';
import { formatObjectId, objectId } from '../../../src/chain/object/object-id.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { NativeWorld, pricesWith } from './native-world.ts';

const OBJECT = `module 0x2::object
  struct ObjectID has copy, drop, store { path: vector<address> }`;
const EVENT = `extern 0x2::object { struct ObjectID has copy, drop, store }
  struct E has copy, drop { x: u64 }
  native fun native_emit<T>(T)
  native fun native_emit_with_handle<T>(0x2::object::ObjectID, T)`;
const PART = new Uint8Array(32).fill(7);

describe('natives of 0x2::event', () => {
  it('emit to the named object of the event type', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    const outcome = world.call('native_emit<0x2::event::E>', encode(u64, 5n));
    expect(outcome).toEqual({ result: '', gas: 53n + 6n * 8n });
    const [first, ...more] = world.host.events.finish();
    expect(more).toEqual([]);
    expect(first!.eventIndex).toBe(0n);
    expect(displayStruct(first!.eventType)).toBe('0x2::event::E');
    expect(first!.eventData).toEqual(encode(u64, 5n));
    // Python: sha3_256(b'0x' + b'0' * 63 + b'2::event::E')
    expect(formatObjectId(first!.handle)).toBe('0x2e0b0094ed24e63032d402b6a35ab79e4139735c0af0f17b68e040990682fbd9');
  });

  it('emit to a handle', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    const outcome = world.call(
      'native_emit_with_handle<0x2::event::E>',
      encode(objectId, [PART, PART]),
      encode(u64, 9n),
    );
    expect(outcome).toEqual({ result: '', gas: 1000n + 150n * 8n });
    expect(world.host.events.finish()[0]!.handle).toEqual([PART, PART]);
  });

  it('emit to a handle free of charge on a chain older than the native', () => {
    const entries = pricesWith({
      'events.emit_with_handle.base': undefined,
      'events.emit_with_handle.per_byte_in_str': undefined,
    });
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT], entries);
    const outcome = world.call('native_emit_with_handle<0x2::event::E>', encode(objectId, [PART]), encode(u64, 9n));
    expect(outcome).toEqual({ result: '', gas: 0n });
  });

  it('panic, as an abort with a code of its own, on what is not a struct', () => {
    const world = new NativeWorld('0x2::event', EVENT, [OBJECT]);
    expect(world.call('native_emit<u64>', encode(u64, 5n))).toEqual({
      result: 'ABORTED 987654321 at event:0:0',
      gas: 0n,
    });
  });
});
