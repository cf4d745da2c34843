/**
 * Objects as programs get them: their metadata readable, their value decoded on demand.
 * @module
 */

import type { ObjectMeta, ObjectState } from '../chain/object/object-state.ts';
import { AddressValue } from '../chain/value/address.ts';
import { type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { HashValue } from '../chain/value/hash.ts';
import { ObjectIdValue } from '../chain/value/object-id.ts';
import { Readable } from '../chain/value/readable.ts';
import { type StructTagValue, structTagValue } from '../chain/value/type-tag.ts';
import { annotate } from '../move/layout.ts';
import { structType } from '../move/type-tag.ts';
import type { Decoder } from './reader.ts';

/** An object's metadata that reads as text. */
export class ObjectMetaValue extends Readable implements ObjectMeta {
  readonly id: ObjectIdValue;
  readonly owner: AddressValue;
  readonly flag: number;
  readonly stateRoot: HashValue | undefined;
  readonly size: bigint;
  readonly createdAt: bigint;
  readonly updatedAt: bigint;
  readonly objectType: StructTagValue;

  constructor(meta: ObjectMeta) {
    super();
    this.id = new ObjectIdValue(meta.id);
    this.owner = new AddressValue(meta.owner);
    this.flag = meta.flag;
    this.stateRoot = meta.stateRoot === undefined ? undefined : new HashValue(meta.stateRoot);
    this.size = meta.size;
    this.createdAt = meta.createdAt;
    this.updatedAt = meta.updatedAt;
    this.objectType = structTagValue(meta.objectType);
  }
}

/** An object's state that reads as text. */
export class ObjectValue extends Readable implements ObjectState {
  readonly meta: ObjectMetaValue;
  /** BCS of the Move value. Do not write to it. */
  readonly value: Uint8Array;
  readonly #decoder: Decoder;

  constructor({ meta, value }: ObjectState, decoder: Decoder) {
    super();
    this.meta = new ObjectMetaValue(meta);
    this.value = value;
    this.#decoder = decoder;
  }

  /**
   * The Move value as a JavaScript value (value/decoded.ts), by the modules of the state it was read from.
   * @throws {EngineError} `not-found` for a type that no module defines, or if the chain has been reverted since;
   * `limit-exceeded`, `malformed-bytes`.
   */
  get decoded(): DecodedValue {
    return decodedValue(annotate(this.#decoder.layouts.layout(structType(this.meta.objectType)), this.value));
  }
}
