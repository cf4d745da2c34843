/**
 * Puts the test code of modules that were compiled in test mode into another implementation of the same modules.
 *
 * The tests, test-only functions and test-only structs of a module are added to the other implementation's module of
 * that name, where they call its functions and reach the fields of its structs; modules that are test code as a whole
 * are taken as they are. Private functions that test code calls and that the other implementation lacks or declares
 * differently come along. A function is left behind where a struct whose fields it needs has other fields there, where
 * a public function that it calls is declared differently, or where what it calls was left behind.
 * @module
 */
import {
  type Code,
  type Constant,
  type FieldHandle,
  type FunctionDefinition,
  type FunctionHandle,
  type Instantiation,
  type Module,
  type ModuleHandle,
  type StructDefinition,
  type StructHandle,
  Visibility,
} from '../../../src/vm/binary/module.ts';
import { OPCODES, type OperandKind } from '../../../src/vm/binary/opcode.ts';
import { moduleText, typeText } from '../../../src/vm/binary/render.ts';
import { type Signature, type SignatureToken, TokenTag } from '../../../src/vm/binary/signature-token.ts';

/** Which parts of a module are test code. */
export interface TestCode {
  /** Whether all of it is. */
  readonly whole?: boolean;
  readonly functions?: readonly string[];
  readonly structs?: readonly string[];
}

interface Transplant {
  /** The other implementation's modules and those of test code. */
  readonly modules: readonly Module[];
  /** `0x2::bag::test_add`, and why it was left behind. */
  readonly left: ReadonlyMap<string, string>;
}

/**
 * @param tested modules in test mode
 * @param testCode by module, `0x2::bag`
 * @param others the implementation to put the test code into
 */
export function transplant(
  tested: readonly Module[],
  testCode: Readonly<Record<string, TestCode>>,
  others: readonly Module[],
): Transplant {
  const left = new Map<string, string>();
  const modules = new Map(others.map((module) => [nameOf(module), module]));
  for (const module of tested) {
    const name = nameOf(module);
    const other = modules.get(name);
    const code = testCode[name];
    if (other === undefined) modules.set(name, module);
    else if (code !== undefined) modules.set(name, new Graft(module, other, code, left).run());
  }
  // Whoever calls what was left behind is left behind too, until nothing more is.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [name, module] of modules) modules.set(name, withoutUnlinked(module, modules, left));
  }
  return { modules: [...modules.values()], left };
}

function nameOf(module: Module): string {
  return moduleText(module, module.selfHandle);
}

/** Thrown for a function that cannot be taken along. */
class LeftBehind {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** A table that grows: each old index is given its new one when it is first asked for. */
class Growing<Item> {
  readonly items: Item[];
  readonly #old: readonly Item[];
  readonly #change: (item: Item) => Item | number;
  readonly #known = new Map<number, number>();

  /** `change` gives the new form of an item of `old`, or where `items` has it already. */
  constructor(items: readonly Item[], old: readonly Item[], change: (item: Item) => Item | number) {
    this.items = [...items];
    this.#old = old;
    this.#change = change;
  }

  at = (index: number): number => {
    let found = this.#known.get(index);
    if (found === undefined) {
      const changed = this.#change(this.#old[index]!);
      found = typeof changed === 'number' ? changed : this.items.push(changed) - 1;
      this.#known.set(index, found);
    }
    return found;
  };
}

interface Member {
  readonly module: number;
  readonly name: number;
}

/** The test code of one module put into another implementation of it, with what it needs of the tables. */
class Graft {
  readonly #from: Module;
  readonly #to: Module;
  readonly #code: TestCode;
  readonly #left: Map<string, string>;
  /** Names of the functions to take along. */
  readonly #wanted = new Set<string>();
  readonly #tables: ReturnType<Graft['makeTables']>;

  constructor(from: Module, to: Module, code: TestCode, left: Map<string, string>) {
    this.#from = from;
    this.#to = to;
    this.#code = code;
    this.#left = left;
    this.#tables = this.makeTables();
  }

