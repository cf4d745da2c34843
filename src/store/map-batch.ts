/**
 * The large batch of a store based on an ordered map: it writes into a clone, which replaces the map at the end.
 * Cloning takes constant time and copies only what is written, so readers are not blocked in the meantime.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { checkEachOperation, checkReadKey } from './key-range.ts';
import type { OrderedMap } from './ordered-map.ts';
import type { LargeBatch, Operation } from './store.ts';

/** How a store keeps rows in its map. */
export interface MapRows {
  read(rows: OrderedMap, key: Uint8Array): Uint8Array | undefined;
  write(rows: OrderedMap, operations: readonly Operation[]): void;
}

/** What the store does at the end: `rows` is its new map, or undefined if the batch was abandoned. */
type Ended = (rows: OrderedMap | undefined) => void;

export class MapBatch implements LargeBatch {
  readonly #form: MapRows;
  readonly #ended: Ended;
  #rows: OrderedMap | undefined;

  /** `rows` belongs to the batch. */
  constructor(form: MapRows, rows: OrderedMap, ended: Ended) {
    this.#form = form;
    this.#rows = rows;
    this.#ended = ended;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    checkReadKey(key);
    return this.#form.read(this.#open(), key);
  }

  async add(operations: readonly Operation[]): Promise<void> {
    const rows = this.#open();
    checkEachOperation(operations);
    this.#form.write(rows, operations);
  }

  async commit(last: readonly Operation[]): Promise<void> {
    const rows = this.#open();
    try {
      checkEachOperation(last);
    } catch (error) {
      this.#end(undefined);
      throw error;
    }
    this.#form.write(rows, last);
    this.#end(rows);
  }

  async abandon(): Promise<void> {
    if (this.#rows !== undefined) this.#end(undefined);
  }

  /** The store was closed, which discards the batch. */
  drop(): void {
    this.#rows = undefined;
  }

  #end(rows: OrderedMap | undefined): void {
    this.#rows = undefined;
    this.#ended(rows);
  }

  #open(): OrderedMap {
    if (this.#rows === undefined) throw new EngineError('closed', 'the large batch has ended');
    return this.#rows;
  }
}
