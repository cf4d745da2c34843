/** A store as somebody else might bring it: what `Store` asks for and nothing more. */
import {
  type KeyRange,
  MemoryStore,
  type Operation,
  type RevertibleStore,
  type Row,
  type Store,
  type StoreSupports,
  type StoreView,
} from '../../src/store/index.ts';

export class PlainStore implements Store {
  readonly kind = 'plain';
  readonly supports: StoreSupports = { checkpoints: false, largeBatches: false, permanence: false };
  readonly #rows = new MemoryStore();

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(key);
  }

  range(range: KeyRange): Promise<readonly Row[]> {
    return this.#rows.range(range);
  }

  scan(range: KeyRange): AsyncIterable<Row> {
    return this.#rows.scan(range);
  }

  batch(operations: readonly Operation[]): Promise<void> {
    return this.#rows.batch(operations);
  }

  view(): StoreView {
    return this.#rows.view();
  }

  fork(): RevertibleStore {
    return this.#rows.fork();
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}
