import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROOT_OBJECT_ID } from '../../../src/chain/object/object-id.ts';
import { addressOf } from '../../../src/move/address.ts';
import {
  type AccessPath,
  formatAccessPath,
  namedObjectId,
  type ObjectId,
  parseAccessPath,
  parseFieldKey,
  parseStructTag,
  type StructTag,
  stringFieldKey,
} from '../../../src/query/transaction-builder.ts';
import { accessPathArbitrary } from '../../arbitraries/object.ts';
import { runs } from '../../effort.ts';
import { expectRefusal } from '../../refusal.ts';

const id = (number: number): ObjectId => [addressOf(number)];
const tag = (text: string): StructTag => parseStructTag(text);
const objects = (...ids: ObjectId[]): AccessPath => ({ kind: 'object', ids: ids.length === 0 ? undefined : ids });
const resources = (account: number, ...types: string[]): AccessPath => ({
  kind: 'resource',
  account: addressOf(account),
  types: types.length === 0 ? undefined : types.map(tag),
});
const modules = (account: number, ...names: string[]): AccessPath => ({
  kind: 'module',
  account: addressOf(account),
  names: names.length === 0 ? undefined : names,
});
const fields = (object: ObjectId, ...keys: Uint8Array[]): AccessPath => ({
  kind: 'fields',
  object,
  keys: keys.length === 0 ? undefined : keys,
});

const TIMESTAMP = namedObjectId(tag('0x2::timestamp::Timestamp'));

