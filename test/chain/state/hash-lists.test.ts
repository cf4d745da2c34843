/** Lists of replaced nodes and detached trees that take several rows. */
import { describe, expect, it, vi } from 'vitest';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { hashToWords } from '../../../src/base/hash/tagged.ts';
import { hashParts, writeNodes } from '../../../src/chain/state/node-row.ts';
import { columnKey, orderBytes, partBytes } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { FreshNodes, HashList } from '../../../src/store/tree/fresh-nodes.ts';

// Two hashes to a row.
vi.mock('../../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../../src/store/limits.ts')>()),
  STORE_VALUE_BYTES_MAX: 64,
}));

const hash = (number: number): Uint8Array => sha3(Uint8Array.of(number));
const hashes = (count: number): Uint8Array[] => Array.from({ length: count }, (_, number) => hash(number));

describe.each(['staleNodes', 'detachedTrees'] as const)('the list %s', (column) => {
  it.each([0, 1, 2, 3, 4, 5])('of %i hashes is written in parts, and read back', async (count) => {
    const stale = new HashList();
    const words = new Int32Array(8);
    for (const each of column === 'staleNodes' ? hashes(count) : []) {
      hashToWords(each, words, 0);
      stale.push(words, 0);
    }
    const detached = column === 'detachedTrees' ? hashes(count) : [];
    const rows = RowBatch.putsOf((batch) => writeNodes(batch, 7n, { fresh: new FreshNodes(), stale, detached }));
    const parts = Array.from({ length: Math.ceil(count / 2) }, (_, part) => part);
    expect(rows.map(({ key }) => key)).toEqual(
      parts.map((part) => columnKey(column, orderBytes(7n), ...(part === 0 ? [] : [partBytes(part)]))),
    );
    expect(rows.map(({ value }) => value.length)).toEqual(parts.map((part) => 32 * Math.min(2, count - 2 * part)));
    const store = new MemoryStore();
    await store.batch(rows);
    const read = [...hashParts(store, column, 7n)].map((part) => [...part.value]);
    expect(read.flat()).toEqual(hashes(count).flatMap((each) => [...each]));
    expect([...hashParts(store, column, 8n)]).toEqual([]);
  });
});
