/** Commits written by hand: what objects become, turned into the nested change set of an execution. */
import { toHex } from '../../src/base/bytes/bytes.ts';
import type { FieldChanges } from '../../src/chain/object/change-set.ts';
import type { State } from '../../src/chain/state/state.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import {
  type Address,
  type KeptStatus,
  namedObjectId,
  type ObjectChange,
  type ObjectId,
  type ObjectMeta,
  parseStructTag,
} from '../../src/query/transaction-builder.ts';
import { freshMeta } from '../forge.ts';

/** What one object becomes; missing members stay as they are, or are those of a new system object. */
export interface Edit {
  readonly id: ObjectId;
  /** Needed for a new object. */
  readonly type?: string;
  readonly value?: Uint8Array;
  readonly owner?: Address;
  readonly flag?: number;
  readonly isDeleted?: boolean;
}

export interface EmittedEvent {
  readonly type: string;
  readonly data: Uint8Array;
  /** Default: the handle of the type. */
  readonly handle?: ObjectId;
}

export interface HandOutput {
  readonly edits?: readonly Edit[];
  readonly events?: readonly EmittedEvent[];
  readonly status?: KeptStatus;
  readonly gasUsed?: bigint;
  /** The time, in milliseconds, that new and written objects carry. */
  readonly time?: bigint;
}

interface Entry {
  change: { meta: ObjectMeta; value: ObjectChange['value'] };
  readonly fields: Map<string, Entry>;
}

/** The output of an execution that makes these edits to `state`. */
export function executionOf(state: State, output: HandOutput): ExecutionOutput {
  const root = new Map<string, Entry>();
  let globalSize = state.size;
  for (const edit of output.edits ?? []) {
    const before = state.object(edit.id);
    const by = edit.isDeleted === true ? -1n : before === undefined ? 1n : 0n;
    const entry = entryAt(state, root, edit.id, edit, output.time ?? 0n);
    const holder = edit.id.length === 1 ? undefined : entryAt(state, root, edit.id.slice(0, -1), undefined, 0n);
    if (holder === undefined) globalSize += by;
    else holder.change.meta = { ...holder.change.meta, size: holder.change.meta.size + by };
    if (edit.isDeleted === true) entry.change.value = { kind: 'delete' };
    else if (edit.value !== undefined) {
      entry.change.value = { kind: before === undefined ? 'new' : 'modify', value: edit.value };
    }
  }
  return {
    status: output.status ?? { kind: 'executed' },
    gasUsed: output.gasUsed ?? 0n,
    changeSet: { stateRoot: state.root, globalSize, changes: changesOf(root) },
    events: (output.events ?? []).map(({ type, data, handle }, index) => {
      const eventType = parseStructTag(type);
      return { eventType, eventData: data, eventIndex: BigInt(index), handle: handle ?? namedObjectId(eventType) };
    }),
  };
}

function entryAt(state: State, root: Map<string, Entry>, id: ObjectId, edit: Edit | undefined, time: bigint): Entry {
  let fields = root;
  let entry: Entry | undefined;
  for (let depth = 1; depth <= id.length; depth++) {
    const part = id.slice(0, depth);
    const key = toHex(part[depth - 1]!);
    entry = fields.get(key);
    if (entry === undefined) {
      const own = depth === id.length ? edit : undefined;
      const meta = state.object(part)?.meta ?? newMeta(part, own, time);
      entry = { change: { meta, value: undefined }, fields: new Map() };
      fields.set(key, entry);
    }
    fields = entry.fields;
  }
  if (edit !== undefined) entry!.change.meta = edited(entry!.change.meta, edit, time);
  return entry!;
}

function newMeta(id: ObjectId, edit: Edit | undefined, time: bigint): ObjectMeta {
  if (edit?.type === undefined) throw new Error('a new object needs a type, and what it stands in must exist');
  return { ...freshMeta(id, parseStructTag(edit.type)), createdAt: time, updatedAt: time };
}

function edited(meta: ObjectMeta, { owner, flag, value }: Edit, time: bigint): ObjectMeta {
  const updatedAt = value === undefined ? meta.updatedAt : time;
  return { ...meta, owner: owner ?? meta.owner, flag: flag ?? meta.flag, updatedAt };
}

function changesOf(entries: Map<string, Entry>): FieldChanges {
  return [...entries.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, { change, fields }]) => [
      Uint8Array.from(Buffer.from(key, 'hex')),
      { ...change, fields: changesOf(fields) },
    ]);
}
