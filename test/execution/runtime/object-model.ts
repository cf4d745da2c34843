/**
 * The rules of spec/state.md 4.3, written a second time and naively: all objects in one map, and for each session what
 * happened to each of them, from which the table's rows follow.
 * @module
 */
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import {
  formatObjectId,
  type ObjectId,
  type ObjectMeta,
  type StateChangeSet,
} from '../../../src/query/transaction-builder.ts';

/** What is compared about an object. */
export interface ModelObject {
  readonly owner: string;
  readonly flag: number;
  readonly size: number;
  readonly createdAt: bigint;
  readonly updatedAt: bigint;
  readonly type: string;
  readonly value: bigint;
}

export type Refusal = 'exists' | 'missing' | 'type';

interface History {
  /** Value written, or removed and added again. */
  modified: boolean;
  /** Where the handle is. */
  handle: 'in' | 'out';
}

const SYSTEM = toHex(SYSTEM_ADDRESS);
const isEmbedded = ({ owner, flag }: ModelObject): boolean => owner === SYSTEM && flag === 0;

/** The parts of an id's text: `0x` and 64 digits each. */
const parentOf = (id: string): string => id.slice(0, -64);

export class ObjectModel {
  #before = new Map<string, ModelObject>();
  #now = new Map<string, ModelObject>();
  #histories = new Map<string, History>();
  #added = new Set<string>();
  #time = 0n;

  begin(time: bigint): void {
    this.#before = new Map(this.#now);
    this.#histories = new Map();
    this.#added = new Set();
    this.#time = time;
  }

  get objects(): ReadonlyMap<string, ModelObject> {
    return this.#now;
  }

  get ids(): string[] {
    return [...this.#now.keys()];
  }

  sizeOf(id: string): number {
    return this.#now.get(id)?.size ?? 0;
  }

  /** Whether it existed before the session, was removed and added again. */
  startedOver(id: string): boolean {
    return this.#before.has(id) && this.#added.has(id) && this.#now.has(id);
  }

  add(id: string, type: string, value: bigint): Refusal | undefined {
    const parent = parentOf(id);
    if (parent !== '0x' && !this.#now.has(parent)) return 'missing';
    if (this.#now.has(id)) return 'exists';
    this.#now.set(id, { owner: SYSTEM, flag: 0, size: 0, createdAt: 0n, updatedAt: 0n, type, value });
    this.#histories.set(id, { modified: true, handle: 'out' });
    this.#added.add(id);
    this.#resize(parent, 1);
    return undefined;
  }

  set(id: string, type: string, value: bigint): Refusal | undefined {
    const refusal = this.#check(id, type);
    if (refusal !== undefined) return refusal;
    this.#update(id, { value });
    this.#history(id).modified = true;
    return undefined;
  }

  remove(id: string, type: string): Refusal | undefined {
    // The type of an object that the session removed is still looked at before its absence is seen.
    const removed = this.#now.has(id) ? undefined : this.#before.get(id);
    if (removed !== undefined && removed.type !== type) return 'type';
    const refusal = this.#check(id, type);
    if (refusal !== undefined) return refusal;
    this.#now.delete(id);
    this.#histories.delete(id);
    this.#resize(parentOf(id), -1);
    return undefined;
  }

  give(id: string, change: Partial<ModelObject>): Refusal | undefined {
    if (!this.#now.has(id)) return 'missing';
    this.#history(id).handle = 'in';
    this.#update(id, change);
    return undefined;
  }

  embed(id: string): Refusal | undefined {
    if (!this.#now.has(id)) return 'missing';
    this.#history(id).handle = 'out';
    return undefined;
  }

  /** Ends the session: sets times and owners as they are kept, and gives what the change set must say, by id. */
  end(): Map<string, string> {
    const changes = new Map<string, string>();
    for (const [id, object] of this.#now) {
      const before = this.#before.get(id);
      const { modified, handle } = this.#history(id);
      let after = object;
      if (modified) {
        after = { ...after, createdAt: after.createdAt === 0n ? this.#time : after.createdAt, updatedAt: this.#time };
      }
      // Only a handle that was in the state counts as taken out.
      if (handle === 'out' && before !== undefined && !isEmbedded(before)) after = { ...after, owner: SYSTEM };
      this.#now.set(id, after);
      if (modified) changes.set(id, `${before === undefined ? 'new' : 'modify'} ${show(after)}`);
      else if (before !== undefined && show(before) !== show(after)) changes.set(id, `meta ${show(after)}`);
    }
    for (const id of this.#before.keys()) {
      if (!this.#now.has(id)) changes.set(id, 'delete');
    }
    return changes;
  }

  #check(id: string, type: string): Refusal | undefined {
    const object = this.#now.get(id);
    if (object === undefined) return 'missing';
    return object.type === type ? undefined : 'type';
  }

  #history(id: string): History {
    let history = this.#histories.get(id);
    if (history === undefined) {
      const before = this.#before.get(id);
      history = { modified: false, handle: before !== undefined && isEmbedded(before) ? 'out' : 'in' };
      this.#histories.set(id, history);
    }
    return history;
  }

  #resize(id: string, difference: number): void {
    if (id !== '0x') this.#update(id, { size: this.#now.get(id)!.size + difference });
  }

  #update(id: string, change: Partial<ModelObject>): void {
    this.#now.set(id, { ...this.#now.get(id)!, ...change });
  }
}

export function show(object: ModelObject): string {
  const { owner, flag, size, createdAt, updatedAt, type, value } = object;
  return [owner, flag, size, createdAt, updatedAt, type, value].join(' ');
}

/** An object in the model's words. */
export function modelObject(meta: ObjectMeta, value: bigint): ModelObject {
  return {
    owner: toHex(meta.owner),
    flag: meta.flag,
    size: Number(meta.size),
    createdAt: meta.createdAt,
    updatedAt: meta.updatedAt,
    type: displayStruct(meta.objectType),
    value,
  };
}

/**
 * What a change set says, by id: `new`, `modify` or `meta` and the object, or `delete`; objects with nothing but
 * changed fields are left out. Keys must ascend. `before` gives the objects that the session began with.
 */
export function describeChanges(
  changeSet: StateChangeSet,
  before: (id: ObjectId) => ModelObject | undefined,
  readValue: (bytes: Uint8Array) => bigint,
): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (changes: FieldChanges): void => {
    const keys = changes.map(([key]) => toHex(key));
    if (keys.some((key, index) => index > 0 && keys[index - 1]! >= key)) throw new Error('the keys do not ascend');
    for (const [, { meta, value, fields }] of changes) {
      const id = formatObjectId(meta.id);
      const old = before(meta.id);
      if (value === undefined) {
        if (old === undefined) throw new Error(`${id} has changed metadata and did not exist`);
        const now = show(modelObject(meta, old.value));
        if (now !== show(old)) found.set(id, `meta ${now}`);
        else if (fields.length === 0) throw new Error(`${id} has not changed`);
      } else {
        const now = value.kind === 'delete' ? '' : ` ${show(modelObject(meta, readValue(value.value)))}`;
        found.set(id, `${value.kind}${now}`);
      }
      visit([...fields]);
    }
  };
  visit(changeSet.changes);
  return found;
}
