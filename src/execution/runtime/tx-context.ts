/**
 * The transaction context: the information about the running transaction that Move code can read.
 *
 * In a session it is a value of Move code while Move code holds it, of TypeScript otherwise. Every borrow returns the
 * same one, so Move code sees its own writes: the count of fresh ids and the map. Source:
 * moveos/moveos-types/src/moveos_std/tx_context.rs of the reference.
 * @module
 */
import { bytes, type Codec, decode, encodeShortLived, string, struct, u64, vector } from '../../base/bcs.ts';
import { encodeUtf8 } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { freshAddress } from '../../chain/object/object-id.ts';
import { type Address, address } from '../../move/address.ts';
import { canonicalStruct, type StructTag } from '../../move/type-tag.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector, ByteVector } from '../../vm/value/vector.ts';

/** A value of the context's map: the canonical type that is its key, and its BCS. */
export interface ContextEntry {
  readonly key: string;
  readonly typeName: string;
  readonly data: Uint8Array;
}

/** A value as an entry of the map, encoded when Move code reads it. */
export function contextEntryOf<T>(type: StructTag, codec: Codec<T>, value: T): ContextEntry {
  return new ContextValue(canonicalStruct(type), codec, value);
}

/** A class, since creating an object literal with a getter takes twenty times as long. */
class ContextValue<T> implements ContextEntry {
  readonly key: string;
  readonly typeName: string;
  readonly #codec: Codec<T>;
  readonly #value: T;
  #data: Uint8Array | undefined;

  constructor(key: string, codec: Codec<T>, value: T) {
    this.key = key;
    this.typeName = key;
    this.#codec = codec;
    this.#value = value;
  }

  get data(): Uint8Array {
    this.#data ??= encodeShortLived(this.#codec, this.#value);
    return this.#data;
  }
}

/** The context with one more entry. Its properties are written out: spreading takes many times longer. */
export function withEntry(context: TxContext, entry: ContextEntry): TxContext {
  const { sender, sequenceNumber, maxGasAmount, txHash, txSize, idsCreated, entries } = context;
  return { sender, sequenceNumber, maxGasAmount, txHash, txSize, idsCreated, entries: [...entries, entry] };
}

export interface TxContext {
  readonly sender: Address;
  readonly sequenceNumber: bigint;
  readonly maxGasAmount: bigint;
  readonly txHash: Uint8Array;
  /** The size of the whole signed transaction in bytes. */
  readonly txSize: bigint;
  /** How many fresh ids have been created. */
  readonly idsCreated: bigint;
  /** In insertion order. */
  readonly entries: readonly ContextEntry[];
}

const contextEntry: Codec<ContextEntry> = struct({ key: string, typeName: string, data: bytes });

export const txContext: Codec<TxContext> = struct({
  sender: address,
  sequenceNumber: u64,
  maxGasAmount: u64,
  txHash: bytes,
  txSize: u64,
  idsCreated: u64,
  entries: vector(contextEntry),
});

/** Number of type names that are cached as bytes: every transaction has the same handful. */
const CONTEXT_NAMES_KNOWN_MAX = 64;

export class TxContextValue {
  #context: TxContext;
  /** The Move value, once Move code has borrowed it; it is then authoritative. */
  #move: { readonly type: Type; readonly value: StructInstance } | undefined;

  constructor(context: TxContext) {
    this.#context = context;
  }

