/**
 * The transaction context of a session: a value of Move code while Move code holds it, of TypeScript otherwise.
 *
 * There is one, and every borrow gives the same, so that Move code sees what it wrote before: the count of fresh ids and
 * the map. Source: spec/execution.md 2.2 and 5.7.
 * @module
 */
import { type Codec, decode, encode } from '../bcs/codec.ts';
import { EngineError } from '../error.ts';
import { canonicalStruct, type StructTag } from '../move/type-tag.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { contextEntryOf, type TxContext, txContext } from './tx-context.ts';

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

  /**
   * The Move value, which is the reference to it.
   * @param type `0x2::tx_context::TxContext`
   */
  borrow(type: Type): StructValue {
    if (this.#move === undefined) {
      const value = type.decode(encode(txContext, this.#context));
      if (value === undefined) {
        throw new EngineError('invariant-violation', 'the transaction context does not decode as its Move type');
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
    const key = canonicalStruct(type);
    const entry = this.context.entries.find((candidate) => candidate.key === key);
    return entry === undefined ? undefined : decode(codec, entry.data);
  }

  /**
   * Adds a value to the map, which must have none of its type.
   * @throws {EngineError} `invalid-argument`
   */
  add<T>(type: StructTag, codec: Codec<T>, value: T): void {
    const { context } = this;
    const added = contextEntryOf(type, codec, value);
    if (context.entries.some(({ key }) => key === added.key)) {
      throw new EngineError('invalid-argument', `the transaction context has a ${added.key} already`);
    }
    const entries = [...context.entries, added];
    this.#context = { ...context, entries };
    this.#move = undefined;
  }
}
