/**
 * Names of modules and functions in the machine.
 * @module
 */
import { toHex } from '../base/bytes/hex.ts';
import { type Address, formatAddressShort } from '../move/address.ts';
import type { CommonTables, ModuleHandle } from './binary/module.ts';

/** `address::name`. */
export interface ModuleId {
  readonly address: Address;
  readonly name: string;
}

/** The module's name as a key for maps. */
export function moduleKey(id: ModuleId): string {
  return `${toHex(id.address)}::${id.name}`;
}

/** The module's name for messages: `0x3::coin`. */
export function moduleText(id: ModuleId): string {
  return `${formatAddressShort(id.address)}::${id.name}`;
}

/** The module that a handle of `binary` names; handles of friends are in a separate list. */
export function idOfModuleHandle(binary: CommonTables, { address, name }: ModuleHandle): ModuleId {
  return { address: binary.addresses[address]!, name: binary.identifiers[name]! };
}
