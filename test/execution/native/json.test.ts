import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, encode, string, u8, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { addressOf } from '../../../src/move/address.ts';
import { runs } from '../../effort.ts';
import { DATA_EXTERNS, DATA_MODULES } from './data-modules.ts';
import { NativeWorld, pricesWith } from './native-world.ts';
import { hex, long, shownText, text } from './values.ts';

const DECLARATIONS = `${DATA_EXTERNS}
  struct Inner has copy, drop, store { value: u64 }
  struct Test has copy, drop, store {
    balance: u128,
    utf8_string: 0x1::string::String,
    age: u8,
    inner: Inner,
    bytes: vector<u8>,
    inner_array: vector<Inner>,
    account: address
  }
  struct Small has copy, drop, store { a: u8, b: u16, c: u32, d: u64, e: bool, f: u256 }
  struct Lists has copy, drop, store { list: vector<u16>, inner: Lists2, some: 0x1::option::Option<u8> }
  struct Lists2 has copy, drop, store { list: vector<bool> }
  struct OneAddress has copy, drop, store { addr: address }
  struct OneText has copy, drop, store { name: 0x1::string::String }
  struct OneAscii has copy, drop, store { name: 0x1::ascii::String }
  struct OneSigner has drop { who: signer }
  native fun native_from_json<T>(vector<u8>): 0x1::option::Option<T>
  native fun native_to_json<T>(&T): vector<u8>`;
const world = new NativeWorld('0x2::json', DECLARATIONS, DATA_MODULES);

const STRING = '0x1::string::String';
const OBJECT_ID = '0x2::object::ObjectID';
const DECIMAL = '0x2::decimal_value::DecimalValue';
const TEXT_MAP = `0x2::simple_map::SimpleMap<${STRING}, ${STRING}>`;
const BYTES_MAP = `0x2::simple_map::SimpleMap<${STRING}, vector<u8>>`;
const NONE = '{[]}';

function read(type: string, json: string): string {
  const outcome = world.call(`native_from_json<${type}>`, text(json));
  expect(outcome.gas).toBe(BigInt(1000 + 20 * new TextEncoder().encode(json).length));
  return outcome.result;
}

/** Reads a field of a struct that has only this one. */
function readAddress(json: string): string {
  return read('0x2::json::OneAddress', `{"addr":${json}}`);
}

function write(type: string, value: Uint8Array): string {
  const outcome = world.call(`native_to_json<${type}>`, value);
  if (!outcome.result.startsWith('[')) return `${outcome.result}, ${outcome.gas}`;
  const json = new TextDecoder().decode(Uint8Array.from(JSON.parse(outcome.result) as number[]));
  expect(outcome.gas).toBe(BigInt(1000 + 20 * new TextEncoder().encode(json).length));
  return json;
}

const decimal = (value: bigint, places: number): Uint8Array => concatBytes(encode(u256, value), encode(u8, places));

// Values here are those of the reference's own Move tests unless another source is given.
const WHOLE =
  '{"balance": "170141183460469231731687303715884105728","utf8_string":"rooch.network","age":30,"inner":{"value":100},"bytes":[3,3,2,1],"inner_array":[{"value":101}],"account":"rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqppq6exstd"}';

