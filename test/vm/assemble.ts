/**
 * An assembler for tests: one text, one module or script, no cleverness.
 *
 * It writes what it is told, sound or not; only names and syntax are checked. A text reads like Move down to the
 * function bodies, which are labels and instructions, one a line:
 *
 * ```
 * module 0x1::bank
 * friend 0x1::till
 * extern 0x2::coin {
 *   struct Coin<phantom T> has store
 *   fun value<T>(&Coin<T>): u64
 * }
 * struct Vault<phantom T> has key, store { coin: 0x2::coin::Coin<T>, owner: address }
 * public fun worth<T>(vault: &Vault<T>): u64 {
 *   let total: u64
 *   MoveLoc vault
 *   ImmBorrowField Vault<T>.coin
 *   Call 0x2::coin::value<T>
 *   Ret
 * }
 * entry fun main() { Ret }
 * native fun rate(): u64
 * ```
 *
 * - An instruction is a name of `Op`. Where type arguments are given, the generic form is chosen (`Call f<u64>` is
 *   `CallGeneric`); naming a generic form without type arguments gives an instantiation with none.
 * - Operands: `CopyLoc x` (name or number), `BrTrue label` (or number), `LdU64 7`, `LdConst vector<u8> 0x0301` (BCS in
 *   hex), `ImmBorrowField S.f`, `Pack S<u8>`, `VecPack u64 3`, `VecUnpack u64 3`, `VecLen u64`.
 * - Names of the module itself are bare (in an `extern` block: of that module), others `0x2::coin::Coin`; these need
 *   an `extern` block.
 * - `acquires R, S` comes before the body; `public`, `public(friend)`, `private`, `entry` and `native` before `fun`.
 * - A script is `script<T: drop>(x: u64) { ... }` after any `extern` blocks. Comments are `// ...`.
 * - A first line `version 5` chooses the format version; 6 is the default.
 *
 * `assembleModule` gives the tables (change them to make what cannot be written), `assembleModuleBytes` the binary.
 * @module
 */
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../src/move/ability.ts';
import { parseAddressHex } from '../../src/move/address.ts';
import { instruction } from '../../src/vm/binary/code.ts';
import {
  type Code,
  type CommonTables,
  type Constant,
  type FieldHandle,
  type FunctionHandle,
  type Instantiation,
  type Instruction,
  type Module,
  type ModuleHandle,
  type Script,
  type StructHandle,
  Visibility,
} from '../../src/vm/binary/module.ts';
import { OPCODES, Op, type OpName } from '../../src/vm/binary/opcode.ts';
import * as token from '../../src/vm/binary/signature-token.ts';
import { writeModule, writeScript } from '../../src/vm/binary/write.ts';

/** The tables of the module that `text` describes. */
export function assembleModule(text: string): Module {
  return new Builder().module(new Parser(text).moduleText());
}

/** The binary form of the module that `text` describes. */
export function assembleModuleBytes(text: string): Uint8Array {
  return writeModule(assembleModule(text));
}

/** The tables of the script that `text` describes. */
export function assembleScript(text: string): Script {
  return new Builder().script(new Parser(text).scriptText());
}

/** The binary form of the script that `text` describes. */
export function assembleScriptBytes(text: string): Uint8Array {
  return writeScript(assembleScript(text));
}

/** `&`, `&mut`, `vector`, a primitive, a type parameter, or a struct by its bare or full name. */
interface TypeText {
  readonly name: string;
  readonly arguments: readonly TypeText[];
}

interface TypeParameterText {
  readonly name: string;
  readonly constraints: AbilitySet;
  readonly isPhantom: boolean;
}

interface NamedType {
  readonly name: string;
  readonly type: TypeText;
}

interface StructText {
  readonly name: string;
  readonly typeParameters: readonly TypeParameterText[];
  readonly abilities: AbilitySet;
  readonly fields: readonly NamedType[] | undefined;
}

