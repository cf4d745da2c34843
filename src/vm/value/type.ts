/**
 * Runtime types: concrete Move types of loaded modules, one object for each, so equal types are the same object.
 *
 * The linker makes them (`vm/link/`). How a type's values are copied, compared, encoded and measured is in
 * `operations`, which is made on first use: generated for the type if code generation is allowed, otherwise generic.
 * @module
 */
import { encode } from '../../base/bcs.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { assert, EngineError } from '../../base/error.ts';
import type { AbilitySet } from '../../move/ability.ts';
import type { Address } from '../../move/address.ts';
import type { PrimitiveKind, StructTag, TypeTag } from '../../move/type-tag.ts';
import type { Owner, StructClass, StructInstance } from './struct.ts';

/** `reference` is `&T`, `mutableReference` is `&mut T`; both have the target in `item`. */
type TypeKind = PrimitiveKind | 'vector' | 'struct' | 'reference' | 'mutableReference';

/**
 * Operations on the values of one type. Values are: boolean; number for u8, u16, u32; bigint for u64, u128, u256; 32
 * bytes for address; `StructInstance` for structs and signers; `VectorValue` for vectors.
 */
export interface Operations {
  /** A deep copy. */
  readonly copy: (value: unknown) => unknown;
  readonly equals: (left: unknown, right: unknown) => boolean;
  /** WriteRef to a struct or vector: `target` takes over the content of `value` and marks its owner. */
  readonly assign: (target: unknown, value: unknown) => void;
  /** Abstract size in units of the gas schedule, as CopyLoc and ReadRef count it. */
  readonly size: (value: unknown) => number;
  /** Abstract size as Eq and Neq count it: vectors of u16, u32 and u256 count as if they were not packed. */
  readonly comparedSize: (value: unknown) => number;
  readonly write: (writer: ByteWriter, value: unknown) => void;
  /** @throws {EngineError} `malformed-bytes` */
  readonly read: (reader: ByteReader, owner: Owner | null) => unknown;
}

/** The struct behind a struct type. Field types are resolved on first use, since most types are only named. */
interface StructInfo {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
  readonly typeArguments: readonly Type[];
  readonly fieldNames: readonly string[];
  resolveFields(): readonly Type[];
  /** Whether references to structs of this type are counted. */
  readonly counted: boolean;
}

/** Provides the parts that depend on the machine's gas schedule and on whether code may be generated. */
export interface TypeWorkshop {
  makeOperations(type: Type): Operations;
  makeStructClass(type: Type): StructClass;
  /** A status code if the reference refuses to make a layout of the type (too many nodes, too deep), otherwise 0. */
  layoutFault(type: Type): number;
}

interface TypeParts {
  readonly kind: TypeKind;
  /** Of a vector or reference. */
  readonly item?: Type;
  /** Of a struct. */
  readonly struct?: StructInfo;
  readonly abilities: AbilitySet;
}

/** The type store's data of a type: a map would take most of the time of creating types. */
interface StoredWithType {
  vector?: Type;
  reference?: Type;
  mutableReference?: Type;
  /** The store's own struct behind a struct type. */
  struct?: object;
}

let typesMade = 0;

/** Separate from the check: building the message in advance takes longer than the rest. */
function misused({ kind }: Type, expected: string): never {
  throw new EngineError('invariant-violation', `expected ${expected}, got ${kind}`);
}

export class Type {
  readonly kind: TypeKind;
  /** Unique in the process; part of the keys of specialised functions. */
  readonly id: number;
  readonly abilities: AbilitySet;
  /** Nodes as the reference counts them against its limit: the type and its type arguments, not fields. */
  readonly nodes: number;
  /** Whether references to values of this type are counted; see `struct.ts`. */
  readonly countsReferences: boolean;
  /** Whether this is a reference type whose references are counted. */
  readonly isCountedReference: boolean;
  /** Whether a value of this type is its own reference: structs, signers and vectors are, primitives are not. */
  readonly isContainer: boolean;
  /** Only for the type store. */
  stored: StoredWithType | undefined;
  readonly #item: Type | undefined;
  readonly #struct: StructInfo | undefined;
  readonly #workshop: TypeWorkshop;
  #fields: readonly Type[] | undefined;
  #tag: TypeTag | undefined;
  #operations: Operations | undefined;
  #structClass: StructClass | undefined;
  #layoutFault: number | undefined;