describe('natives of 0x2::json, reading', () => {
  it('fill a struct by the names of its fields', () => {
    const expected = `{170141183460469231731687303715884105728, {${shownText('rooch.network')}}, 30, {100}, [3, 3, 2, 1], [{101}], 0x42}`;
    expect(read('0x2::json::Test', WHOLE)).toBe(`{[${expected}]}`);
  });

  it.each(['abcd', '', '{', 'null', '[]', '{"balance":1}', `${WHOLE}x`, WHOLE.replace('30', '256')])(
    'give none for %j',
    (json) => {
      expect(read('0x2::json::Test', json)).toBe(NONE);
    },
  );

  it('give none for bytes that are not text', () => {
    expect(world.call('native_from_json<0x2::json::Inner>', hex('ff'))).toEqual({ result: NONE, gas: 1020n });
  });

  it('take only structs', () => {
    const refused = { result: 'ABORTED 1 at json:0:0', gas: 1020n };
    expect(world.call('native_from_json<u64>', text('1'))).toEqual(refused);
    expect(world.call('native_from_json<vector<u8>>', text('1'))).toEqual(refused);
  });

  it('take numbers that fit, written as integers', () => {
    const small = (members: string) => read('0x2::json::Small', members);
    const largest = '{"a":255,"b":65535,"c":4294967295,"d":18446744073709551615,"e":true,"f":"1"}';
    expect(small(largest)).toBe('{[{255, 65535, 4294967295, 18446744073709551615, true, 1}]}');
    expect(small(largest.replace('"f":"1"', '"f":""'))).toBe(
      '{[{255, 65535, 4294967295, 18446744073709551615, true, 0}]}',
    );
    const wrong = [
      ['255', '256'],
      ['65535', '65536'],
      ['4294967295', '4294967296'],
      ['18446744073709551615', '18446744073709551616'],
      ['18446744073709551615', '1.0'],
      ['18446744073709551615', '1e3'],
      ['255', '-1'],
      ['255', '-0'],
      ['255', '"1"'],
      ['true', '1'],
      ['true', 'null'],
      ['"1"', '1'],
      ['"1"', '"+1"'],
      ['"1"', '" 1"'],
      ['"1"', '"0x1"'],
      ['"1"', `"${2n ** 256n}"`],
    ] as const;
    for (const [right, other] of wrong) expect(small(largest.replace(right, other))).toBe(NONE);
    const max = largest.replace('"1"', `"00${2n ** 256n - 1n}"`);
    expect(small(max)).toContain((2n ** 256n - 1n).toString());
  });

  it.each([
    ['"0"', '0'],
    ['"+7"', '7'],
    ['"007"', '7'],
    [`"${2n ** 128n - 1n}"`, (2n ** 128n - 1n).toString()],
    [`"${2n ** 128n}"`, undefined],
    ['""', undefined],
    ['"+"', undefined],
    ['"-1"', undefined],
    ['1', undefined],
  ])('take as a u128 %s', (json, value) => {
    const result = read('0x2::json::Test', WHOLE.replace('"170141183460469231731687303715884105728"', json));
    if (value === undefined) expect(result).toBe(NONE);
    else expect(result.startsWith(`{[{${value}, `)).toBe(true);
  });

  it.each([
    ['"0x42"', '0x42'],
    ['"0x"', '0x0'],
    [`"0x${'AB'.repeat(32)}"`, `0x${'ab'.repeat(32)}`],
    ['"rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqppq6exstd"', '0x42'],
    ['"ROOCH1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQPPQ6EXSTD"', '0x42'],
    // Bits set after the last byte, with either checksum: written by BIP 350's Python code.
    ['"rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqg3u0llmt"', '0x11'],
    ['"rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqg3fn0n7f"', '0x11'],
    [`"0x1${'0'.repeat(64)}"`, undefined],
    ['"0X42"', undefined],
    ['"42"', undefined],
    ['"0xg"', undefined],
    ['"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"', undefined],
    ['"rooch1qqqq"', undefined],
    ['""', undefined],
    ['66', undefined],
    ['null', undefined],
  ])('take as an address %s', (json, address) => {
    expect(readAddress(json)).toBe(address === undefined ? NONE : `{[{${address}}]}`);
  });

  it('take a missing or null list or struct as an empty one, and nothing else', () => {
    const empty = '{[{[], {[]}, {[]}}]}';
    for (const json of ['{}', 'null', '[]', '1', '"x"', '{"list":null,"inner":null,"some":null}', '{"inner":{}}']) {
      expect(read('0x2::json::Lists', json)).toBe(empty);
    }
    expect(read('0x2::json::Lists', '{"list":[1,2],"inner":{"list":[true]},"some":3}')).toBe(
      '{[{[1, 2], {[true]}, {[3]}}]}',
    );
    expect(read('0x2::json::Lists', '{"list":[1,null]}')).toBe(NONE);
    expect(read('0x2::json::Lists', '{"list":{}}')).toBe(NONE);
    expect(read('0x2::json::OneText', '{}')).toBe(NONE);
    expect(read('0x2::json::Inner', '{}')).toBe(NONE);
    expect(read('0x2::json::OneSigner', '{"who":"0x1"}')).toBe(NONE);
  });

  it('take text, ASCII where the type says so', () => {
    expect(read(STRING, '"h\\u00e9"')).toBe(`{[{${shownText('hé')}}]}`);
    expect(read('0x2::json::OneAscii', '{"name":"\\u007f"}')).toBe('{[{{[127]}}]}');
    expect(read('0x2::json::OneAscii', '{"name":"h\\u00e9"}')).toBe(NONE);
    expect(read('0x2::json::OneText', '{"name":1}')).toBe(NONE);
  });

  it.each([
    ['""', '[]'],
    ['"0x"', '[]'],
    ['null', '[]'],
    ['"0x1"', '[0x1]'],
    ['"42"', '[0x42]'],
    [`"0x${'0'.repeat(63)}1${'0'.repeat(63)}2"`, '[0x1, 0x2]'],
    // What is left over beyond a multiple of 64 digits is lost.
    [`"0x${'0'.repeat(63)}1ffff"`, '[0x1]'],
    [`"0x${'0'.repeat(63)}1f"`, undefined],
    ['"0xg"', undefined],
    ['"0X1"', undefined],
    ['1', undefined],
  ])('take as an object id %s', (json, parts) => {
    expect(read(OBJECT_ID, json)).toBe(parts === undefined ? NONE : `{[{${parts}}]}`);
  });

  // Tests of decimal_value.rs of the reference; Rust's `f64::to_string` never writes an exponent.
  it.each([
    ['"1234.567"', '1234567, 3'],
    ['1234.567', '1234567, 3'],
    ['"0.123"', '123, 3'],
    ['"1234"', '1234, 0'],
    ['"0.000123"', '123, 6'],
    ['".123"', '123, 3'],
    ['"123."', '123, 0'],
    ['"."', '0, 0'],
    ['" 1.0 "', '10, 1'],
    ['"\\u00851\\u3000"', '1, 0'],
    [`"0.${'0'.repeat(300)}1"`, `1, ${301 % 256}`],
    ['1.0', '1, 0'],
    ['25', '25, 0'],
    ['9007199254740993', '9007199254740992, 0'],
    ['1e-7', '1, 7'],
    ['1.5e-7', '15, 8'],
    ['1e21', '1000000000000000000000, 0'],
    ['1.5e21', '1500000000000000000000, 0'],
    ['0.1', '1, 1'],
    ['0', '0, 0'],
    ['""', undefined],
    ['" "', undefined],
    ['"1.2.3"', undefined],
    ['"abc"', undefined],
    ['"\\ufeff1"', undefined],
    ['-1', undefined],
    ['-0', undefined],
    ['-0.5', undefined],
    ['1e300', undefined],
    ['null', undefined],
    ['true', undefined],
  ])('take as a decimal %s', (json, value) => {
    expect(read(DECIMAL, json)).toBe(value === undefined ? NONE : `{[{${value}}]}`);
  });

  // Time that grew with the square of the length would be minutes.
  it('give none for a decimal with many spaces within', () => {
    expect(read(DECIMAL, `"1${' '.repeat(400_000)}1"`)).toBe(NONE);
  });

  it('take an object of anything as a map of text', () => {
    const json =
      '{"balance": "17","age":30,"flag": true, "nothing": null, "account":"0x42", "inner":{"value":1e2},"bytes":[3, 3],"age":1}';
    const members = [
      ['balance', '17'],
      ['age', '1'],
      ['flag', 'true'],
      ['nothing', 'null'],
      ['account', '0x42'],
      ['inner', '{"value":100.0}'],
      ['bytes', '[3,3]'],
    ].map(([key, value]) => `{{${shownText(key!)}}, {${shownText(value!)}}}`);
    expect(read(TEXT_MAP, json)).toBe(`{[{[${members.join(', ')}]}]}`);
    expect(read(TEXT_MAP, '{}')).toBe('{[{[]}]}');
    for (const other of ['[]', 'null', '1', '"{}"']) expect(read(TEXT_MAP, other)).toBe(NONE);
  });

  it('take a map of bytes as the struct it is', () => {
    expect(read(BYTES_MAP, '{"data":[{"key":"a","value":[1]}]}')).toBe(`{[{[{{${shownText('a')}}, [1]}]}]}`);
    expect(read(BYTES_MAP, '{"a":1}')).toBe('{[{[]}]}');
  });

  it('never throw, whatever the JSON', () => {
    const types = ['0x2::json::Test', '0x2::json::Lists', '0x2::json::Small', OBJECT_ID, DECIMAL, TEXT_MAP, BYTES_MAP];
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (json) => {
        for (const type of types) read(type, json);
      }),
      { numRuns: runs(66, 200) },
    );
  });
});

