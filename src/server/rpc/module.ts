/**
 * getModuleABI: what other modules and transactions can call and refer to in a module. disassembleModule, our own
 * addition: its code as text.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/module_abi_view.rs of the reference.
 * @module
 */

import { parameterNames } from '../../execution/module-sources.ts';
import { abilityNames } from '../../move/ability.ts';
import { formatAddress, formatAddressShort } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import { disassembleModule } from '../../vm/binary/disassemble.ts';
import {
  type FunctionDefinition,
  idOfModuleHandle,
  type Module,
  moduleIdText,
  type StructDefinition,
  Visibility,
} from '../../vm/binary/module.ts';
import { fullStructText, typeText } from '../../vm/binary/render.ts';
import type { SignatureToken } from '../../vm/binary/signature-token.ts';
import { readStoredModule } from '../../vm/binary/stored-module.ts';
import type { JsonValue } from './json.ts';
import { immediate, type Method, method } from './method.ts';
import * as param from './param.ts';

/** Characters of a module's listing over JSON-RPC: ten times that of the framework's largest module. */
const DISASSEMBLY_CHARACTERS_MAX: number = 2 * 2 ** 20;

const moduleName: param.Parser<string, string> = param.text(
  'a module name',
  { pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' },
  (value) => {
    if (!isIdentifier(value)) throw param.unexpected('a module name', value);
    return value;
  },
);

/** A type as the ABI writes it: whole, with the modules of all structs. */
function abiType(module: Module, token: SignatureToken): string {
  return typeText(module, token, Number.POSITIVE_INFINITY, fullStructText);
}

type FunctionAbiJson = {
  readonly name: string;
  readonly is_entry: boolean;
  readonly type_params: readonly { readonly constraints: readonly string[] }[];
  readonly params: readonly string[];
  /** Not in the reference; present if the source is known. */
  readonly param_names?: readonly string[];
  readonly return: readonly string[];
};

type ModuleAbiJson = {
  readonly address: string;
  readonly name: string;
  readonly friends: readonly string[];
  readonly functions: readonly FunctionAbiJson[];
  readonly structs: readonly JsonValue[];
};

function functionAbi(
  module: Module,
  definition: FunctionDefinition,
  namesOf: (name: string) => readonly string[] | undefined,
): FunctionAbiJson {
  const handle = module.functionHandles[definition.handle]!;
  const name = module.identifiers[handle.name]!;
  const parameters = module.signatures[handle.parameters]!;
  const names = namesOf(name);
  return {
    name,
    is_entry: definition.isEntry,
    type_params: handle.typeParameters.map((constraints) => ({ constraints: abilityNames(constraints) })),
    params: parameters.map((token) => abiType(module, token)),
    // A module that was upgraded since may have others.
    ...(names?.length === parameters.length && { param_names: names }),
    return: module.signatures[handle.returns]!.map((token) => abiType(module, token)),
  };
}

function structAbi(module: Module, definition: StructDefinition): JsonValue {
  const handle = module.structHandles[definition.handle]!;
  return {
    name: module.identifiers[handle.name]!,
    is_native: definition.fields === undefined,
    abilities: abilityNames(handle.abilities),
    type_params: handle.typeParameters.map(({ constraints, isPhantom }) => ({
      constraints: abilityNames(constraints),
      is_phantom: isPhantom,
    })),
    fields: (definition.fields ?? []).map(({ name, type }) => ({
      name: module.identifiers[name]!,
      type: abiType(module, type),
    })),
  };
}

/** The names of a function's parameters, by its definition's index and its name; undefined if the source is not known. */
type ParameterNames = (index: number, name: string) => readonly string[] | undefined;

/** From sources that a program registered, or from the framework's, which are loaded when they are first needed. */
async function parameterNamesOf(owner: Uint8Array, module: string, bytes: Uint8Array): Promise<ParameterNames> {
  const own = parameterNames(bytes);
  if (own !== undefined) return (index) => own[index];
  const address = Number(formatAddressShort(owner));
  if (!FRAMEWORK_ADDRESSES.includes(address)) return () => undefined;
  const { frameworkParameterNames } = await import('../../execution/framework/parameter-names.ts');
  const names = frameworkParameterNames(address, module);
  return (_, name) => names.get(name);
}

const FRAMEWORK_ADDRESSES: readonly number[] = [1, 2, 3, 4];

export interface ModuleMethods {
  readonly getModuleABI: Method<
    [module_addr: string, module_name: string, option?: param.GivenPlace | null],
    ModuleAbiJson | null
  >;
  readonly disassembleModule: Method<
    [module_addr: string, module_name: string, option?: param.GivenPlace | null],
    string | null
  >;
}

const MODULE = [
  param.required('module_addr', param.nodeAddress, 'the account that holds the module'),
  param.required('module_name', moduleName, 'its name'),
  param.placeOption,
] as const;

export const moduleMethods: ModuleMethods = {
  getModuleABI: method({
    description:
      'The public and entry functions and the structs of a module, or null if there is none; with the names of parameters where its source is known.',
    params: MODULE,
    result: { oneOf: [{ type: 'object', title: 'module ABI' }, { type: 'null' }] },
    example: ['0x3', 'coin_store'],
    handle: async (context, [owner, name, place]) => {
      const bytes = param.chainAt(context, place).state.module(owner, name);
      if (bytes === undefined) return null;
      const module = readStoredModule(bytes);
      const names = context.forms === 'interface' ? await parameterNamesOf(owner, name, bytes) : () => undefined;
      return {
        address: formatAddress(owner),
        name,
        friends: module.friends.map((friend) => moduleIdText(idOfModuleHandle(module, friend))),
        functions: module.functionDefinitions.flatMap((definition, index) =>
          definition.isEntry || definition.visibility === Visibility.Public
            ? [functionAbi(module, definition, (each) => names(index, each))]
            : [],
        ),
        structs: module.structDefinitions.map((definition) => structAbi(module, definition)),
      };
    },
  }),
  disassembleModule: immediate({
    description:
      'A module as text: its structs, the functions that it declares, and their instructions; or null if there is none.',
    params: MODULE,
    result: { oneOf: [{ type: 'string', title: 'listing of a module' }, { type: 'null' }] },
    example: ['0x3', 'empty'],
    errors: ['limit-exceeded'],
    handle: (context, [owner, name, place]) => {
      const bytes = param.chainAt(context, place).state.module(owner, name);
      return bytes === undefined ? null : disassembleModule(readStoredModule(bytes), DISASSEMBLY_CHARACTERS_MAX);
    },
  }),
};
