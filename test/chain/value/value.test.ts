/** Values at the public edge: they are bytes to programs and text to people. */
import { strict as assert } from 'node:assert';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs/codec.ts';
import { bytes32 } from '../../../src/base/bcs/primitive.ts';
import { equalBytes } from '../../../src/base/bytes/compare.ts';
import { toHex } from '../../../src/base/bytes/hex.ts';
import { formatBitcoinHash } from '../../../src/bitcoin/hash.ts';
import { formatObjectId, objectId } from '../../../src/chain/object/object-id.ts';
import { AddressValue } from '../../../src/chain/value/address.ts';
import { BitcoinHashValue, InscriptionIdValue, OutPointValue } from '../../../src/chain/value/bitcoin-hash.ts';
import type { ByteValue } from '../../../src/chain/value/byte-value.ts';
import { decodedValue } from '../../../src/chain/value/decoded.ts';
import { BytesValue, HashValue } from '../../../src/chain/value/hash.ts';
import { ObjectIdValue } from '../../../src/chain/value/object-id.ts';
import { Readable } from '../../../src/chain/value/readable.ts';
import { readableStatus } from '../../../src/chain/value/status.ts';
import { StructTagValue, structTagValue } from '../../../src/chain/value/type-tag.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { GAS_COIN_TYPE } from '../../../src/execution/framework/coin.ts';
import { addressOf, formatAddressBech32 } from '../../../src/move/address.ts';
import type { MoveValue } from '../../../src/move/layout.ts';

const thirtyTwo = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Each class, and the text of its instances. */
const KINDS: readonly [name: string, make: (bytes: Uint8Array) => ByteValue, text: (bytes: Uint8Array) => string][] = [
  ['AddressValue', (bytes) => new AddressValue(bytes), (bytes) => `0x${toHex(bytes)}`],
  ['HashValue', (bytes) => new HashValue(bytes), (bytes) => `0x${toHex(bytes)}`],
  ['BytesValue', (bytes) => new BytesValue(bytes), (bytes) => `0x${toHex(bytes)}`],
  ['BitcoinHashValue', (bytes) => new BitcoinHashValue(bytes), formatBitcoinHash],
];

