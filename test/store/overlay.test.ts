import { expect, it } from 'vitest';
import { MemoryStore, OverlayStore, type StoreView } from '../../src/store/index.ts';
import { compliance } from './compliance.ts';

compliance('overlay on memory', async () => OverlayStore.over(new MemoryStore().view()));

compliance('overlay on a memory store that holds rows under tombstones', async () => {
  const base = new MemoryStore();
  const keys = Array.from({ length: 40 }, (_, index) => Uint8Array.of(index % 3, index));
  await base.batch(keys.map((key) => ({ type: 'put', key, value: key })));
  const overlay = OverlayStore.over(base.view());
  await overlay.batch(keys.map((key) => ({ type: 'delete', key })));
  return overlay;
});

it('merges thousands of rows of the base with thousands of its own, in both directions', async () => {
  const base = new MemoryStore();
  const key = (index: number): Uint8Array => Uint8Array.of(index >> 8, index & 0xff);
  const indexes = Array.from({ length: 6000 }, (_, index) => index);
  await base.batch(
    indexes
      .filter((index) => index % 2 === 0)
      .map((index) => ({ type: 'put', key: key(index), value: Uint8Array.of(0) })),
  );
  const overlay = OverlayStore.over(base.view());
  await overlay.batch(
    indexes
      .filter((index) => index % 2 === 1)
      .map((index) => ({ type: 'put', key: key(index), value: Uint8Array.of(1) })),
  );
  await overlay.batch(
    indexes.filter((index) => index % 10 === 4).map((index) => ({ type: 'delete', key: key(index) })),
  );
  const expected = indexes.filter((index) => index % 10 !== 4);
  for (const large of [undefined, overlay.begin()]) {
    const found = [0, 1, 4, 7_000].map((index) => (large ?? overlay).get(key(index))?.[0]);
    expect(found).toEqual([0, 1, undefined, undefined]);
    await large?.abandon();
  }
  for (const reverse of [false, true]) {
    const seen: number[] = [];
    for await (const row of overlay.scan({ reverse })) {
      const index = row.key[0]! * 256 + row.key[1]!;
      expect(row.value).toEqual(Uint8Array.of(index % 2));
      seen.push(index);
    }
    expect(seen).toEqual(reverse ? expected.toReversed() : expected);
    const page = await overlay.range({ reverse, limit: 3500 });
    expect(page.map((row) => row.key[0]! * 256 + row.key[1]!)).toEqual(seen.slice(0, 3500));
  }
});

it('releases its base view with the last fork, view, or running scan', async () => {
  const base = new MemoryStore();
  await base.batch([{ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(1) }]);
  let released = 0;
  const inner = base.view();
  const counted: StoreView = {
    get: (key) => inner.get(key),
    range: (range) => inner.range(range),
    scan: (range) => inner.scan(range),
    release: () => {
      released++;
    },
  };
  const overlay = OverlayStore.over(counted);
  const fork = overlay.fork();
  const view = fork.view();
  await overlay.close();
  await overlay.close();
  await fork.close();
  expect(released).toBe(0);
  for await (const row of view.scan({})) {
    view.release();
    expect(row.value).toEqual(Uint8Array.of(1));
    expect(released).toBe(0);
  }
  expect(released).toBe(1);
});
