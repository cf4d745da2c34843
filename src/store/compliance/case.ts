/**
 * What the tests of the suite share: the error that says that a store does not comply; random batches and ranges, the
 * same ones for the same seed; and a store as it should be, a sorted list of rows, with which a store is compared.
 *
 * Keys are short, of few distinct bytes, so that they collide, nest as prefixes, and lie on both sides of 0x80.
 * @module
 */

import { compareBytes, equalBytes, toHex } from '../../base/bytes/bytes.ts';
import { type ErrorCode, messageOf } from '../../base/error.ts';
import type { KeyRange, Operation, ReadableStore, Row, Store } from '../store.ts';

/** Asserts that two lists of words are the same, naming the first that differs. */
function expectWords(actual: readonly string[], expected: readonly string[], what: string): void {
  const length = Math.max(actual.length, expected.length);
  for (let index = 0; index < length; index++) {
    if (actual[index] === expected[index]) continue;
    throw new Error(
      `${what}: expected ${expected[index] ?? 'nothing more'} at ${index} of ${expected.length}, got ${actual[index] ?? 'nothing more'}`,
    );
  }
}

export function expectRows(actual: readonly Row[], expected: readonly Row[], what: string): void {
  expectWords(actual.map(rowWord), expected.map(rowWord), what);
}

export function expectValue(actual: Uint8Array | undefined, expected: Uint8Array | undefined, what: string): void {
  expectWords([valueWord(actual)], [valueWord(expected)], what);
}

export function expectCount(actual: number, expected: number, what: string): void {
  expectWords([String(actual)], [String(expected)], what);
}

/** Asserts that `run` throws or rejects with an error of one of these codes. */
export async function expectError(codes: readonly ErrorCode[], run: () => unknown, what: string): Promise<void> {
  let found: unknown;
  try {
    await run();
  } catch (error) {
    found = error;
  }
  const got = found === undefined ? 'no error' : (found as { code?: unknown }).code;
  if (codes.some((code) => code === got)) return;
  throw new Error(`${what}: expected an error with code ${codes.join(' or ')}, got ${String(got ?? found)}`, {
    cause: found,
  });
}

function rowWord({ key, value }: Row): string {
  return `${toHex(key)}=${toHex(value)}`;
}

function valueWord(value: Uint8Array | undefined): string {
  return value === undefined ? 'no value' : `value ${toHex(value)}`;
}

const KEY_BYTES = [0, 1, 2, 0x7f, 0x80, 0xff] as const;

export class RandomRows {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `end` exclusive (mulberry32). */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** Up to `max` of what `make` gives. */
  list<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.below(max + 1) }, make);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  key(): Uint8Array {
    return Uint8Array.from({ length: 1 + this.below(4) }, () => this.pick(KEY_BYTES));
  }

  value(): Uint8Array {
    return Uint8Array.from({ length: this.below(80) }, () => this.below(256));
  }

  batch(): Operation[] {
    return this.list(12, () =>
      this.below(4) === 0 ? { type: 'delete', key: this.key() } : { type: 'put', key: this.key(), value: this.value() },
    );
  }

  range(): KeyRange & { readonly limit: number } {
    const lower = this.pick<KeyRange>([{}, { gte: this.key() }, { gt: this.key() }]);
    const upper = this.pick<KeyRange>([{}, { lte: this.key() }, { lt: this.key() }]);
    return { ...lower, ...upper, reverse: this.below(2) === 0, limit: this.below(13) };
  }

  ranges(): KeyRange[] {
    return Array.from({ length: 4 + this.below(4) }, () => this.range());
  }
}

/** A row of few bytes. */
export function put(key: readonly number[], value: readonly number[]): Operation {
  return { type: 'put', key: Uint8Array.from(key), value: Uint8Array.from(value) };
}

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

/** What a test is given. */
export interface CaseContext<Subject = Store> {
  /** An empty store; or the test's log, empty at first, as another process would open it. Closed after the test. */
  open(): Promise<Subject>;
  /** Random runs. */
  readonly runs: number;
  readonly seed: number;
}

export interface Case<Subject = Store> {
  readonly name: string;
  run(context: CaseContext<Subject>): Promise<void>;
}

/** Registers each case with the runner's `test`. `create` is called for each, and returns its `open`. */
export function registerCases<Subject extends { close(): Promise<void> }>(
  cases: readonly Case<Subject>[],
  test: (name: string, run: () => Promise<void>) => unknown,
  create: () => Promise<() => Promise<Subject>>,
  random: Pick<CaseContext, 'runs' | 'seed'>,
): void {
  for (const { name, run } of cases) {
    test(name, async () => {
      const opened: Subject[] = [];
      const opening = await create();
      const open = async (): Promise<Subject> => {
        const subject = await opening();
        opened.push(subject);
        return subject;
      };
      try {
        await run({ open, ...random });
      } finally {
        for (const subject of opened) await subject.close();
      }
    });
  }
}

/** A case that is run `runs` times, each with a fresh store and different random rows. */
export function randomCase(name: string, play: (store: Store, random: RandomRows) => Promise<void>): Case {
  return {
    name,
    run: async ({ open, runs, seed }) => {
      for (let run = 0; run < runs; run++) {
        const store = await open();
        try {
          await play(store, new RandomRows(seed + run));
        } catch (error) {
          const reason = messageOf(error);
          throw new Error(`with seed ${seed + run}: ${reason}`, { cause: error });
        }
        await store.close();
      }
    },
  };
}

/** A case of one store. */
export function plainCase(name: string, play: (store: Store) => Promise<void>): Case {
  return { name, run: async ({ open }) => play(await open()) };
}
