/**
 * What the chain's attributes say of a module, as the metadata entry that its verifier reads: `#[private_generics(T)]`,
 * `#[data_struct]` on structs, `#[data_struct(T)]` on functions, `#[gas_free(gas_validate = f, gas_charge_post = g)]`.
 * Source: the reference's `moveos-verifier/src/metadata.rs`.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { type Address, formatAddressShort } from '../move/address.ts';
import type { Module } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { writeModule } from '../vm/binary/write.ts';
import { encodeMetadata, type GasFreeFunction, type ModuleMetadata } from '../vm/verify/module-metadata.ts';
import type { Attribute } from './attribute.ts';
import type { Declaration, SourceModule } from './source.ts';
import { isForTests } from './test-attributes.ts';

/** The attributes that become metadata; the npm package's compiler does not know them. */
export const CHAIN_ATTRIBUTES: ReadonlySet<string> = new Set(['private_generics', 'data_struct', 'gas_free']);

/**
 * The metadata of a module.
 * @param withTests whether test code counts
 * @throws {EngineError} `malformed-source` for an attribute that does not fit its declaration
 */
export function metadataOfSource(module: SourceModule, address: Address, withTests = false): ModuleMetadata {
  const privateGenerics = new Map<string, readonly bigint[]>();
  const gasFree = new Map<string, GasFreeFunction>();
  const dataStructs = new Map<string, boolean>();
  const dataStructFunctions = new Map<string, readonly bigint[]>();
  const nameOf = (name: string): string => `${formatAddressShort(address)}::${module.name}::${name}`;
  for (const declared of module.declarations) {
    if (!withTests && isForTests(declared)) continue;
    const fullName = nameOf(declared.name);
    for (const attribute of declared.attributes) {
      if (!CHAIN_ATTRIBUTES.has(attribute.name)) continue;
      if (declared.kind === 'struct' && attribute.name === 'data_struct') dataStructs.set(fullName, true);
      else if (declared.kind !== 'function') throw misplaced(declared, attribute);
      else if (attribute.name === 'private_generics') privateGenerics.set(fullName, indices(declared, attribute));
      else if (attribute.name === 'data_struct') dataStructFunctions.set(fullName, indices(declared, attribute));
      else gasFree.set(fullName, gasFreeOf(attribute, nameOf));
    }
  }
  return { privateGenerics, gasFree, dataStructs, dataStructFunctions };
}

/** A compiled module with the metadata of its source; the same bytes if it has none. */
export function withMetadata(bytes: Uint8Array, metadata: ModuleMetadata): Uint8Array {
  const entry = encodeMetadata(metadata);
  if (entry === undefined) return bytes;
  const module: Module = readModule(bytes);
  return writeModule({ ...module, metadata: [entry] });
}

/** Positions of the type parameters that an attribute names. */
function indices(declared: Declaration, attribute: Attribute): bigint[] {
  const named = attribute.items.map(({ name }) => name);
  const unknown = named.find((name) => !declared.typeParameters.includes(name));
  if (unknown !== undefined || named.length === 0) {
    const expected = `expected type parameters of ${declared.name}, got ${unknown ?? 'none'}`;
    throw new EngineError('malformed-source', `line ${declared.line}: ${attribute.name}: ${expected}`);
  }
  return declared.typeParameters.flatMap((name, index) => (named.includes(name) ? [BigInt(index)] : []));
}

function gasFreeOf({ items }: Attribute, nameOf: (name: string) => string): GasFreeFunction {
  const given = (wanted: string): string => {
    const value = items.find(({ name }) => name === wanted)?.value;
    return value === undefined ? '' : nameOf(value);
  };
  return { validate: given('gas_validate'), chargePost: given('gas_charge_post') };
}

function misplaced({ kind, name, line }: Declaration, attribute: Attribute): EngineError {
  return new EngineError('malformed-source', `line ${line}: ${attribute.name} does not fit ${kind} ${name}`);
}
