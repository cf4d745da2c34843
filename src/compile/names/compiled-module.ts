/**
 * What modules declare, read from their bytecode: for sources that use modules without having their sources.
 *
 * Bytecode has neither constants nor inline functions, and the names of type parameters and parameters are lost.
 * @module
 */
import { toHex } from '../../base/bytes/bytes.ts';
import { type Module, type StructHandle, Visibility } from '../../vm/binary/module.ts';
import { PRIMITIVE_KINDS, type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';
import type { Span } from '../text/source-text.ts';
import { identityOf, shownModule } from './address-names.ts';
import type {
  FieldDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  ModuleIdentity,
  StructDeclaration,
} from './declaration.ts';
import { instructionOf } from './item-resolver.ts';
import type { ModuleUses } from './module-order.ts';
import type { ResolvedType, TypeParameter } from './type.ts';

/** A module from bytecode, and what of other modules its declarations need. */
export interface BytecodeModule extends ModuleUses {
  readonly module: ModuleDeclaration;
}

/** The declarations of modules, which may name each other; of what they name outside, as much as they say. */
export function declareCompiled(modules: readonly Module[]): BytecodeModule[] {
  const structs = new Map<string, StructDeclaration>();
  const readers = modules.map((module) => new ModuleReader(module, structs));
  return readers.map((reader) => reader.read());
}

class ModuleReader {
  readonly #binary: Module;
  readonly #declaration: ModuleDeclaration;
  /** By key of the module, `::` and name: those of all modules. */
  readonly #structs: Map<string, StructDeclaration>;
  readonly #span: Span;
  readonly #used = new Map<string, Span>();

  constructor(binary: Module, structs: Map<string, StructDeclaration>) {
    this.#binary = binary;
    this.#structs = structs;
    this.#declaration = compiledModule(this.#identity(binary.selfHandle));
    this.#span = this.#declaration.span;
    for (const { handle } of binary.structDefinitions) this.#declareStruct(handle, this.#declaration);
  }

  read(): BytecodeModule {
    const { structDefinitions, functionDefinitions, friends } = this.#binary;
    for (const { handle, fields } of structDefinitions) this.#readFields(handle, fields);
    for (const definition of functionDefinitions) this.#readFunction(definition);
    const found = friends.map(({ address, name }) => this.#named(address, name));
    this.#declaration.friends = new Map(found.map((identity) => [identity.key, { identity, span: this.#span }]));
    return { module: this.#declaration, used: this.#used };
  }

  #identity(handle: number): ModuleIdentity {
    const { address, name } = this.#binary.moduleHandles[handle]!;
    return this.#named(address, name);
  }

  #named(address: number, name: number): ModuleIdentity {
    const value = this.#binary.addresses[address]!;
    return identityOf({ value, name: undefined, key: toHex(value) }, this.#binary.identifiers[name]!);
  }

  #declareStruct(handle: number, module: ModuleDeclaration): StructDeclaration {
    const { name, abilities, typeParameters } = this.#binary.structHandles[handle]!;
    const text = this.#binary.identifiers[name]!;
    const struct: StructDeclaration = {
      ...{ kind: 'struct', module, name: { text, span: module.span }, attributes: [], abilities },
      ...{ abilitySpans: new Map(), fields: undefined },
      typeParameters: typeParameters.map(({ constraints, isPhantom }, index) => {
        return { name: { text: `T${index}`, span: module.span }, index, constraints, isPhantom };
      }),
    };
    this.#structs.set(`${module.identity.key}::${text}`, struct);
    (module.structs as Map<string, StructDeclaration>).set(text, struct);
    return struct;
  }

  #struct(index: number): StructDeclaration {
    const handle: StructHandle = this.#binary.structHandles[index]!;
    const identity = this.#identity(handle.module);
    if (identity.key !== this.#declaration.identity.key) this.#used.set(identity.key, this.#span);
    const known = this.#structs.get(`${identity.key}::${this.#binary.identifiers[handle.name]!}`);
    return known ?? this.#declareStruct(index, compiledModule(identity));
  }

  #readFields(handle: number, fields: Module['structDefinitions'][number]['fields']): void {
    const struct = this.#struct(handle);
    if (fields === undefined) return;
    const found = fields.map(({ name, type }, index): FieldDeclaration => {
      const text = this.#binary.identifiers[name]!;
      return { name: { text, span: this.#span }, index, type: this.#type(type, struct.typeParameters) };
    });
    struct.fields = new Map(found.map((field) => [field.name.text, field]));
  }

  #readFunction({ handle, visibility, isEntry, code }: Module['functionDefinitions'][number]): void {
    const found = this.#binary.functionHandles[handle]!;
    const text = this.#binary.identifiers[found.name]!;
    const span = this.#span;
    const typeParameters = found.typeParameters.map((constraints, index): TypeParameter => {
      return { name: { text: `T${index}`, span }, index, constraints, isPhantom: false };
    });
    const [parameters, returns] = [found.parameters, found.returns].map((index) => {
      return this.#binary.signatures[index]!.map((token) => this.#type(token, typeParameters));
    });
    const declaration: FunctionDeclaration = {
      ...{ kind: 'function', module: this.#declaration, name: { text, span }, attributes: [] },
      visibility: { kind: VISIBILITIES[visibility], span },
      ...{ entry: isEntry ? span : undefined, isInline: false, isNative: code === undefined },
      ...{ instruction: instructionOf(this.#declaration, text), typeParameters, acquires: new Map() },
      parameters: parameters!.map((type, index) => ({ local: { name: `p${index}`, span }, type })),
      result: returns!.length === 1 ? returns![0]! : { kind: 'tuple', span, items: returns! },
    };
    (this.#declaration.functions as Map<string, FunctionDeclaration>).set(text, declaration);
  }

  #type(token: SignatureToken, parameters: readonly TypeParameter[]): ResolvedType {
    const span = this.#span;
    const parts = token.arguments.map((each) => this.#type(each, parameters));
    switch (token.tag) {
      case TokenTag.Vector:
        return { kind: 'vector', span, element: parts[0]! };
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return { kind: 'reference', span, isMutable: token.tag === TokenTag.MutableReference, target: parts[0]! };
      case TokenTag.Struct:
      case TokenTag.StructInstantiation:
        return { kind: 'struct', span, struct: this.#struct(token.index), arguments: parts };
      case TokenTag.TypeParameter:
        return { kind: 'parameter', span, parameter: parameters[token.index]! };
      default:
        return { kind: 'primitive', span, name: PRIMITIVE_KINDS[token.tag]! };
    }
  }
}

const VISIBILITIES = {
  [Visibility.Private]: 'private',
  [Visibility.Public]: 'public',
  [Visibility.Friend]: 'friend',
} as const;

function compiledModule(identity: ModuleIdentity): ModuleDeclaration {
  const source = { path: `${shownModule(identity)} (bytecode)`, text: '', index: Number.MAX_SAFE_INTEGER };
  return {
    ...{ kind: 'module', identity, origin: 'bytecode', rank: 0, span: { source, start: 0, end: 0 }, attributes: [] },
    ...{ structs: new Map(), functions: new Map(), constants: new Map(), friends: new Map() },
  };
}
