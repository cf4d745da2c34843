/**
 * The transaction context of a session: a value of Move code while Move code holds it, of TypeScript otherwise.
 *
 * There is one, and every borrow gives the same, so that Move code sees what it wrote before: the count of fresh ids and
 * the map. Source: spec/execution.md 2.2 and 5.7.
 * @module
 */
import { type Codec, decode, encodeShortLived } from '../bcs/codec.ts';
import { equalBytes } from '../bytes/compare.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';
import { EngineError } from '../error.ts';
import type { Address } from '../move/address.ts';
import { canonicalStruct, type StructTag } from '../move/type-tag.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { ArrayVector, type ByteVector } from '../vm/value/vector.ts';
import { contextEntry, contextEntryOf, type TxContext, txContext } from './tx-context.ts';

export class TxContextValue {
  #context: TxContext;
  /** What Move code works on, if it ever asked; then it is the true one. */
  #move: { readonly type: Type; readonly value: StructValue } | undefined;

  constructor(context: TxContext) {
    this.#context = context;
  }

  /** The context as it is now. */
  get context(): TxContext {
    if (this.#move === undefined) return this.#context;
    return decode(txContext, this.#move.type.encode(this.#move.value));
  }

  /** Who sent the transaction. */
  get sender(): Address {
    return this.#move === undefined ? this.#context.sender : (this.#move.value.f0 as Address);
  }

  /** How many fresh ids were made. */
  get idsCreated(): bigint {
    return this.#move === undefined ? this.#context.idsCreated : (this.#move.value.f5 as bigint);
  }

  /**
   * The Move value, which is the reference to it.
   * @param type `0x2::tx_context::TxContext`
   */
  borrow(type: Type): StructValue {
    if (this.#move === undefined) {
      const value = type.decode(encodeShortLived(txContext, this.#context));
      if (value === undefined) {
        throw mismatch('the transaction context does not decode as its Move type');
      }
      this.#move = { type, value: value as StructValue };
    }
    return this.#move.value;
  }

  /**
   * The map's value of a type, or undefined.
   * @throws {EngineError} `malformed-bytes`
   */
  get<T>(type: StructTag, codec: Codec<T>): T | undefined {
    const data = this.#find(canonicalStruct(type));
    return data === undefined ? undefined : decode(codec, data);
  }

  /**
   * Adds a value to the map, which must have none of its type.
   * @throws {EngineError} `invalid-argument`
   */
  add<T>(type: StructTag, codec: Codec<T>, value: T): void {
    const entry = contextEntryOf(type, codec, value);
    if (this.#find(entry.key) !== undefined) {
      throw new EngineError('invalid-argument', `the transaction context has a ${entry.key} already`);
    }
    if (this.#move === undefined) {
      this.#context = { ...this.#context, entries: [...this.#context.entries, entry] };
      return;
    }
    const { item } = this.#move.type.fields[MAP_FIELD]!.fields[0]!;
    const element = item.decode(encodeShortLived(contextEntry, entry));
    if (element === undefined) throw mismatch('an entry of the transaction context does not decode as its Move type');
    entriesOf(this.#move.value).push(element);
  }

  /** The BCS of the map's value under a key. */
  #find(key: string): Uint8Array | undefined {
    if (this.#move === undefined) return this.#context.entries.find((entry) => entry.key === key)?.data;
    const text = encodeUtf8(key);
    for (const element of entriesOf(this.#move.value).items as StructValue[]) {
      const name = element.f0 as StructValue;
      if (equalBytes((name.f0 as ByteVector).view(), text))
        return ((element.f1 as StructValue).f1 as ByteVector).bytes();
    }
    return undefined;
  }
}

/** Position of `map: SimpleMap<String, Any>` among the fields of the Move struct. */
const MAP_FIELD = 6;

/** The entries of the map, each a struct of the key and of an `Any`, whose fields are the type's name and the BCS. */
function entriesOf(context: StructValue): ArrayVector {
  const entries = (context.getField(MAP_FIELD) as StructValue).f0;
  if (!(entries instanceof ArrayVector)) throw mismatch('the map of the transaction context is none');
  return entries;
}

function mismatch(message: string): EngineError {
  return new EngineError('invariant-violation', message);
}
