/**
 * Random batches and ranges, the same ones for the same seed.
 *
 * Few distinct bytes and short keys, so that keys collide, nest as prefixes, and lie on both sides of 0x80.
 * @module
 */
import type { KeyRange, Operation } from '../store.ts';

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
