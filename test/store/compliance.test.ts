/** The suite for other people's stores finds what is wrong with a store, and names the run that shows it. */
import { describe, expect, it } from 'vitest';
import { GatheredBatch } from '../../src/store/gathered-batch.ts';
import {
  beginBatch,
  type KeyRange,
  type LargeBatch,
  MemoryStore,
  type Operation,
  type RevertibleStore,
  type Row,
  type Store,
  type StoreView,
  storeCompliance,
} from '../../src/store/index.ts';
import { compliance } from './compliance.ts';
import { PlainStore } from './plain-store.ts';

compliance('a store of somebody else', async () => new PlainStore());

it('a large batch in memory ends once, when it is committed, abandoned or refused', async () => {
  const put = { type: 'put', key: Uint8Array.of(1), value: new Uint8Array(0) } as const;
  for (const [end, isWritten] of [
    [(batch: LargeBatch) => batch.commit([]), true],
    [(batch: LargeBatch) => batch.abandon(), false],
    [(batch: LargeBatch) => batch.commit([{ ...put, key: 'no key' as never }]).catch(() => {}), false],
  ] as const) {
    const store = new PlainStore();
    let ended = 0;
    const batch = new GatheredBatch({
      get: (key) => store.get(key),
      write: (operations) => store.batch(operations),
      assertFits: () => {},
      ended: () => void ended++,
    });
    await batch.add([put]);
    expect(ended).toBe(0);
    await end(batch);
    expect(ended).toBe(1);
    await batch.abandon();
    await expect(batch.add([put])).rejects.toMatchObject({ code: 'closed' });
    expect([ended, store.get(put.key) !== undefined]).toEqual([1, isWritten]);
  }
});

/** What the suite's tests say about a store, by their names. */
async function complaints(open: () => Store): Promise<Map<string, string>> {
  const tests: [string, () => Promise<void>][] = [];
  storeCompliance({ test: (name, run) => tests.push([name, run]), open: async () => open(), runs: 10, seed: 7 });
  const found = new Map<string, string>();
  for (const [name, run] of tests) {
    await run().catch((error: unknown) => found.set(name, String(error)));
  }
  return found;
}

class Forgetful extends PlainStore {
  override batch(operations: readonly Operation[]): Promise<void> {
    return super.batch(operations.filter(({ type }) => type === 'put'));
  }
}

class Partial extends PlainStore {
  override async batch(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) await super.batch([operation]);
  }
}

class Backwards extends PlainStore {
  override async range(range: KeyRange): Promise<readonly Row[]> {
    const rows = await super.range(range);
    return range.gt === undefined ? rows : rows.toReversed();
  }
}

class Unfrozen extends PlainStore {
  override view(): StoreView {
    return {
      get: (key) => this.get(key),
      range: (range) => this.range(range),
      scan: (range) => this.scan(range),
      release() {},
    };
  }
}

class SharedFork extends PlainStore {
  readonly #fork = new MemoryStore();

  override fork(): RevertibleStore {
    return this.#fork;
  }
}

class Early extends PlainStore {
  override readonly supports = { checkpoints: false, largeBatches: true, permanence: false };

  begin(): LargeBatch {
    const large = beginBatch(new MemoryStore());
    return {
      get: (key) => large.get(key),
      add: (operations) => this.batch(operations),
      commit: (last) => this.batch(last),
      abandon: async () => {},
    };
  }
}

class NeverClosed extends PlainStore {
  override async close(): Promise<void> {}
}

describe('the suite for stores', () => {
  it('is silent about a store that complies', async () => {
    expect(await complaints(() => new PlainStore())).toEqual(new Map());
    expect(await complaints(() => new MemoryStore())).toEqual(new Map());
  });

  it.each([
    [
      'forgets to delete',
      Forgetful,
      'equals a sorted list after any batches, for any range',
      /with seed \d+: a scan of the store/,
    ],
    [
      'applies a part of a batch',
      Partial,
      'leaves nothing of a batch that it refuses',
      /a row of a batch that was refused/,
    ],
    [
      'turns a range around',
      Backwards,
      'equals a sorted list after any batches, for any range',
      /a range of the store/,
    ],
    ['moves its views', Unfrozen, 'keeps views and forks apart from the store and from each other', /a scan of a view/],
    [
      'shares its forks',
      SharedFork,
      'keeps views and forks apart from the store and from each other',
      /a scan of a (view|fork)/,
    ],
    [
      'shows a large batch early',
      Early,
      'makes a large batch visible whole or not at all, and keeps others at the content before it',
      /large batch/,
    ],
    [
      'is never closed',
      NeverClosed,
      'answers closed after close, and closes twice',
      /expected an error with code closed, got no error/,
    ],
  ])('finds that a store %s', async (_, Kind, name, message) => {
    expect((await complaints(() => new Kind())).get(name)).toMatch(message);
  });
});
