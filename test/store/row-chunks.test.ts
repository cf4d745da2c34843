/** Where rows in memory stand: the place of a removed one is used again while nobody else can see it. */
import { describe, expect, it } from 'vitest';
import { RowChunks, readKey, readValue } from '../../src/store/row-chunks.ts';

const key = (last: number): Uint8Array => Uint8Array.of(1, 2, 3, last);
const value = Uint8Array.of(9, 9);

describe('the place of a removed row', () => {
  it('is that of the next row of its length', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), value);
    const second = rows.put(key(2), value);
    rows.remove(rows.chunk, first);
    expect(rows.put(key(3), Uint8Array.of(9)), 'a shorter one').toBeGreaterThan(second);
    expect(rows.put(Uint8Array.of(5), Uint8Array.of(1, 2, 3, 4, 5)), 'as long, parted otherwise').toBe(first);
    expect(readKey(rows.chunk, first)).toEqual(Uint8Array.of(5));
    expect(readValue(rows.chunk, first)).toEqual(Uint8Array.of(1, 2, 3, 4, 5));
    expect(readKey(rows.chunk, second)).toEqual(key(2));
    expect(rows.put(key(4), value), 'once').not.toBe(first);
  });

  it('is that of a row that says that a key is deleted', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), undefined);
    rows.remove(rows.chunk, first);
    expect(rows.put(key(2), undefined)).toBe(first);
    expect(readValue(rows.chunk, first)).toBeUndefined();
  });

  it('stays empty once the rows are shared, and where the row is a bound', () => {
    const rows = new RowChunks();
    const bound = rows.put(key(1), value);
    rows.keep(rows.chunk, bound);
    rows.remove(rows.chunk, bound);
    const removed = rows.put(key(2), value);
    expect(removed).not.toBe(bound);
    rows.remove(rows.chunk, removed);
    const seen = rows.put(Uint8Array.of(1), value);
    rows.share();
    rows.remove(rows.chunk, seen);
    const places = [rows.put(key(3), value), rows.put(Uint8Array.of(2), value)];
    for (const place of [bound, removed, seen]) expect(places).not.toContain(place);
    rows.remove(rows.chunk, places[0]!);
    expect(rows.put(key(5), value), 'what was put since is free').toBe(places[0]);
  });

  it('is let go with its chunk', () => {
    const rows = new RowChunks();
    const first = rows.put(key(1), value);
    const { chunk } = rows;
    while (rows.chunk === chunk) rows.put(key(2), new Uint8Array(1000));
    rows.remove(chunk, first);
    const place = rows.put(key(3), value);
    expect(rows.chunk).not.toBe(chunk);
    expect(readKey(rows.chunk, place)).toEqual(key(3));
    expect(readKey(chunk, first), 'untouched').toEqual(key(1));
  });
});
