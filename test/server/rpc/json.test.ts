/** JSON with all its digits: what is read and written, and that no text takes long to refuse. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExactNumber,
  type JsonValue,
  jsonInteger,
  parseJson,
  stringifyInPieces,
  stringifyJson,
  stringifyResult,
} from '../../../src/server/rpc/json.ts';
import { runs } from '../../effort.ts';
import { expectRefusal } from '../../refusal.ts';

describe('reading', () => {
  it('gives what the host gives, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const hasLarge = /\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
        if (!hasLarge) expect(parseJson(text, 100)).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(166, 500) },
    );
  });

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993',
    '18446744073709551616',
    '-99999999999999999999999999999999999999',
  ])('keeps the digits of %s', (digits) => {
    for (const [text, path] of [
      [digits, (value: unknown) => value],
      [` [ ${digits} ] `, (value: unknown) => (value as unknown[])[0]],
      [`{"a\\"1":{"b":[1,${digits}]}}`, (value: unknown) => (value as { 'a"1': { b: unknown[] } })['a"1'].b[1]],
    ] as const) {
      const found = path(parseJson(text, 32));
      expect(found).toBeInstanceOf(ExactNumber);
      expect((found as ExactNumber).source).toBe(digits);
    }
  });

  it('leaves alone digits in strings, and numbers that are not unsafe integers', () => {
    const text =
      '{"a":"9007199254740993","b\\\\":"\\"1234567890123456789","c":1234567890.1234567890123,"d":9007199254740991,"e":1e20}';
    expect(parseJson(text, 32)).toEqual(JSON.parse(text));
  });

  it('takes a number for the object that stands for one', () => {
    expect(parseJson('[{"~exact~":"5"}]', 32)).toEqual([{ '~exact~': '5' }]);
    expect(parseJson('[{"~exact~":"x"},9007199254740993]', 32)).toEqual([
      { '~exact~': 'x' },
      new ExactNumber('9007199254740993'),
    ]);
  });

  it('keeps names that every object has anyway', () => {
    const value = parseJson('{"__proto__":{"a":1},"constructor":9007199254740993}', 32) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":}',
    '01',
    '1.',
    '.5',
    '+1',
    'NaN',
    '"\u0000"',
    '"',
    "'a'",
    '[1] 2',
    '{"a":1,}',
    'tru',
    '9007199254740993.',
    '-9007199254740993e',
    '[9007199254740993',
    '09007199254740993',
  ])('refuses %j', (text) => {
    expectRefusal(() => parseJson(text, 32), 'malformed-bytes', /./);
  });

  it('bounds the objects and arrays, strings aside', () => {
    const empty = (count: number): string =>
      `[${Array(count - 1)
        .fill('{}')
        .join(',')}]`;
    expect(parseJson(empty(20_000), 32)).toHaveLength(19_999);
    expectRefusal(() => parseJson(empty(20_001), 32), 'limit-exceeded', /at most 20000 objects and arrays/);
    expect(parseJson(JSON.stringify(empty(30_000)), 32)).toHaveLength(90_000 - 2);
  });

  it('bounds the members of objects, which held the thread for 117 ms, strings aside', () => {
    const wide = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at}k":1`).join()}}`;
    expect(Object.keys(parseJson(wide(20_000), 32) as object)).toHaveLength(20_000);
    expectRefusal(() => parseJson(wide(20_001), 32), 'limit-exceeded', /at most 20000 members of objects/);
    expect(parseJson(`"${':'.repeat(60_000)}"`, 32)).toHaveLength(60_000);
  });

  it('bounds the values of arrays, which held the thread for 25 to 50 ms, strings aside', () => {
    const many = (value: string, count: number): string => `[${new Array(count).fill(value).join()}]`;
    expect(parseJson(many('1', 100_001), 32)).toHaveLength(100_001);
    expectRefusal(() => parseJson(many('1', 100_002), 32), 'limit-exceeded', /at most 100000 commas between values/);
    expectRefusal(() => parseJson(many('""', 100_002), 32), 'limit-exceeded', /at most 100000 commas between values/);
    expect(parseJson(`"${','.repeat(200_000)}"`, 32)).toHaveLength(200_000);
  });

  it('bounds the integers that a double cannot hold, which held it for 130 ms', () => {
    const many = (count: number): string => `[${'9007199254740993,'.repeat(count)}1]`;
    expect(parseJson(many(5_000), 32)).toHaveLength(5_001);
    expectRefusal(() => parseJson(many(5_001), 32), 'limit-exceeded', /at most 5000 integers beyond 2\^53/);
    expect(parseJson(`[${'900719925474099,'.repeat(30_000)}1.9007199254740993e3]`, 32)).toHaveLength(30_001);
  });

  it('bounds the levels, strings aside', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(32), 32)).toBeDefined();
    expectRefusal(() => parseJson(nested(33), 32), 'limit-exceeded', /at most 32 levels/);
    expectRefusal(() => parseJson(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 32), 'limit-exceeded', /32/);
    expect(parseJson(JSON.stringify('['.repeat(100)), 1)).toBe('['.repeat(100));
    expect(parseJson(JSON.stringify(['\\"[[[[']), 1)).toEqual(['\\"[[[[']);
    expectRefusal(() => parseJson('['.repeat(1_000_000), 32), 'limit-exceeded', /32/);
  });

  it('takes time in proportion to the text, whatever it is', () => {
    // Each would take hours if a string were looked for from each quote, or a number from each digit.
    const texts = [
      `[1234567890123456,"${'\\"'.repeat(500_000)}`,
      `[1234567890123456,${'"a'.repeat(500_000)}`,
      `[${'1'.repeat(1_000_000)}`,
      `[${'1'.repeat(1_000_000)}]`,
      `[${'1.'.repeat(500_000)}]`,
      `[${'1234567890123456,'.repeat(60_000)}`,
      `["${'\\\\'.repeat(500_000)}1234567890123456`,
    ];
    for (const text of texts) {
      try {
        parseJson(text, 32);
      } catch {
        // Refused or not: soon.
      }
    }
  });
});

describe('writing', () => {
  it('gives what the host gives, where possible', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: runs(166, 500) },
    );
  });

  it('writes bigints and exact numbers as numbers', () => {
    const value: JsonValue = { a: 2n ** 64n, b: [new ExactNumber('-5'), 1], c: null, d: '\ud800"' };
    expect(stringifyJson(value)).toBe('{"a":18446744073709551616,"b":[-5,1],"c":null,"d":"\\ud800\\""}');
  });

  it('gives programs a number where that is exact', () => {
    expect(jsonInteger(2n ** 53n - 1n)).toBe(2 ** 53 - 1);
    expect(jsonInteger(2n ** 53n)).toBe(2n ** 53n);
    expect(jsonInteger(-5n)).toBe(-5);
  });
});

describe('writing in pieces', () => {
  it('gives the same text, for pages and for what only resembles one', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.bigInt()) as fc.Arbitrary<JsonValue>;
    const page = fc.record({ data: fc.array(value), next_cursor: value, has_next_page: fc.boolean() });
    const results = fc.oneof(
      page,
      fc.record({ data: value, next_cursor: value }),
      fc.record({ data: fc.array(value) }),
      value,
    );
    await fc.assert(
      fc.asyncProperty(results, async (result) => {
        expect(await stringifyInPieces(result as JsonValue)).toBe(stringifyResult(result as JsonValue));
      }),
      { numRuns: runs(100, 300) },
    );
  });
});
