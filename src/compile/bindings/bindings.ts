/**
 * Bindings: the functions, structs and events of a compiled Move module as TypeScript, so that the compiler checks calls.
 *
 * One file per module. A struct becomes a type, for its decoded values (`value/decoded.ts`), and a constant of the same
 * name, for its Move type. The module becomes a constant with a member for each public or entry function: the member
 * takes the arguments before they are encoded (`query/view-argument.ts`) and returns a call for `engine.executeAs`,
 * `engine.view` or `account.signed`. Bytecode has no parameter names: without those of the source, parameters are
 * numbered. Structs of modules that get no file are written out where they are used if their module is known, as those of
 * the framework are, and are `DecodedStruct`s otherwise. An option in an option decodes to null if either is empty, and
 * null gives an empty outer one, so such parameters take their BCS as well.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { FRAMEWORK_PACKAGES } from '../../execution/framework/framework.ts';
import { frameworkParameterNames } from '../../execution/framework/parameter-names.ts';
import { formatAddress, formatAddressShort, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { fileNameOf } from '../../move/identifier.ts';
import {
  type FunctionDefinition,
  type Module,
  type StructDefinition,
  selfIdOf,
  Visibility,
} from '../../vm/binary/module.ts';
import { readModule } from '../../vm/binary/read.ts';
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
 * @param others modules that get no file, whose structs the others may have
 */
export function bindingsOf(
  modules: readonly Module[],
  names: readonly (ParameterNames | undefined)[] = [],
  others: readonly Module[] = [],
): readonly BindingsFile[] {
  const files = fileNames(modules);
  const known = new Map(others.map((module) => [keyOf(module), module]));
  const lookup = (key: string): Module | undefined => known.get(key) ?? frameworkModule(key);
  return modules.map((module, index) => {
    return new ModuleBindings(module, files, names[index] ?? frameworkNames(module), lookup).file();
  });
}

/** The names of parameters of a module of the framework. */
function frameworkNames(module: Module): ParameterNames {
  const { address, name } = selfIdOf(module);
  const at = FRAMEWORK_PACKAGES.findIndex((each) => equalBytes(each.address, address));
  if (at === -1) return {};
  const { functionDefinitions, functionHandles, identifiers, signatures } = module;
  const named = frameworkParameterNames(at + 1, name);
  return Object.fromEntries(
    functionDefinitions.flatMap(({ handle }, index) => {
      const { name: own, parameters } = functionHandles[handle]!;
      const found = named.get(identifiers[own]!);
      // A module of another release may have others.
      return found?.length === signatures[parameters]!.length ? [[index, found]] : [];
    }),
  );
}

let framework: ReadonlyMap<string, Uint8Array> | undefined;

function frameworkModule(key: string): Module | undefined {
  framework ??= new Map(
    FRAMEWORK_PACKAGES.flatMap(({ address, modules }) =>
      modules.map(({ name, bytes }) => [moduleKey(address, name), bytes] as const),
    ),
  );
  const bytes = framework.get(key);
  return bytes && readModule(bytes);
}

