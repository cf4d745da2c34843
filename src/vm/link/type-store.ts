/**
 * Creates runtime types, each once, and enforces the reference's bounds on them.
 * @module
 */
import { assert } from '../../base/error.ts';
import { ABILITY_COPY, ABILITY_DROP, type AbilitySet } from '../../move/ability.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import { isStructToken, PRIMITIVE_KINDS, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { refuse } from '../failure.ts';
import { StatusCode } from '../status.ts';
import { Type, type TypeWorkshop } from '../value/type.ts';
import { allowedByPart, PRIMITIVE_ABILITIES, SIGNER_ABILITIES } from '../verify/type-table.ts';
import {
  applyDepth,
  DEPTH_OF_PRIMITIVE,
  type DepthFormula,
  deeper,
  deepest,
  depthOfTypeParameter,
  fitsValueDepth,
  type LoadedModule,
  type LoadedStruct,
} from './loaded-module.ts';

/** Bounds of the reference outside its verifier. */
export interface TypeLimits {
  /** Nodes of the type arguments of one call or struct. */
  readonly instantiationNodesMax: number;
  /** Nodes of a layout, fields included. */
  readonly layoutNodesMax: number;
  /** Levels of a layout. */
  readonly layoutDepthMax: number;
  /** Levels of a packed value. */
  readonly valueDepthMax: number;
  /** Number of struct types that are kept; the oldest are dropped, and created again when needed. */
  readonly structTypesMax: number;
}

/** The share of the struct types that is dropped together. */
const FORGOTTEN_SHARE = 4;

const NO_TYPES: readonly Type[] = [];

export class TypeStore {
  readonly limits: TypeLimits;
  readonly #workshop: TypeWorkshop;
  readonly #primitives = new Map<PrimitiveKind, Type>();
  /** The kept struct types with their keys, in the order of their creation. */
  readonly #kept = new Map<Type, string>();

