/** Decoded values, spec/rpc.md 7.3: every rendering rule, and the vectors of its section 14. */
import { describe, expect, it } from 'vitest';
import { encode, u8, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { concatBytes } from '../../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { addressOf } from '../../../src/move/address.ts';
import { annotate, type Layout, parseStructTag, type StructLayout } from '../../../src/query/transaction-builder.ts';
import { createRpc, type JsonValue, stringifyJson } from '../../../src/server/index.ts';
import { renderMoveValue, renderTop } from '../../../src/server/rpc/render.ts';
import { publishFor } from '../../pipeline/contract.ts';

const utf8 = (text: string): Uint8Array => {
  const bytes = new TextEncoder().encode(text);
  return Uint8Array.of(bytes.length, ...bytes);
};
const struct = (type: string, abilities: number, fields: Readonly<Record<string, Layout>>): StructLayout => ({
  kind: 'struct',
  tag: parseStructTag(type),
  abilities,
  fields: Object.entries(fields).map(([name, layout]) => ({ name, layout })),
});
const vector = (item: Layout): Layout => ({ kind: 'vector', item });
const plain = (kind: 'bool' | 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'u256' | 'address'): Layout => ({ kind });

const STRING = struct('0x1::string::String', 7, { bytes: vector(plain('u8')) });
const ASCII = struct('0x1::ascii::String', 7, { bytes: vector(plain('u8')) });
const OBJECT_ID = struct('0x2::object::ObjectID', 7, { path: vector(plain('address')) });
const DECIMAL = struct('0x2::decimal_value::DecimalValue', 7, { value: plain('u256'), decimal: plain('u8') });
const option = (item: Layout, name: string): StructLayout =>
  struct(`0x1::option::Option<${name}>`, 7, { vec: vector(item) });
const HOLDER = (layout: Layout): StructLayout => struct('0x42::a::Holder', 8, { held: layout });

/** The value as a field of a struct at the top. */
function held(layout: Layout, bytes: Uint8Array): JsonValue {
  const top = renderTop(annotate(HOLDER(layout), bytes)) as { value: { held: JsonValue } };
  return top.value.held;
}

describe('plain values', () => {
  it.each<[Layout, Uint8Array, JsonValue]>([
    [plain('bool'), Uint8Array.of(1), true],
    [plain('u8'), Uint8Array.of(255), 255],
    [plain('u16'), Uint8Array.of(1, 2), 513],
    [plain('u32'), Uint8Array.of(255, 255, 255, 255), 4_294_967_295],
    [plain('u64'), new Uint8Array(8).fill(255), '18446744073709551615'],
    [plain('u128'), new Uint8Array(16).fill(255), '340282366920938463463374607431768211455'],
    [plain('u256'), encode(u256, 5n), '5'],
    [plain('address'), addressOf(0x42), `0x${'42'.padStart(64, '0')}`],
    [vector(plain('u8')), Uint8Array.of(0), '0x'],
    [vector(plain('u8')), Uint8Array.of(2, 0xab, 1), '0xab01'],
    [vector(vector(plain('u8'))), Uint8Array.of(2, 1, 5, 0), ['0x05', '0x']],
    [vector(plain('u64')), concatBytes(Uint8Array.of(1), encode(u64, 9n)), ['9']],
    [vector(plain('bool')), Uint8Array.of(0), []],
  ])('%o', (layout, bytes, expected) => {
    expect(held(layout, bytes)).toEqual(expected);
  });
});

describe('structs', () => {
  it('have their members sorted by name, whatever the order of declaration', () => {
    const layout = struct('0x42::a::B<u8, vector<0x1::string::String>>', 12, {
      b: plain('u8'),
      a: plain('bool'),
      _c: plain('u8'),
      B: plain('u8'),
    });
    expect(stringifyJson(renderTop(annotate(layout, Uint8Array.of(1, 0, 3, 4))))).toBe(
      '{"abilities":12,"type":"0x42::a::B<u8, vector<0x1::string::String>>","value":{"B":4,"_c":3,"a":false,"b":1}}',
    );
  });

  it('are shown in full at the top, also those that have a short form', () => {
    expect(renderTop(annotate(STRING, utf8('hi')))).toEqual({
      abilities: 7,
      type: '0x1::string::String',
      value: { bytes: '0x6869' },
    });
    expect(renderMoveValue(annotate(STRING, utf8('hi'))), 'as a value it is its text').toBe('hi');
  });

  it('that are empty have the field that the compiler adds', () => {
    expect(held(struct('0x42::a::E', 2, { dummy_field: plain('bool') }), Uint8Array.of(0))).toEqual({
      abilities: 2,
      type: '0x42::a::E',
      value: { dummy_field: false },
    });
  });
});

describe('short forms', () => {
  it('of strings', () => {
    expect(held(STRING, utf8('grün "'))).toBe('grün "');
    expect(held(ASCII, utf8('plain'))).toBe('plain');
    expect(held(STRING, utf8('\ufeffmark'))).toBe('\ufeffmark');
    expect(held(STRING, Uint8Array.of(3, 1, 2, 255))).toBe('[1, 2, 255]');
  });

  it('of object ids', () => {
    expect(held(OBJECT_ID, Uint8Array.of(0))).toBe('0x');
    expect(held(OBJECT_ID, concatBytes(Uint8Array.of(2), addressOf(1), addressOf(2)))).toBe(
      `0x${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`,
    );
  });

  const decimal = (value: bigint, digits: number): JsonValue =>
    held(DECIMAL, concatBytes(encode(u256, value), encode(u8, digits)));

  it('of decimal values', () => {
    expect(decimal(1_234_567n, 3)).toBe(1234.567);
    expect(decimal(2n ** 128n - 1n, 3)).toBe('340282366920938463463374607431768211.455');
    expect(decimal(5n, 0)).toBe(5);
    expect(decimal(2n ** 64n - 1n, 0)).toBe(2n ** 64n - 1n);
    expect(decimal(2n ** 64n, 0)).toBe('18446744073709551616');
    expect(decimal(2n ** 256n - 1n, 0)).toBe((2n ** 256n - 1n).toString());
    expect(decimal(1_000n, 3)).toBe(1);
    expect(decimal(2n ** 53n, 2)).toBe(90_071_992_547_409.92);
    expect(decimal(2n ** 53n + 1n, 2)).toBe('90071992547409.93');
    expect(decimal(2n ** 53n + 1n, 20)).toBe('0.00009007199254740993');
    expect(decimal(10n ** 30n, 255)).toBe(`0.${'0'.repeat(224)}1${'0'.repeat(30)}`);
    expect(decimal(5n, 20)).toBe(5e-20);
  });

  it('only of the framework’s own types', () => {
    const other = struct('0x42::string::String', 7, { bytes: vector(plain('u8')) });
    expect(held(other, utf8('a'))).toEqual({ abilities: 7, type: '0x42::string::String', value: { bytes: '0x61' } });
  });

  it('not of options: they are structs with a vector', () => {
    expect(held(option(plain('u64'), 'u64'), Uint8Array.of(0))).toEqual({
      abilities: 7,
      type: '0x1::option::Option<u64>',
      value: { vec: [] },
    });
    expect(held(option(plain('u64'), 'u64'), concatBytes(Uint8Array.of(1), encode(u64, 5n)))).toMatchObject({
      value: { vec: ['5'] },
    });
    expect(held(option(plain('u8'), 'u8'), Uint8Array.of(0))).toMatchObject({ value: { vec: '0x' } });
    expect(held(option(plain('u8'), 'u8'), Uint8Array.of(1, 5))).toMatchObject({ value: { vec: '0x05' } });
    expect(held(option(STRING, '0x1::string::String'), concatBytes(Uint8Array.of(1), utf8('hi')))).toMatchObject({
      value: { vec: { abilities: 7, type: '0x1::string::String', field: ['bytes'], value: [['0x6869']] } },
    });
  });
});

describe('vectors of structs', () => {
  const scope = struct('0x3::session_key::SessionScope', 7, {
    module_address: plain('address'),
    module_name: STRING,
    function_name: STRING,
  });

  it('are tables: names once in the order of declaration, then rows', () => {
    const bytes = concatBytes(Uint8Array.of(1), addressOf(3), utf8('*'), utf8('*'));
    expect(stringifyJson(held(vector(scope), bytes))).toBe(
      `{"abilities":7,"type":"0x3::session_key::SessionScope","field":["module_address","module_name","function_name"],"value":[["0x${'3'.padStart(64, '0')}","*","*"]]}`,
    );
    expect(held(vector(scope), Uint8Array.of(0))).toEqual([]);
  });

  it('show strings and object ids in rows as structs, and as columns by their short form', () => {
    expect(held(vector(STRING), concatBytes(Uint8Array.of(2), utf8('hi'), Uint8Array.of(0)))).toEqual({
      abilities: 7,
      type: '0x1::string::String',
      field: ['bytes'],
      value: [['0x6869'], ['0x']],
    });
    expect(held(vector(OBJECT_ID), concatBytes(Uint8Array.of(1, 1), addressOf(1)))).toMatchObject({
      field: ['path'],
      value: [[[`0x${'1'.padStart(64, '0')}`]]],
    });
    const nested = struct('0x42::a::Row', 7, { id: OBJECT_ID, list: vector(STRING), amount: plain('u128') });
    const bytes = concatBytes(Uint8Array.of(1, 0, 1), utf8('x'), encode(u128, 7n));
    expect(held(vector(nested), bytes)).toMatchObject({
      value: [['0x', { type: '0x1::string::String', value: [['0x78']] }, '7']],
    });
  });

  it('inside vectors are tables in an array', () => {
    const bytes = concatBytes(Uint8Array.of(2, 0, 1), utf8('x'));
    expect(held(vector(vector(STRING)), bytes)).toEqual([
      [],
      { abilities: 7, type: '0x1::string::String', field: ['bytes'], value: [['0x78']] },
    ]);
  });
});

describe('a stored value whose type was upgraded with other fields', () => {
  const text = `module 0xa11ce::box
    struct Box has key, store { count: u8 }
    struct Told has copy, drop { count: u8 }
    fun init() {
      LdU8 3; Pack Box
      Call 0x2::object::new_named_object<Box>; Call 0x2::object::to_shared<Box>
      LdU8 3; Pack Told; Call 0x2::event::emit<Told>
      Ret
    }
`;
  const [alice] = DEV_ACCOUNTS;

  it('is an error that names the type and says what to do, and is given without decode', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    for (const version of [text, text.replaceAll('count: u8', 'count: u64').replaceAll('LdU8', 'LdU64')]) {
      expect((await engine.executeAs(alice!.address, publishFor(alice!, version))).status).toEqual({
        kind: 'executed',
      });
    }
    const [box, told] = [`${alice!.address}::box::Box`, `${alice!.address}::box::Told`];
    const asks = [
      ['chain_getStates', [`/object/${box}`], box],
      ['rooch_getObjectStates', [box], box],
      ['chain_getEventsByEventHandle', [told, null, null, true], told],
      ['rooch_queryEvents', [{ event_type: told }, null, null], told],
    ] as const;
    for (const [method, params, type] of asks) {
      const ask = (decode: boolean) => rpc.request(method as 'chain_getStates', [...params, { decode }] as never);
      await expect(ask(true), method).rejects.toMatchObject({
        code: 2,
        message: expect.stringMatching(
          `^Annotate the MoveValue error: a stored ${type}: expected 8 bytes at byte 0, got 1`,
        ),
        data: { code: 'corrupt', hint: expect.stringMatching('upgraded with other fields.*ask without decode') },
      });
      await expect(ask(false), method).resolves.toBeDefined();
    }
  });
});
