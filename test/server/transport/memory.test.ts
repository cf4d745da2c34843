/** What a listener can be made to hold, by its bounds together and by what the message of a request takes. */

import { readFileSync } from 'node:fs';
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
import { heldMemory } from '../../fuzz/memory.ts';

const MIB = 2 ** 20;

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
    ['one text', filled('0')],
    ['fractions', filled(each(VALUES, () => '0.123456789'))],
    ['short texts', filled(each(VALUES, (at) => `"${at}"`))],
    ['one large object', filled(`{${each(MEMBERS, (at) => `"k${at}":0.1`)}}`)],
    [
      'small objects and short texts',
      filled(`${each(LISTS, (at) => `{"k${at}":"${at}"}`)},${each(VALUES - LISTS, (at) => `"t${at}"`)}`),
    ],
    ['integers beyond 2^53', filled(each(JSON_LONG_INTEGERS_MAX, (at) => `${'9'.repeat(20)}${at}`))],
  ])(`takes at most ${HELD_PER_BYTE} times its bytes: %s`, async (_name, message) => {
    const bytes = Buffer.from(message);
    const { objects: before } = await heldMemory();
    const text = bytes.toString('utf8');
    const value = parseJson(text, JSON_DEPTH_MAX);
    const { objects: after } = await heldMemory();
    const held = bytes.length + after - before;
    expect(bytes.length).toBeLessThanOrEqual(REQUEST_BYTES_MAX);
    expect(bytes.length).toBeGreaterThan(REQUEST_BYTES_MAX - 1_000);
    expect([text, value]).toHaveLength(2);
    expect(held / bytes.length).toBeLessThan(HELD_PER_BYTE);
    // The bytes and the text, at least: the measure works.
    expect(held / bytes.length).toBeGreaterThan(2.9);
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
    expect(page).toContain(`${sum} MiB together`);
  });
});