  constructor(limits: TypeLimits, workshop: Omit<TypeWorkshop, 'layoutFault'>) {
    this.limits = limits;
    this.#workshop = {
      makeOperations: (type) => workshop.makeOperations(type),
      makeStructClass: (type) => workshop.makeStructClass(type),
      layoutFault: (type) => this.#layoutFault(type),
    };
  }

  primitive(kind: PrimitiveKind): Type {
    let type = this.#primitives.get(kind);
    if (type === undefined) {
      type = new Type({ kind, abilities: kind === 'signer' ? SIGNER_ABILITIES : PRIMITIVE_ABILITIES }, this.#workshop);
      this.#primitives.set(kind, type);
    }
    return type;
  }

  vectorOf(item: Type): Type {
    return this.#derive(item, 'vector', item.abilities & PRIMITIVE_ABILITIES);
  }

  referenceTo(item: Type): Type {
    return this.#derive(item, 'reference', ABILITY_COPY | ABILITY_DROP);
  }

  mutableReferenceTo(item: Type): Type {
    return this.#derive(item, 'mutableReference', ABILITY_COPY | ABILITY_DROP);
  }

  structOf(struct: LoadedStruct, typeArguments: readonly Type[]): Type {
    const key = typeArguments.length === 0 ? '' : typeArguments.map((type) => type.id).join();
    let type = struct.types.get(key);
    if (type === undefined) {
      if (this.#kept.size >= this.limits.structTypesMax) this.#forgetOldest();
      type = this.#makeStruct(struct, typeArguments);
      struct.types.set(key, type);
      this.#kept.set(type, key);
    }
    return type;
  }

  /** The loaded struct of a struct type. */
  loadedStruct(type: Type): LoadedStruct {
    const struct = type.stored?.struct;
    assert(struct !== undefined, `expected a struct type, got ${type.kind}`);
    return struct as LoadedStruct;
  }

  /**
   * The type that a token of `module` stands for, with type parameters replaced.
   * @throws {ThrownFailure} TYPE_RESOLUTION_FAILURE if a dependency no longer has the struct.
   */
  resolve(module: LoadedModule, token: SignatureToken, typeArguments: readonly Type[]): Type {
    if (token.arguments.length === 0 && token.tag !== TokenTag.Struct) {
      if (token.tag === TokenTag.TypeParameter) return typeArguments[token.index]!;
      return this.primitive(PRIMITIVE_KINDS[token.tag]!);
    }
    // Without type arguments, a token of a module always stands for the same type.
    if (typeArguments.length > 0) return this.#construct(module, token, typeArguments);
    let type = module.closedTypes.get(token);
    if (type === undefined) {
      type = this.#construct(module, token, typeArguments);
      module.closedTypes.set(token, type);
    }
    return type;
  }

  /** The types of a list of tokens, as `resolve`. */
  resolveAll(module: LoadedModule, tokens: readonly SignatureToken[], typeArguments: readonly Type[]): readonly Type[] {
    if (tokens.length === 0) return NO_TYPES;
    const types: Type[] = [];
    for (let index = 0; index < tokens.length; index++) {
      types.push(this.resolve(module, tokens[index]!, typeArguments));
    }
    return types;
  }

  #construct(module: LoadedModule, token: SignatureToken, typeArguments: readonly Type[]): Type {
    switch (token.tag) {
      case TokenTag.Vector:
        return this.vectorOf(this.resolve(module, token.arguments[0]!, typeArguments));
      case TokenTag.Reference:
        return this.referenceTo(this.resolve(module, token.arguments[0]!, typeArguments));
      case TokenTag.MutableReference:
        return this.mutableReferenceTo(this.resolve(module, token.arguments[0]!, typeArguments));
      default: {
        const inner = this.resolveAll(module, token.arguments, typeArguments);
        return this.structOf(requireStruct(module, token.index), inner);
      }
    }
  }

  /** Whether the reference refuses to substitute `typeArguments` in `token`: only struct instantiations are measured. */
  refusesSubstitution(token: SignatureToken, typeArguments: readonly Type[]): boolean {
    if (token.tag !== TokenTag.StructInstantiation) return false;
    return 1 + typeNodes(typeArguments) + tokenNodes(token.arguments) > this.limits.instantiationNodesMax;
  }

  /** Whether the reference refuses to call or pack with `instantiation` where `typeArguments` are in force. */
  refusesInstantiation(instantiation: readonly Type[], typeArguments: readonly Type[]): boolean {
    return 1 + typeNodes(typeArguments) + typeNodes(instantiation) > this.limits.instantiationNodesMax;
  }

  /** As `refusesInstantiation`, with the tokens of a struct instantiation before substitution. */
  refusesTokens(tokens: readonly SignatureToken[], typeArguments: readonly Type[]): boolean {
    return 1 + typeNodes(typeArguments) + tokenNodes(tokens) > this.limits.instantiationNodesMax;
  }

  /** Whether a value of this type may be packed, or be an element of a vector that is packed. */
  fitsValueDepth(type: Type): boolean {
    return fitsValueDepth(type, this.limits.valueDepthMax, (struct) => this.#depthOf(this.loadedStruct(struct)));
  }

  /** Values of a dropped type keep it; code cannot distinguish it from its successor. */
  #forgetOldest(): void {
    let left = Math.ceil(this.#kept.size / FORGOTTEN_SHARE);
    for (const [type, key] of this.#kept) {
      if (left-- === 0) return;
      this.#kept.delete(type);
      this.loadedStruct(type).types.delete(key);
    }
  }

  #derive(item: Type, kind: 'vector' | 'reference' | 'mutableReference', abilities: AbilitySet): Type {
    item.stored ??= {};
    item.stored[kind] ??= new Type({ kind, item, abilities }, this.#workshop);
    return item.stored[kind];
  }

  #makeStruct(struct: LoadedStruct, typeArguments: readonly Type[]): Type {
    const { module, name, fieldNames, counted } = struct;
    assert(module.id !== undefined, 'a script has no structs');
    const info = {
      address: module.id.address,
      module: module.id.name,
      name,
      typeArguments,
      fieldNames,
      counted,
      resolveFields: () => this.resolveAll(module, struct.fieldTokens, typeArguments),
    };
    const type = new Type(
      { kind: 'struct', struct: info, abilities: abilitiesOf(struct, typeArguments) },
      this.#workshop,
    );
    type.stored = { struct };
    return type;
  }

  #depthOf(struct: LoadedStruct): DepthFormula {
    return struct.depth ?? this.#measureDepth(struct);
  }

  /**
   * Nested structs come first, from a list rather than by recursion: a module may nest thousands of them in each other,
   * and whether the JavaScript stack has room for that must not decide what a transaction does.
   */
  #measureDepth(outermost: LoadedStruct): DepthFormula {
    const waiting = [outermost];
    for (let struct = waiting.at(-1); struct !== undefined; struct = waiting.at(-1)) {
      const { module, fieldTokens } = struct;
      const unknown = struct.depth === undefined ? this.#unmeasured(module, fieldTokens) : [];
      if (unknown.length > 0) {
        waiting.push(...unknown);
        continue;
      }
      struct.depth ??= deepest(fieldTokens.map((token) => this.#depthOfToken(module, token)));
      waiting.pop();
    }
    return outermost.depth!;
  }

  /** The structs in these types whose depths are not known yet. */
  #unmeasured(module: LoadedModule, tokens: readonly SignatureToken[]): LoadedStruct[] {
    return tokens.flatMap((token) => {
      const inner = this.#unmeasured(module, token.arguments);
      if (!isStructToken(token)) return inner;
      const struct = requireStruct(module, token.index);
      return struct.depth === undefined ? [...inner, struct] : inner;
    });
  }

  #depthOfToken(module: LoadedModule, token: SignatureToken): DepthFormula {
    switch (token.tag) {
      case TokenTag.TypeParameter:
        return depthOfTypeParameter(token.index);
      case TokenTag.Vector:
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return deeper(this.#depthOfToken(module, token.arguments[0]!));
      case TokenTag.Struct:
      case TokenTag.StructInstantiation: {
        const inner = token.arguments.map((argument) => this.#depthOfToken(module, argument));
        return deeper(applyDepth(this.#depthOf(requireStruct(module, token.index)), inner));
      }
      default:
        return DEPTH_OF_PRIMITIVE;
    }
  }

  /** Walks the layout as the reference builds it without caches, and returns the first bound that it exceeds. */
  #layoutFault(type: Type): number {
    let nodes = 0;
    const visit = (inner: Type, depth: number): number => {
      if (nodes > this.limits.layoutNodesMax) return StatusCode.TOO_MANY_TYPE_NODES;
      if (depth > this.limits.layoutDepthMax) return StatusCode.VM_MAX_VALUE_DEPTH_REACHED;
      nodes++;
      if (inner.kind === 'vector') return visit(inner.item, depth + 1);
      if (inner.isReference) return StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR;
      if (inner.kind !== 'struct') return 0;
      const struct = this.loadedStruct(inner);
      const { typeArguments } = inner.struct;
      if (struct.fieldTokens.some((token) => this.refusesSubstitution(token, typeArguments))) {
        return StatusCode.TOO_MANY_TYPE_NODES;
      }
      for (const field of inner.fields) {
        const fault = visit(field, depth + 1);
        if (fault !== 0) return fault;
      }
      return 0;
    };
    return visit(type, 1);
  }
}

/** @throws {ThrownFailure} TYPE_RESOLUTION_FAILURE */
function requireStruct(module: LoadedModule, handle: number): LoadedStruct {
  const struct = module.structAt(handle);
  if (struct === undefined) {
    const { name } = module.binary.structHandles[handle]!;
    throw refuse(StatusCode.TYPE_RESOLUTION_FAILURE, `no module defines the struct ${module.binary.identifiers[name]}`);
  }
  return struct;
}

/** Declared abilities, minus those that arguments of non-phantom parameters lack. `key` requires `store` of them. */
function abilitiesOf(struct: LoadedStruct, typeArguments: readonly Type[]): AbilitySet {
  let abilities = struct.abilities;
  for (const [index, type] of typeArguments.entries()) {
    if (!struct.typeParameters[index]!.isPhantom) abilities &= allowedByPart(type.abilities);
  }
  return abilities;
}

function typeNodes(types: readonly Type[]): number {
  return types.reduce((sum, type) => sum + type.nodes, 0);
}

function tokenNodes(tokens: readonly SignatureToken[]): number {
  return tokens.reduce((sum, token) => sum + 1 + tokenNodes(token.arguments), 0);
}
