/**
 * What a chain should be, kept the naive way: flat maps of objects, lists of transactions and events, and rows of the
 * object index by the letter of spec/state.md 4.2, 7 and 9.3. Every question is answered by a scan of everything.
 *
 * It is fed what the engine is fed: the inputs of commits, never anything that the engine made of them.
 */
import { toHex } from '../../src/base/bytes/bytes.ts';
import type { FieldChanges } from '../../src/chain/object/change-set.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { displayStruct } from '../../src/move/type-tag.ts';
import {
  formatObjectId,
  type ObjectId,
  type ObjectMeta,
  type StateChangeSet,
  type StructTag,
  type TransactionEvent,
} from '../../src/query/transaction-builder.ts';

/** An object with everything but the root of its fields, which only hashing gives. */
export interface ModelObject {
  readonly id: ObjectId;
  readonly meta: Omit<ObjectMeta, 'stateRoot'>;
  readonly value: Uint8Array;
  /** Whether a change was ever applied to it: from then on it has a root, if only the empty one. */
  readonly hasRoot: boolean;
}

export type ModelClass = 'object' | 'utxo' | 'inscription';

export interface ModelRow {
  readonly id: string;
  readonly class: ModelClass;
  /** Short hex. */
  readonly owner: string;
  /** Of its first row, display form. */
  readonly type: string;
  readonly order: bigint;
  readonly index: number;
}

export interface ModelEvent {
  readonly order: bigint;
  readonly index: number;
  readonly handle: string;
  readonly seq: bigint;
  readonly type: string;
  readonly data: string;
  readonly sender: string;
  readonly hash: string;
  readonly time: bigint;
}

export interface ModelTransaction {
  readonly order: bigint;
  readonly hash: string;
  readonly sender: string;
  readonly time: bigint;
}

/** The inputs of one commit, with the hash and time that its sequence info must have. */
export interface ModelInput {
  readonly data: LedgerTransactionData;
  readonly hash: Uint8Array;
  readonly time: bigint;
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
}

const DYNAMIC_FIELD = '0x2::object::DynamicField<';

export class ChainModel {
  /** By id in hex. */
  readonly objects: Map<string, ModelObject>;
  readonly rows: Map<string, ModelRow>;
  readonly events: ModelEvent[];
  readonly transactions: ModelTransaction[];

  constructor(from?: ChainModel) {
    this.objects = new Map(from?.objects);
    this.rows = new Map(from?.rows);
    this.events = [...(from?.events ?? [])];
    this.transactions = [...(from?.transactions ?? [])];
  }

  /** A copy of the chain, to go another way. */
  copy(): ChainModel {
    return new ChainModel(this);
  }

  get nextOrder(): bigint {
    return BigInt(this.transactions.length);
  }

  apply({ data, hash, time, changeSet, events }: ModelInput): void {
    const order = this.nextOrder;
    const sender = data.kind === 'l2-transaction' ? toHex(data.data.sender) : '0'.repeat(64);
    this.transactions.push({ order, hash: toHex(hash), sender, time });
    for (const [index, event] of events.entries()) {
      const handle = formatObjectId(event.handle);
      const seq = BigInt(this.events.filter((other) => other.handle === handle).length);
      const type = displayStruct(event.eventType);
      const at = { order, index, handle, seq, type, data: toHex(event.eventData), sender, hash: toHex(hash), time };
      this.events.push(at);
    }
    this.#changes(changeSet.changes);
    this.#number(changeSet.changes, order, { object: 0, utxo: 0, inscription: 0 });
  }

  /** The fields of an object in the order of their keys, by a scan of all objects. */
  fields(parent: ObjectId): ModelObject[] {
    const prefix = formatObjectId(parent);
    return [...this.objects.entries()]
      .filter(([id]) => id.length === prefix.length + 64 && id.startsWith(prefix))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Rows of objects that exist, as found without a filter: ascending by (order, index). */
  indexed(kind: ModelClass): ModelRow[] {
    return [...this.rows.values()]
      .filter((row) => row.class === kind && this.objects.has(row.id))
      .sort((left, right) => Number(left.order - right.order) || left.index - right.index);
  }

  #changes(changes: FieldChanges): void {
    for (const [, change] of changes) {
      const { stateRoot, ...meta } = change.meta;
      const id = formatObjectId(meta.id);
      const before = this.objects.get(id);
      if (change.value?.kind === 'delete') {
        this.#removeBelow(id);
        this.objects.delete(id);
        continue;
      }
      const value = change.value?.value ?? before?.value;
      if (value === undefined) throw new Error(`the model knows no object ${id} whose metadata could change`);
      // Without a root the object starts with no fields, whatever it had.
      if (stateRoot === undefined) this.#removeBelow(id);
      this.objects.set(id, { id: meta.id, meta, value, hasRoot: true });
      this.#changes([...change.fields]);
    }
  }

  #removeBelow(id: string): void {
    for (const other of [...this.objects.keys()]) {
      if (other.length > id.length && other.startsWith(id)) this.objects.delete(other);
    }
  }

  /** spec/state.md 9.3, step by step. */
  #number(changes: FieldChanges, order: bigint, counters: Record<ModelClass, number>): void {
    const sorted = [...changes].sort(([left], [right]) => (toHex(left) < toHex(right) ? -1 : 1));
    for (const [, change] of sorted) {
      const { id, owner, objectType } = change.meta;
      const type = displayStruct(objectType);
      if (type.startsWith(DYNAMIC_FIELD)) continue;
      const kind = classOf(type);
      const index = counters[kind]++;
      const key = formatObjectId(id);
      const known = this.rows.get(key);
      if (change.value?.kind === 'delete') this.rows.delete(key);
      else this.rows.set(key, { id: key, class: kind, owner: toHex(owner), type: known?.type ?? type, order, index });
      this.#number([...change.fields], order, counters);
    }
  }
}

function classOf(type: string): ModelClass {
  if (type === '0x4::utxo::UTXO') return 'utxo';
  return type === '0x4::ord::Inscription' ? 'inscription' : 'object';
}

/** Whether a row's type matches `asked`, which without arguments stands for every instantiation. */
export function isOfType(rowType: string, asked: StructTag): boolean {
  const text = displayStruct(asked);
  return rowType === text || (asked.typeArguments.length === 0 && rowType.startsWith(`${text}<`));
}
