/**
 * The tables of a module as they grow: each entry once, in the order of first use.
 *
 * The order is that of the reference's assembler (`move-ir-to-bytecode/src/context.rs`), which declares a module's
 * imports, structs, constants and functions first and finds everything else on the way through the code.
 * @module
 */
import { assert } from '../../base/error.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type {
  CommonTables,
  Constant,
  FieldHandle,
  FunctionHandle,
  Instantiation,
  Module,
  ModuleHandle,
  StructHandle,
} from '../../vm/binary/module.ts';
import {
  ADDRESS,
  BOOL,
  mutableReferenceTo,
  referenceTo,
  SIGNER,
  type Signature,
  type SignatureToken,
  structOf,
  typeParameter,
  U8,
  U16,
  U32,
  U64,
  U128,
  U256,
  vectorToken,
} from '../../vm/binary/signature-token.ts';
import { singleTypes } from '../lower/lowered-tree.ts';
import type { FunctionDeclaration, ModuleIdentity, StructDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';

const PRIMITIVES: Readonly<Record<PrimitiveKind, SignatureToken>> = {
  bool: BOOL,
  u8: U8,
  u16: U16,
  u32: U32,
  u64: U64,
  u128: U128,
  u256: U256,
  address: ADDRESS,
  signer: SIGNER,
};

/** A table without doubles. */
class Pool<Entry> {
  readonly entries: Entry[] = [];
  readonly #indexes = new Map<string, number>();

  /** The index of the entry with this key; it is added if there is none. */
  index(key: string, entry: () => Entry): number {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const added = entry();
    const index = this.entries.length;
    this.#indexes.set(key, index);
    this.entries.push(added);
    return index;
  }
}

export class Pools {
  readonly #modules = new Pool<ModuleHandle>();
  readonly #structs = new Pool<StructHandle>();
  readonly #functions = new Pool<FunctionHandle>();
  readonly #functionInstantiations = new Pool<Instantiation>();
  readonly #structInstantiations = new Pool<Instantiation>();
  readonly #fields = new Pool<FieldHandle>();
  readonly #fieldInstantiations = new Pool<Instantiation>();
  readonly #signatures = new Pool<Signature>();
  readonly #identifiers = new Pool<string>();
  readonly #addresses = new Pool<Uint8Array>();
  readonly #constants = new Pool<Constant>();

  /** The tables that modules and scripts have. */
  tables(): Omit<CommonTables, 'version' | 'metadata'> {
    return {
      moduleHandles: this.#modules.entries,
      structHandles: this.#structs.entries,
      functionHandles: this.#functions.entries,
      functionInstantiations: this.#functionInstantiations.entries,
      signatures: this.#signatures.entries,
      identifiers: this.#identifiers.entries,
      addresses: this.#addresses.entries,
      constants: this.#constants.entries,
    };
  }

  /** Those that only modules have. */
  moduleTables(): Pick<Module, 'structInstantiations' | 'fieldHandles' | 'fieldInstantiations'> {
    return {
      structInstantiations: this.#structInstantiations.entries,
      fieldHandles: this.#fields.entries,
      fieldInstantiations: this.#fieldInstantiations.entries,
    };
  }

  /** A handle that is in no table of modules: of a friend. */
  unlistedModule({ address, key, name }: ModuleIdentity): ModuleHandle {
    const addressIndex = this.#addresses.index(key.slice(0, 64), () => address);
    return { address: addressIndex, name: this.identifier(name) };
  }

  module(identity: ModuleIdentity): number {
    const handle = this.unlistedModule(identity);
    return this.#modules.index(identity.key, () => handle);
  }

  identifier(text: string): number {
    return this.#identifiers.index(text, () => text);
  }

  struct({ module, name, abilities, typeParameters }: StructDeclaration): number {
    return this.#structs.index(`${module.identity.key}::${name.text}`, () => ({
      module: this.module(module.identity),
      name: this.identifier(name.text),
      abilities,
      typeParameters: typeParameters.map(({ constraints, isPhantom }) => ({ constraints, isPhantom })),
    }));
  }

  function({ module, name, typeParameters, parameters, result }: FunctionDeclaration): number {
    assert(module !== undefined, 'the function of a script is never called');
    return this.#functions.index(`${module.identity.key}::${name.text}`, () => {
      // The types of results come first, but their signature last.
      const returned = this.tokens(singleTypes(result));
      const passed = this.tokens(parameters.map(({ type }) => type));
      const handle = this.module(module.identity);
      const nameIndex = this.identifier(name.text);
      return {
        module: handle,
        name: nameIndex,
        parameters: this.signature(passed),
        returns: this.signature(returned),
        typeParameters: typeParameters.map(({ constraints }) => constraints),
      };
    });
  }

  functionInstantiation(generic: number, typeArguments: number): number {
    return this.#functionInstantiations.index(`${generic} ${typeArguments}`, () => ({ generic, typeArguments }));
  }

  structInstantiation(generic: number, typeArguments: number): number {
    return this.#structInstantiations.index(`${generic} ${typeArguments}`, () => ({ generic, typeArguments }));
  }

  field(struct: number, field: number): number {
    return this.#fields.index(`${struct} ${field}`, () => ({ struct, field }));
  }

  fieldInstantiation(generic: number, typeArguments: number): number {
    return this.#fieldInstantiations.index(`${generic} ${typeArguments}`, () => ({ generic, typeArguments }));
  }

  signature(tokens: Signature): number {
    return this.#signatures.index(tokens.map(tokenKey).join(' '), () => tokens);
  }

  /** The signature of these types. */
  signatureOf(types: readonly ResolvedType[]): number {
    return this.signature(this.tokens(types));
  }

  constant(type: ResolvedType, data: Uint8Array): number {
    const token = this.token(type);
    return this.#constants.index(`${tokenKey(token)} ${data.join()}`, () => ({ type: token, data }));
  }

  tokens(types: readonly ResolvedType[]): SignatureToken[] {
    return types.map((type) => this.token(type));
  }

  token(type: ResolvedType): SignatureToken {
    switch (type.kind) {
      case 'primitive':
        return PRIMITIVES[type.name];
      case 'vector':
        return vectorToken(this.token(type.element));
      case 'reference': {
        const target = this.token(type.target);
        return type.isMutable ? mutableReferenceTo(target) : referenceTo(target);
      }
      case 'parameter':
        return typeParameter(type.parameter.index);
      case 'struct': {
        const handle = this.struct(type.struct);
        return structOf(handle, this.tokens(type.arguments));
      }
      default:
        throw new Error(`bytecode has no type for ${type.kind}`);
    }
  }
}

function tokenKey({ tag, index, arguments: inner }: SignatureToken): string {
  return inner.length === 0 ? `${tag}.${index}` : `${tag}.${index}(${inner.map(tokenKey).join(' ')})`;
}