  run(): Module {
    const from = this.#from;
    const { structs = [], functions = [] } = this.#code;
    for (const [index, definition] of from.structDefinitions.entries()) {
      // Types may be named only by tests in other modules.
      if (structs.includes(structName(from, definition))) this.#tables.structDefinitions.at(index);
    }
    for (const name of functions) this.#wanted.add(name);
    const functionDefinitions = [...this.#to.functionDefinitions];
    // The set grows during the iteration.
    for (const name of this.#wanted) {
      const definition = from.functionDefinitions.find((it) => functionName(from, it) === name);
      if (definition === undefined) continue;
      try {
        const code = definition.code === undefined ? undefined : this.#renumber(definition.code);
        const handle = this.#tables.functionHandles.at(definition.handle);
        functionDefinitions.push({ ...definition, handle, acquires: [], code });
      } catch (thrown) {
        if (!(thrown instanceof LeftBehind)) throw thrown;
        this.#left.set(`${nameOf(from)}::${name}`, thrown.why);
      }
    }
    const tables = Object.fromEntries(Object.entries(this.#tables).map(([name, { items }]) => [name, items]));
    return { ...this.#to, ...tables, functionDefinitions };
  }

  makeTables() {
    const from = this.#from;
    const to = this.#to;
    const identifiers = new Growing(to.identifiers, from.identifiers, (name) => name);
    const addresses = new Growing(to.addresses, from.addresses, (address) => address);
    const moduleHandles = new Growing<ModuleHandle>(to.moduleHandles, from.moduleHandles, (handle) => {
      const isOwn = handle === from.moduleHandles[from.selfHandle];
      return isOwn ? to.selfHandle : { address: addresses.at(handle.address), name: identifiers.at(handle.name) };
    });
    const moved = <Handle extends Member>(handle: Handle): Handle => ({
      ...handle,
      module: moduleHandles.at(handle.module),
      name: identifiers.at(handle.name),
    });
    const structHandles = new Growing<StructHandle>(
      to.structHandles,
      from.structHandles,
      (handle) => this.#find(to.structHandles, handle) ?? moved(handle),
    );
    const type = (token: SignatureToken): SignatureToken => {
      const isStruct = token.tag === TokenTag.Struct || token.tag === TokenTag.StructInstantiation;
      const index = isStruct ? structHandles.at(token.index) : token.index;
      return { ...token, index, arguments: token.arguments.map(type) };
    };
    const signatures = new Growing<Signature>(to.signatures, from.signatures, (types) => types.map(type));
    const functionHandles = new Growing<FunctionHandle>(to.functionHandles, from.functionHandles, (handle) => {
      const found = this.#find(to.functionHandles, handle);
      const isAlike =
        found !== undefined && signatureText(from, handle) === signatureText(to, to.functionHandles[found]!);
      if (isAlike) return found;
      const isOwn = handle.module === from.selfHandle;
      const name = from.identifiers[handle.name]!;
      // A public function that is declared differently is added, and then found to be missing.
      const isTaken = isOwn && (found === undefined || isPrivate(from, name));
      if (isTaken) this.#wanted.add(name);
      const parameters = signatures.at(handle.parameters);
      const added = { ...moved(handle), parameters, returns: signatures.at(handle.returns) };
      return isTaken && found !== undefined ? { ...added, name: identifiers.items.push(`${name}_tested`) - 1 } : added;
    });
    const structDefinitions = new Growing<StructDefinition>(
      to.structDefinitions,
      from.structDefinitions,
      (definition) => {
        const name = structName(from, definition);
        if (this.#code.structs?.includes(name) === true) {
          const fields = definition.fields?.map((field) => ({
            name: identifiers.at(field.name),
            type: type(field.type),
          }));
          return { handle: structHandles.at(definition.handle), fields };
        }
        const index = to.structDefinitions.findIndex((it) => structName(to, it) === name);
        if (index >= 0 && fieldsText(to, to.structDefinitions[index]!) === fieldsText(from, definition)) return index;
        throw new LeftBehind(`needs the fields of ${name}, which has others`);
      },
    );
    const fieldHandles = new Growing<FieldHandle>(to.fieldHandles, from.fieldHandles, ({ struct, field }) => ({
      struct: structDefinitions.at(struct),
      field,
    }));
    const instance =
      (generics: { at(index: number): number }) =>
      ({ generic, typeArguments }: Instantiation): Instantiation => ({
        generic: generics.at(generic),
        typeArguments: signatures.at(typeArguments),
      });
    const { functionInstantiations, structInstantiations, fieldInstantiations } = to;
    return {
      identifiers,
      addresses,
      moduleHandles,
      structHandles,
      signatures,
      functionHandles,
      structDefinitions,
      fieldHandles,
      constants: new Growing<Constant>(to.constants, from.constants, (it) => ({ ...it, type: type(it.type) })),
      functionInstantiations: new Growing(
        functionInstantiations,
        from.functionInstantiations,
        instance(functionHandles),
      ),
      structInstantiations: new Growing(structInstantiations, from.structInstantiations, instance(structDefinitions)),
      fieldInstantiations: new Growing(fieldInstantiations, from.fieldInstantiations, instance(fieldHandles)),
    };
  }

  /** Where `handles` of the other implementation has what `handle` names, if it is the module's own. */
  #find(handles: readonly Member[], handle: Member): number | undefined {
    const { selfHandle, identifiers } = this.#from;
    if (handle.module !== selfHandle) return undefined;
    const { selfHandle: own, identifiers: names } = this.#to;
    const found = handles.findIndex((it) => it.module === own && names[it.name] === identifiers[handle.name]);
    return found < 0 ? undefined : found;
  }

  #renumber({ locals, instructions }: Code): Code {
    const { constants, signatures, functionHandles, structDefinitions, fieldHandles } = this.#tables;
    const { functionInstantiations, structInstantiations, fieldInstantiations } = this.#tables;
    const tables: Partial<Record<OperandKind, { at(index: number): number }>> = {
      constant: constants,
      functionHandle: functionHandles,
      functionInstantiation: functionInstantiations,
      structDefinition: structDefinitions,
      structInstantiation: structInstantiations,
      fieldHandle: fieldHandles,
      fieldInstantiation: fieldInstantiations,
      signature: signatures,
      signatureAndCount: signatures,
    };
    return {
      locals: signatures.at(locals),
      instructions: instructions.map((item) => {
        const table = tables[OPCODES[item.op]!.operand];
        return table === undefined ? item : { ...item, operand: table.at(item.operand) };
      }),
    };
  }
}

/** The module without functions that call what does not exist. */
function withoutUnlinked(module: Module, modules: ReadonlyMap<string, Module>, left: Map<string, string>): Module {
  const faults = module.functionHandles.map((handle) => faultOf(module, handle, modules));
  const functionDefinitions = module.functionDefinitions.filter(({ handle, code }) => {
    const fault = code?.instructions
      .map(({ op, operand }) => {
        const kind = OPCODES[op]!.operand;
        if (kind === 'functionHandle') return faults[operand];
        return kind === 'functionInstantiation' ? faults[module.functionInstantiations[operand]!.generic] : undefined;
      })
      .find((found) => found !== undefined);
    const name = module.identifiers[module.functionHandles[handle]!.name];
    if (fault !== undefined) left.set(`${nameOf(module)}::${name}`, fault);
    return fault === undefined;
  });
  return functionDefinitions.length === module.functionDefinitions.length ? module : { ...module, functionDefinitions };
}

function faultOf(module: Module, handle: FunctionHandle, modules: ReadonlyMap<string, Module>): string | undefined {
  const ownerName = moduleText(module, handle.module);
  const owner = modules.get(ownerName);
  const name = module.identifiers[handle.name]!;
  const definition = owner?.functionDefinitions.find((it) => functionName(owner, it) === name);
  if (owner === undefined || definition === undefined) return `calls ${ownerName}::${name}, which is not there`;
  const wanted = signatureText(module, handle);
  const found = signatureText(owner, owner.functionHandles[definition.handle]!);
  return wanted === found ? undefined : `calls ${ownerName}::${name}${wanted}, which is ${found}`;
}

function structName(module: Module, { handle }: StructDefinition): string {
  return module.identifiers[module.structHandles[handle]!.name]!;
}

function isPrivate(module: Module, name: string): boolean {
  const definition = module.functionDefinitions.find((it) => functionName(module, it) === name);
  return definition?.visibility === Visibility.Private;
}

function functionName(module: Module, { handle }: FunctionDefinition): string {
  return module.identifiers[module.functionHandles[handle]!.name]!;
}

/** With full names, to be comparable between modules. */
function signatureText(module: Module, { parameters, returns, typeParameters }: FunctionHandle): string {
  const list = (index: number): string => module.signatures[index]!.map((type) => fullText(module, type)).join(', ');
  return `<${typeParameters.join(', ')}>(${list(parameters)}): (${list(returns)})`;
}

function fieldsText(module: Module, { fields }: StructDefinition): string | undefined {
  return fields?.map(({ name, type }) => `${module.identifiers[name]}: ${fullText(module, type)}`).join(', ');
}

function fullText(module: Module, type: SignatureToken): string {
  return typeText({ ...module, selfHandle: -1 }, type);
}
