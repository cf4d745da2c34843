import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import { readModule, readScript } from '../../../src/vm/binary/read.ts';
import { type StatusName, statusName } from '../../../src/vm/status.ts';
import { assembleModuleBytes, assembleScriptBytes } from '../assemble.ts';

interface Table {
  readonly kind: number;
  readonly bytes: readonly number[];
}

const ADDRESS: readonly number[] = [...new Array(31).fill(0), 1];
/** The least a module has: a name, an address, and the handle that joins them. */
const LEAST: readonly Table[] = [
  { kind: 0x1, bytes: [0, 0] },
  { kind: 0x7, bytes: [1, 0x6d] },
  { kind: 0x8, bytes: ADDRESS },
];

/** A module by its tables, by hand, so that the reader is not tested against the writer alone. */
function moduleOf(tables: readonly Table[], version = 6, tail: readonly number[] = [0]): Uint8Array {
  const headers: number[] = [];
  let offset = 0;
  for (const { kind, bytes } of tables) {
    headers.push(kind, ...uleb(offset), ...uleb(bytes.length));
    offset += bytes.length;
  }
  const contents = tables.flatMap((table) => table.bytes);
  return Uint8Array.from([0xa1, 0x1c, 0xeb, 0x0b, version, 0, 0, 0, tables.length, ...headers, ...contents, ...tail]);
}

function uleb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...uleb(value >> 7)];
}

/** The least module, with one function of these instructions (bytes, after their count). */
function withCode(count: number, code: readonly number[], version = 6): Uint8Array {
  const functionHandle = { kind: 0x3, bytes: [0, 0, 0, 0, 0] };
  const signature = { kind: 0x5, bytes: [0] };
  return moduleOf(
    [...LEAST, functionHandle, signature, { kind: 0xc, bytes: [0, 1, 0, 0, 0, count, ...code] }],
    version,
  );
}

function statusOf(bytes: Uint8Array, read: (bytes: Uint8Array) => unknown = readModule): string {
  try {
    read(bytes);
    return 'ok';
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EngineError);
    const { code, details } = thrown as EngineError;
    expect(code).toBe('malformed-module');
    return statusName((details as { statusCode: number }).statusCode);
  }
}

type Case = readonly [status: StatusName | 'ok', title: string, bytes: Uint8Array];

it('a count beyond 2^53 is named digit by digit', () => {
  const tables = [...new Array(9).fill(0xff), 0x01];
  const header = Uint8Array.from([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, ...tables]);
  expect(() => readModule(header)).toThrow(/got 18446744073709551615 at byte 8/);
});

describe('the header', () => {
  const least = moduleOf(LEAST);
  it.each<Case>([
    ['ok', 'the least module', least],
    ['BAD_MAGIC', 'nothing', new Uint8Array()],
    ['BAD_MAGIC', 'another magic number', fromHex('a11ceb0c06000000')],
    ['MALFORMED', 'no version', fromHex('a11ceb0b0600')],
    ['UNKNOWN_VERSION', 'version 0', moduleOf(LEAST, 0)],
    ['UNKNOWN_VERSION', 'version 7', moduleOf(LEAST, 7)],
    ['MALFORMED', 'no table count', least.slice(0, 8)],
    ['MALFORMED', 'headers that end early', least.slice(0, 12)],
    ['UNKNOWN_TABLE_TYPE', 'table kind 9', moduleOf([...LEAST, { kind: 9, bytes: [0] }])],
    ['DUPLICATE_TABLE', 'a table twice', moduleOf([...LEAST, LEAST[1]!])],
    ['BAD_HEADER_TABLE', 'an empty table', moduleOf([...LEAST, { kind: 5, bytes: [] }])],
    ['BAD_HEADER_TABLE', 'a gap', Uint8Array.from([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, 1, 7, 1, 2, 1, 0x6d])],
    [
      'BAD_HEADER_TABLE',
      'a table that passes the end',
      Uint8Array.from([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, 1, 7, 0, 99, 1]),
    ],
    ['MALFORMED', 'contents that end early', least.slice(0, 40)],
    ['MALFORMED', 'no tail', least.slice(0, -1)],
    ['ok', 'bytes after the tail', Uint8Array.from([...least, 1, 2, 3])],
    ['MALFORMED', 'a number in a longer form', moduleOf(LEAST, 6, [0x80, 0])],
    ['MALFORMED', 'a number beyond its bound', moduleOf(LEAST, 6, [0xff, 0xff, 0x7f])],
  ])('%s: %s', (status, _title, bytes) => {
    expect(statusOf(bytes)).toBe(status);
  });

  it('names the byte that the reader had reached', () => {
    expect(() => readModule(moduleOf(LEAST, 7))).toThrow(
      expect.objectContaining({ details: { statusCode: 3003, offset: 4 } }),
    );
  });
});

