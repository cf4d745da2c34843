/**
 * Bindings: the functions, structs and events of a compiled Move module as TypeScript, so that the compiler checks calls.
 *
 * One file per module. A struct becomes a type, for its decoded values (`value/decoded.ts`), and a constant of the same
 * name, for its Move type. The module becomes a constant with a member for each public or entry function: the member
 * takes the arguments before they are encoded (`query/view-argument.ts`) and returns a call for `engine.executeAs`,
 * `engine.view` or `account.signed`. Bytecode has no parameter names: without those of the source, parameters are
 * numbered. Structs of modules other than the given ones are `DecodedStruct`s. An option in an option decodes to null if
 * either is empty, and null gives an empty outer one, so such parameters take their BCS as well.
 * @module
 */
import { formatAddress, formatAddressShort, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { fileNameOf } from '../../move/identifier.ts';
import {
  type FunctionDefinition,
  type Module,
  type StructDefinition,
  selfIdOf,
  Visibility,
} from '../../vm/binary/module.ts';
import { type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';

/** A file of bindings. */
export interface BindingsFile {
  readonly name: string;
  readonly text: string;
}

/** The names of parameters, by the index of the function in its module. */
export type ParameterNames = Readonly<Record<string, readonly string[]>>;

/**
 * The bindings of each of `modules`, in the same order.
 * @param names those of the module at the same index; undefined for one whose source is not known
 */
export function bindingsOf(
  modules: readonly Module[],
  names: readonly (ParameterNames | undefined)[] = [],
): readonly BindingsFile[] {
  const files = fileNames(modules);
  return modules.map((module, index) => new ModuleBindings(module, files, names[index] ?? {}).file());
}

/** File names by `address::name` of the module. */
function fileNames(modules: readonly Module[]): ReadonlyMap<string, string> {
  const ids = modules.map(selfIdOf);
  const named = ids.map(({ address, name }) => ({ address: formatAddressShort(address), name }));
  return new Map(ids.map(({ address, name }, index) => [moduleKey(address, name), fileNameOf(named[index]!, named)]));
}

const moduleKey = (address: Uint8Array, name: string): string => `${formatAddress(address)}::${name}`;

/** The types of arguments and of decoded values, by the tags of primitive types. */
const PRIMITIVES: Readonly<Partial<Record<number, { readonly given: string; readonly decoded: string }>>> = {
  [TokenTag.Bool]: { given: 'boolean', decoded: 'boolean' },
  [TokenTag.U8]: { given: 'movelet.IntegerInput', decoded: 'number' },
  [TokenTag.U16]: { given: 'movelet.IntegerInput', decoded: 'number' },
  [TokenTag.U32]: { given: 'movelet.IntegerInput', decoded: 'number' },
  [TokenTag.U64]: { given: 'movelet.IntegerInput', decoded: 'bigint' },
  [TokenTag.U128]: { given: 'movelet.IntegerInput', decoded: 'bigint' },
  [TokenTag.U256]: { given: 'movelet.IntegerInput', decoded: 'bigint' },
  [TokenTag.Address]: { given: 'movelet.AddressInput', decoded: 'string' },
  [TokenTag.Signer]: { given: 'movelet.AddressInput', decoded: 'string' },
};

/** Structs that decode to something other than an object, by their Move type without type arguments. */
const KNOWN: Readonly<Record<string, { readonly given: string; readonly decoded: string }>> = {
  [`${formatAddress(MOVE_STD_ADDRESS)}::string::String`]: { given: 'string', decoded: 'string' },
  [`${formatAddress(MOVE_STD_ADDRESS)}::ascii::String`]: { given: 'string', decoded: 'string' },
  [`${formatAddress(MOVEOS_STD_ADDRESS)}::object::ObjectID`]: {
    given: 'movelet.ObjectIdInput',
    decoded: 'string',
  },
};
const OPTION = `${formatAddress(MOVE_STD_ADDRESS)}::option::Option`;
const OBJECT = `${formatAddress(MOVEOS_STD_ADDRESS)}::object::Object`;

/** Names that a module's constant cannot have: words that TypeScript reserves, and what the file declares beside it. */
const RESERVED = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export exports extends
  false finally for function globalThis if implements import in instanceof interface let module movelet new null package
  private protected public require return static super switch this throw true try typeof undefined var void while with
  yield`.split(/\s+/),
);

/**
 * The name by which a file declares a struct. Move's compiler asks for a capital letter; bytecode may have any word,
 * also one that TypeScript reserves, or reads in a type as something else. No name of Move has a dollar sign.
 */
const declared = (struct: string): string => (/^[A-Z]/.test(struct) ? struct : `$${struct}`);

class ModuleBindings {
  readonly #module: Module;
  readonly #files: ReadonlyMap<string, string>;
  readonly #names: ParameterNames;
  readonly #self: string;
  /** The names of the module's own structs: they are the file's, so everything else gets out of their way. */
  readonly #structs: ReadonlySet<string>;
  /** What the names of type parameters begin with. */
  readonly #parameter: string;
  /** The type of a byte array. */
  readonly #bytes: string;
  /** The structs used from other files, by file. */
  readonly #imported = new Map<string, Set<string>>();

  constructor(module: Module, files: ReadonlyMap<string, string>, names: ParameterNames) {
    const { address, name } = selfIdOf(module);
    this.#module = module;
    this.#files = files;
    this.#names = names;
    this.#self = moduleKey(address, name);
    const { identifiers, structHandles, structDefinitions } = module;
    this.#structs = new Set(structDefinitions.map(({ handle }) => identifiers[structHandles[handle]!.name]!));
    this.#parameter = [...this.#structs].some((struct) => /^T\d+$/.test(struct)) ? '$T' : 'T';
    this.#bytes = this.#structs.has('Uint8Array') ? 'globalThis.Uint8Array' : 'Uint8Array';
  }

  file(): BindingsFile {
    const { structDefinitions, functionDefinitions } = this.#module;
    const { name } = selfIdOf(this.#module);
    const structs = structDefinitions.map((definition) => this.#struct(definition));
    const functions = functionDefinitions.flatMap((definition, index) =>
      isCallable(definition) ? [this.#function(definition, this.#names[index] ?? [])] : [],
    );
    const constant = this.#unlessStruct(RESERVED.has(name) ? `${name}_` : name);
    const parts = [
      '/** Written by `movelet types` from bytecode: changes are lost when it writes again. */\n',
      "import type * as movelet from 'movelet';\n",
      ...this.#imports(),
      `\nconst module = '${this.#self}';\n\n`,
      ...structs,
      `/** Calls of the functions of ${name}. */\n`,
      `export const ${constant} = {\n${functions.join('')}};\n`,
    ];
    return { name: `${this.#files.get(this.#self)}.ts`, text: parts.join('') };
  }

  *#imports(): Iterable<string> {
    for (const [file, names] of this.#imported) {
      const list = [...names].sort().map((name) => `${name} as ${this.#importedName(file, name)}`);
      yield `import type { ${list.join(', ')} } from './${file}.ts';\n`;
    }
  }

  #struct({ handle: index, fields }: StructDefinition): string {
    const { identifiers, structHandles } = this.#module;
    const handle = structHandles[index]!;
    const name = identifiers[handle.name]!;
    const parameters = this.#parametersText(handle.typeParameters.length);
    const members = (fields ?? []).map(({ name: field, type }) => {
      return `  readonly ${identifiers[field]!}: ${this.#decoded(type)};\n`;
    });
    const value = members.length === 0 ? '{ readonly [field: string]: never }' : `{\n${members.join('')}}`;
    const local = declared(name);
    const isGeneric = parameters !== '';
    const prefix = local === name ? 'export ' : '';
    const lines = [`${prefix}type ${local}${parameters} = ${value};\n`];
    // The Move type of a generic struct is known only with its type arguments.
    if (!isGeneric) lines.push(`${prefix}const ${local} = \`\${module}::${name}\` as movelet.StructType<${local}>;\n`);
    // A name that cannot be declared can be exported.
    if (local !== name) lines.push(`export ${isGeneric ? 'type ' : ''}{ ${local} as ${name} };\n`);
    return `${lines.join('')}\n`;
  }

  #function(definition: FunctionDefinition, names: readonly string[]): string {
    const { functionHandles, identifiers, signatures } = this.#module;
    const handle = functionHandles[definition.handle]!;
    const name = identifiers[handle.name]!;
    const generics = handle.typeParameters.map((_, index) => `T${index}: string`);
    const tokens = signatures[handle.parameters]!;
    const sourceNames = names.filter((_, index) => !isSigner(tokens[index]!));
    const given = tokens.filter((token) => !isSigner(token));
    const nameAt = (index: number): string => parameterName(sourceNames[index]) ?? `argument${index}`;
    const parameters = given.map((token, index) => `${nameAt(index)}: ${this.#given(token)}`);
    if (generics.length > 0) parameters.unshift(`typeArguments: readonly [${generics.join(', ')}]`);
    const results = signatures[handle.returns]!.map((token) => this.#decoded(token, 'movelet.DecodedValue'));
    const members = [
      `    function: \`\${module}::${name}\`,\n`,
      ...(generics.length > 0 ? ['    typeArguments,\n'] : []),
      ...(given.length > 0 ? [`    arguments: [${given.map((_, index) => nameAt(index)).join(', ')}],\n`] : []),
    ];
    const type = `movelet.TypedCall<readonly [${results.join(', ')}]>`;
    // As a plain member, this name would set the prototype.
    const member = name === '__proto__' ? `['${name}']` : name;
    return `  ${member}: (${parameters.join(', ')}): ${type} => ({\n${members.join('')}  }),\n`;
  }

  /** The type that a value of a Move type decodes to; type parameters become `parameter`, or keep their names. */
  #decoded(token: SignatureToken, parameter?: string): string {
    const [inner] = token.arguments;
    switch (token.tag) {
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return this.#decoded(inner!, parameter);
      case TokenTag.TypeParameter:
        return parameter ?? `${this.#parameter}${token.index}`;
      case TokenTag.Vector:
        return this.#decodedVector(inner!, parameter);
      case TokenTag.Struct:
      case TokenTag.StructInstantiation:
        return this.#decodedStruct(token, parameter);
      default:
        return PRIMITIVES[token.tag]!.decoded;
    }
  }

  #decodedVector(item: SignatureToken, parameter: string | undefined): string {
    if (item.tag === TokenTag.U8) return 'Uint8Array';
    const list = `readonly (${this.#decoded(item, parameter)})[]`;
    // For a type parameter, it is not known here whether it is `u8`.
    return item.tag === TokenTag.TypeParameter ? `(${list} | Uint8Array)` : list;
  }

  #decodedStruct(token: SignatureToken, parameter: string | undefined): string {
    const { module, name } = this.#nameOf(token);
    const type = `${module}::${name}`;
    if (type === OPTION) return this.#decodedOption(token.arguments[0]!, parameter);
    const known = KNOWN[type];
    if (known !== undefined) return known.decoded;
    const file = this.#files.get(module);
    if (file === undefined) return 'movelet.DecodedStruct';
    const given = token.arguments.map((argument) => this.#decoded(argument, parameter));
    return `${this.#reference(module, file, name)}${given.length === 0 ? '' : `<${given.join(', ')}>`}`;
  }

  #decodedOption(inner: SignatureToken, parameter: string | undefined): string {
    const decoded = this.#decoded(inner, parameter);
    return this.#isOption(inner) ? decoded : `${decoded} | null`;
  }

  #reference(module: string, file: string, name: string): string {
    if (module === this.#self) return declared(name);
    const names = this.#imported.get(file) ?? new Set();
    this.#imported.set(file, names.add(name));
    return this.#importedName(file, name);
  }

  /** Two modules may have structs of the same name; a file's name may begin with a digit. */
  #importedName(file: string, name: string): string {
    return this.#unlessStruct(`${file.replaceAll('-', '_').replace(/^(?=\d)/, '_')}_${name}`);
  }

  #unlessStruct(name: string): string {
    return this.#structs.has(name) ? this.#unlessStruct(`${name}_`) : name;
  }

  #parametersText(count: number): string {
    if (count === 0) return '';
    return `<${Array.from({ length: count }, (_, index) => `${this.#parameter}${index} = unknown`).join(', ')}>`;
  }

  /** The type of the argument that a parameter is encoded from. */
  #given(token: SignatureToken): string {
    const [inner] = token.arguments;
    switch (token.tag) {
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return this.#given(inner!);
      case TokenTag.TypeParameter:
        return 'movelet.ViewArgument';
      case TokenTag.Vector:
        return inner!.tag === TokenTag.U8 ? `${this.#bytes} | string` : `readonly (${this.#given(inner!)})[]`;
      case TokenTag.Struct:
      case TokenTag.StructInstantiation: {
        const { module, name } = this.#nameOf(token);
        const type = `${module}::${name}`;
        if (type === OPTION) return this.#givenOption(inner!);
        if (type === OBJECT) return 'movelet.ObjectIdInput';
        return KNOWN[type]?.given ?? 'movelet.ViewArgument';
      }
      default:
        return PRIMITIVES[token.tag]!.given;
    }
  }

  #givenOption(inner: SignatureToken): string {
    const given = this.#given(inner);
    if (!this.#isOption(inner)) return `${given} | null | undefined`;
    const bcs = `{ readonly bcs: ${this.#bytes} } | `;
    return given.startsWith(bcs) ? given : `${bcs}${given}`;
  }

  #isOption(token: SignatureToken): boolean {
    if (token.tag !== TokenTag.StructInstantiation) return false;
    const { module, name } = this.#nameOf(token);
    return `${module}::${name}` === OPTION;
  }

  #nameOf({ index }: SignatureToken): { readonly module: string; readonly name: string } {
    const { addresses, identifiers, moduleHandles, structHandles } = this.#module;
    const handle = structHandles[index]!;
    const { address, name } = moduleHandles[handle.module]!;
    return { module: moduleKey(addresses[address]!, identifiers[name]!), name: identifiers[handle.name]! };
  }
}

/** The name of the source, unless the file has another use of it. */
function parameterName(name: string | undefined): string | undefined {
  const isTaken = name === undefined || name === '_' || name === 'typeArguments' || /^argument\d+$/.test(name);
  return isTaken || RESERVED.has(name) ? undefined : name;
}

const isCallable = ({ isEntry, visibility }: FunctionDefinition): boolean =>
  isEntry || visibility === Visibility.Public;

function isSigner({ tag, arguments: [inner] }: SignatureToken): boolean {
  return tag === TokenTag.Signer || (tag === TokenTag.Reference && inner!.tag === TokenTag.Signer);
}
