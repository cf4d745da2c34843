/**
 * The leaf of an object, written in place. The bytes are those of `objectState` in a leaf of the tree, without
 * the copies that the codec makes: it writes each part to a buffer of its own.
 * @module
 */
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { writeU64 } from '../../base/bytes/bigint.ts';
import { uleb128Length } from '../../base/bytes/writer.ts';
import { assert } from '../../base/error.ts';
import { HASH_TEXT_BYTES, Leaf, leafHeadBytes, writeHashText, writeLeafHead } from '../../store/tree/node.ts';
import type { FieldKey } from '../object/field-key.ts';
import { OBJECT_ID_DEPTH_MAX } from '../object/object-id.ts';
import { type ObjectMeta, objectTypeBytes } from '../object/object-meta.ts';

const HASH_BYTES = 32;
/** The number of fields and two times. */
const NUMBERS_BYTES = 24;

/** The leaf of an object under `key`, in short-lived memory: see `Leaf.settle`. */
export function objectLeaf(key: FieldKey, meta: ObjectMeta, value: Uint8Array): Leaf {
  const { id, owner, stateRoot } = meta;
  const type = objectTypeBytes(meta.objectType);
  const rootBytes = stateRoot === undefined ? 1 : 1 + HASH_TEXT_BYTES;
  const metaBytes = 2 + (id.length + 1) * HASH_BYTES + rootBytes + NUMBERS_BYTES + type.length;
  const objectBytes = metaBytes + uleb128Length(value.length) + value.length;
  const valueAt = leafHeadBytes(objectBytes);
  const bytes = shortLivedBytes(valueAt + objectBytes);
  writeLeafHead(key, objectBytes, bytes);
  assert(id.length <= OBJECT_ID_DEPTH_MAX, 'an object id has a bounded number of parts');
  let at = valueAt;
  bytes[at++] = id.length;
  for (let index = 0; index < id.length; index++) at = put(bytes, at, id[index]!);
  at = put(bytes, at, owner);
  bytes[at] = meta.flag;
  assert(bytes[at++] === meta.flag, 'a flag is a byte');
  if (stateRoot === undefined) bytes[at++] = 0;
  else {
    bytes[at++] = 1;
    assert(stateRoot.length === HASH_BYTES, 'a root has 32 bytes');
    writeHashText(stateRoot, bytes, at);
    at += HASH_TEXT_BYTES;
  }
  at = putU64(bytes, at, meta.size);
  at = putU64(bytes, at, meta.createdAt);
  at = putU64(bytes, at, meta.updatedAt);
  bytes.set(type, at);
  at += type.length;
  let rest = value.length;
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  bytes.set(value, at);
  return new Leaf(bytes, valueAt, false, key);
}

function put(bytes: Uint8Array, at: number, part: Uint8Array): number {
  assert(part.length === HASH_BYTES, 'a part of an object id has 32 bytes, and so has an owner');
  bytes.set(part, at);
  return at + HASH_BYTES;
}

function putU64(bytes: Uint8Array, at: number, value: bigint): number {
  assert(BigInt.asUintN(64, value) === value, 'a size or time of an object is a u64');
  writeU64(bytes, at, value);
  return at + 8;
}
