/**
 * Source maps: `counter.mvsm` is what `@initia/builder.js` 0.2.12 wrote of examples/counter, whose structs list their fields by
 * variant; the other is written here by hand in the reference's form.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/base/bytes/writer.ts';
import { readSourceMap } from '../../src/compile/source-map.ts';
import { lineAt } from '../../src/execution/module-sources.ts';

const read = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(`../../${path}`, import.meta.url)));
const counterMap = read('test/vectors/counter.mvsm');
const counterSource = new TextDecoder().decode(read('examples/counter/sources/counter.move'));

describe('a source map', () => {
  it('tells the line of each instruction, from one entry on to the next', () => {
    const lines = readSourceMap(counterMap, 'sources/counter.move', counterSource);
    expect([0, 10, 11, 22].map((offset) => lineAt(lines, 0, offset))).toEqual([27, 27, 28, 30]);
    expect(lineAt(lines, 9, 0)).toBeUndefined();
    expect(counterSource.split('\n')[26]).toContain('assert!(amount > 0');
  });

  it('has another form for structs without variants', () => {
    const writer = new ByteWriter();
    const place = (start: number): void => {
      writer.bytes(new Uint8Array(32));
      writer.u32(start);
      writer.u32(start + 1);
    };
    place(0);
    writer.u8(0); // no module: a script
    writer.u8(1); // one struct, number 0, without type parameters, with two fields
    writer.u16(0);
    place(0);
    writer.u8(0);
    writer.u8(2);
    place(0);
    place(0);
    writer.u8(1); // one function, number 0, without names, with two places
    writer.u16(0);
    place(0);
    writer.bytes(new Uint8Array(4));
    writer.u8(2);
    for (const [offset, start] of [
      [0, 1],
      [3, 5],
    ] as const) {
      writer.u16(offset);
      place(start);
    }
    writer.u8(0);
    writer.u8(0); // no constants
    const lines = readSourceMap(writer.finish(), 'a.move', 'one\ntwo\n');
    expect(lines).toEqual({
      path: 'a.move',
      functions: {
        0: [
          [0, 1],
          [3, 2],
        ],
      },
    });
  });

  it('is an error if it is cut short', () => {
    expect(() => readSourceMap(counterMap.subarray(0, 200), 'a.move', '')).toThrow('expected');
  });
});
