import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExactJson, formatJson, parseExactJson } from '../../../src/execution/native/json-value.ts';
import { runs } from '../../effort.ts';

const zeros = (count: number): string => '0'.repeat(count);

describe('the JSON parser', () => {
  it.each<[string, ExactJson]>([
    ['null', null],
    [' true ', true],
    ['\n\tfalse\r', false],
    ['0', 0n],
    ['1234', 1234n],
    ['-1', -1n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['""', ''],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"\\u12ab\\uAB12"', '\u12ab\uab12'],
    ['"\\uD83C\\uDF95"', '\u{1f395}'],
    ['"\u007f\u{1f395}"', '\u007f\u{1f395}'],
    ['[]', []],
    [' [ 1 , [ ] ] ', [1n, []]],
  ])('reads %j', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  // Tests of serde_json 1.0.148: test_parse_f64, test_parse_negative_zero.
  it.each<[string, number]>([
    ['0.0', 0],
    ['3.1', 3.1],
    ['-1.2', -1.2],
    ['2.638344616030823e-256', 2.638344616030823e-256],
    ['3.00', 3],
    ['0.4e5', 0.4e5],
    ['0.4e+15', 0.4e15],
    ['0.4e-01', 0.04],
    [' 0.4e-001 ', 0.04],
    ['0.4e-0', 0.4],
    ['0.00e+00', 0],
    ['3.5E-2147483647', 0],
    ['0.0100000000000000000001', 0.01],
    ['-9223372036854775809', -(2 ** 63)],
    ['18446744073709551616', 2 ** 64],
    ['0.0000000000000000000000000000000000000000000000000123e50', 1.23],
    ['100e-777777777777777777777777777', 0],
    ['1010101010101010101010101010101010101010', 1.01010101010101e39],
    ['0.1010101010101010101010101010101010101010', 0.101010101010101],
    ['0e1000000000000000000000000000000000000000000000', 0],
    [`1${zeros(308)}`, 1e308],
    [`1${zeros(300)}.0e8`, 1e308],
    [`1${zeros(300)}e8`, 1e308],
    [`1${zeros(318)}e-10`, 1e308],
    ['-0', -0],
    ['-0.0', -0],
    ['-0e2', -0],
    ['-1e-400', -0],
    ['-1e-4000000000000000000000000000000000000000000000000', -0],
  ])('reads %s as the double %d', (text, value) => {
    expect(parseExactJson(text)).toBeCloseTo(value, 12);
    expect(Object.is(parseExactJson(text), -0)).toBe(Object.is(value, -0));
  });

  // Two roundings, of the digits and of the power, where a correct reader rounds once: worked out with Python's floats.
  it.each<[string, number]>([
    ['9007199254740993.0', 9007199254740994],
    ['3.0107461400290343e-83', 3.0107461400290347e-83],
    ['123456789012345678e-20', 0.0012345678901234567],
    ['49406564584124654e-340', 5e-324],
    // The last digit of the whole part does not fit 64 bits, the next one, after the point, does.
    ['18446744073709551616.0', 2 ** 64],
  ])('rounds %s as the reference does', (text, value) => {
    expect(parseExactJson(text)).toBe(value);
  });

  // Tests of serde_json: test_parse_number_errors, test_parse_string, and the grammar of RFC 8259.
  it.each([
    '',
    ' ',
    '+',
    '.',
    '-',
    '-a',
    '00',
    '01',
    '-01',
    '0x80',
    '\\0',
    '.0',
    '0.',
    '1.',
    '1.a',
    '1.e1',
    '1e',
    '1e+',
    '1a',
    '+1',
    'NaN',
    'Infinity',
    '100e777777777777777777777777777',
    '-100e777777777777777777777777777',
    `1${zeros(309)}`,
    `1${zeros(300)}.0e9`,
    `1${zeros(300)}e9`,
    'nul',
    'truex',
    'True',
    '"',
    '"lol',
    '"lol"a',
    '"\\uD83C"',
    '"\\uDF95"',
    '"\\uD83C\\uFFFF"',
    '"\\uD83Cx"',
    '"\\u12g4"',
    '"\\u123"',
    '"\\x"',
    '"\n"',
    '"\u001f"',
    "'a'",
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{a:1}',
    '{"a" 1}',
    '{1:1}',
    '1 2',
    '\ufeff1',
    '\u00a01',
    // Also in members that another one of the same name replaces.
    '{"a":1e999,"a":1}',
    '{"a":"\\ud800","a":1}',
    '{"a":{1:2},"a":1}',
  ])('refuses %j', (text) => {
    expect(parseExactJson(text)).toBeUndefined();
  });

  it('keeps the order of members; of those with one name, the first gives the place and the last the value', () => {
    const value = parseExactJson('{"b":1,"a":2,"b":3,"":4}') as ReadonlyMap<string, ExactJson>;
    expect([...value]).toEqual([
      ['b', 3n],
      ['a', 2n],
      ['', 4n],
    ]);
  });

  it('takes the place of the first and the value of the last of members with one name', () => {
    expect([...(parseExactJson('{"b":1,"7":2,"__proto__":3,"b":4}') as Map<string, ExactJson>)]).toEqual([
      ['b', 4n],
      ['7', 2n],
      ['__proto__', 3n],
    ]);
  });

  it('reads up to 127 nested arrays and objects', () => {
    expect(parseExactJson(`${'['.repeat(127)}${']'.repeat(127)}`)).toBeDefined();
    expect(parseExactJson(`${'['.repeat(128)}${']'.repeat(128)}`)).toBeUndefined();
    expect(parseExactJson(`${'{"a":'.repeat(127)}1${'}'.repeat(127)}`)).toBeDefined();
    expect(parseExactJson(`${'{"a":'.repeat(128)}1${'}'.repeat(128)}`)).toBeUndefined();
    expect(parseExactJson(`[${'[],'.repeat(1000)}[]]`)).toBeDefined();
  });

  it('reads integers, text, arrays and objects as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value = parseExactJson(text);
        expectSame(value, JSON.parse(text));
        expectSame(value, JSON.parse(formatJson(value!)));
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('refuses what JSON.parse refuses, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,0123.eE-+ tfn\\u'), maxLength: 12 }), (text) => {
        const value = parseExactJson(text);
        if (value === undefined) return;
        expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: runs(1_000, 3_000) },
    );
  });
});