describe('tables', () => {
  const table = (kind: number, bytes: readonly number[], version = 6): Uint8Array =>
    moduleOf([...LEAST, { kind, bytes }], version);
  it.each<Case>([
    ['MALFORMED', 'an identifier that ends early', moduleOf([{ kind: 7, bytes: [3, 0x6d] }])],
    ['MALFORMED', 'an identifier with a space', moduleOf([{ kind: 7, bytes: [1, 0x20] }])],
    ['MALFORMED', 'an identifier that begins with a digit', moduleOf([{ kind: 7, bytes: [2, 0x31, 0x6d] }])],
    ['MALFORMED', 'a lone underscore', moduleOf([{ kind: 7, bytes: [1, 0x5f] }])],
    ['MALFORMED', 'bytes that are no text', moduleOf([{ kind: 7, bytes: [1, 0xff] }])],
    ['MALFORMED', 'an empty identifier', moduleOf([{ kind: 7, bytes: [0] }])],
    ['MALFORMED', 'an address of 31 bytes', moduleOf([{ kind: 8, bytes: ADDRESS.slice(1) }])],
    ['UNKNOWN_SERIALIZED_TYPE', 'type tag 0', table(5, [1, 0])],
    ['UNKNOWN_SERIALIZED_TYPE', 'type tag 16', table(5, [1, 16])],
    ['MALFORMED', 'a struct instantiation without arguments', table(5, [1, 0xb, 0, 0])],
    ['MALFORMED', 'a signature that ends early', table(5, [2, 2])],
    ['ok', 'a type of 256 levels', table(5, [1, ...new Array(255).fill(0xa), 2])],
    ['MALFORMED', 'a type of 257 levels', table(5, [1, ...new Array(256).fill(0xa), 2])],
    ['UNKNOWN_SERIALIZED_TYPE', 'an unknown type 257 levels deep', table(5, [1, ...new Array(256).fill(0xa), 0])],
    ['MALFORMED', 'u16 in version 5', table(5, [1, 0xd], 5)],
    ['ok', 'u16 in version 6', table(5, [1, 0xd])],
    ['MALFORMED', 'abilities beyond 15', table(2, [0, 0, 16, 0])],
    ['ok', 'abilities', table(2, [0, 0, 15, 0])],
    ['MALFORMED', 'a phantom flag of 2', table(2, [0, 0, 0, 1, 0, 2])],
    ['MALFORMED', 'a constant that ends early', table(6, [2, 4, 1])],
    ['MALFORMED', 'metadata in version 4', table(0x10, [0, 0], 4)],
    ['ok', 'metadata in version 5', table(0x10, [0, 0], 5)],
    ['MALFORMED', 'friends in version 1', table(0xf, [0, 0], 1)],
    ['UNKNOWN_INVARIANT_VIOLATION_ERROR', 'type parameter 65536', table(5, [1, 9, 0x80, 0x80, 0x04])],
    ['ok', 'type parameter 65535', table(5, [1, 9, 0xff, 0xff, 0x03])],
    ['MALFORMED', 'type parameter 65537', table(5, [1, 9, 0x81, 0x80, 0x04])],
    [
      'UNKNOWN_NATIVE_STRUCT_FLAG',
      'struct flag 3',
      moduleOf([...LEAST, { kind: 2, bytes: [0, 0, 0, 0] }, { kind: 0xa, bytes: [0, 3] }]),
    ],
  ])('%s: %s', (status, _title, bytes) => {
    expect(statusOf(bytes)).toBe(status);
  });
});

