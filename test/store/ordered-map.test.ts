import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NodePages } from '../../src/store/node-pages.ts';
import { OrderedMap } from '../../src/store/ordered-map.ts';
import { RowChunks, rowBytes, writeRow } from '../../src/store/row-chunks.ts';
import { runs } from '../effort.ts';

/** Keys of the models are strings of one character for each byte. */
function bytesOf(text: string): Uint8Array;
function bytesOf(text: string | undefined): Uint8Array | undefined;
function bytesOf(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'latin1'));
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Numbers as values, in bytes that do not show where one ends and the next begins. */
const bytesOfNumber = (number: number): Uint8Array => bytesOf(String(number));
const numberOf = (value: Uint8Array | undefined): number => (value === undefined ? Number.NaN : Number(textOf(value)));

/** One text of all entries, since comparing thousands of small arrays takes most of the time of a test. */
const show = (entries: readonly [string, number][]): string => JSON.stringify(entries);

const entriesUp = (map: OrderedMap, from?: string): string => {
  const found: [string, number][] = [];
  map.ascend(bytesOf(from), (key, value) => found.push([textOf(key), numberOf(value)]) > 0);
  return show(found);
};

const entriesDown = (map: OrderedMap, from?: string): string => {
  const found: [string, number][] = [];
  map.descend(bytesOf(from), (key, value) => found.push([textOf(key), numberOf(value)]) > 0);
  return show(found);
};

const byKey = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : a > b ? 1 : 0);

function expectEqual(map: OrderedMap, model: ReadonlyMap<string, number>, from?: string): void {
  const sorted = [...model].sort(byKey);
  expect(map.size).toBe(model.size);
  expect(entriesUp(map)).toBe(show(sorted));
  expect(entriesDown(map)).toBe(show(sorted.toReversed()));
  if (from === undefined) return;
  expect(map.get(bytesOf(from))).toEqual(model.has(from) ? bytesOfNumber(model.get(from)!) : undefined);
  expect(entriesUp(map, from)).toBe(show(sorted.filter(([key]) => key >= from)));
  expect(entriesDown(map, from)).toBe(show(sorted.filter(([key]) => key <= from).toReversed()));
}

type Kind = 'stream' | 'position' | 'hash' | 'nested' | 'short';

const stepArbitrary = fc.record({
  kind: fc.constantFrom<Kind | 'remove' | 'clone'>('stream', 'position', 'hash', 'nested', 'short', 'remove', 'clone'),
  which: fc.nat({ max: 9 }),
  count: fc.nat({ max: 400 }),
});

const bigEndian = (number: number, bytes: number): string =>
  String.fromCharCode(
    ...Array.from({ length: bytes }, (_, index) => Math.floor(number / 256 ** (bytes - 1 - index)) & 0xff),
  );

/** 32 bytes, evenly distributed. */
const hashOf = (seed: number): string =>
  Array.from({ length: 8 }, (_, part) => bigEndian(Math.imul(seed * 8 + part + 1, 0x9e3779b1) >>> 0, 4)).join('');

function keysOfStep(kind: Kind, which: number, count: number, turn: number): string[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  switch (kind) {
    // Past where a byte of the number overflows, and at the end of the bytes.
    case 'stream':
      return numbers.map((index) => `\x31${hashOf(which % 3)}${bigEndian(65_300 + 400 * turn + index, 8)}`);
    case 'position':
      return numbers.map((index) => `\x30${bigEndian(250 + 50 * turn + (index >> 3), 8)}${bigEndian(index & 7, 4)}`);
    case 'hash':
      return numbers.map((index) => `\x10${hashOf(1000 * turn + index)}`);
    // Below parents that differ late, some of which are keys themselves.
    case 'nested':
      return numbers.map((index) => `\x50${'\0'.repeat(which)}${hashOf(index & 3)}${index < 4 ? '' : hashOf(index)}`);
    case 'short':
      return numbers.map((index) =>
        String.fromCharCode(...[...(index + 1).toString(3)].map((digit) => [0, 1, 255][Number(digit)]!)),
      );
  }
}