interface FunctionText {
  readonly name: string;
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  readonly typeParameters: readonly TypeParameterText[];
  readonly parameters: readonly NamedType[];
  readonly returns: readonly TypeText[];
  readonly acquires: readonly string[];
  readonly body: BodyText | undefined;
}

interface InstructionText {
  readonly op: OpName;
  /** A name, number or hex; empty where the operand begins with a type. */
  readonly word: string;
  readonly type?: TypeText;
  readonly field?: string;
  /** `undefined` if there are no angle brackets. */
  readonly typeArguments?: readonly TypeText[] | undefined;
}

interface BodyText {
  readonly locals: readonly NamedType[];
  readonly labels: ReadonlyMap<string, number>;
  readonly instructions: readonly InstructionText[];
}

interface ExternText {
  readonly module: string;
  readonly structs: readonly StructText[];
  readonly functions: readonly FunctionText[];
}

interface ModuleText {
  readonly version: number;
  /** `address::name`; empty for a script. */
  readonly name: string;
  readonly friends: readonly string[];
  readonly externs: readonly ExternText[];
  readonly structs: readonly StructText[];
  readonly functions: readonly FunctionText[];
}

const WORD = /\s*(?:\/\/[^\n]*\s*)*(0x[0-9a-fA-F]*|\w+|::|[<>{}()&,:.;]|$)/y;
const ABILITIES: Readonly<Record<string, AbilitySet>> = {
  copy: ABILITY_COPY,
  drop: ABILITY_DROP,
  store: ABILITY_STORE,
  key: ABILITY_KEY,
};

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  moduleText(): ModuleText {
    const version = this.#version();
    this.#expect('module');
    return { version, name: this.#moduleName(), ...this.#items() };
  }

  /** A script is a module of one function without a name. */
  scriptText(): ModuleText {
    const version = this.#version();
    return { version, name: '', ...this.#items() };
  }

  #version(): number {
    return this.#accept('version') ? Number(this.#next()) : 6;
  }

  #items(): Omit<ModuleText, 'version' | 'name'> {
    const friends: string[] = [];
    const externs: ExternText[] = [];
    const structs: StructText[] = [];
    const functions: FunctionText[] = [];
    while (this.#peek() !== '' && this.#peek() !== '}') {
      if (this.#accept('friend')) friends.push(this.#moduleName());
      else if (this.#accept('extern')) externs.push(this.#extern());
      else if (this.#accept('script')) functions.push(this.#function('', Visibility.Private, false, false));
      else this.#declaration(structs, functions);
    }
    return { friends, externs, structs, functions };
  }

  #extern(): ExternText {
    const module = this.#moduleName();
    this.#expect('{');
    const { structs, functions } = this.#items();
    this.#expect('}');
    return { module, structs, functions };
  }

  #declaration(structs: StructText[], functions: FunctionText[]): void {
    let visibility: Visibility = Visibility.Private;
    let isEntry = false;
    let isNative = false;
    for (;;) {
      const word = this.#next();
      if (word === 'struct') return void structs.push(this.#struct());
      if (word === 'fun') return void functions.push(this.#function(this.#next(), visibility, isEntry, isNative));
      if (word === 'public') visibility = this.#accept('(') ? this.#friendVisibility() : Visibility.Public;
      else if (word === 'entry') isEntry = true;
      else if (word === 'native') isNative = true;
      else if (word !== 'private') throw this.#error(`expected a declaration, got ${word}`);
    }
  }

  #friendVisibility(): Visibility {
    this.#expect('friend');
    this.#expect(')');
    return Visibility.Friend;
  }

  #struct(): StructText {
    const name = this.#next();
    const typeParameters = this.#typeParameters();
    const abilities = this.#accept('has') ? this.#abilities() : 0;
    if (!this.#accept('{')) return { name, typeParameters, abilities, fields: undefined };
    const fields: NamedType[] = [];
    while (!this.#accept('}')) {
      fields.push(this.#namedType());
      this.#accept(',');
    }
    return { name, typeParameters, abilities, fields };
  }

  #function(name: string, visibility: Visibility, isEntry: boolean, isNative: boolean): FunctionText {
    const typeParameters = this.#typeParameters();
    this.#expect('(');
    const parameters: NamedType[] = [];
    while (!this.#accept(')')) {
      parameters.push(this.#parameter());
      this.#accept(',');
    }
    const returns: TypeText[] = [];
    if (this.#accept(':')) {
      do returns.push(this.#type());
      while (this.#accept(','));
    }
    const acquires: string[] = [];
    if (this.#accept('acquires')) {
      do acquires.push(this.#next());
      while (this.#accept(','));
    }
    const body = !isNative && this.#accept('{') ? this.#body() : undefined;
    return { name, visibility, isEntry, typeParameters, parameters, returns, acquires, body };
  }

  #typeParameters(): TypeParameterText[] {
    const parameters: TypeParameterText[] = [];
    if (!this.#accept('<')) return parameters;
    while (!this.#accept('>')) {
      const isPhantom = this.#accept('phantom');
      const name = this.#next();
      parameters.push({ name, isPhantom, constraints: this.#accept(':') ? this.#abilities() : 0 });
      this.#accept(',');
    }
    return parameters;
  }

  /** Names separated by commas or spaces; a comma before anything else is left standing. */
  #abilities(): AbilitySet {
    let set = 0;
    for (;;) {
      const start = this.#at;
      if (set !== 0) this.#accept(',');
      const bit = ABILITIES[this.#peek()];
      if (bit === undefined) {
        this.#at = start;
        return set;
      }
      this.#next();
      set |= bit;
    }
  }

  /** `name: type`, or a type alone in an `extern` block. */
  #parameter(): NamedType {
    const start = this.#at;
    const name = this.#next();
    if (this.#accept(':')) return { name, type: this.#type() };
    this.#at = start;
    return { name: '', type: this.#type() };
  }

  #namedType(): NamedType {
    const name = this.#next();
    this.#expect(':');
    return { name, type: this.#type() };
  }

  #type(): TypeText {
    if (this.#accept('&')) return { name: this.#accept('mut') ? '&mut' : '&', arguments: [this.#type()] };
    return { name: this.#name(), arguments: this.#typeArguments() ?? [] };
  }

  #typeArguments(): TypeText[] | undefined {
    if (!this.#accept('<')) return undefined;
    const types: TypeText[] = [];
    while (!this.#accept('>')) {
      types.push(this.#type());
      this.#accept(',');
    }
    return types;
  }

  /** A bare name, or `0x2::coin::Coin`. */
  #name(): string {
    const word = this.#next();
    return word.startsWith('0x') && this.#accept('::') ? `${word}::${this.#memberName()}` : word;
  }

  #memberName(): string {
    const module = this.#next();
    this.#expect('::');
    return `${module}::${this.#next()}`;
  }

  #moduleName(): string {
    const address = this.#next();
    this.#expect('::');
    return `${address}::${this.#next()}`;
  }

  #body(): BodyText {
    const locals: NamedType[] = [];
    while (this.#accept('let')) {
      locals.push(this.#namedType());
      this.#accept(';');
    }
    const labels = new Map<string, number>();
    const instructions: InstructionText[] = [];
    while (!this.#accept('}')) {
      const word = this.#next();
      if (this.#accept(':')) labels.set(word, instructions.length);
      else instructions.push(this.#instruction(word));
      this.#accept(';');
    }
    return { locals, labels, instructions };
  }

  #instruction(word: string): InstructionText {
    const op = word as OpName;
    const number = Op[op];
    if (number === undefined) throw this.#error(`expected an instruction, got ${JSON.stringify(word)}`);
    switch (OPCODES[number]!.operand) {
      case 'none':
        return { op, word: '' };
      case 'constant': {
        const type = this.#type();
        return { op, word: this.#next(), type };
      }
      case 'signature':
        return { op, word: '', type: this.#type() };
      case 'signatureAndCount': {
        const type = this.#type();
        return { op, word: this.#next(), type };
      }
      case 'fieldHandle':
      case 'fieldInstantiation': {
        const name = this.#name();
        const typeArguments = this.#typeArguments();
        this.#expect('.');
        return { op, word: name, typeArguments, field: this.#next() };
      }
      default: {
        const name = this.#name();
        return { op, word: name, typeArguments: this.#typeArguments() };
      }
    }
  }

  #peek(): string {
    const start = this.#at;
    const word = this.#next();
    this.#at = start;
    return word;
  }

  #next(): string {
    WORD.lastIndex = this.#at;
    const match = WORD.exec(this.#text);
    if (match === null) throw this.#error('expected a word');
    this.#at = WORD.lastIndex;
    return match[1]!;
  }

  #accept(word: string): boolean {
    if (this.#peek() !== word) return false;
    this.#next();
    return true;
  }

  #expect(word: string): void {
    const got = this.#next();
    if (got !== word) throw this.#error(`expected ${word}, got ${JSON.stringify(got)}`);
  }

  #error(message: string): Error {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    return new Error(`${message} in line ${line}: ${this.#text.split('\n')[line - 1]?.trim()}`);
  }
}

const PRIMITIVES: Readonly<Record<string, token.SignatureToken>> = {
  bool: token.BOOL,
  u8: token.U8,
  u16: token.U16,
  u32: token.U32,
  u64: token.U64,
  u128: token.U128,
  u256: token.U256,
  address: token.ADDRESS,
  signer: token.SIGNER,
};

/** Fills the tables; equal entries are one, in the order of first use. Handles come before all definitions. */
class Builder {
  #text!: ModuleText;
  /** The module whose bare names are meant. */
  #home = '';
  /** Type parameters in scope. */
  #scope: readonly string[] = [];
  readonly #structs = new Map<string, number>();
  readonly #functions = new Map<string, number>();

  readonly #moduleHandles = new Pool<ModuleHandle>();
  readonly #structHandles = new Pool<StructHandle>();
  readonly #functionHandles = new Pool<FunctionHandle>();
  readonly #functionInstantiations = new Pool<Instantiation>();
  readonly #structInstantiations = new Pool<Instantiation>();
  readonly #fieldHandles = new Pool<FieldHandle>();
  readonly #fieldInstantiations = new Pool<Instantiation>();
  readonly #signatures = new Pool<token.Signature>();
  readonly #identifiers = new Pool<string>();
  readonly #addresses = new Pool<Uint8Array>();
  readonly #constants = new Pool<Constant>();

  module(text: ModuleText): Module {
    this.#text = text;
    const selfHandle = this.#moduleHandle(text.name);
    this.#declare();
    const structDefinitions = text.structs.map((struct) => {
      this.#scope = struct.typeParameters.map((parameter) => parameter.name);
      const fields = struct.fields?.map(({ name, type }) => ({
        name: this.#identifiers.add(name),
        type: this.#type(type),
      }));
      return { handle: this.#structs.get(`${text.name}::${struct.name}`)!, fields };
    });
    const functionDefinitions = text.functions.map((fun) => ({
      handle: this.#functions.get(`${text.name}::${fun.name}`)!,
      visibility: fun.visibility,
      isEntry: fun.isEntry,
      acquires: fun.acquires.map((name) => this.#structDefinition(name)),
      code: this.#code(fun),
    }));
    return {
      kind: 'module',
      ...this.#commonTables(),
      selfHandle,
      structDefinitions,
      structInstantiations: this.#structInstantiations.items,
      functionDefinitions,
      fieldHandles: this.#fieldHandles.items,
      fieldInstantiations: this.#fieldInstantiations.items,
      friends: text.friends.map((name) => this.#moduleHandleParts(name)),
    };
  }

  script(text: ModuleText): Script {
    this.#text = { ...text, functions: [] };
    this.#declare();
    const main = text.functions[0]!;
    this.#scope = main.typeParameters.map((parameter) => parameter.name);
    const parameters = this.#signature(main.parameters.map((parameter) => parameter.type));
    const code = this.#code(main)!;
    const typeParameters = main.typeParameters.map((parameter) => parameter.constraints);
    return { kind: 'script', ...this.#commonTables(), typeParameters, parameters, code };
  }

  #commonTables(): CommonTables {
    return {
      version: this.#text.version,
      moduleHandles: this.#moduleHandles.items,
      structHandles: this.#structHandles.items,
      functionHandles: this.#functionHandles.items,
      functionInstantiations: this.#functionInstantiations.items,
      signatures: this.#signatures.items,
      identifiers: this.#identifiers.items,
      addresses: this.#addresses.items,
      constants: this.#constants.items,
      metadata: [],
    };
  }

  #declare(): void {
    const { name, externs, structs, functions } = this.#text;
    const blocks = [...externs, { module: name, structs, functions }];
    for (const block of blocks) for (const struct of block.structs) this.#declareStruct(block.module, struct);
    for (const { module, functions: declared } of blocks) {
      this.#home = module;
      if (module !== '') this.#moduleHandle(module);
      for (const fun of declared) this.#declareFunction(module, fun);
    }
  }

  #declareStruct(module: string, { name, abilities, typeParameters }: StructText): void {
    const handle: StructHandle = {
      module: this.#moduleHandle(module),
      name: this.#identifiers.add(name),
      abilities,
      typeParameters: typeParameters.map(({ constraints, isPhantom }) => ({ constraints, isPhantom })),
    };
    this.#structs.set(`${module}::${name}`, this.#structHandles.push(handle));
  }

  #declareFunction(module: string, { name, typeParameters, parameters, returns }: FunctionText): void {
    this.#scope = typeParameters.map((parameter) => parameter.name);
    const handle: FunctionHandle = {
      module: this.#moduleHandle(module),
      name: this.#identifiers.add(name),
      parameters: this.#signature(parameters.map((parameter) => parameter.type)),
      returns: this.#signature(returns),
      typeParameters: typeParameters.map((parameter) => parameter.constraints),
    };
    this.#functions.set(`${module}::${name}`, this.#functionHandles.push(handle));
  }

  #code({ typeParameters, parameters, body }: FunctionText): Code | undefined {
    if (body === undefined) return undefined;
    this.#scope = typeParameters.map((parameter) => parameter.name);
    const locals = [...parameters, ...body.locals].map((local) => local.name);
    return {
      locals: this.#signature(body.locals.map((local) => local.type)),
      instructions: body.instructions.map((item) => this.#instruction(item, locals, body.labels)),
    };
  }

  #instruction(item: InstructionText, locals: readonly string[], labels: ReadonlyMap<string, number>): Instruction {
    const op = Op[item.op];
    switch (OPCODES[op]!.operand) {
      case 'none':
        return instruction(op);
      case 'codeOffset':
        return instruction(
          op,
          numberOr(item.word, (name) => labels.get(name)),
        );
      case 'local':
        return instruction(
          op,
          numberOr(item.word, (name) => indexIn(locals, name)),
        );
      case 'u8':
      case 'u16':
      case 'u32':
        return instruction(op, Number(item.word));
      case 'u64':
      case 'u128':
      case 'u256':
        return instruction(op, 0, BigInt(item.word));
      case 'constant':
        return instruction(op, this.#constant(item));
      case 'signature':
        return instruction(op, this.#signature([item.type!]));
      case 'signatureAndCount':
        return instruction(op, this.#signature([item.type!]), BigInt(item.word));
      case 'functionHandle':
      case 'functionInstantiation':
        return this.#maybeGeneric(item, this.#function(item.word), this.#functionInstantiations);
      case 'fieldHandle':
      case 'fieldInstantiation':
        return this.#maybeGeneric(item, this.#fieldHandle(item), this.#fieldInstantiations);
      default:
        return this.#maybeGeneric(item, this.#structDefinition(item.word), this.#structInstantiations);
    }
  }

  #maybeGeneric({ op, typeArguments }: InstructionText, generic: number, pool: Pool<Instantiation>): Instruction {
    const isGeneric = op.endsWith('Generic');
    if (!isGeneric && typeArguments === undefined) return instruction(Op[op], generic);
    const name = (isGeneric ? op : `${op}Generic`) as OpName;
    return instruction(Op[name], pool.add({ generic, typeArguments: this.#signature(typeArguments ?? []) }));
  }

  #constant({ type, word }: InstructionText): number {
    const constant = { type: this.#type(type!), data: fromHex(word) };
    return this.#constants.add(constant, `${typeKey(constant.type)}:${word}`);
  }

  #function(name: string): number {
    const index = this.#functions.get(this.#fullName(name));
    if (index === undefined) throw new Error(`unknown function ${name}`);
    return index;
  }

  #structDefinition(name: string): number {
    const index = this.#text.structs.findIndex((struct) => struct.name === name);
    if (index < 0) throw new Error(`unknown struct ${name}`);
    return index;
  }

  #fieldHandle({ word, field }: InstructionText): number {
    const struct = this.#structDefinition(word);
    const names = (this.#text.structs[struct]?.fields ?? []).map((named) => named.name);
    return this.#fieldHandles.add({ struct, field: numberOr(field!, (name) => indexIn(names, name)) });
  }

  #type({ name, arguments: inner }: TypeText): token.SignatureToken {
    const primitive = PRIMITIVES[name];
    if (primitive !== undefined) return primitive;
    if (name === '&') return token.referenceTo(this.#type(inner[0]!));
    if (name === '&mut') return token.mutableReferenceTo(this.#type(inner[0]!));
    if (name === 'vector') return token.vectorToken(this.#type(inner[0]!));
    const parameter = this.#scope.indexOf(name);
    if (parameter >= 0) return token.typeParameter(parameter);
    const handle = this.#structs.get(this.#fullName(name));
    if (handle === undefined) throw new Error(`unknown type ${name}`);
    return token.structOf(
      handle,
      inner.map((type) => this.#type(type)),
    );
  }

  #signature(types: readonly TypeText[]): number {
    const tokens = types.map((type) => this.#type(type));
    return this.#signatures.add(tokens, tokens.map(typeKey).join(','));
  }

  #fullName(name: string): string {
    return name.includes('::') ? name : `${this.#home}::${name}`;
  }

  #moduleHandle(name: string): number {
    return this.#moduleHandles.add(this.#moduleHandleParts(name));
  }

  #moduleHandleParts(name: string): ModuleHandle {
    const [address, module] = name.split('::') as [string, string];
    const bytes = parseAddressHex(address);
    return { address: this.#addresses.add(bytes, toHex(bytes)), name: this.#identifiers.add(module) };
  }
}

/** A table without duplicates; `key` tells items apart, their JSON by default. */
class Pool<T> {
  readonly items: T[] = [];
  readonly #indexes = new Map<string, number>();

  add(item: T, key: string = JSON.stringify(item)): number {
    const found = this.#indexes.get(key);
    if (found !== undefined) return found;
    this.#indexes.set(key, this.items.length);
    return this.push(item);
  }

  push(item: T): number {
    this.items.push(item);
    return this.items.length - 1;
  }
}

function typeKey(type: token.SignatureToken): string {
  return `${type.tag}.${type.index}(${type.arguments.map(typeKey).join(',')})`;
}

function numberOr(word: string, find: (name: string) => number | undefined): number {
  if (/^\d+$/.test(word)) return Number(word);
  const found = find(word);
  if (found === undefined) throw new Error(`unknown name ${word}`);
  return found;
}

function indexIn(names: readonly string[], name: string): number | undefined {
  const index = names.indexOf(name);
  return index < 0 ? undefined : index;
}