describe('code', () => {
  it.each<Case>([
    ['ok', 'Ret', withCode(1, [2])],
    ['UNKNOWN_OPCODE', 'opcode 0', withCode(1, [0])],
    ['UNKNOWN_OPCODE', 'opcode 0x4e', withCode(1, [0x4e])],
    ['MALFORMED', 'fewer instructions than counted', withCode(2, [2])],
    ['MALFORMED', 'LdU8 without its byte', withCode(1, [0x31])],
    ['BAD_U16', 'LdU16 that ends early', withCode(1, [0x48, 1])],
    ['BAD_U32', 'LdU32 that ends early', withCode(1, [0x49, 1, 2, 3])],
    ['BAD_U64', 'LdU64 that ends early', withCode(1, [0x06, 1])],
    ['BAD_U128', 'LdU128 that ends early', withCode(1, [0x32, 1])],
    ['BAD_U256', 'LdU256 that ends early', withCode(1, [0x4a, 1])],
    ['BAD_U64', 'VecPack without its count', withCode(1, [0x40, 0, 1])],
    ['MALFORMED', 'local 256', withCode(1, [0x0a, 0x80, 0x02])],
    ['MALFORMED', 'LdU16 in version 5', withCode(1, [0x48, 1, 0], 5)],
    ['MALFORMED', 'VecLen in version 3', withCode(1, [0x41, 0], 3)],
    ['INDEX_OUT_OF_BOUNDS', 'a jump beyond the end', withCode(1, [0x05, 1])],
  ])('%s: %s', (status, _title, bytes) => {
    expect(statusOf(bytes)).toBe(status);
  });

  const flags = (visibility: number, bits: number, version: number): Uint8Array =>
    moduleOf(
      [
        ...LEAST,
        { kind: 3, bytes: [0, 0, 0, 0, 0] },
        { kind: 5, bytes: [0] },
        { kind: 0xc, bytes: [0, visibility, bits, 0, 0, 1, 2] },
      ],
      version,
    );

  it.each<Case>([
    ['MALFORMED', 'visibility 2', flags(2, 0, 6)],
    ['INVALID_FLAG_BITS', 'flag 1', flags(1, 1, 6)],
    ['INVALID_FLAG_BITS', 'the entry flag before version 5', flags(1, 4, 4)],
    ['ok', 'visibility 2 before version 5', flags(2, 0, 4)],
  ])('%s: %s', (status, _title, bytes) => {
    expect(statusOf(bytes)).toBe(status);
  });

  it('of older versions means what it meant then', () => {
    expect(readModule(flags(2, 0, 4)).functionDefinitions[0]).toMatchObject({ visibility: 1, isEntry: true });
    expect(readModule(flags(1, 4, 5)).functionDefinitions[0]).toMatchObject({ visibility: 1, isEntry: true });
    const first = moduleOf([...LEAST, { kind: 2, bytes: [0, 0, 1, 2, 2, 3] }], 1);
    expect(readModule(first).structHandles[0]).toEqual({
      module: 0,
      name: 0,
      abilities: 12,
      typeParameters: [
        { constraints: 3, isPhantom: false },
        { constraints: 8, isPhantom: false },
      ],
    });
  });
});

describe('scripts', () => {
  const script = assembleScriptBytes('script() { Ret }');
  it('have none of the tables that only modules have', () => {
    expect(statusOf(script, readScript)).toBe('ok');
    const [count, ...rest] = script.slice(8);
    const bytes = [
      ...script.slice(0, 8),
      count! + 1,
      0xd,
      1,
      2,
      ...rest.slice(0, 3),
      ...rest.slice(3, 4),
      0,
      0,
      ...rest.slice(4),
    ];
    expect(statusOf(Uint8Array.from(bytes), readScript)).toBe('MALFORMED');
  });

  it('are not modules', () => {
    expect(statusOf(assembleModuleBytes('module 0x1::m'), readScript)).not.toBe('ok');
    expect(statusOf(script)).toBe('NO_MODULE_HANDLES');
  });
});
