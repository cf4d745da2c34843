/**
 * Names of modules and functions, as the machine keeps them.
 * @module
 */
import { toHex } from '../bytes/hex.ts';
import type { Address } from '../move/address.ts';

/** `address::name`. */
export interface ModuleId {
  readonly address: Address;
  readonly name: string;
}

/** The module's name as a key for maps. */
export function moduleKey(id: ModuleId): string {
  return `${toHex(id.address)}::${id.name}`;
}