  constructor(parts: TypeParts, workshop: TypeWorkshop) {
    this.kind = parts.kind;
    this.id = ++typesMade;
    this.abilities = parts.abilities;
    this.isContainer = this.kind === 'struct' || this.kind === 'vector' || this.kind === 'signer';
    this.countsReferences = parts.struct?.counted ?? false;
    this.isCountedReference = this.isReference && parts.item?.countsReferences === true;
    this.stored = undefined;
    this.#item = parts.item;
    this.#struct = parts.struct;
    this.#workshop = workshop;
    const inner = parts.item === undefined ? (parts.struct?.typeArguments ?? []) : [parts.item];
    this.nodes = inner.reduce((sum, type) => Math.min(sum + type.nodes, Number.MAX_SAFE_INTEGER), 1);
  }

  /** Element type of a vector, target of a reference. */
  get item(): Type {
    return this.#item ?? misused(this, 'a vector or a reference');
  }

  get struct(): StructInfo {
    return this.#struct ?? misused(this, 'a struct');
  }

  /** Field types of a struct, in declaration order. */
  get fields(): readonly Type[] {
    this.#fields ??= this.struct.resolveFields();
    return this.#fields;
  }

  get isReference(): boolean {
    return this.kind === 'reference' || this.kind === 'mutableReference';
  }

  /** @throws {EngineError} `invariant-violation` for a reference type, which has no tag. */
  get tag(): TypeTag {
    this.#tag ??= this.#makeTag();
    return this.#tag;
  }

  /** The tag of a struct type. */
  get structTag(): StructTag {
    const { tag } = this;
    return tag.kind === 'struct' ? tag.struct : misused(this, 'a struct');
  }

  get operations(): Operations {
    this.#operations ??= this.#workshop.makeOperations(this);
    return this.#operations;
  }

  get structClass(): StructClass {
    this.#structClass ??= this.#workshop.makeStructClass(this);
    return this.#structClass;
  }

  /** 0, or the status code with which the reference refuses to make a layout of the type, and with it any BCS. */
  get layoutFault(): number {
    this.#layoutFault ??= this.#workshop.layoutFault(this);
    return this.#layoutFault;
  }

  /** A struct of this type from its fields in declaration order. */
  make(...fields: unknown[]): StructInstance {
    if (fields.length !== this.fields.length) misused(this, `a struct of ${fields.length} fields`);
    return new this.structClass(...fields);
  }

  /** BCS of a value of this type. */
  encode(value: unknown): Uint8Array {
    return encode(this.operations, value);
  }

  /**
   * The value whose BCS is `bytes`, or `undefined` if they are not exactly the BCS of one value of this type. `owner`,
   * if given, is marked by the first write to the value. The value may share memory with `bytes`, which must not change
   * any more.
   */
  decode(bytes: Uint8Array, owner: Owner | null = null): unknown {
    const reader = new ByteReader(bytes);
    try {
      const value = this.operations.read(reader, owner);
      return reader.remaining === 0 ? value : undefined;
    } catch (error) {
      if (error instanceof EngineError && error.code === 'malformed-bytes') return undefined;
      throw error;
    }
  }

  #makeTag(): TypeTag {
    const { kind } = this;
    if (kind === 'vector') return { kind, item: this.item.tag };
    if (kind === 'struct') {
      const { address, module, name, typeArguments } = this.struct;
      return { kind, struct: { address, module, name, typeArguments: typeArguments.map((type) => type.tag) } };
    }
    assert(kind !== 'reference' && kind !== 'mutableReference', 'expected a type with a tag, got a reference');
    return { kind };
  }
}
