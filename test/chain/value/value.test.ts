/** Values at the public edge: names are text, data is bytes, and all of it prints and becomes JSON. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decodedValue } from '../../../src/chain/value/decoded.ts';
import { Readable } from '../../../src/chain/value/readable.ts';
import { statusValue } from '../../../src/chain/value/status.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { MoveValue } from '../../../src/move/layout.ts';

describe('a readable result', () => {
  class Sample extends Readable {
    readonly amount = 2n ** 64n;
    readonly root = new Uint8Array(32);
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
    expect(text).toContain(`root: '0x${'00'.repeat(32)}'`);
    expect(inspect(new Sample(), { colors: true })).toContain('\u001b[');
  });
});

describe('a status', () => {
  const location = { kind: 'module', address: addressOf(0x42), name: 'door' } as const;
  const code = 2n ** 64n - 1n;

  it('names its module, and is JSON', () => {
    const status = statusValue({ kind: 'move-abort', location, code });
    expect(status).toEqual({ kind: 'move-abort', location: '0x42::door', code });
    expect(JSON.parse(JSON.stringify({ status }))).toEqual({
      status: { kind: 'move-abort', location: '0x42::door', code: '18446744073709551615' },
    });
    expect(statusValue({ kind: 'execution-failure', location: { kind: 'script' } })).toMatchObject({
      location: 'script',
    });
    expect(statusValue({ kind: 'executed' })).toEqual({ kind: 'executed' });
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
      buyer: `0x${'09'.repeat(32)}`,
      memo: 'hello',
      raw: Uint8Array.of(1),
      none: null,
      some: 8n,
      item: `0x${'09'.repeat(32)}`,
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
