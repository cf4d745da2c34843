/** Where rows in memory stand: the place of a removed one is used again while nobody else can see it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkOf,
  keyFrom,
  keyLength,
  offsetOf,
  RowChunks,
  readKey,
  readValue,
  rowLength,
  writeRow,
} from '../../src/store/row-chunks.ts';

const key = (last: number): Uint8Array => Uint8Array.of(1, 2, 3, last);
const value = Uint8Array.of(9, 9);

const keyOf = (rows: RowChunks, place: number): Uint8Array => readKey(rows.chunks[chunkOf(place)]!, offsetOf(place));
const contentOf = (rows: RowChunks, place: number): Uint8Array | undefined =>
  readValue(rows.chunks[chunkOf(place)]!, offsetOf(place));

describe('the place of a removed row', () => {
  it('is taken by the next row of its length', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), value);
    const second = rows.put(key(2), value);
    rows.remove(first);
    expect(offsetOf(rows.put(key(3), new Uint8Array(10))), 'a longer one').toBeGreaterThan(offsetOf(second));
    expect(rows.put(Uint8Array.of(5), Uint8Array.of(1, 2, 3, 4, 5)), 'as long, parted otherwise').toBe(first);
    expect(keyOf(rows, first)).toEqual(Uint8Array.of(5));
    expect(contentOf(rows, first)).toEqual(Uint8Array.of(1, 2, 3, 4, 5));
    expect(keyOf(rows, second)).toEqual(key(2));
    expect(rows.put(key(4), value), 'once').not.toBe(first);
  });

  it('is taken by a row that marks a key as deleted', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), undefined);
    rows.remove(first);
    expect(rows.put(key(2), undefined)).toBe(first);
    expect(contentOf(rows, first)).toBeUndefined();
  });

  it('stays empty once the rows are shared', () => {
    const rows = new RowChunks();
    const removed = rows.put(key(1), value);
    const seen = rows.put(key(2), value);
    rows.remove(removed);
    const clone = rows.clone();
    rows.remove(seen);
    const places = [rows.put(key(3), value), rows.put(Uint8Array.of(2), value)];
    for (const place of [removed, seen]) expect(places).not.toContain(place);
    expect(keyOf(clone, seen)).toEqual(key(2));
    rows.remove(places[0]!);
    expect(rows.put(key(5), value), 'what was put since is free').toBe(places[0]);
  });

  it('is released with its chunk', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), value);
    const kept = rows.put(key(2), value);
    while (chunkOf(rows.put(key(2), new Uint8Array(1000))) === chunkOf(first));
    rows.remove(first);
    const place = rows.put(key(3), value);
    expect(chunkOf(place)).not.toBe(chunkOf(first));
    expect(keyOf(rows, place)).toEqual(key(3));
    expect(keyOf(rows, kept), 'untouched').toEqual(key(2));
  });
});

describe('a chunk', () => {
  const fill = (rows: RowChunks): number[] => {
    const places = [rows.put(key(0), value)];
    while (chunkOf(places.at(-1)!) === chunkOf(places[0]!)) places.push(rows.put(key(0), new Uint8Array(1000)));
    return places.slice(0, -1);
  };
  const held = (rows: RowChunks): number => rows.chunks.reduce((bytes, { length }) => bytes + length, 0);

  it('is forgotten with the last of its rows, and its number is reused', () => {
    const rows = new RowChunks();
    const places = fill(rows);
    const before = held(rows);
    const chunk = rows.chunks[chunkOf(places[0]!)]!;
    for (const place of places.slice(1)) rows.remove(place);
    expect(held(rows)).toBe(before);
    rows.remove(places[0]!);
    expect(held(rows)).toBe(before - chunk.length);
    const large = rows.put(key(1), new Uint8Array(1_000_000).fill(7));
    expect(chunkOf(large)).toBe(chunkOf(places[0]!));
    expect(contentOf(rows, large)).toEqual(new Uint8Array(1_000_000).fill(7));
    rows.remove(large);
    expect(held(rows)).toBe(before - chunk.length);
  });

  it('is forgotten when another one is begun, if all of its rows were removed before', () => {
    const rows = new RowChunks();
    for (const place of [rows.put(key(1), value), rows.put(key(2), value)]) rows.remove(place);
    const large = new Uint8Array(1500);
    const places: number[] = [];
    while (places.length === 0 || chunkOf(places.at(-1)!) === chunkOf(places[0]!)) places.push(rows.put(key(1), large));
    for (const place of places.slice(0, -1)) rows.remove(place);
    expect(rows.chunks.filter(({ length }) => length > 0)).toHaveLength(1);
  });

  it('stays with the clone that has rows in it', () => {
    const rows = new RowChunks();
    const places = fill(rows);
    const clone = rows.clone();
    for (const place of places) rows.remove(place);
    const before = held(clone);
    const other = rows.put(key(9), new Uint8Array(100_000).fill(1));
    expect(places.map((place) => keyOf(clone, place))).toEqual(places.map(() => key(0)));
    const own = clone.put(key(8), new Uint8Array(100_000).fill(2));
    expect([keyOf(rows, other), keyOf(clone, own)]).toEqual([key(9), key(8)]);
    for (const place of [own, ...places]) clone.remove(place);
    expect(held(clone)).toBeLessThan(before);
  });

  it('that is taken over is read in all of its parts, and forgotten part by part', () => {
    const lengths = [10, 300_000, 300_000, 20, 1_200_000, 5, 0];
    const total = new Uint8Array(3_000_000);
    const ends: number[] = [0];
    for (const [index, length] of lengths.entries()) {
      writeRow(total, ends.at(-1)!, key(index), new Uint8Array(length).fill(index));
      ends.push(ends.at(-1)! + rowLength(total, ends.at(-1)!));
    }
    const rows = new RowChunks();
    const placeOf = rows.adopt(total.subarray(0, ends.at(-1)));
    const places = lengths.map((_, index) => placeOf(ends[index]!));
    for (const [index, place] of places.entries()) {
      expect(keyOf(rows, place)).toEqual(key(index));
      expect(Buffer.compare(contentOf(rows, place)!, new Uint8Array(lengths[index]!).fill(index))).toBe(0);
    }
    for (const place of places) rows.remove(place);
    expect(rows.chunks.filter(({ length }) => length > 0)).toEqual([]);
  });
});

describe('a row', () => {
  const bytes = (max: number) => fc.uint8Array({ minLength: 1, maxLength: max });

  it('is laid out as it is defined, and given back', () => {
    fc.assert(
      fc.property(bytes(600), fc.option(fc.uint8Array({ maxLength: 400 }), { nil: undefined }), (name, content) => {
        const rows = new Uint8Array(2048).fill(0xee);
        writeRow(rows, 8, name, content);
        const stored = content === undefined ? 0 : content.length + 1;
        const number = stored < 128 ? [stored] : [(stored & 0x7f) | 0x80, stored >> 7];
        const expected = [(name.length - 1) >> 8, (name.length - 1) & 0xff, ...name, ...number, ...(content ?? [])];
        expect([...rows.subarray(8, 8 + expected.length)]).toEqual(expected);
        expect(rowLength(rows, 8)).toBe(Math.ceil(expected.length / 8) * 8);
        expect(rows.subarray(keyFrom(8), keyFrom(8) + keyLength(rows, 8))).toEqual(name);
        expect(readKey(rows, 8)).toEqual(name);
        expect(readValue(rows, 8)).toEqual(content);
        const chunks = new RowChunks();
        const [place] = chunks.putRows(rows.slice(8, 8 + rowLength(rows, 8)), true) as [number];
        rows.fill(0);
        expect([keyOf(chunks, place), contentOf(chunks, place)]).toEqual([name, content]);
      }),
    );
  });
});