/** As a key and a value, or as a row that is laid out among others. */
function putInto(map: OrderedMap, key: string, number: number, inRows: boolean): void {
  if (inRows) map.putRows(laidOut(key, number), false);
  else map.set(bytesOf(key), bytesOfNumber(number));
}

function removeFrom(map: OrderedMap, key: string, inRows: boolean): boolean {
  if (!inRows) return map.delete(bytesOf(key));
  const before = map.size;
  map.putRows(laidOut(key, undefined), false);
  return map.size < before;
}

function laidOut(key: string, number: number | undefined): Uint8Array {
  const value = number === undefined ? undefined : bytesOfNumber(number);
  const row = new Uint8Array(rowBytes(key.length, value?.length));
  writeRow(row, 0, bytesOf(key), value);
  return row;
}

const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** Keys and values as one text. */
function contentOf(map: OrderedMap): string {
  const found: (string | undefined)[][] = [];
  map.ascend(undefined, (key, value) => found.push([textOf(key), value && textOf(value)]) > 0);
  return JSON.stringify(found);
}

afterEach(() => vi.restoreAllMocks());

describe('OrderedMap', () => {
  it('finds what follows a removed key that parted two leaves, once others are put', () => {
    const keyOf = (index: number): string => `all alike${String.fromCharCode(index)}`;
    const map = new OrderedMap();
    const model = new Map<string, number>();
    const set = (index: number): void => {
      map.set(bytesOf(keyOf(index)), bytesOfNumber(1));
      model.set(keyOf(index), 1);
    };
    for (let index = 0; index < 200; index++) set(index);
    for (const removed of [32, 63, 64, 65, 127, 128, 129]) {
      expect(map.delete(bytesOf(keyOf(removed)))).toBe(model.delete(keyOf(removed)));
    }
    for (let index = 200; index < 220; index++) set(index);
    expectEqual(map, model, keyOf(100));
    for (const key of model.keys()) expect(map.get(bytesOf(key))).toEqual(bytesOfNumber(1));
  });

  it.each([0, 1, 64, 65, 128, 16_384, 16_385])('takes a chunk of %d rows as it is, and leaves it as it is', (count) => {
    const digits = Array.from({ length: count }, (_, index) => String(index).padStart(5, '0'));
    // A row by its definition: the length of the key less one, the key, the length of the value plus one, the value, and
    // zeros up to a multiple of eight.
    const chunk = bytesOf(digits.map((key) => `\0\x04${key}\x06${key}\0\0\0`).join(''));
    const before = chunk.slice();
    const map = OrderedMap.ofChunk(chunk);
    const model = new Map(digits.map((key) => [key, Number(key)] as const));
    const show = (): void => {
      expect(map.size).toBe(model.size);
      expect(entriesUp(map)).toBe(JSON.stringify([...model]));
      expect(entriesDown(map)).toBe(JSON.stringify([...model].reverse()));
      expect(digits.filter((key) => numberOf(map.get(bytesOf(key)) ?? undefined) !== Number(key))).toEqual([]);
    };
    show();
    const other = map.clone();
    for (const key of digits) other.delete(bytesOf(key));
    for (const key of digits) other.set(bytesOf(`${key}x`), bytesOfNumber(1));
    expect(other.size).toBe(count);
    show();
    expect(Buffer.compare(chunk, before)).toBe(0);
  });

  it('takes a chunk of any keys in order, and goes on with it', () => {
    // Prefixes that many keys share, keys that are prefixes of others, and single bytes that part them.
    const key = fc.tuple(
      fc.constantFrom('', 'a', 'ab', 'abc\0', 'abc\0\xff', 'z'),
      fc.string({ maxLength: 3, unit: 'binary-ascii' }),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(
          key.map(([front, rest]) => `k${front}${rest}`),
          { maxLength: 600, minLength: 300 },
        ),
        (keys) => {
          const half = keys.length >> 1;
          const model = new Map(
            keys
              .slice(0, half)
              .sort()
              .map((text, index) => [text, index] as const),
          );
          const rows = [...model].map(([text, index]) => {
            const value = bytesOfNumber(index);
            const row = new Uint8Array(rowBytes(text.length, value.length));
            writeRow(row, 0, bytesOf(text), value);
            return row;
          });
          const map = OrderedMap.ofChunk(new Uint8Array(Buffer.concat(rows)));
          expectEqual(map, model, keys[0]!);
          for (const [index, text] of keys.entries()) {
            if (index % 3 === 0) expect(map.delete(bytesOf(text))).toBe(model.delete(text));
            else {
              map.set(bytesOf(text), bytesOfNumber(index));
              model.set(text, index);
            }
          }
          expectEqual(map, model, keys[0]!);
        },
      ),
      { numRuns: runs(10, 30) },
    );
  });

  it('equals a sorted Map under what a chain does: streams that grow, hashes, rows that move, clones', () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { minLength: 1, maxLength: 40 }), fc.boolean(), (steps, inRows) => {
        let map = new OrderedMap();
        let model = new Map<string, number>();
        const others: { map: OrderedMap; model: Map<string, number> }[] = [];
        let agreed = true;
        for (const [turn, { kind, which, count }] of steps.entries()) {
          if (kind === 'clone') {
            const other = { map: map.clone(), model: new Map(model) };
            others.push(which % 2 === 0 ? other : { map, model });
            if (which % 2 === 1) ({ map, model } = other);
          } else if (kind === 'remove') {
            const all = [...model.keys()];
            const keys =
              which % 2 === 0 ? all.sort().slice(0, 3 * count) : all.filter((_, index) => index % 5 === which % 5);
            for (const key of keys) agreed &&= removeFrom(map, key, inRows) && !removeFrom(map, key, !inRows);
            for (const key of keys) model.delete(key);
          } else {
            for (const key of keysOfStep(kind, which, count, turn)) {
              putInto(map, key, turn, inRows);
              model.set(key, turn);
            }
          }
        }
        expect(agreed).toBe(true);
        const keys = [...model.keys(), ...others.flatMap(({ model }) => [...model.keys()])];
        const probes = [0, 1, 2, 3].map((quarter) => keys[Math.floor((keys.length * quarter) / 4)] ?? '');
        for (const rows of [{ map, model }, ...others]) {
          for (const probe of probes) expectEqual(rows.map, rows.model, probe.length === 0 ? undefined : probe);
          for (const probe of probes) expectEqual(rows.map, rows.model, `${probe}\0`);
          for (const probe of probes.filter(({ length }) => length > 1))
            expectEqual(rows.map, rows.model, probe.slice(0, -1));
          expect(
            [...rows.model.keys()].filter(
              (key) => numberOf(rows.map.get(bytesOf(key)) ?? undefined) !== rows.model.get(key),
            ),
          ).toEqual([]);
        }
      }),
      { numRuns: runs(15, 40) },
    );
  });

  it('stops when the visitor says so', () => {
    const map = new OrderedMap();
    for (let index = 100; index < 200; index++) map.set(bytesOf(String(index)), bytesOfNumber(index));
    const seen: number[] = [];
    map.ascend(bytesOf('150'), (_, value) => seen.push(numberOf(value)) < 40);
    map.descend(bytesOf('149'), (_, value) => seen.push(numberOf(value)) < 80);
    expect(seen).toEqual([
      ...Array.from({ length: 40 }, (_, index) => 150 + index),
      ...Array.from({ length: 40 }, (_, index) => 149 - index),
    ]);
  });

  it('gives back keys and values of all lengths, in arrays of their own, whatever is next to them', () => {
    const lengths = fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 5_000 }), fc.constantFrom(127, 128, 16_383, 70_000));
    const rows = fc.array(fc.record({ key: fc.integer({ min: 1, max: 300 }), value: lengths }), { maxLength: 300 });
    fc.assert(
      fc.property(rows, fc.constantFrom(1, 255, 256, 65_536), (list, longest) => {
        const map = new OrderedMap();
        const model = new Map<number, number>();
        for (const row of [...list, { key: longest, value: longest }]) {
          const key = new Uint8Array(row.key).fill(7);
          const value = new Uint8Array(row.value).fill(row.key);
          map.set(key, value);
          key.fill(0xff);
          value.fill(0xff);
          model.set(row.key, row.value);
        }
        for (const [length, value] of model) {
          const key = new Uint8Array(length).fill(7);
          const expected = new Uint8Array(value).fill(length);
          const read = map.get(key)!;
          expect(Buffer.compare(read, expected)).toBe(0);
          read.fill(0xee);
          expect(Buffer.compare(map.get(key)!, expected)).toBe(0);
        }
        const visited: number[] = [];
        map.ascend(undefined, (key, value) => visited.push(key.fill(1).length, value!.fill(1).length) > 0);
        expect(visited).toEqual([...model].sort(([left], [right]) => left - right).flat());
      }),
      { numRuns: runs(8, 20) },
    );
  });

  it('holds rows that say that a key is deleted', () => {
    const map = new OrderedMap();
    map.set(bytesOf('a'), bytesOf('1'));
    map.set(bytesOf('b'), undefined);
    map.set(bytesOf('c'), new Uint8Array(0));
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(bytesOf(key)))).toEqual([
      bytesOf('1'),
      null,
      new Uint8Array(0),
      undefined,
    ]);
    map.set(bytesOf('a'), undefined);
    const seen: unknown[] = [];
    map.descend(undefined, (key, value) => seen.push([textOf(key), value]) > 0);
    expect(seen).toEqual([
      ['c', new Uint8Array(0)],
      ['b', undefined],
      ['a', undefined],
    ]);
    expect(map.size).toBe(3);
  });

  it('tells apart keys that begin alike, and keys that end in zeros', () => {
    const texts = ['\0', '\0\0', '\0\0\0', '\0\0\0\0', '\0\0\0\x01', '\x01', '\x01\0', '\x01\0\0\x03', '\x01\0\0\x04'];
    // More than a leaf holds.
    for (let zeros = 5; zeros < 300; zeros++) texts.push('\0'.repeat(zeros));
    const map = new OrderedMap();
    const model = new Map(texts.map((text, index) => [text, index] as const));
    for (const text of texts.toReversed()) map.set(bytesOf(text), bytesOfNumber(model.get(text)!));
    for (const text of [...texts.slice(0, 20), ...texts.slice(-5)]) expectEqual(map, model, text);
  });

  it('takes rows in batches: those that are put, those that delete, those that take the place of removed ones', () => {
    const key = fc.nat({ max: 60 }).map((number) => `key of ${number}${'.'.repeat(number % 7)}`);
    const row = fc.record({ key, value: fc.option(fc.integer({ min: 0, max: 10 ** 9 }), { nil: undefined }) });
    // Some batches are longer than the first chunks, some rows so long that they have a chunk of their own.
    const batch = fc.record({ rows: fc.array(row, { maxLength: 80 }), long: fc.constantFrom(0, 0, 1500, 90_000) });
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 20 }), fc.boolean(), fc.boolean(), (batches, keeps, clones) => {
        let map = new OrderedMap();
        const model = new Map<string, Uint8Array | undefined>();
        const others: { map: OrderedMap; content: string }[] = [];
        for (const { rows, long } of batches) {
          const bytes = rows.map(({ key, value }, index) => {
            const number = value === undefined ? undefined : bytesOfNumber(value);
            const content = number === undefined || index % 9 !== 3 ? number : joined(number, new Uint8Array(long));
            if (content === undefined && !keeps) model.delete(key);
            else model.set(key, content);
            const row = new Uint8Array(rowBytes(key.length, content?.length));
            writeRow(row, 0, bytesOf(key), content);
            return row;
          });
          const together = joined(...bytes);
          map.putRows(together, keeps);
          together.fill(0xee);
          if (clones) others.push({ map, content: contentOf(map) });
          if (clones) map = map.clone();
        }
        const expected = [...model].sort(([left], [right]) => (left < right ? -1 : 1));
        expect(contentOf(map)).toBe(JSON.stringify(expected.map(([key, value]) => [key, value && textOf(value)])));
        expect(map.size).toBe(model.size);
        for (const other of others) expect(contentOf(other.map)).toBe(other.content);
      }),
      { numRuns: runs(20, 60) },
    );
  });

  it('parts keys anywhere in long common prefixes', () => {
    const long = fc
      .array(fc.constantFrom('\0', 'a', '\xff'), { minLength: 1, maxLength: 40 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(fc.record({ front: long, count: fc.nat({ max: 200 }) }), { maxLength: 8 }), (groups) => {
        const map = new OrderedMap();
        const model = new Map<string, number>();
        const keys = groups.flatMap(({ front, count }, group) =>
          Array.from({ length: count }, (_, index) => front.repeat(1 + (group & 3)) + String.fromCharCode(index)),
        );
        // Keys that end, or diverge, within what others have in common.
        const within = groups.flatMap(({ front }) => [front, `${front}b`, front.slice(0, -1), `${front}${front}\x01`]);
        for (const [index, text] of [...keys, ...within].filter((text) => text.length > 0).entries()) {
          map.set(bytesOf(text), bytesOfNumber(index));
          model.set(text, index);
        }
        expectEqual(map, model);
        for (const text of within.filter((text) => text.length > 0)) expectEqual(map, model, `${text}\x7f`);
        for (const text of within.filter((text) => model.has(text))) {
          expect(map.delete(bytesOf(`${text}\x01never`))).toBe(false);
          expect(map.delete(bytesOf(text))).toBe(model.delete(text));
        }
        expectEqual(map, model);
      }),
      { numRuns: runs(20, 60) },
    );
  });

  it('has the same rows when a clone copies all nodes together', () => {
    const map = new OrderedMap();
    const model = new Map<string, number>();
    for (let index = 0; index < 30_000; index++) {
      const key = `\x10${hashOf(index % 10_000)}${index % 3 === 0 ? '' : bigEndian(index, 8)}`;
      map.set(bytesOf(key), bytesOfNumber(index));
      model.set(key, index);
    }
    vi.spyOn(NodePages.prototype, 'isSparse', 'get').mockReturnValue(true);
    const clones = [map.clone(), new OrderedMap().clone()] as const;
    expectEqual(clones[0], model, `\x10${hashOf(77)}`);
    expectEqual(clones[1], new Map());
    clones[0].delete(bytesOf(`\x10${hashOf(0)}`));
    map.set(bytesOf('new'), bytesOfNumber(1));
    expectEqual(map, new Map([...model, ['new', 1]]));
  });

  it('takes memory in proportion to its rows, however often it is cloned', () => {
    const held: number[] = [];
    const clone = NodePages.prototype.clone;
    vi.spyOn(NodePages.prototype, 'clone').mockImplementation(function (this: NodePages) {
      held.push(this.pages.reduce((words, { length }) => words + length, 0));
      return clone.call(this);
    });
    const map = new OrderedMap();
    const put = (index: number): void => map.set(bytesOf(`\x10${hashOf(index % 5000)}`), bytesOfNumber(index));
    for (let index = 0; index < 5000; index++) put(index);
    map.clone();
    for (let index = 0; index < 20_000; index++) {
      put(Math.imul(index, 7919) >>> 0);
      if (index % 10 === 0) map.clone();
    }
    // Twice as much plus a quarter of a megabyte, before all of it is copied.
    expect(Math.max(...held)).toBeLessThan(2 * held[0]! + 70_000);
    expect(map.size).toBe(5000);
  });

  it.each(['a', 'b', 'c'])('parts a leaf however its keys lie under two bytes, for a key under %s', (front) => {
    for (const whole of [31, 127]) {
      for (let left = 0; left <= whole; left += whole === 31 ? 1 : 9) {
        const map = new OrderedMap();
        const model = new Map<string, number>();
        const put = (key: string): void => {
          map.set(bytesOf(key), bytesOfNumber(model.size));
          model.set(key, model.size);
        };
        // Other bytes at the front, so that there is a branch above.
        for (let index = 0; index < 40; index++) put(`${String.fromCharCode(index)}x`);
        for (let index = 0; index < whole; index++) put(`${index < left ? 'a' : 'c'}${bigEndian(index, 2)}`);
        for (let index = 0; index < 40; index++) put(`${front}${bigEndian(1000 + index, 2)}`);
        expectEqual(map, model, `${front}${bigEndian(5, 2)}`);
      }
    }
  });

  it('releases rows that are replaced or removed', () => {
    const chunks = new Set<RowChunks>();
    const put = RowChunks.prototype.put;
    vi.spyOn(RowChunks.prototype, 'put').mockImplementation(function (this: RowChunks, ...row) {
      chunks.add(this);
      return put.apply(this, row);
    });
    const map = new OrderedMap();
    for (let index = 0; index < 3000; index++) {
      map.set(bytesOf('always'), new Uint8Array(5000));
      map.set(bytesOf(`once ${index}`), new Uint8Array(5000));
      expect(map.delete(bytesOf(`once ${index}`))).toBe(true);
    }
    expect(chunks.size).toBe(1);
    const [rows] = chunks as unknown as [RowChunks];
    expect(rows.chunks.reduce((bytes, { length }) => bytes + length, 0)).toBeLessThanOrEqual(1024 * 1024);
  });

  it('holds at most twice what its rows take and a chunk, when one in ten is left everywhere; a clone keeps all', () => {
    const chunks = new RowChunks();
    const map = new OrderedMap(chunks);
    const all = Array.from({ length: 40_000 }, (_, index) => hashOf(index));
    const row = (key: string, value: Uint8Array | undefined): Uint8Array => {
      const bytes = new Uint8Array(rowBytes(key.length, value?.length));
      writeRow(bytes, 0, bytesOf(key), value);
      return bytes;
    };
    const contentAt = (index: number): Uint8Array => bytesOf(`${'.'.repeat(60)}${index}`);
    const rowOf = (key: string, index: number): Uint8Array => row(key, contentAt(index));
    map.putRows(joined(...all.map(rowOf)), false);
    const clone = map.clone();
    const contentOfAll = contentOf(clone);
    const isLeft = (index: number): boolean => index % 10 === 3;
    const removed = all.filter((_, index) => !isLeft(index));
    for (const key of removed.slice(0, 20_000)) map.delete(bytesOf(key));
    map.putRows(joined(...removed.slice(20_000).map((key) => row(key, undefined))), false);

    const left = all.map((key, index) => [key, index] as const).filter(([, index]) => isLeft(index));
    const expected = left.map(([key, index]) => [key, textOf(contentAt(index))]).sort(([a], [b]) => (a! < b! ? -1 : 1));
    expect(contentOf(map)).toBe(JSON.stringify(expected));
    const taken = left.reduce((bytes, [key, index]) => bytes + rowOf(key, index).length, 0);
    const held = chunks.chunks.reduce((bytes, { length }) => bytes + length, 0);
    expect(held).toBeLessThan(2 * taken + 2 ** 19);
    expect(contentOf(clone)).toBe(contentOfAll);
  });

  it('has no memory for nodes once its last row is removed, whatever was in it', () => {
    const held = vi.spyOn(NodePages.prototype, 'clone');
    const kinds: readonly Kind[] = ['stream', 'position', 'hash', 'nested', 'short'];
    const map = new OrderedMap();
    const keys = kinds.flatMap((kind) => [0, 3, 5].flatMap((turn) => keysOfStep(kind, turn, 400, turn)));
    // Ends within what others have in common.
    keys.push(...[2, 5, 20, 33].flatMap((end) => keys.slice(0, 1).map((key) => key.slice(0, end))));
    const put = (all: readonly string[]): void => {
      for (const key of all) map.set(bytesOf(key), bytesOfNumber(1));
    };
    const remove = (all: readonly string[]): void => {
      for (const key of all) map.delete(bytesOf(key));
    };
    put(keys);
    remove(keys.filter((_, index) => index % 10 !== 0));
    map.clone();
    put(keys);
    remove(keys);
    expect(map.size).toBe(0);
    map.clone();
    const nodes = held.mock.contexts.at(-1) as NodePages;
    expect(nodes.pages.reduce((words, { length }) => words + length, 0)).toBe(0);
    expect(map.delete(bytesOf('1'))).toBe(false);
    expectEqual(map, new Map(), '1');
    map.set(bytesOf('1'), bytesOfNumber(1));
    expectEqual(map, new Map([['1', 1]]), '1');
  });

  it('keeps a key that ends where very many others go on with a zero', () => {
    const map = new OrderedMap();
    const model = new Map<string, number>();
    const keys = ['front', 'frond', ...Array.from({ length: 300 }, (_, index) => `front\0${bigEndian(index, 2)}`)];
    // Other bytes in the same place, so that a branch looks at it.
    for (let index = 1; index < 80; index++) keys.push(`front${String.fromCharCode(3 * index)}`);
    for (const [index, key] of [...keys.slice(302), ...keys.slice(0, 302)].entries()) {
      map.set(bytesOf(key), bytesOfNumber(index));
      model.set(key, index);
    }
    for (const key of keys) expect(numberOf(map.get(bytesOf(key)) ?? undefined)).toBe(model.get(key));
    expectEqual(map, model, 'front');
  });

  it('walks from keys that diverge within what all others have in common', () => {
    const map = new OrderedMap();
    const model = new Map<string, number>();
    for (let index = 0; index < 200; index++) {
      for (const key of [`kmiddle${String.fromCharCode(index)}`, `${String.fromCharCode(index)}x`]) {
        map.set(bytesOf(key), bytesOfNumber(index));
        model.set(key, index);
      }
    }
    for (const within of ['kmi', 'kmidele', 'kmidfle', 'kmi\0', 'kmi\xff', 'kl', 'kn', 'k']) {
      for (const rest of ['', '\0\0\0\0\0\0', '\x40\x40\x40\x40\x40\x40', '\xff\xff\xff\xff\xff\xff']) {
        expectEqual(map, model, within + rest);
      }
    }
  });

  it('has no branches for bytes that all keys have in common', () => {
    const held = vi.spyOn(NodePages.prototype, 'clone');
    const map = new OrderedMap();
    for (let index = 0; index < 1000; index++) map.set(bytesOf('k'.repeat(3000) + bigEndian(index, 2)), bytesOf('1'));
    map.clone();
    const nodes = held.mock.contexts.at(-1) as NodePages;
    expect(nodes.pages.reduce((words, { length }) => words + length, 0)).toBeLessThan(30_000);
  });

  it('has less memory for nodes once most rows of every leaf are removed', () => {
    const held: number[] = [];
    const clone = NodePages.prototype.clone;
    vi.spyOn(NodePages.prototype, 'isSparse', 'get').mockReturnValue(true);
    vi.spyOn(NodePages.prototype, 'clone').mockImplementation(function (this: NodePages) {
      held.push(this.pages.reduce((words, { length }) => words + length, 0));
      return clone.call(this);
    });
    const map = new OrderedMap();
    const keyOf = (index: number): Uint8Array => bytesOf(bigEndian(index, 3));
    for (let index = 0; index < 50_000; index++) map.set(keyOf(index), bytesOf('1'));
    map.clone();
    for (let index = 0; index < 50_000; index++) if (index % 31 !== 0) map.delete(keyOf(index));
    map.clone();
    expect(held[1]!).toBeLessThan(held[0]! / 2);
    for (let index = 0; index < 50_000; index += 31) expect(map.get(keyOf(index))).toEqual(bytesOf('1'));
  });
});