/** Fails unless `value` is what JSON.parse gave; doubles may be a few units of the last place apart. */
function expectSame(value: unknown, parsed: unknown): void {
  if (typeof value === 'bigint' || typeof value === 'number') {
    const expected = parsed as number;
    expect(Math.abs(Number(value) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-14);
  } else if (value instanceof Map) {
    const members = Object.entries(parsed as object);
    expect(new Set(value.keys())).toEqual(new Set(members.map(([name]) => name)));
    for (const [name, member] of members) expectSame(value.get(name), member);
  } else if (Array.isArray(value)) {
    expect(parsed).toHaveLength(value.length);
    for (const [index, item] of value.entries()) expectSame(item, (parsed as unknown[])[index]);
  } else {
    expect(value).toBe(parsed);
  }
}

describe('the JSON printer', () => {
  // Tests of zmij 1.0.1 and of serde_json 1.0.148 (test_write_f64).
  it.each<[number, string]>([
    [3, '3.0'],
    [-1.5, '-1.5'],
    [0, '0.0'],
    [-0, '-0.0'],
    [1.234, '1.234'],
    [-1.7976931348623157e308, '-1.7976931348623157e+308'],
    [Number.EPSILON, '2.220446049250313e-16'],
    [6.62607015e-34, '6.62607015e-34'],
    [5.444310685350916e14, '544431068535091.6'],
    [5e-324, '5e-324'],
    [1.234e-320, '1.234e-320'],
    [3.439070283483335e35, '3.439070283483335e+35'],
    [9.061488e15, '9061488000000000.0'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [0.00001, '0.00001'],
    [0.000001, '1e-6'],
    [0.000015, '0.000015'],
  ])('writes the double %d as %s', (value, text) => {
    expect(formatJson(value)).toBe(text);
  });

  it('writes everything else without white space', () => {
    const value = parseExactJson(' { "a" : [ 1 , -2 , null , true ] , "b\\n\\u0001\\u007f\\u2028" : { } } ')!;
    expect(formatJson(value)).toBe('{"a":[1,-2,null,true],"b\\n\\u0001\u007f\u2028":{}}');
  });
});
