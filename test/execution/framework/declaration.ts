/**
 * The declarations of a module as text, in one form for ours and the reference's: type parameters are T0, T1, ..; types
 * carry their module's short name.
 * @module
 */
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { abilityNames } from '../../../src/move/ability.ts';
import {
  type FunctionDefinition,
  type Module,
  type ModuleHandle,
  type StructDefinition,
  Visibility,
} from '../../../src/vm/binary/module.ts';
import {
  PRIMITIVE_KINDS,
  type Signature,
  type SignatureToken,
  TokenTag,
} from '../../../src/vm/binary/signature-token.ts';

const VISIBILITY_WORDS: Readonly<Record<Visibility, string>> = {
  [Visibility.Private]: '',
  [Visibility.Public]: 'public ',
  [Visibility.Friend]: 'public(friend) ',
};

function handleName(module: Module, handle: ModuleHandle): string {
  return `0x${toHex(module.addresses[handle.address]!).replace(/^0+/, '')}::${module.identifiers[handle.name]}`;
}

/** `0x1::string`. */
export function moduleName(module: Module): string {
  return handleName(module, module.moduleHandles[module.selfHandle]!);
}

function typeText(module: Module, token: SignatureToken): string {
  const inner = token.arguments.map((argument) => typeText(module, argument));
  switch (token.tag) {
    case TokenTag.Vector:
      return `vector<${inner[0]}>`;
    case TokenTag.Reference:
      return `&${inner[0]}`;
    case TokenTag.MutableReference:
      return `&mut ${inner[0]}`;
    case TokenTag.TypeParameter:
      return `T${token.index}`;
    case TokenTag.Struct:
    case TokenTag.StructInstantiation: {
      const handle = module.structHandles[token.index]!;
      const name = `${handleName(module, module.moduleHandles[handle.module]!)}::${module.identifiers[handle.name]}`;
      return inner.length === 0 ? name : `${name}<${inner.join(', ')}>`;
    }
    default:
      return PRIMITIVE_KINDS[token.tag]!;
  }
}

function constraintText(abilities: number): string {
  return abilities === 0 ? '' : `: ${abilityNames(abilities).join(' + ')}`;
}

function listText(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `<${parts.join(', ')}>`;
}

/** `Account has key { addr: address, sequence_number: u64 }`. */
function structText(module: Module, definition: StructDefinition): string {
  const handle = module.structHandles[definition.handle]!;
  const parameters = handle.typeParameters.map(
    ({ constraints, isPhantom }, index) => `${isPhantom ? 'phantom ' : ''}T${index}${constraintText(constraints)}`,
  );
  const fields = (definition.fields ?? []).map(
    ({ name, type }) => `${module.identifiers[name]}: ${typeText(module, type)}`,
  );
  const abilities = abilityNames(handle.abilities).join(', ');
  return `${module.identifiers[handle.name]}${listText(parameters)} has ${abilities} { ${fields.join(', ')} }`;
}

/** `public fun address_of(&signer): address`. */
export function functionText(module: Module, definition: FunctionDefinition): string {
  const handle = module.functionHandles[definition.handle]!;
  const types = (signature: Signature): string[] => signature.map((token) => typeText(module, token));
  const parameters = handle.typeParameters.map((constraints, index) => `T${index}${constraintText(constraints)}`);
  const returns = types(module.signatures[handle.returns]!);
  const words = `${VISIBILITY_WORDS[definition.visibility]}${definition.isEntry ? 'entry ' : ''}${definition.code === undefined ? 'native ' : ''}`;
  const head = `${words}fun ${module.identifiers[handle.name]}${listText(parameters)}`;
  const result = returns.length === 0 ? '' : `: ${returns.length === 1 ? returns[0] : `(${returns.join(', ')})`}`;
  return `${head}(${types(module.signatures[handle.parameters]!).join(', ')})${result}`;
}

export interface Declarations {
  readonly name: string;
  readonly structs: readonly string[];
  /** What other modules, transactions or the machine may rely on: public, friend, entry and native functions. */
  readonly functions: readonly string[];
  /** All other functions; the node calls some of them by name. */
  readonly privateFunctions: readonly string[];
}

export function declarationsOf(module: Module): Declarations {
  const texts = module.functionDefinitions.map((definition) => functionText(module, definition));
  return {
    name: moduleName(module),
    structs: module.structDefinitions.map((definition) => structText(module, definition)),
    functions: texts.filter((text) => !text.startsWith('fun ')),
    privateFunctions: texts.filter((text) => text.startsWith('fun ')),
  };
}
