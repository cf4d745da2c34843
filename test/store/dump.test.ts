import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { sha256 } from '../../src/base/hash/sha256.ts';
import { dumpStore, loadDump, MemoryStore, openDirectory } from '../../src/store/index.ts';
import { collected } from '../collected.ts';
import { runs } from '../effort.ts';
import { batchArbitrary } from './batch-arbitrary.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const headKey = Uint8Array.of(1);
const options = { headKey };

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return concatBytes(...(await collected(chunks)));
}

function* inPieces(bytes: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function storeOf(...rows: [number[], number[]][]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(
    rows.map(([key, value]) => ({ type: 'put', key: Uint8Array.from(key), value: Uint8Array.from(value) })),
  );
  return store;
}

describe('a dump', () => {
  it('has the bytes that the layout prescribes', async () => {
    const store = await storeOf([[1], [7, 8]], [[0, 255], []]);
    const bytes = await bytesOf(dumpStore(store));
    const body =
      '6d6f76656c6574d0 01000000 02000000 00000000 00ff 01000000 02000000 01 0708 00000000 0200000000000000'.replaceAll(
        ' ',
        '',
      );
    const digest = createHash('sha256').update(Buffer.from(body, 'hex')).digest('hex');
    expect(toHex(bytes)).toBe(body + digest);
  });

  it('loads to the same content, whatever the pieces, and dumps to the same bytes again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(batchArbitrary, { maxLength: 8 }),
        fc.integer({ min: 1, max: 70 }),
        async (batches, size) => {
          const store = await storeOf();
          for (const batch of batches) await store.batch(batch);
          await store.batch([{ type: 'put', key: headKey, value: Uint8Array.of(42) }]);
          const bytes = await bytesOf(dumpStore(store));
          const loaded = new MemoryStore();
          expect(await loadDump(loaded, inPieces(bytes, size), options)).toBe(store.size);
          expect(await collected(loaded.scan({}))).toEqual(await collected(store.scan({})));
          expect(await bytesOf(dumpStore(loaded))).toEqual(bytes);
        },
      ),
      { numRuns: runs(20, 60) },
    );
  });

  it('is refused wherever it is cut or flipped, and leaves nothing', async () => {
    const store = await storeOf(
      [
        [0, 1],
        [1, 2, 3],
      ],
      [[1], [4, 5]],
      [[2, 9], []],
      [[3], [6]],
    );
    const bytes = await bytesOf(dumpStore(store));
    for (let cut = 0; cut < bytes.length; cut++) {
      const target = new MemoryStore();
      await expect(loadDump(target, [bytes.subarray(0, cut)], options)).rejects.toMatchObject({ code: 'corrupt' });
      expect(target.size).toBe(0);
    }
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const target = new MemoryStore();
      const code = bit < 64 ? 'malformed-bytes' : bit < 96 ? 'format-unknown' : 'corrupt';
      await expect(loadDump(target, [flipped], options)).rejects.toMatchObject({ code });
      expect(target.size).toBe(0);
    }
    const longer = concatBytes(bytes, Uint8Array.of(0));
    const details = { position: bytes.length };
    for (const chunks of [[longer], inPieces(longer, 3)]) {
      await expect(loadDump(new MemoryStore(), chunks, options)).rejects.toMatchObject({ code: 'corrupt', details });
    }
  });

  it('is never loaded over a chain, nor without a head', async () => {
    const store = await storeOf([[1], [4, 5]], [[2], [3]]);
    const bytes = await bytesOf(dumpStore(store));
    await expect(loadDump(store, [bytes], options)).rejects.toMatchObject({ code: 'invalid-argument' });
    const other = await storeOf([[9], [9]]);
    await expect(loadDump(other, [bytes], options)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(other.size).toBe(1);
    const headless = new MemoryStore();
    const error = { code: 'corrupt', message: expect.stringContaining('0x07') };
    await expect(loadDump(headless, [bytes], { headKey: Uint8Array.of(7) })).rejects.toMatchObject(error);
    expect(headless.size).toBe(0);
  });

  it('puts the head row alone and last, after everything was checked', async () => {
    const store = new MemoryStore();
    const value = new Uint8Array(2_000_000).fill(7);
    for (let index = 0; index < 5; index++) {
      await store.batch([{ type: 'put', key: Uint8Array.of(index), value }]);
    }
    const target = new MemoryStore();
    const batches: string[][] = [];
    const batch = target.batch.bind(target);
    target.batch = (operations) => {
      batches.push(operations.map(({ key }) => toHex(key)));
      return batch(operations);
    };
    const progress: number[] = [];
    let ended = false;
    async function* chunks(): AsyncIterable<Uint8Array> {
      for await (const chunk of dumpStore(store)) {
        expect(batches.flat()).not.toContain('01');
        yield chunk;
      }
      ended = true;
    }
    await loadDump(target, chunks(), { headKey, onProgress: (rows) => progress.push(rows) });
    expect(ended).toBe(true);
    expect(batches).toEqual([['00', '02', '03'], ['04'], ['01']]);
    expect(progress).toEqual([4, 5]);
    expect(sha256(await bytesOf(dumpStore(target)))).toEqual(sha256(await bytesOf(dumpStore(store))));
  });

  it('is of one moment even while batches arrive, from a directory into a directory', async () => {
    const from = await openDirectory(directory(), { durability: 'os' });
    const key = (index: number): Uint8Array => Uint8Array.of(2, index >> 8, index & 0xff);
    const put = (index: number, value: number): { type: 'put'; key: Uint8Array; value: Uint8Array } => ({
      type: 'put',
      key: key(index),
      value: new Uint8Array(300).fill(value),
    });
    await from.batch([{ type: 'put', key: headKey, value: Uint8Array.of(0) }]);
    await from.batch(Array.from({ length: 3000 }, (_, index) => put(index, 0)));
    async function* whileWriting(): AsyncIterable<Uint8Array> {
      let round = 0;
      for await (const chunk of dumpStore(from)) {
        round++;
        await from.batch([
          { type: 'put', key: headKey, value: Uint8Array.of(round) },
          ...Array.from({ length: 3100 }, (_, index) => put(index, round)),
        ]);
        yield chunk;
      }
      expect(round).toBeGreaterThan(2);
    }
    const to = await openDirectory(directory(), { durability: 'os' });
    expect(await loadDump(to, whileWriting(), options)).toBe(3001);
    for await (const row of to.scan({})) expect(row.value.every((byte) => byte === 0)).toBe(true);
    await from.close();
    await to.close();
  });
});