describe('natives of 0x2::json, writing', () => {
  it.each<[string, Uint8Array, string]>([
    ['u8', Uint8Array.of(255), '255'],
    ['u64', long(2n ** 64n - 1n), '18446744073709551615'],
    ['u128', encode(u128, 2n ** 128n - 1n), '"340282366920938463463374607431768211455"'],
    ['u256', encode(u256, 0n), '"0"'],
    ['bool', Uint8Array.of(0), 'false'],
    [STRING, text('rooch.network'), '"rooch.network"'],
    [STRING, text('"\\\u0007é\u2028'), '"\\"\\\\\\u0007é\u2028"'],
    ['vector<u8>', hex('010203'), '[1,2,3]'],
    ['vector<u8>', hex(''), '[]'],
    [
      'vector<0x2::json::Inner>',
      concatBytes(Uint8Array.of(2), encode(u64, 1n), encode(u64, 2n)),
      '[{"value":1},{"value":2}]',
    ],
    ['address', addressOf(0x42), '"rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqppq6exstd"'],
    ['0x1::option::Option<u64>', Uint8Array.of(0), 'null'],
    ['0x1::option::Option<u64>', concatBytes(Uint8Array.of(1), long(5)), '5'],
    [OBJECT_ID, Uint8Array.of(0), '"0x"'],
    [
      OBJECT_ID,
      concatBytes(
        Uint8Array.of(2),
        fromHex('a7afe75c4f3a7631191905601f4396b25dde044539807de65ed4fc7358dbd98e'),
        fromHex('922b7bfcb1937ef58a03e80216493fff916d18cddc747b7a1fb93ce631ee9c62'),
      ),
      '"0xa7afe75c4f3a7631191905601f4396b25dde044539807de65ed4fc7358dbd98e922b7bfcb1937ef58a03e80216493fff916d18cddc747b7a1fb93ce631ee9c62"',
    ],
    // Fields that are null are left out.
    ['0x2::json::Lists', Uint8Array.of(1, 7, 0, 0, 0), '{"list":[7],"inner":{"list":[]}}'],
    ['0x2::json::Lists', Uint8Array.of(0, 0, 1, 9), '{"list":[],"inner":{"list":[]},"some":9}'],
  ])('a %s: %#', (type, value, json) => {
    expect(write(type, value)).toBe(json);
  });

  it.each<[bigint, number, string]>([
    [1_234_567n, 3, '1234.567'],
    [1_000_000n, 6, '1.0'],
    [11n, 1, '1.1'],
    [25n, 0, '25'],
    [0n, 2, '0.0'],
    [1n, 19, '1e-19'],
    [2n ** 53n, 2, '90071992547409.92'],
    [2n ** 53n + 1n, 2, '"90071992547409.93"'],
    [2n ** 53n + 1n, 20, '"0.00009007199254740993"'],
    [2n ** 64n - 1n, 0, '18446744073709551615'],
    [2n ** 64n, 0, '"18446744073709551616"'],
    [2n ** 128n - 1n, 2, '"3402823669209384634633746074317682114.55"'],
    [2n ** 256n - 1n, 0, `"${2n ** 256n - 1n}"`],
    [2n ** 128n, 40, '"0.0340282366920938463463374607431768211456"'],
  ])('the decimal %d with %i places', (value, places, json) => {
    expect(write(DECIMAL, decimal(value, places))).toBe(json);
  });

  it('panic for a small decimal of more places than a u64 has', () => {
    expect(write(DECIMAL, decimal(1n, 20))).toBe('ABORTED 987654321 at json:1:0, 0');
  });

  it('a map of bytes as an object, whose bytes are JSON', () => {
    const entry = (key: string, value: string) =>
      concatBytes(encode(string, key), encode(bytes, new TextEncoder().encode(value)));
    const map = (...entries: Uint8Array[]) => concatBytes(Uint8Array.of(entries.length), ...entries);
    expect(write(BYTES_MAP, map(entry('b', ' [1, 2] '), entry('a', '{"x":1.50}'), entry('n', 'null')))).toBe(
      '{"b":[1,2],"a":{"x":1.5},"n":null}',
    );
    expect(write(BYTES_MAP, map(entry('b', '1'), entry('a', '2'), entry('b', '3')))).toBe('{"b":3,"a":2}');
    expect(write(BYTES_MAP, map())).toBe('{}');
    expect(write(BYTES_MAP, map(entry('b', '')))).toBe('ABORTED 2 at json:1:0, 1000');
    expect(write(BYTES_MAP, map(entry('b', '{')))).toBe('ABORTED 2 at json:1:0, 1000');
  });

  it('a map of text as the struct it is', () => {
    const map = concatBytes(Uint8Array.of(1), text('a'), text('b'));
    expect(write(TEXT_MAP, map)).toBe('{"data":[{"key":"a","value":"b"}]}');
  });

  it('abort for what JSON cannot express', () => {
    expect(write('signer', addressOf(1))).toBe('ABORTED 2 at json:1:0, 1000');
    expect(write('vector<signer>', concatBytes(Uint8Array.of(1), addressOf(1)))).toBe('ABORTED 2 at json:1:0, 1000');
    expect(write(STRING, hex('ff'))).toBe('ABORTED 2 at json:1:0, 1000');
  });

  it('are free on a chain older than the native', () => {
    const entries = pricesWith({ 'json.to_bytes.base': undefined, 'json.to_bytes.per_byte_in_str': undefined });
    const old = new NativeWorld('0x2::json', DECLARATIONS, DATA_MODULES, entries);
    expect(old.call('native_to_json<u8>', Uint8Array.of(7))).toEqual({ result: shownText('7'), gas: 0n });
  });
});