describe.each(KINDS)('%s', (_name, make, text) => {
  it('reads as its text, wherever it is written', () => {
    fc.assert(
      fc.property(thirtyTwo, (bytes) => {
        const value = make(bytes);
        expect([String(value), `${value}`, JSON.stringify({ value })]).toEqual([
          text(bytes),
          text(bytes),
          `{"value":"${text(bytes)}"}`,
        ]);
        expect(inspect({ value })).toContain(text(bytes));
      }),
    );
  });

  it('passes for plain bytes', () => {
    fc.assert(
      fc.property(thirtyTwo, (bytes) => {
        const value = make(bytes);
        expect(value).toEqual(bytes);
        expect({ value: bytes }).toStrictEqual({ value });
        assert.deepEqual(Uint8Array.from(value), bytes);
        expect(equalBytes(value, bytes)).toBe(true);
        expect(encode(bytes32, value)).toEqual(bytes);
        expect(Buffer.from(value).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('is a copy, and what is made of it are plain bytes', () => {
    const bytes = new Uint8Array(32);
    const value = make(bytes);
    value[0] = 1;
    expect(bytes[0]).toBe(0);
    for (const made of [value.slice(0, 4), value.subarray(0, 4), value.map((byte) => byte), structuredClone(value)]) {
      expect(Object.getPrototypeOf(made)).toBe(Uint8Array.prototype);
    }
  });
});

describe('an object id', () => {
  it('reads as its text and passes for its parts', () => {
    fc.assert(
      fc.property(fc.array(thirtyTwo, { maxLength: 4 }), (parts) => {
        const id = new ObjectIdValue(parts);
        expect(id).toStrictEqual(parts);
        expect(parts).toEqual(id);
        expect(encode(objectId, id)).toEqual(encode(objectId, parts));
        expect([String(id), JSON.stringify(id), inspect(id)]).toEqual([
          formatObjectId(parts),
          `"${formatObjectId(parts)}"`,
          formatObjectId(parts),
        ]);
        expect(Object.getPrototypeOf(id.slice(1))).toBe(Array.prototype);
      }),
    );
  });
});

describe('an id that an engine gave', () => {
  it('is a copy: what a program writes into its parts changes nothing else', async () => {
    await using engine = await Engine.open();
    const [{ address }] = engine.accounts as [(typeof engine.accounts)[number]];
    const before = String(engine.states.object(address)!.meta.id);
    for (const { meta } of [engine.states.object(address)!, engine.states.object('0x3')!]) {
      for (const part of meta.id) part.reverse();
    }
    expect(String(engine.states.object(address)!.meta.id)).toBe(before);
    const call = { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'] };
    const { status } = await engine.executeAs(address, { ...call, arguments: ['0x77', 1n] });
    expect(status).toEqual({ kind: 'executed' });
  });
});

describe('other names', () => {
  const txid = Uint8Array.from({ length: 32 }, (_, index) => index);

  it('read as people write them', () => {
    const shown = [new OutPointValue({ txid, vout: 7 }), new InscriptionIdValue({ txid, index: 3 })];
    expect(shown.map(String)).toEqual([`${formatBitcoinHash(txid)}:7`, `${formatBitcoinHash(txid)}i3`]);
    expect(JSON.stringify(shown)).toBe(JSON.stringify(shown.map(String)));
    expect(new AddressValue(txid).toBech32()).toBe(formatAddressBech32(txid));
    expect(JSON.stringify([structTagValue(GAS_COIN_TYPE)])).toBe('["0x3::gas_coin::RGas"]');
  });

  it('of the same type are one value', () => {
    const tag = structTagValue(GAS_COIN_TYPE);
    expect(structTagValue(GAS_COIN_TYPE)).toBe(tag);
    expect(structTagValue(tag)).toBe(tag);
    expect(tag).toBeInstanceOf(StructTagValue);
    expect(tag).toEqual(GAS_COIN_TYPE);
  });
});

describe('a readable result', () => {
  class Sample extends Readable {
    readonly amount = 2n ** 64n;
    readonly root = new HashValue(new Uint8Array(32));
    readonly raw = Uint8Array.of(1, 2);
    readonly absent = undefined;
    readonly nested = { list: [1n, Uint8Array.of(255)], none: null, text: 'x', count: 3, flag: true };
  }

  it('is JSON with decimal strings and hex', () => {
    expect(JSON.parse(JSON.stringify(new Sample()))).toEqual({
      amount: '18446744073709551616',
      root: `0x${'00'.repeat(32)}`,
      raw: '0x0102',
      nested: { list: ['1', '0xff'], none: null, text: 'x', count: 3, flag: true },
    });
  });

  it('prints bigints as they are and bytes as hex', () => {
    const text = inspect(new Sample(), { depth: 4 });
    expect(text).toContain('18446744073709551616n');
    expect(text).toContain("raw: '0x0102'");
    expect(text).toContain(`root: 0x${'00'.repeat(32)}`);
    expect(inspect(new Sample(), { colors: true })).toContain('\u001b[');
  });
});

describe('a readable status', () => {
  const location = { kind: 'module', address: addressOf(0x42), name: 'door' } as const;
  const abort = { kind: 'move-abort', location, code: 2n ** 64n - 1n } as const;

  it('is JSON, prints its address as text, and compares as the status does', () => {
    const status = readableStatus(abort);
    const address = `0x${'00'.repeat(31)}42`;
    expect(JSON.parse(JSON.stringify({ status }))).toEqual({
      status: { kind: 'move-abort', location: { ...location, address }, code: '18446744073709551615' },
    });
    expect(inspect(status, { depth: 4 })).toContain(`address: ${address}`);
    expect(status).toStrictEqual(abort);
    expect(readableStatus({ kind: 'executed' })).toEqual({ kind: 'executed' });
  });
});

describe('a decoded Move value', () => {
  const struct = (address: number, module: string, name: string, fields: Record<string, MoveValue>): MoveValue => ({
    kind: 'struct',
    layout: {
      kind: 'struct',
      abilities: 0,
      tag: { address: Uint8Array.of(...new Uint8Array(31), address), module, name, typeArguments: [] },
      fields: Object.keys(fields).map((field) => ({ name: field, layout: { kind: 'bool' } })),
    },
    fields: Object.values(fields),
  });
  const text = (value: string): MoveValue =>
    struct(1, 'string', 'String', { bytes: { kind: 'bytes', value: new TextEncoder().encode(value) } });
  const option = (...items: MoveValue[]): MoveValue =>
    struct(1, 'option', 'Option', { vec: { kind: 'vector', item: { kind: 'u64' }, items } });
  const bytes = new Uint8Array(32).fill(9);

  it('is what a program would write', () => {
    const value = struct(0x42, 'shop', 'Sold', {
      price: { kind: 'u64', value: 5n },
      count: { kind: 'u8', value: 2 },
      open: { kind: 'bool', value: true },
      buyer: { kind: 'address', value: bytes },
      memo: text('hello'),
      raw: { kind: 'bytes', value: Uint8Array.of(1) },
      none: option(),
      some: option({ kind: 'u64', value: 8n }),
      item: struct(2, 'object', 'ObjectID', {
        path: { kind: 'vector', item: { kind: 'address' }, items: [{ kind: 'address', value: bytes }] },
      }),
      list: { kind: 'vector', item: { kind: 'u64' }, items: [{ kind: 'u64', value: 1n }] },
      __proto_: { kind: 'bool', value: false },
    });
    const decoded = decodedValue(value);
    expect(decoded).toEqual({
      price: 5n,
      count: 2,
      open: true,
      buyer: bytes,
      memo: 'hello',
      raw: Uint8Array.of(1),
      none: null,
      some: 8n,
      item: [bytes],
      list: [1n],
      __proto_: false,
    });
    expect(JSON.parse(JSON.stringify(decoded))).toMatchObject({
      price: '5',
      buyer: `0x${'09'.repeat(32)}`,
      none: null,
    });
  });

  it('keeps what only looks like a known type', () => {
    const fake = struct(0x42, 'option', 'Option', { vec: { kind: 'vector', item: { kind: 'u64' }, items: [] } });
    expect(decodedValue(fake)).toEqual({ vec: [] });
    const broken = struct(1, 'string', 'String', { bytes: { kind: 'bytes', value: Uint8Array.of(0xff) } });
    expect(decodedValue(broken)).toEqual(Uint8Array.of(0xff));
  });

  it('may have a field of any name that Move allows', () => {
    const fields = { ['__proto__']: { kind: 'u64', value: 1n }, toJSON: { kind: 'u8', value: 2 } } as const;
    const decoded = decodedValue(struct(0x42, 'a', 'B', fields)) as object;
    expect(Object.getOwnPropertyDescriptor(decoded, '__proto__')?.value).toBe(1n);
    expect(Object.getOwnPropertyDescriptor(decoded, 'toJSON')?.value).toBe(2);
  });
});
