/**
 * getModuleABI: what other modules and transactions can call and refer to in a module. disassembleModule, our own
 * addition: its code as text.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/module_abi_view.rs of the reference.
 * @module
 */

import { assert } from '../../base/error.ts';
import { abilityNames } from '../../move/ability.ts';
import { formatAddress, formatAddressShort } from '../../move/address.ts';
import { isIdentifier } from '../../move/identifier.ts';
import { disassembleModule } from '../../vm/binary/disassemble.ts';
import {
  type FunctionDefinition,
  type Module,
  type ModuleHandle,
  type StructDefinition,
  Visibility,
} from '../../vm/binary/module.ts';
import { PRIMITIVE_KINDS, type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';
import { readStoredModule } from '../../vm/binary/stored-module.ts';
import type { JsonValue } from './json.ts';
import { immediate, type Method } from './method.ts';
import { chainAt, type GivenPlace, type Parser, placeOption, required, text, unexpected } from './param.ts';
import { nodeAddress } from './render.ts';

/** Characters of a module's listing over JSON-RPC: ten times that of the framework's largest module. */
const DISASSEMBLY_CHARACTERS_MAX: number = 2 * 2 ** 20;

const moduleName: Parser<string, string> = text('a module name', { pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' }, (value) => {
  if (!isIdentifier(value)) throw unexpected('a module name', value);
  return value;
});

/** A type as the ABI writes it: type parameters as T0, T1, references with `&` and `&mut `. */
function typeText(module: Module, token: SignatureToken): string {
  const inner = token.arguments.map((argument) => typeText(module, argument));
  switch (token.tag) {
    case TokenTag.Vector:
      return `vector<${inner.join()}>`;
    case TokenTag.Reference:
      return `&${inner.join()}`;
    case TokenTag.MutableReference:
      return `&mut ${inner.join()}`;
    case TokenTag.TypeParameter:
      return `T${token.index}`;
    case TokenTag.Struct:
    case TokenTag.StructInstantiation: {
      const handle = module.structHandles[token.index]!;
      const name = `${moduleText(module, module.moduleHandles[handle.module]!)}::${module.identifiers[handle.name]!}`;
      return inner.length === 0 ? name : `${name}<${inner.join(', ')}>`;
    }
    default: {
      const name = PRIMITIVE_KINDS[token.tag];
      assert(name !== undefined, `a signature token has the tag ${token.tag}`);
      return name;
    }
  }
}

function moduleText(module: Module, handle: ModuleHandle): string {
  return `${formatAddressShort(module.addresses[handle.address]!)}::${module.identifiers[handle.name]!}`;
}

/** A function of an ABI. */
type FunctionAbiJson = {
  readonly name: string;
  readonly is_entry: boolean;
  readonly type_params: readonly { readonly constraints: readonly string[] }[];
  readonly params: readonly string[];
  readonly return: readonly string[];
};

/** A module in its wire form. */
type ModuleAbiJson = {
  readonly address: string;
  readonly name: string;
  readonly friends: readonly string[];
  readonly functions: readonly FunctionAbiJson[];
  readonly structs: readonly JsonValue[];
};

function functionAbi(module: Module, definition: FunctionDefinition): FunctionAbiJson {
  const handle = module.functionHandles[definition.handle]!;
  return {
    name: module.identifiers[handle.name]!,
    is_entry: definition.isEntry,
    type_params: handle.typeParameters.map((constraints) => ({ constraints: abilityNames(constraints) })),
    params: module.signatures[handle.parameters]!.map((token) => typeText(module, token)),
    return: module.signatures[handle.returns]!.map((token) => typeText(module, token)),
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
      type: typeText(module, type),
    })),
  };
}

export interface ModuleMethods {
  readonly getModuleABI: Method<
    [module_addr: string, module_name: string, option?: GivenPlace | null],
    ModuleAbiJson | null
  >;
  readonly disassembleModule: Method<
    [module_addr: string, module_name: string, option?: GivenPlace | null],
    string | null
  >;
}

const MODULE = [
  required('module_addr', nodeAddress, 'the account that holds the module'),
  required('module_name', moduleName, 'its name'),
  placeOption,
] as const;

export const moduleMethods: ModuleMethods = {
  getModuleABI: immediate({
    description: 'The public and entry functions and the structs of a module, or null if there is none.',
    params: MODULE,
    result: { oneOf: [{ type: 'object', title: 'module ABI' }, { type: 'null' }] },
    example: ['0x3', 'coin_store'],
    handle: (context, [owner, name, place]) => {
      const bytes = chainAt(context, place).state.module(owner, name);
      if (bytes === undefined) return null;
      const module = readStoredModule(bytes);
      return {
        address: formatAddress(owner),
        name,
        friends: module.friends.map((friend) => moduleText(module, friend)),
        functions: module.functionDefinitions
          .filter(({ isEntry, visibility }) => isEntry || visibility === Visibility.Public)
          .map((definition) => functionAbi(module, definition)),
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
      const bytes = chainAt(context, place).state.module(owner, name);
      return bytes === undefined ? null : disassembleModule(readStoredModule(bytes), DISASSEMBLY_CHARACTERS_MAX);
    },
  }),
};
