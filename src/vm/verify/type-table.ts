/**
 * The types of one module, one object for each.
 *
 * The verifier compares types at every instruction and builds new ones by substitution. With one object per type,
 * equality is identity, abilities are computed once, and substituting a large argument for many parameters shares it
 * instead of copying it: a hostile module of 100 kB could otherwise name a type of 10^9 nodes.
 *
 * A struct applied to type arguments has a declared ability if every non-phantom argument has the ability required of
 * parts: the same one, except that `key` requires `store`. Source: the reference's `AbilitySet`
 * (`move-binary-format/src/file_format.rs`).
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import type { Binary, Module } from '../binary/module.ts';
import { type SignatureToken, TokenTag } from '../binary/signature-token.ts';

export const NO_ABILITIES: AbilitySet = 0;
export const ALL_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE | ABILITY_KEY;
/** bool, integers, address; also a vector, before its elements are considered. */
export const PRIMITIVE_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;
const REFERENCE_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP;
export const SIGNER_ABILITIES: AbilitySet = ABILITY_DROP;

const COPY_AND_DROP = ABILITY_COPY | ABILITY_DROP;

/** The abilities that the parts of a value need for the whole to have `abilities`. */
export function requiredOfParts(abilities: AbilitySet): AbilitySet {
  const needsStore = (abilities & (ABILITY_STORE | ABILITY_KEY)) !== 0;
  return (abilities & COPY_AND_DROP) | (needsStore ? ABILITY_STORE : 0);
}

/** The most abilities that a whole can have if a part has `abilities`. */
export function allowedByPart(abilities: AbilitySet): AbilitySet {
  const hasStore = (abilities & ABILITY_STORE) !== 0;
  return (abilities & COPY_AND_DROP) | (hasStore ? ABILITY_STORE | ABILITY_KEY : 0);
}

/** Whether every ability of `required` is in `abilities`. */
export function hasAbilities(abilities: AbilitySet, required: AbilitySet): boolean {
  return (required & ~abilities) === 0;
}

/** A token that is unique in its table. Fields beyond the token's are caches. */
export class TableType implements SignatureToken {
  readonly tag: TokenTag;
  readonly index: number;
  readonly arguments: readonly TableType[];
  /** Unique in its table. */
  readonly id: number;
  /** Whether no type parameter occurs. */
  readonly isClosed: boolean;
  vector: TableType | undefined = undefined;
  reference: TableType | undefined = undefined;
  mutableReference: TableType | undefined = undefined;
  /** Abilities of a closed type, -1 until they are computed. */
  closedAbilities = -1;
  /** Results of substitution by the identity of the argument list. */
  substitutions: Map<readonly TableType[], TableType> | undefined = undefined;

  constructor(id: number, tag: TokenTag, index: number, inner: readonly TableType[]) {
    this.id = id;
    this.tag = tag;
    this.index = index;
    this.arguments = inner;
    this.isClosed = tag !== TokenTag.TypeParameter && inner.every((type) => type.isClosed);
  }
}

const NONE: readonly TableType[] = [];

export class TypeTable {
  readonly #binary: Binary;
  #count = 0;
  /** Types without arguments, by tag and index. */
  readonly #atoms = new Map<number, TableType>();
  readonly #instantiations = new Map<string, TableType>();
  readonly #signatures: (readonly TableType[] | undefined)[] = [];
  readonly #fields: (readonly TableType[] | undefined)[] = [];
  /** Abilities of open types under `#constraints`. */
  #openAbilities = new Map<TableType, AbilitySet>();
  #constraints: readonly AbilitySet[] = [];
  readonly bool: TableType;
  readonly u8: TableType;
  readonly u16: TableType;
  readonly u32: TableType;
  readonly u64: TableType;
  readonly u128: TableType;
  readonly u256: TableType;
  readonly address: TableType;
  readonly signer: TableType;

  constructor(binary: Binary) {
    this.#binary = binary;
    this.bool = this.#atom(TokenTag.Bool, 0);
    this.u8 = this.#atom(TokenTag.U8, 0);
    this.u16 = this.#atom(TokenTag.U16, 0);
    this.u32 = this.#atom(TokenTag.U32, 0);
    this.u64 = this.#atom(TokenTag.U64, 0);
    this.u128 = this.#atom(TokenTag.U128, 0);
    this.u256 = this.#atom(TokenTag.U256, 0);
    this.address = this.#atom(TokenTag.Address, 0);
    this.signer = this.#atom(TokenTag.Signer, 0);
  }

  /** The types of signature `index`; the same list every time. */
  signature(index: number): readonly TableType[] {
    this.#signatures[index] ??= this.#binary.signatures[index]!.map((token) => this.intern(token));
    return this.#signatures[index];
  }

