/**
 * A store as it should be: a sorted list of rows, and the comparison of a store with it.
 * @module
 */
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts';
import type { KeyRange, Operation, ReadableStore, Row } from '../store.ts';
import { expectRows, expectValue } from './expectation.ts';

export class Model {
  rows: readonly Row[];

  constructor(rows: readonly Row[] = []) {
    this.rows = rows;
  }

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const others = this.rows.filter((row) => !equalBytes(row.key, operation.key));
      this.rows =
        operation.type === 'delete'
          ? others
          : [...others, { key: operation.key, value: operation.value }].sort((a, b) => compareBytes(a.key, b.key));
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.rows.find((row) => equalBytes(row.key, key))?.value;
  }

  range(range: KeyRange): readonly Row[] {
    const inside = this.rows.filter(
      ({ key }) =>
        (range.gte === undefined || compareBytes(key, range.gte) >= 0) &&
        (range.gt === undefined || compareBytes(key, range.gt) > 0) &&
        (range.lte === undefined || compareBytes(key, range.lte) <= 0) &&
        (range.lt === undefined || compareBytes(key, range.lt) < 0),
    );
    const ordered = range.reverse === true ? inside.toReversed() : inside;
    return ordered.slice(0, range.limit);
  }
}

/** The rows of a scan. */
export async function scanned(store: ReadableStore, range: KeyRange = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of store.scan(range)) rows.push(row);
  return rows;
}

/** Asserts that a store holds what the model does, by scan and by key. */
export async function expectModel(store: ReadableStore, model: Model, what: string): Promise<void> {
  expectRows(await scanned(store), model.rows, `a scan of ${what}`);
  for (const { key, value } of model.rows) expectValue(store.get(key), value, `get of ${what}`);
}

/** Asserts that ranges and scans of a store are those of the model. */
export async function expectRanges(
  store: ReadableStore,
  model: Model,
  ranges: readonly KeyRange[],
  what: string,
): Promise<void> {
  for (const range of ranges) {
    const { limit: _, ...unlimited } = range;
    expectRows(await store.range(range), model.range(range), `a range of ${what}`);
    expectRows(await scanned(store, range), model.range(range), `a scan with a limit of ${what}`);
    expectRows(await scanned(store, unlimited), model.range(unlimited), `a scan of a range of ${what}`);
  }
}
