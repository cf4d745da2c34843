import { describe, expect, it } from 'vitest';

describe('bytes in an expectation', () => {
  const bytes = Uint8Array.of(1, 2, 3);

  it('are equal if all of them are, however deeply they are nested', () => {
    expect(bytes).toEqual(Uint8Array.of(1, 2, 3));
    expect({ rows: [[bytes]] }).toStrictEqual({ rows: [[bytes.slice()]] });
    for (const other of [Uint8Array.of(1, 2, 4), Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3, 0), Uint8Array.of()]) {
      expect(bytes).not.toEqual(other);
      expect({ rows: [[bytes]] }).not.toEqual({ rows: [[other]] });
      expect(new Map([['key', bytes]])).not.toEqual(new Map([['key', other]]));
    }
  });

  it('are neither an array nor text nor wider numbers', () => {
    for (const other of [[1, 2, 3], '1,2,3', Uint16Array.of(1, 2, 3), { 0: 1, 1: 2, 2: 3 }]) {
      expect(bytes).not.toEqual(other);
    }
  });

  it('are not strictly equal to a Buffer', () => {
    expect(bytes).not.toStrictEqual(Buffer.from(bytes));
  });
});