  /** The declared field types of struct definition `index` of a module; `undefined` for a native struct. */
  fields(index: number): readonly TableType[] | undefined {
    const { fields } = (this.#binary as Module).structDefinitions[index]!;
    this.#fields[index] ??= fields?.map((field) => this.intern(field.type));
    return this.#fields[index];
  }

  intern(token: SignatureToken): TableType {
    const inner = token.arguments;
    if (inner.length === 0) return this.#atom(token.tag, token.index);
    const types = inner.map((argument) => this.intern(argument));
    return this.#construct(token.tag, token.index, types);
  }

  /** The struct of handle `handle` applied to `typeArguments`, which may be empty. */
  struct(handle: number, typeArguments: readonly TableType[]): TableType {
    if (typeArguments.length === 0) return this.#atom(TokenTag.Struct, handle);
    return this.#construct(TokenTag.StructInstantiation, handle, typeArguments);
  }

  vectorOf(element: TableType): TableType {
    element.vector ??= this.#make(TokenTag.Vector, 0, [element]);
    return element.vector;
  }

  referenceTo(target: TableType): TableType {
    target.reference ??= this.#make(TokenTag.Reference, 0, [target]);
    return target.reference;
  }

  mutableReferenceTo(target: TableType): TableType {
    target.mutableReference ??= this.#make(TokenTag.MutableReference, 0, [target]);
    return target.mutableReference;
  }

  /** `type` with its parameters replaced. `typeArguments` must be a list of `signature` or otherwise long-lived. */
  substitute(type: TableType, typeArguments: readonly TableType[]): TableType {
    if (type.isClosed || typeArguments.length === 0) return type;
    if (type.tag === TokenTag.TypeParameter) return typeArguments[type.index]!;
    type.substitutions ??= new Map();
    let result = type.substitutions.get(typeArguments);
    if (result === undefined) {
      const inner = type.arguments.map((argument) => this.substitute(argument, typeArguments));
      result = this.#construct(type.tag, type.index, inner);
      type.substitutions.set(typeArguments, result);
    }
    return result;
  }

  /** The abilities of `type` if type parameters have the abilities `constraints`. */
  abilities(type: TableType, constraints: readonly AbilitySet[]): AbilitySet {
    if (type.isClosed) {
      if (type.closedAbilities < 0) type.closedAbilities = this.#abilities(type, constraints);
      return type.closedAbilities;
    }
    if (constraints !== this.#constraints) {
      this.#constraints = constraints;
      this.#openAbilities = new Map();
    }
    let abilities = this.#openAbilities.get(type);
    if (abilities === undefined) {
      abilities = this.#abilities(type, constraints);
      this.#openAbilities.set(type, abilities);
    }
    return abilities;
  }

  #abilities(type: TableType, constraints: readonly AbilitySet[]): AbilitySet {
    switch (type.tag) {
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return REFERENCE_ABILITIES;
      case TokenTag.Signer:
        return SIGNER_ABILITIES;
      case TokenTag.TypeParameter:
        return constraints[type.index]!;
      case TokenTag.Vector:
        return PRIMITIVE_ABILITIES & allowedByPart(this.abilities(type.arguments[0]!, constraints));
      case TokenTag.Struct:
      case TokenTag.StructInstantiation: {
        const { abilities: declared, typeParameters } = this.#binary.structHandles[type.index]!;
        let abilities = declared;
        for (let index = 0; index < type.arguments.length; index++) {
          if (typeParameters[index]!.isPhantom) continue;
          abilities &= allowedByPart(this.abilities(type.arguments[index]!, constraints));
        }
        return abilities;
      }
      default:
        return PRIMITIVE_ABILITIES;
    }
  }

  #atom(tag: TokenTag, index: number): TableType {
    const key = index * 16 + tag;
    let type = this.#atoms.get(key);
    if (type === undefined) {
      type = this.#make(tag, index, NONE);
      this.#atoms.set(key, type);
    }
    return type;
  }

  #construct(tag: TokenTag, index: number, inner: readonly TableType[]): TableType {
    if (tag === TokenTag.Vector) return this.vectorOf(inner[0]!);
    if (tag === TokenTag.Reference) return this.referenceTo(inner[0]!);
    if (tag === TokenTag.MutableReference) return this.mutableReferenceTo(inner[0]!);
    let key = String(index);
    for (const type of inner) key += `,${type.id}`;
    let type = this.#instantiations.get(key);
    if (type === undefined) {
      type = this.#make(tag, index, inner);
      this.#instantiations.set(key, type);
    }
    return type;
  }

  #make(tag: TokenTag, index: number, inner: readonly TableType[]): TableType {
    return new TableType(this.#count++, tag, index, inner);
  }
}
