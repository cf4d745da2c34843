/** What the store takes from one transaction. */

import { describe, expect, it } from 'vitest';
import type { FieldChanges } from '../../src/chain/object/change-set.ts';
import { OBJECT_ID_DEPTH_MAX } from '../../src/chain/object/object-id.ts';
import { MOVEOS_STD_ADDRESS } from '../../src/move/address.ts';
import { type StructTag, structTag, TYPE_TAG_DEPTH_MAX, type TypeTag, vectorTag } from '../../src/move/type-tag.ts';
import { TRANSACTION_WRITE_BYTES_MAX, TRANSACTION_WRITES_MAX, unstorable } from '../../src/pipeline/execute.ts';
import type { StateChangeSet, TransactionEvent } from '../../src/query/transaction-builder.ts';
import { EMPTY_ROOT } from '../../src/store/tree/tree.ts';
import { freshMeta } from '../forge.ts';

const PLAIN = structTag(MOVEOS_STD_ADDRESS, 'test', 'Plain');
const part = new Uint8Array(32);

/** `Plain<vector<..<u8>..>>`. */
function nested(vectors: number): StructTag {
  let type: TypeTag = { kind: 'u8' };
  for (let index = 0; index < vectors; index++) type = vectorTag(type);
  return structTag(MOVEOS_STD_ADDRESS, 'test', 'Plain', [type]);
}

function event(parts: Partial<TransactionEvent> = {}): TransactionEvent {
  return { eventType: PLAIN, eventData: new Uint8Array(1), eventIndex: 0n, handle: [part], ...parts };
}

function changed(objectType: StructTag, depth: number, bytes: number): StateChangeSet {
  const build = (level: number): FieldChanges => {
    const id = new Array(level).fill(part);
    const meta = freshMeta(id, objectType);
    const value = { kind: 'new', value: new Uint8Array(bytes) } as const;
    return level > depth ? [] : [[part, { meta, value, fields: build(level + 1) }]];
  };
  return { stateRoot: EMPTY_ROOT, globalSize: 0n, changes: build(1) };
}

const reason = (changeSet: StateChangeSet, events: readonly TransactionEvent[] = []): string | undefined =>
  unstorable(changeSet, events)?.message;
const NOTHING = changed(PLAIN, 0, 0);

describe('the store', () => {
  it('takes types up to a depth', () => {
    for (const take of [
      (type: StructTag) => reason(changed(type, 1, 0)),
      (type: StructTag) => reason(NOTHING, [event({ eventType: type })]),
    ]) {
      expect(take(nested(TYPE_TAG_DEPTH_MAX - 1))).toBeUndefined();
      expect(take(nested(TYPE_TAG_DEPTH_MAX))).toMatch(/TYPE_TAG_DEPTH_MAX/);
      // Checked once, and remembered.
      const deep = nested(TYPE_TAG_DEPTH_MAX);
      expect([take(deep), take(deep)]).toEqual([expect.any(String), expect.any(String)]);
    }
  });

  it('takes ids of up to a number of parts', () => {
    expect(reason(changed(PLAIN, OBJECT_ID_DEPTH_MAX, 1))).toBeUndefined();
    expect(reason(changed(PLAIN, OBJECT_ID_DEPTH_MAX + 1, 1))).toMatch(/OBJECT_ID_DEPTH_MAX/);
    const handle = new Array(OBJECT_ID_DEPTH_MAX + 1).fill(part);
    expect(reason(NOTHING, [event({ handle })])).toMatch(/OBJECT_ID_DEPTH_MAX/);
  });

  it('takes a limited number of bytes, of values and events together', () => {
    const half = TRANSACTION_WRITE_BYTES_MAX / 2;
    const events = [event({ eventData: new Uint8Array(half) })];
    expect(reason(changed(PLAIN, 1, half), events)).toBeUndefined();
    expect(reason(changed(PLAIN, 1, half + 1), events)).toMatch(/TRANSACTION_WRITE_BYTES_MAX/);
  });

  it('takes a limited number of objects and events together', () => {
    const events = new Array(TRANSACTION_WRITES_MAX - 1).fill(event({ eventData: new Uint8Array(0) }));
    expect(reason(changed(PLAIN, 1, 0), events)).toBeUndefined();
    expect(reason(changed(PLAIN, 2, 0), events)).toMatch(/TRANSACTION_WRITES_MAX/);
  });
});
