/**
 * What the chain held after each order, by a replay of all recorded change sets into flat maps: the naive way, without any
 * tree.
 */

import type { ChangedFields } from '../../src/chain/object/change-set.ts';
import type { Engine } from '../../src/index.ts';
import { formatObjectId, type ObjectState } from '../../src/query/transaction-builder.ts';

/** Objects and fields by their ids as text. */
export type FlatState = ReadonlyMap<string, ObjectState>;

/** One for each order from genesis to the head. */
export function recordedStates(engine: Engine): FlatState[] {
  const states: FlatState[] = [];
  let objects = new Map<string, ObjectState>();
  for (let order = 0n; order <= engine.head.order; order++) {
    objects = new Map(objects);
    apply(objects, engine.transactions.changeSet(order)!.changes);
    states.push(objects);
  }
  return states;
}

function apply(objects: Map<string, ObjectState>, changes: ChangedFields): void {
  for (const [, { meta, value, fields }] of changes) {
    const id = formatObjectId(meta.id);
    if (value?.kind === 'delete' || value?.kind === 'new') removeBelow(objects, id);
    if (value?.kind === 'delete') {
      objects.delete(id);
      continue;
    }
    const bytes = value?.value ?? objects.get(id)?.value;
    if (bytes === undefined) throw new Error(`a change set changes ${id}, which no change set made`);
    objects.set(id, { meta, value: bytes });
    apply(objects, fields);
  }
}

function removeBelow(objects: Map<string, ObjectState>, id: string): void {
  for (const other of [...objects.keys()]) if (other.length > id.length && other.startsWith(id)) objects.delete(other);
}
