/** Objects that a bench writes to a chain as if transactions had made them: a million by transfers would take hours. */
import { compareBytes } from '../src/base/bytes/bytes.ts';
import type { ObjectMeta } from '../src/chain/object/object-state.ts';
import type { Engine } from '../src/engine/engine.ts';
import { forge } from '../test/forge.ts';

/** The owner, the type and the value of an object. */
export type ForgedObject = Pick<ObjectMeta, 'owner' | 'objectType'> & { readonly value: Uint8Array };

/** Adds objects by key to a chain in one commit. */
export async function forgeObjects(
  engine: Engine,
  keys: readonly Uint8Array[],
  object: (key: Uint8Array) => ForgedObject,
): Promise<void> {
  const unchanged = { flag: 0, stateRoot: undefined, size: 0n, createdAt: 1n, updatedAt: 1n };
  const blockHeight = engine.head.order;
  await forge(engine, { kind: 'l1-block', chainId: 0n, blockHeight, blockHash: keys[0]! }, (state) => ({
    status: { kind: 'executed' },
    gasUsed: 0n,
    events: [],
    changeSet: {
      stateRoot: state.root,
      globalSize: state.size + BigInt(keys.length),
      changes: keys.toSorted(compareBytes).map((key) => {
        const { owner, objectType, value } = object(key);
        const meta = { ...unchanged, id: [key], owner, objectType };
        return [key, { meta, value: { kind: 'new', value }, fields: [] }];
      }),
    },
  }));
}
