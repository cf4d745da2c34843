/** Fields by their values, where the index cannot follow: only the first registered parents are indexed. */
import { expect, it, vi } from 'vitest';
import { encode, u64 } from '../../src/base/bcs.ts';
import { concatBytes } from '../../src/base/bytes/bytes.ts';
import { FIELD_INDEXER_ID } from '../../src/chain/index/fields.ts';
import { type ObjectId, objectId } from '../../src/chain/object/object-id.ts';
import { Engine } from '../../src/engine/engine.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { forge } from '../forge.ts';
import { type Edit, executionOf } from '../journeys/edits.ts';

vi.mock('../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../src/base/config.ts')>()),
  FIELD_PARENTS_MAX: 1,
}));

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const PARENT: ObjectId = [key(0xa1)];
const OTHER: ObjectId = [key(0xb2)];

const register = (byte: number, parent: ObjectId): Edit => ({
  id: [...FIELD_INDEXER_ID, key(byte)],
  type: '0x2::object::DynamicField<0x2::object::ObjectID, u64>',
  value: concatBytes(encode(objectId, parent), encode(u64, 0n)),
});
const field = (byte: number, value: bigint): Edit => ({
  id: [...PARENT, key(byte)],
  type: '0x2::object::DynamicField<u64, u64>',
  value: concatBytes(encode(u64, BigInt(byte)), encode(u64, value)),
});

it('have no sort key that is not their value, once their parent is not among the first', async () => {
  await using engine = await Engine.open();
  let height = 0n;
  const commit = (...edits: readonly Edit[]) => {
    const data = { kind: 'l1-block', chainId: 0n, blockHeight: height++, blockHash: key(1) } as const;
    return forge(engine, data, (state) => executionOf(state, { edits }));
  };
  const sorted = async () => {
    const { data } = await engine.fields.list([PARENT], { limit: 2 });
    return data.map(({ sortKey, object }) => [sortKey, (object.decoded as { value: bigint }).value]);
  };
  await commit(
    { id: PARENT, type: '0x2::timestamp::Timestamp', value: encode(u64, 0n) },
    { id: OTHER, type: '0x2::timestamp::Timestamp', value: encode(u64, 0n) },
  );
  await commit(register(5, PARENT));
  await commit(field(1, 10n), field(2, 20n), field(3, 30n));
  expect(await sorted()).toEqual([
    [30n, 30n],
    [20n, 20n],
  ]);
  // Its key comes before the other's.
  await commit(register(2, OTHER));
  await commit(field(3, 5n));
  expect(await sorted()).toEqual([
    [20n, 20n],
    [10n, 10n],
  ]);
  // The parent is among the first again from the transaction on that removes the one before it.
  await commit({ ...register(2, OTHER), isDeleted: true }, field(3, 50n));
  expect(await sorted()).toEqual([
    [50n, 50n],
    [20n, 20n],
  ]);
  expect((await verifyStore(engine.inside.core.writer.store)).problems).toEqual([]);
});