describe('access paths (spec/rpc.md 6.1, spec/state.md 2.7)', () => {
  it.each<[string, AccessPath]>([
    ['/object', objects()],
    ['/object/', objects()],
    ['object', objects()],
    ['///object/0x1', objects(id(1))],
    ['object/0x1', objects(id(1))],
    ['/object/1', objects(id(1))],
    ['/object/0x1,0x2', objects(id(1), id(2))],
    ['/object/0x1,', objects(id(1))],
    ['/object/,,0x1,,0x2,', objects(id(1), id(2))],
    ['/object/,', objects()],
    ['/object/0x', objects(ROOT_OBJECT_ID)],
    [`/object/0x${'0'.repeat(63)}1${'0'.repeat(63)}2`, objects([addressOf(1), addressOf(2)])],
    ['/object/0x2::timestamp::Timestamp', objects(TIMESTAMP)],
    ['/object/0x2::timestamp::Timestamp,0x3', objects(TIMESTAMP, id(3))],
    ['/object/0x1/ignored/too', objects(id(1))],
    // The reference splits ids on every comma; here those inside <> belong to the type.
    ['/object/0x1::m::T<u8, u16>,0x2', objects(namedObjectId(tag('0x1::m::T<u8,u16>')), id(2))],

    ['/resource/0x3', resources(3)],
    ['/resource/0x3/', resources(3)],
    ['/resource/0x3/0x2::account::Account', resources(3, '0x2::account::Account')],
    ['/resource/0x3/0x1::m::A,0x1::m::B<u8,u16>', resources(3, '0x1::m::A', '0x1::m::B<u8,u16>')],
    ['/resource/0x3/0x1::m::A , 0x1::m::B', resources(3, '0x1::m::A', '0x1::m::B')],
    [
      '/resource/0x3/0x1::m::A<0x1::m::B<u8,u8>,u8>,0x1::m::C',
      resources(3, '0x1::m::A<0x1::m::B<u8,u8>,u8>', '0x1::m::C'),
    ],
    [`/resource/0x${'0'.repeat(63)}3`, resources(3)],
    // The reference takes 0x digits only; design/wire.md takes every form of an address everywhere.
    [`/resource/${'0'.repeat(63)}3`, resources(3)],
    ['/resource/rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqsz8g9vq', resources(1)],

    ['/module/0x2', modules(2)],
    ['/module/0x2/', modules(2)],
    ['/module/0x2/object', modules(2, 'object')],
    ['/module/0x2/object,table', modules(2, 'object', 'table')],

    ['/fields/0x5', fields(id(5))],
    ['/fields/0x5/', fields(id(5))],
    ['/fields/0x5/ ', fields(id(5))],
    ['/table/0x5', fields(id(5))],
    ['/fields/0x', fields(ROOT_OBJECT_ID)],
    ['/fields/0x2::timestamp::Timestamp/name', fields(TIMESTAMP, stringFieldKey('name'))],
    ['/fields/0x5/0x1', fields(id(5), parseFieldKey('0x1'))],
    [`/table/0x5/0x${'a'.repeat(64)}`, fields(id(5), parseFieldKey(`0x${'a'.repeat(64)}`))],
    ['/fields/0x5/name,0x1', fields(id(5), stringFieldKey('name'), parseFieldKey('0x1'))],
    ['/fields/0x5/a,,b', fields(id(5), stringFieldKey('a'), stringFieldKey(''), stringFieldKey('b'))],
    ['/fields/0x5/a, ,', fields(id(5), stringFieldKey('a'), stringFieldKey(' '), stringFieldKey(''))],
    ['/fields/0x5/0X1', fields(id(5), stringFieldKey('0X1'))],
    ['/fields/0x5/1', fields(id(5), stringFieldKey('1'))],
    ['/fields/0x5/two words', fields(id(5), stringFieldKey('two words'))],
    ['/fields/0x5/é', fields(id(5), stringFieldKey('é'))],
  ])('reads %j', (text, path) => {
    expect(parseAccessPath(text)).toEqual(path);
  });

  const GRAMMAR =
    'expected an access path /object/ID, /resource/ADDRESS/TYPE, /module/ADDRESS/NAME or /fields/ID/KEY, got';
  it.each([
    ['', GRAMMAR],
    ['/', GRAMMAR],
    ['/unknown/0x1', GRAMMAR],
    ['/Object/0x1', GRAMMAR],
    ['0x1', GRAMMAR],
    [' /object', GRAMMAR],
    ['/objects', GRAMMAR],
    ['/resource', GRAMMAR],
    ['/resource/', GRAMMAR],
    ['/module', GRAMMAR],
    ['/fields', GRAMMAR],
    ['/fields/', GRAMMAR],
    ['/table//0x1', GRAMMAR],
    ['/object/0xg', 'expected an object id'],
    ['/object/0x1,hello', 'expected an object id'],
    ['/object/0x1::m', 'expected "::"'],
    ['/object/vector<0x1::m::S>', 'expected a struct type'],
    ['/resource/3', 'expected an address'],
    ['/resource/0xg', 'expected an address'],
    ['/resource/0x3/u8', 'expected a struct type'],
    ['/resource/0x3/0x1::m::A<u8', 'expected "," or ">"'],
    ['/resource/0x3/0x1::m::A>,0x1::m::B', 'expected the end of the type'],
    ['/module/object', 'expected an address'],
    ['/module/0x2/1object', 'expected a module name, got "1object"'],
    ['/module/0x2/a b', 'expected a module name'],
    ['/fields/0xg', 'expected an object id'],
    ['/fields/0x5/0xg', 'expected a field key'],
    [`/fields/0x5/0x${'0'.repeat(65)}`, 'expected a field key'],
  ])('refuses %j', (text, message) => {
    const error = expectRefusal(() => parseAccessPath(text), 'invalid-argument');
    expect(error.message).toContain(message);
  });

  it('are read back', () => {
    fc.assert(
      fc.property(accessPathArbitrary, (path) => {
        const text = formatAccessPath(path);
        expect(parseAccessPath(text)).toEqual(path);
        expect(parseAccessPath(text.slice(1))).toEqual(path);
      }),
    );
  });

  it('are shown with short addresses', () => {
    expect(formatAccessPath(parseAccessPath(`resource/0x${'0'.repeat(63)}3/0x01::m::S<u8,u8>`))).toBe(
      '/resource/0x3/0x1::m::S<u8, u8>',
    );
    expect(formatAccessPath(parseAccessPath('module/0x0002/a,b'))).toBe('/module/0x2/a,b');
    expect(formatAccessPath(parseAccessPath('table/0x5'))).toBe(`/fields/0x${'0'.repeat(63)}5`);
    expect(formatAccessPath(parseAccessPath('object'))).toBe('/object');
  });

  it('take any text as a path or refuse it as an invalid-argument', () => {
    const piece = fc.constantFrom(
      '/',
      'object',
      'resource',
      'module',
      'fields',
      '0x1',
      ',',
      '<',
      '>',
      '::',
      'm',
      'u8',
      ' ',
      '0x',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((all) => `/${all.join('')}`),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (written) => {
        let path: AccessPath;
        try {
          path = parseAccessPath(written);
        } catch (error) {
          expect((error as { code?: string }).code).toBe('invalid-argument');
          return;
        }
        expect(parseAccessPath(formatAccessPath(path))).toEqual(path);
      }),
      { numRuns: runs(666, 2_000) },
    );
  });

  it.each(['/object/', '/resource/0x1/', '/module/0x1/', '/fields/0x1/'])(
    'are counted before they are parsed: %s (0.8 s for a request of 2 MB before)',
    (path) => {
      const names = (count: number): string => path + new Array(count).fill('0x!').join(',');
      if (path !== '/fields/0x1/') expect(() => parseAccessPath(names(2))).toThrow(/^expected/);
      const error = expect.objectContaining({ code: 'limit-exceeded', details: { received: 101, expected: 100 } });
      expect(() => parseAccessPath(names(101))).toThrow(error);
    },
  );
});
