import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { concatBytes } from '../../../src/base/bytes/bytes.ts';
import { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { unpackLeaf, packLeaf as writePackedLeaf } from '../../../src/chain/state/packed-leaf.ts';
import { addressOf } from '../../../src/move/address.ts';
import { type ObjectMeta, objectState, parseStructTag } from '../../../src/query/transaction-builder.ts';
import { EMPTY_ROOT, Leaf } from '../../../src/store/tree/tree.ts';

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const times = fc.bigInt(0n, 2n ** 53n - 1n);

const metas: fc.Arbitrary<ObjectMeta> = fc
  .record({
    id: fc.array(hashes, { minLength: 1, maxLength: 8 }),
    owner: fc.oneof(fc.constant(addressOf(0)), hashes),
    flag: fc.nat(3),
    stateRoot: fc.oneof(fc.constantFrom(undefined, EMPTY_ROOT), hashes),
    size: times,
    createdAt: times,
    updatedAt: times,
    objectType: fc
      .constantFrom('0x4::utxo::UTXO', '0x2::object::DynamicField<address, u64>', '0x7::m::Of<0x2::object::Empty>')
      .map(parseStructTag),
  })
  .filter(({ createdAt, updatedAt }) => createdAt <= updatedAt);

const values = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(20_000).fill(5)));

const UTXO: ObjectMeta = {
  id: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)],
  owner: addressOf(0),
  flag: 0,
  stateRoot: EMPTY_ROOT,
  size: 0n,
  createdAt: 300n,
  updatedAt: 301n,
  objectType: parseStructTag('0x4::utxo::UTXO'),
};

function leafOf(meta: ObjectMeta, value: Uint8Array, key = meta.id.at(-1)!): Uint8Array {
  return Leaf.of(key, encode(objectState, { meta, value })).bytes;
}

/** The packed form of a leaf after a head of `head` bytes; undefined if it has none, and then nothing is written. */
function packLeaf(leaf: Uint8Array, head: number): Uint8Array | undefined {
  const writer = new ByteWriter();
  if (writePackedLeaf(writer, new Uint8Array(head), leaf)) return writer.finish();
  expect(writer.length).toBe(0);
  return undefined;
}

describe('a leaf', () => {
  it('is packed into what its columns say, after the bytes that the caller asked for', () => {
    const packed = packLeaf(leafOf(UTXO, Uint8Array.of(7, 8)), 3)!;
    expect([...packed]).toEqual([
      ...[0, 0, 0],
      ...[1 << 3, 1],
      ...[2, ...UTXO.id[0]!, ...UTXO.id[1]!],
      ...[0, 0xac, 0x02, 1],
      ...[2, 7, 8],
    ]);
    const owned = packLeaf(
      leafOf({ ...UTXO, owner: addressOf(9), flag: 3, stateRoot: new Uint8Array(32).fill(6) }, Uint8Array.of(7)),
      0,
    )!;
    expect([...owned]).toEqual([
      ...[3 | 4 | (2 << 3), 1],
      ...[2, ...UTXO.id[0]!, ...UTXO.id[1]!],
      ...addressOf(9),
      ...new Uint8Array(32).fill(6),
      ...[0, 0xac, 0x02, 1],
      ...[1, 7],
    ]);
  });

  it('of any object is unpacked to the same bytes', () => {
    fc.assert(
      fc.property(metas, values, fc.nat(12), (meta, value, head) => {
        const leaf = leafOf(meta, value);
        const packed = packLeaf(leaf, head)!;
        expect(packed.length).toBeLessThan(leaf.length - 60 + head);
        expect(unpackLeaf(packed, head)).toEqual(leaf);
      }),
    );
  });

  it('of any length is packed', () => {
    for (let length = 0; length < 600; length++) {
      const leaf = leafOf(UTXO, new Uint8Array(length));
      expect(packLeaf(leaf, 0)?.length, `${length} bytes`).toBeLessThan(leaf.length - 60);
    }
  });

  it('under a key that differs from the end of its id in one digit is not packed', () => {
    const last = UTXO.id.at(-1)!;
    for (const at of [0, 17, 31])
      for (const bit of [0x01, 0x10]) {
        expect(packLeaf(leafOf(UTXO, Uint8Array.of(7), last.with(at, last[at]! ^ bit)), 0)).toBeUndefined();
      }
  });

  it.each([
    ['under a key that is not the end of its id', leafOf(UTXO, Uint8Array.of(7), new Uint8Array(32))],
    ['with a time beyond 2^53', leafOf({ ...UTXO, updatedAt: 2n ** 53n }, Uint8Array.of(7))],
    ['with a size beyond 2^53', leafOf({ ...UTXO, size: 2n ** 64n - 1n }, Uint8Array.of(7))],
    ['whose times run back', leafOf({ ...UTXO, updatedAt: 299n }, Uint8Array.of(7))],
    ['with an unknown flag', leafOf({ ...UTXO, flag: 4 }, Uint8Array.of(7))],
    [
      'with a longer id',
      leafOf({ ...UTXO, id: Array.from({ length: 9 }, () => new Uint8Array(32)) }, Uint8Array.of(7)),
    ],
    ['whose value is no object', Leaf.of(new Uint8Array(32), new Uint8Array(200)).bytes],
    ['whose value is short', Leaf.of(new Uint8Array(32), Uint8Array.of(1)).bytes],
    ['whose value is empty', Leaf.of(new Uint8Array(32), new Uint8Array(0)).bytes],
  ])('%s is not packed', (_, leaf) => {
    expect(packLeaf(leaf, 0)).toBeUndefined();
  });

  it('whose root is in another form of the same hash is not packed', () => {
    const leaf = leafOf({ ...UTXO, stateRoot: new Uint8Array(32).fill(0xab) }, Uint8Array.of(7));
    const at = Buffer.from(leaf).lastIndexOf('abab');
    leaf[at] = 0x41;
    expect(packLeaf(leaf, 0)).toBeUndefined();
  });
});

describe('a damaged packed leaf', () => {
  const packed = packLeaf(leafOf(UTXO, Uint8Array.of(7, 8)), 0)!;
  const corrupt = expect.objectContaining({ code: 'corrupt' });

  it('is reported wherever it is cut before its value', () => {
    for (let length = 0; length < packed.length - 3; length++) {
      expect(() => unpackLeaf(packed.subarray(0, length), 0), `${length} bytes`).toThrow(corrupt);
    }
  });

  it('is reported for bits, a type or a count of parts that do not exist, and for an endless number', () => {
    for (const [at, byte] of [
      [0, 0x18],
      [0, 0x20],
      [1, 0xff],
      [2, 0],
      [2, 9],
    ] as const) {
      expect(() => unpackLeaf(packed.with(at, byte), 0), `${byte} at ${at}`).toThrow(corrupt);
    }
    const longer = concatBytes(packed.subarray(0, 2), Uint8Array.of(9), new Uint8Array(7 * 32), packed.subarray(3));
    expect(() => unpackLeaf(longer, 0), 'more parts than are packed').toThrow(corrupt);
    const endless = concatBytes(packed.subarray(0, 67), new Uint8Array(20).fill(0xff));
    expect(() => unpackLeaf(endless, 0)).toThrow(corrupt);
  });
});
