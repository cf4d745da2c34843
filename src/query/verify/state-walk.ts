/**
 * A walk over every tree of one state. Reading a node checks it against its hash, and each object must have as many
 * fields as it says.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { guarded } from './expected-rows.ts';

/** How many fields are read at a time. */
const PAGE_FIELDS = 256;

/** How many fields are read before the event loop gets a turn. */
const PAUSE_FIELDS = 4_096;

export class StateWalk {
  readonly #state: State;
  readonly #report: (problem: string) => void;
  readonly #onField: (seen: number) => void;
  #seen = 0;

  /** `onField` is called with the number of objects and fields seen. */
  constructor(state: State, report: (problem: string) => void, onField: (seen: number) => void) {
    this.#state = state;
    this.#report = report;
    this.#onField = onField;
  }

  /** Walks all of it, and returns how many objects and fields there are. */
  async count(): Promise<number> {
    return this.#fields(ROOT_OBJECT_ID, undefined);
  }

  async #fields(id: ObjectId, parent: ObjectState | undefined): Promise<number> {
    let count = 0;
    let after: Uint8Array | undefined;
    let own = 0n;
    for (;;) {
      const page = guarded(this.#report, () => this.#state.fields(id, { after, limit: PAGE_FIELDS }));
      if (page === undefined) return count;
      for (const { object } of page) {
        own++;
        count++;
        // So that the walk can be stopped in between.
        if (++this.#seen % PAUSE_FIELDS === 0) await nextTurn();
        this.#onField(this.#seen);
        if (this.#hasFields(object)) count += await this.#fields(object.meta.id, object);
      }
      const last = page[page.length - 1];
      if (last === undefined || page.length < PAGE_FIELDS) break;
      after = last.key;
    }
    const size = parent?.meta.size ?? own;
    if (own !== size) this.#report(`${formatObjectId(id)} says it has ${size} fields and has ${own}`);
    return count;
  }

  /** Whether the object says that it has fields, and they are in the store. */
  #hasFields(object: ObjectState): boolean {
    const { stateRoot, size } = object.meta;
    const isEmpty = stateRoot === undefined || equalBytes(stateRoot, EMPTY_ROOT);
    return !(isEmpty && size === 0n) && this.#state.isLoaded(object);
  }
}

/** Lets the event loop do its other work first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
