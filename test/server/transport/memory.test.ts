/** What a listener can be made to hold, by its bounds together and by what the message of a request takes. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_UNSENT_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  JSON_DEPTH_MAX,
  REQUEST_BYTES_MAX,
  RESPONSE_CHARACTERS_MAX,
} from '../../../src/base/config.ts';
import { BATCHES_CHARACTERS_MAX } from '../../../src/server/rpc/answer.ts';
import {
  JSON_LISTS_MAX,
  JSON_LONG_INTEGERS_MAX,
  JSON_MEMBERS_MAX,
  JSON_VALUES_MAX,
  parseJson,
} from '../../../src/server/rpc/json.ts';
import { Budget, Share } from '../../../src/server/transport/budget.ts';
import { FrameTally } from '../../../src/server/transport/websocket.ts';
import { heldMemory } from '../../fuzz/memory.ts';

const MIB = 2 ** 20;

/** The bytes of a request and its text, at least: the measure works. */
const LEAST_PER_BYTE = 2.9;
/** Bytes that a request takes until it is answered, per byte of its own: those bytes, its text, and its values. */
const HELD_PER_BYTE = 8;
/** The same while it is read; only one is read at a time. */
const READ_PER_BYTE = 14;
/** Bytes that an answer takes for each of its characters while it is made, one at a time. */
const MADE_PER_CHARACTER = 5;

const each = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join();

/** A message of the greatest length; one two-byte character makes all of its text take two bytes a character. */
const filled = (items: string): string => `[${items},"\u4e00${'x'.repeat(REQUEST_BYTES_MAX - items.length - 100)}"]`;

const LISTS = JSON_LISTS_MAX - 10;
const MEMBERS = JSON_MEMBERS_MAX - 10;
const VALUES = JSON_VALUES_MAX - 10;

describe('a request in memory', () => {
  it.each<[string, string]>([
    ['fractions', filled(each(VALUES, () => '0.123456789'))],
    ['one large object', filled(`{${each(MEMBERS, (at) => `"k${at}":0.1`)}}`)],
    [
      'small objects and short texts',
      filled(`${each(LISTS, (at) => `{"k${at}":"${at}"}`)},${each(VALUES - LISTS, (at) => `"t${at}"`)}`),
    ],
    ['integers beyond 2^53', filled(each(JSON_LONG_INTEGERS_MAX, (at) => `${'9'.repeat(20)}${at}`))],
  ])(`takes at most ${HELD_PER_BYTE} times its bytes: %s`, async (_name, message) => {
    const bytes = Buffer.from(message);
    expect(bytes.length).toBeLessThanOrEqual(REQUEST_BYTES_MAX);
    expect(bytes.length).toBeGreaterThan(REQUEST_BYTES_MAX - 1_000);
    // What other tests of this thread have left and let go meanwhile spoils a measure, but hardly twenty of them.
    let held = 0;
    for (let tries = 0; tries < 20 && !(held > LEAST_PER_BYTE && held < HELD_PER_BYTE); tries++) {
      const { objects: before } = await heldMemory();
      const text = bytes.toString('utf8');
      const value = parseJson(text, JSON_DEPTH_MAX);
      const { objects: after } = await heldMemory();
      expect([text, value]).toHaveLength(2);
      held = (bytes.length + after - before) / bytes.length;
    }
    expect(held).toBeLessThan(HELD_PER_BYTE);
    expect(held).toBeGreaterThan(LEAST_PER_BYTE);
  });
});

describe('all bounds of a listener together', () => {
  it('are below 350 MiB, as docs/limits.md says', () => {
    const requests = IN_FLIGHT_BYTES_MAX * HELD_PER_BYTE;
    const reading = REQUEST_BYTES_MAX * (READ_PER_BYTE - HELD_PER_BYTE);
    const answer = RESPONSE_CHARACTERS_MAX * MADE_PER_CHARACTER;
    const answers = answer + BATCHES_CHARACTERS_MAX + ALL_UNSENT_BYTES_MAX;
    const sum = Math.round((requests + reading + answers) / MIB);
    expect(sum).toBeLessThanOrEqual(350);
    const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain(`${sum} MiB in total`);
  });
});

const CONNECTIONS = 8;

it('connections together never hold more than the budget, and each always has its reserve', () => {
  const step = fc.record({ who: fc.nat(CONNECTIONS - 1), amount: fc.integer({ min: -400, max: 400 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
      const budget = new Budget(max, CONNECTIONS);
      const shares = Array.from({ length: CONNECTIONS }, () => new Share(budget));
      const model = shares.map(() => 0);
      for (const { who, amount } of steps) {
        const wanted = Math.max(0, model[who]! + amount);
        const isTaken = shares[who]!.set(wanted);
        if (wanted <= Math.max(budget.reserve, model[who]!)) expect(isTaken).toBe(true);
        if (isTaken) model[who] = wanted;
        expect(shares.map(({ held }) => held)).toEqual(model);
        expect(model.reduce((sum, held) => sum + held, 0)).toBeLessThanOrEqual(max);
      }
      for (const share of shares) share.close();
      // All of it has been returned: the shared part, and one reserve.
      expect(new Share(budget).set(max - budget.reserve * (CONNECTIONS - 1))).toBe(true);
    }),
  );
});

it('the share of a connection that has ended holds nothing', () => {
  const budget = new Budget(100, 1);
  const share = new Share(budget);
  expect(share.add(60)).toBe(true);
  share.close();
  share.remove(60);
  expect(share.add(1)).toBe(false);
  expect([share.held, budget.isTight]).toEqual([0, false]);
});

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