  /** The context as it is now. */
  get context(): TxContext {
    if (this.#move === undefined) return this.#context;
    return decode(txContext, this.#move.type.encode(this.#move.value));
  }

  /** The sender of the transaction. */
  get sender(): Address {
    return this.#move === undefined ? this.#context.sender : (this.#move.value.f0 as Address);
  }

  /** Gas units that the transaction may use. */
  get maxGasAmount(): bigint {
    return this.#move === undefined ? this.#context.maxGasAmount : (this.#move.value.f2 as bigint);
  }

  /** How many fresh ids have been created. */
  get idsCreated(): bigint {
    return this.#move === undefined ? this.#context.idsCreated : (this.#move.value.f5 as bigint);
  }

  /** An address that was never used before, as `0x2::tx_context::fresh_address` returns it. */
  freshAddress(): Address {
    const index = this.idsCreated;
    if (this.#move === undefined) this.#context = { ...this.#context, idsCreated: index + 1n };
    else this.#move.value.f5 = index + 1n;
    const txHash = this.#move === undefined ? this.#context.txHash : (this.#move.value.f3 as ByteVector).view();
    return freshAddress(txHash, index);
  }

  /**
   * The Move value, which is the reference to it.
   * @param type `0x2::tx_context::TxContext`
   */
  borrow(type: Type): StructInstance {
    this.#move ??= { type, value: makeContext(type, this.#context) };
    return this.#move.value;
  }

  /** Drops the Move value, if any: its type belongs to code that is replaced. No reference to it may be alive. */
  encode(): void {
    this.#context = this.context;
    this.#move = undefined;
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
      throw new EngineError('invalid-argument', `the transaction context already has a ${entry.key}`);
    }
    if (this.#move === undefined) {
      this.#context = withEntry(this.#context, entry);
      return;
    }
    entriesOf(this.#move.value).push(makeEntry(entryType(this.#move.type), entry));
  }

  /** The BCS of the map's value under a key. */
  #find(key: string): Uint8Array | undefined {
    if (this.#move === undefined) return this.#context.entries.find((entry) => entry.key === key)?.data;
    const wanted = nameVector(key);
    for (const element of entriesOf(this.#move.value).items as StructInstance[]) {
      const name = (element.f0 as StructInstance).f0 as ByteVector;
      if (name.equals(wanted)) return ((element.f1 as StructInstance).f1 as ByteVector).bytes();
    }
    return undefined;
  }
}

/** Position of `map: SimpleMap<String, Any>` among the fields of the Move struct. */
const MAP_FIELD = 6;

/** The kinds of a Move struct's fields in declaration order; for a field that is itself a struct, a nested list. */
type Shape = readonly (string | Shape)[];

const TEXT: Shape = ['bytes'];
const ENTRY: Shape = [TEXT, [TEXT, 'bytes']];
const CONTEXT: Shape = ['address', 'u64', 'u64', 'bytes', 'u64', 'u64', ['list']];

/** Types that were found to have the expected fields. */
const sound = new WeakSet<Type>();

/**
 * The decoded BCS of the context. The bytes belong to the creator of the context, so they are copied before a write.
 */
function makeContext(type: Type, context: TxContext): StructInstance {
  const entry = entryType(type);
  const { sender, sequenceNumber, maxGasAmount, txHash, txSize, idsCreated, entries } = context;
  const elements = new ArrayVector(entries.map((one) => makeEntry(entry, one)));
  const map = new type.fields[MAP_FIELD]!.structClass(elements);
  const numbers = [txSize, idsCreated] as const;
  return new type.structClass(sender, sequenceNumber, maxGasAmount, sharedVector(txHash), ...numbers, map);
}

function makeEntry(type: Type, { key, typeName, data }: ContextEntry): StructInstance {
  const [text, any] = type.fields as [Type, Type];
  const value = new any.structClass(new any.fields[0]!.structClass(nameVector(typeName)), sharedVector(data));
  return new type.structClass(new text.structClass(nameVector(key)), value);
}

/** The type of the map's entries. */
function entryType(context: Type): Type {
  if (!sound.has(context)) {
    if (!hasShape(context, CONTEXT) || !hasShape(context.fields[MAP_FIELD]!.fields[0]!.item, ENTRY)) {
      throw new EngineError('invariant-violation', 'the transaction context does not decode as its Move type');
    }
    sound.add(context);
  }
  return context.fields[MAP_FIELD]!.fields[0]!.item;
}

function hasShape(type: Type, shape: Shape): boolean {
  if (type.kind !== 'struct' || type.fields.length !== shape.length) return false;
  return type.fields.every((field, index) => {
    const wanted = shape[index]!;
    if (typeof wanted !== 'string') return hasShape(field, wanted);
    if (field.kind !== 'vector') return field.kind === wanted;
    return wanted === (field.item.kind === 'u8' ? 'bytes' : 'list');
  });
}

/** Type names as bytes: a handful, each needed in every transaction. */
const names = new Map<string, Uint8Array>();

function nameVector(name: string): ByteVector {
  let text = names.get(name);
  if (text === undefined) {
    if (names.size === CONTEXT_NAMES_KNOWN_MAX) names.clear();
    text = encodeUtf8(name);
    names.set(name, text);
  }
  return sharedVector(text);
}

function sharedVector(content: Uint8Array): ByteVector {
  const vector = new ByteVector(content);
  vector.shared = true;
  return vector;
}

/** The entries of the map, each a struct of the key and an `Any`, whose fields are the type's name and the BCS. */
function entriesOf(context: StructInstance): ArrayVector {
  return (context.getField(MAP_FIELD) as StructInstance).f0 as ArrayVector;
}
