/**
 * A small abstract-level database in memory: with or without synchronous reads, and with faults on demand.
 * abstract-level itself comes with `level`.
 */
import { AbstractIterator, AbstractLevel, AbstractSnapshot } from 'abstract-level';
import { compareBytes } from '../../src/base/bytes/bytes.ts';

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

interface Change extends Entry {
  readonly type: 'put' | 'del';
}

interface Bounds {
  readonly gte?: Uint8Array;
  readonly gt?: Uint8Array;
  readonly lte?: Uint8Array;
  readonly lt?: Uint8Array;
  readonly reverse: boolean;
  readonly limit: number;
  readonly snapshot?: TestSnapshot;
}

class TestSnapshot extends AbstractSnapshot {
  readonly entries: readonly Entry[];

  constructor(owner: TestLevel) {
    // @ts-expect-error the constructor that a backend calls takes its owner; it is not part of the public types.
    super({ owner });
    this.entries = owner.entries;
  }
}

class TestIterator extends AbstractIterator<TestLevel, Uint8Array, Uint8Array> {
  #left: Entry[];

  constructor(database: TestLevel, bounds: Bounds) {
    super(database, bounds);
    const inside = (bounds.snapshot?.entries ?? database.entries).filter(
      ({ key }) =>
        (bounds.gte === undefined || compareBytes(key, bounds.gte) >= 0) &&
        (bounds.gt === undefined || compareBytes(key, bounds.gt) > 0) &&
        (bounds.lte === undefined || compareBytes(key, bounds.lte) <= 0) &&
        (bounds.lt === undefined || compareBytes(key, bounds.lt) < 0),
    );
    if (bounds.reverse) inside.reverse();
    this.#left = bounds.limit >= 0 ? inside.slice(0, bounds.limit) : inside;
  }

  async _next(): Promise<[Uint8Array, Uint8Array] | undefined> {
    const entry = this.#left.shift();
    return entry === undefined ? undefined : [entry.key, entry.value];
  }

  async _close(): Promise<void> {
    this.#left = [];
  }
}

export class TestLevel extends AbstractLevel<Uint8Array, Uint8Array, Uint8Array> {
  entries: readonly Entry[] = [];
  /** Batches that reached the database, with the number of changes of each. */
  readonly written: { readonly changes: number; readonly sync: boolean }[] = [];
  /** Called after each of them. */
  onWritten: (() => void) | undefined;
  /** What the next batch fails with. */
  fault: Error | undefined;
  /** What the next read of several keys fails with. */
  readFault: Error | undefined;

  constructor(supports: { getSync: boolean; explicitSnapshots?: boolean }) {
    super(
      { encodings: { view: true }, explicitSnapshots: true, ...supports },
      { keyEncoding: 'view', valueEncoding: 'view' },
    );
  }

  _getSync(key: Uint8Array, { snapshot }: { snapshot?: TestSnapshot }): Uint8Array | undefined {
    return (snapshot?.entries ?? this.entries).find((entry) => compareBytes(entry.key, key) === 0)?.value;
  }

  async _getMany(
    keys: readonly Uint8Array[],
    { snapshot }: { snapshot?: TestSnapshot },
  ): Promise<(Uint8Array | undefined)[]> {
    if (this.readFault !== undefined) throw this.readFault;
    return keys.map((key) => this._getSync(key, snapshot === undefined ? {} : { snapshot }));
  }

  async _batch(changes: readonly Change[], { sync }: { sync?: boolean }): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (this.fault !== undefined) throw this.fault;
    const entries = new Map(this.entries.map((entry) => [entry.key.join(), entry]));
    for (const { type, key, value } of changes) {
      if (type === 'del') entries.delete(key.join());
      else entries.set(key.join(), { key: key.slice(), value: value.slice() });
    }
    this.entries = [...entries.values()].sort((left, right) => compareBytes(left.key, right.key));
    this.written.push({ changes: changes.length, sync: sync === true });
    this.onWritten?.();
  }

  _iterator(bounds: Bounds): TestIterator {
    return new TestIterator(this, bounds);
  }

  _snapshot(): TestSnapshot {
    return new TestSnapshot(this);
  }
}
