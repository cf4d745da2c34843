import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameTally } from '../../../src/server/transport/websocket.ts';

/** A frame as RFC 6455 5.2 draws it, masked as a client's are. */
function frame(fin: boolean, opcode: number, length: number): Buffer {
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const bytes = Buffer.alloc(2 + size + 4 + length, 7);
  bytes[0] = (fin ? 0x80 : 0) | opcode;
  bytes[1] = 0x80 | (size === 0 ? length : size === 2 ? 126 : 127);
  if (size === 2) bytes.writeUInt16BE(length, 2);
  if (size === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

const PING = 9;
const length = fc.oneof(fc.nat(130), fc.constantFrom(0, 125, 126, 65_535, 65_536));
const ping = fc.record({ fin: fc.constant(true), opcode: fc.constant(PING), length: fc.nat(125) });
const message = fc
  .array(fc.tuple(fc.array(ping, { maxLength: 2 }), length), { minLength: 1, maxLength: 4 })
  .map((parts) =>
    parts.flatMap(([pings, size], index) => [
      ...pings,
      { fin: index === parts.length - 1, opcode: index === 0 ? 1 : 0, length: size },
    ]),
  );

describe('what arrives on a WebSocket', () => {
  it('is held from the read in which a message begins until it is whole, however it is cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), cuts, (messages, sizes) => {
        const bytes = Buffer.concat(messages.flat().map(({ fin, opcode, length: size }) => frame(fin, opcode, size)));
        // Where something ends: messages, and pings between them.
        const ends = new Set<number>([0]);
        let at = 0;
        let inMessage = false;
        for (const { fin, opcode, length: size } of messages.flat()) {
          at += frame(fin, opcode, size).length;
          if (opcode !== PING) inMessage = !fin;
          if (!inMessage) ends.add(at);
        }
        const tally = new FrameTally();
        const reads: [number, number][] = [];
        for (let start = 0, turn = 0; start < bytes.length; turn++) {
          const size = Math.max(sizes[turn % sizes.length]!, Math.ceil(bytes.length / 60));
          const end = Math.min(bytes.length, start + size);
          tally.take(bytes.subarray(start, end));
          reads.push([start, end]);
          start = end;
          if (ends.has(end)) expect(tally.heldBytes).toBe(0);
          else {
            const begun = Math.max(...[...ends].filter((whole) => whole < end));
            const held = reads.filter(([, readEnd]) => readEnd > begun);
            const least = held.reduce((sum, [from, to]) => sum + to - from, 0);
            expect(tally.heldBytes).toBeGreaterThanOrEqual(least);
            expect(tally.heldBytes).toBeLessThanOrEqual(least + 512 * held.length + 70_000 + 512);
          }
        }
        expect(tally.heldBytes).toBe(0);
      }),
    );
  });
});