function keyOf(module: Module): string {
  const { address, name } = selfIdOf(module);
  return moduleKey(address, name);
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
const TABLE = `${formatAddress(MOVEOS_STD_ADDRESS)}::table::Table`;

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

/** Finds a module that gets no file, by its key. */
type OtherModules = (key: string) => Module | undefined;

/** What type parameters become. */
type TypeParameters = (index: number) => string;

const ANY_VALUE: TypeParameters = () => 'movelet.DecodedValue';

class ModuleBindings {
  readonly #module: Module;
  readonly #files: ReadonlyMap<string, string>;
  readonly #names: ParameterNames;
  readonly #others: OtherModules;
  readonly #self: string;
  /** The names of the module's own structs: they are the file's, so everything else gets out of their way. */
  readonly #structs: ReadonlySet<string>;
  /** What the names of type parameters begin with. */
  readonly #parameter: string;
  /** The type of a byte array. */
  readonly #bytes: string;
  /** The structs used from other files, by file. */
  readonly #imported = new Map<string, Set<string>>();

  constructor(module: Module, files: ReadonlyMap<string, string>, names: ParameterNames, others: OtherModules) {
    this.#module = module;
    this.#files = files;
    this.#names = names;
    this.#others = others;
    this.#self = keyOf(module);
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
    const argumentNames = parameterNames(given.length, sourceNames);
    const nameAt = (index: number): string => argumentNames[index]!;
    const parameters = given.map((token, index) => `${nameAt(index)}: ${this.#given(token)}`);
    if (generics.length > 0) parameters.unshift(`typeArguments: readonly [${generics.join(', ')}]`);
    const results = signatures[handle.returns]!.map((token) => this.#decoded(token, ANY_VALUE));
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

  /**
   * The type that a value of a Move type decodes to.
   * @param parameters Default: those of the struct that has the field.
   * @param module in which the type stands
   */
  #decoded(
    token: SignatureToken,
    parameters: TypeParameters = (index) => `${this.#parameter}${index}`,
    module: Module = this.#module,
  ): string {
    const [inner] = token.arguments;
    switch (token.tag) {
      case TokenTag.Reference:
      case TokenTag.MutableReference:
        return this.#decoded(inner!, parameters, module);
      case TokenTag.TypeParameter:
        return parameters(token.index);
      case TokenTag.Vector:
        return this.#decodedVector(inner!, parameters, module);
      case TokenTag.Struct:
      case TokenTag.StructInstantiation:
        return this.#decodedStruct(token, parameters, module);
      default:
        return PRIMITIVES[token.tag]!.decoded;
    }
  }

  #decodedVector(item: SignatureToken, parameters: TypeParameters, module: Module): string {
    if (item.tag === TokenTag.U8) return this.#bytes;
    const list = `readonly (${this.#decoded(item, parameters, module)})[]`;
    // For a type parameter, it is not known here whether it is `u8`.
    return item.tag === TokenTag.TypeParameter ? `(${list} | ${this.#bytes})` : list;
  }

  #decodedStruct(token: SignatureToken, parameters: TypeParameters, inModule: Module): string {
    const { module, name } = nameOf(token, inModule);
    const type = `${module}::${name}`;
    const given = token.arguments.map((argument) => this.#decoded(argument, parameters, inModule));
    if (type === OPTION) return isOption(token.arguments[0]!, inModule) ? given[0]! : `${given[0]} | null`;
    const known = KNOWN[type];
    if (known !== undefined) return known.decoded;
    const parts = given.length === 0 ? '' : `<${given.join(', ')}>`;
    if (type === TABLE) return `movelet.TypedTable${parts}`;
    const file = this.#files.get(module);
    if (file !== undefined) return `${this.#reference(module, file, name)}${parts}`;
    return this.#writtenOut(this.#others(module), name, given);
  }

  /** A struct of a module that gets no file: Move has no struct that contains itself. */
  #writtenOut(module: Module | undefined, name: string, given: readonly string[]): string {
    const fields = module?.structDefinitions.find(({ handle }) => {
      return module.identifiers[module.structHandles[handle]!.name] === name;
    })?.fields;
    if (module === undefined || fields === undefined) return 'movelet.DecodedStruct';
    const members = fields.map(({ name: field, type }) => {
      return `readonly ${module.identifiers[field]!}: ${this.#decoded(type, (index) => given[index]!, module)}`;
    });
    return members.length === 0 ? '{ readonly [field: string]: never }' : `{ ${members.join('; ')} }`;
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
        const { module, name } = nameOf(token, this.#module);
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
    if (!isOption(inner, this.#module)) return `${given} | null | undefined`;
    const bcs = `{ readonly bcs: ${this.#bytes} } | `;
    return given.startsWith(bcs) ? given : `${bcs}${given}`;
  }
}

function isOption(token: SignatureToken, module: Module): boolean {
  if (token.tag !== TokenTag.StructInstantiation) return false;
  const { module: key, name } = nameOf(token, module);
  return `${key}::${name}` === OPTION;
}

function nameOf({ index }: SignatureToken, module: Module): { readonly module: string; readonly name: string } {
  const { addresses, identifiers, moduleHandles, structHandles } = module;
  const handle = structHandles[index]!;
  const { address, name } = moduleHandles[handle.module]!;
  return { module: moduleKey(addresses[address]!, identifiers[name]!), name: identifiers[handle.name]! };
}

/** The names of the source, each as near to it as the file and TypeScript allow; numbered where there is none. */
function parameterNames(count: number, names: readonly string[]): readonly string[] {
  const used = new Set(['typeArguments', ...RESERVED]);
  return Array.from({ length: count }, (_, index) => {
    let name = names[index] ?? `argument${index}`;
    while (used.has(name)) name = `${name}_`;
    used.add(name);
    return name;
  });
}

const isCallable = ({ isEntry, visibility }: FunctionDefinition): boolean =>
  isEntry || visibility === Visibility.Public;

function isSigner({ tag, arguments: [inner] }: SignatureToken): boolean {
  return tag === TokenTag.Signer || (tag === TokenTag.Reference && inner!.tag === TokenTag.Signer);
}
