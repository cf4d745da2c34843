/**
 * Writes the `extern` blocks of an assembler text: for each `0x2::table::add` that the text names, what the module itself
 * declares, and the structs that its signature names.
 * @module
 */
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { abilityNames } from '../../../src/move/ability.ts';
import type { Module, StructHandle } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { moduleText, structText, typeText } from '../../../src/vm/binary/render.ts';
import { type SignatureToken, TokenTag } from '../../../src/vm/binary/signature-token.ts';

/** The module of a name such as `0x2::table`, or undefined. */
export type ModuleByName = (name: string) => Module | undefined;

const framework = new Map<string, Module>();

export const frameworkModule: ModuleByName = (name) => {
  if (framework.size === 0) {
    for (const { modules } of FRAMEWORK_PACKAGES) {
      for (const { bytes } of modules) {
        const module = readModule(bytes);
        framework.set(moduleText(module, module.selfHandle), module);
      }
    }
  }
  return framework.get(name);
};

/** Declarations by module: structs and functions by name. */
type Declarations = Map<string, Map<string, string>>;

/** `text`, a module or a script, with the blocks put after the module's first line or before the script. */
export function withExterns(text: string, lookup: ModuleByName = frameworkModule): string {
  const declared: Declarations = new Map();
  for (const [, module, name] of text.matchAll(/\b(0x[0-9a-f]+::\w+)::(\w+)/g))
    declare(module!, name!, lookup, declared);
  const blocks = [...declared].map(([module, members]) => `extern ${module} {\n${[...members.values()].join('\n')}\n}`);
  if (!/^\s*module\b/.test(text)) return `${blocks.join('\n')}\n${text}`;
  return text.replace(/^\s*(module [^\n]*)/, (line) => `${line}\n${blocks.join('\n')}`);
}

function declare(name: string, member: string, lookup: ModuleByName, declared: Declarations): void {
  const module = lookup(name);
  const members = declared.get(name) ?? new Map<string, string>();
  if (module === undefined || members.has(member)) return;
  declared.set(name, members);
  const fun = module.functionHandles.find(
    ({ module: owner, name: own }) => owner === module.selfHandle && module.identifiers[own] === member,
  );
  const handle = module.structHandles.findIndex(
    ({ module: owner, name: own }) => owner === module.selfHandle && module.identifiers[own] === member,
  );
  if (handle >= 0) {
    members.set(member, structDeclaration(module, module.structHandles[handle]!));
  } else if (fun !== undefined) {
    const parameters = module.signatures[fun.parameters]!;
    const returns = module.signatures[fun.returns]!;
    const types = (tokens: readonly SignatureToken[]): string =>
      tokens.map((type) => typeText(module, type)).join(', ');
    const generics = fun.typeParameters.map((set, index) => `T${index}${constraint(set)}`);
    const result = returns.length === 0 ? '' : `: ${types(returns)}`;
    members.set(member, `fun ${member}${angle(generics)}(${types(parameters)})${result}`);
    for (const type of [...parameters, ...returns]) declareTypes(module, name, type, lookup, declared);
  } else {
    throw new Error(`${name} has no ${member}`);
  }
}

function declareTypes(
  module: Module,
  name: string,
  type: SignatureToken,
  lookup: ModuleByName,
  declared: Declarations,
): void {
  if (type.tag === TokenTag.Struct || type.tag === TokenTag.StructInstantiation) {
    const text = structText(module, type.index);
    const parts = text.split('::');
    if (parts.length === 1) declare(name, text, lookup, declared);
    else declare(parts.slice(0, 2).join('::'), parts[2]!, lookup, declared);
  }
  for (const inner of type.arguments) declareTypes(module, name, inner, lookup, declared);
}

function structDeclaration(module: Module, { name, abilities, typeParameters }: StructHandle): string {
  const generics = typeParameters.map(
    ({ constraints, isPhantom }, index) => `${isPhantom ? 'phantom ' : ''}T${index}${constraint(constraints)}`,
  );
  const has = abilities === 0 ? '' : ` has ${abilityNames(abilities).join(', ')}`;
  return `struct ${module.identifiers[name]}${angle(generics)}${has}`;
}

function constraint(set: number): string {
  return set === 0 ? '' : `: ${abilityNames(set).join(' ')}`;
}

function angle(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `<${parts.join(', ')}>`;
}
