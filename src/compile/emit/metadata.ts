/**
 * What the chain's attributes say of a module, as the metadata that its verifier reads: `#[private_generics(T)]`,
 * `#[data_struct]` on structs, `#[data_struct(T)]` on functions, `#[gas_free(gas_validate = f, gas_charge_post = g)]`.
 * Source: the reference's `moveos-verifier/src/metadata.rs`.
 * @module
 */
import { formatAddressShort } from '../../move/address.ts';
import type { GasFreeFunction, ModuleMetadata } from '../../vm/verify/module-metadata.ts';
import type { ResolvedAttribute } from '../names/attribute.ts';
import type { FunctionDeclaration, ModuleDeclaration } from '../names/declaration.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Attributes } from '../text/diagnostic-kind.ts';

export function metadataOf(
  { identity, structs, functions }: ModuleDeclaration,
  diagnostics: Diagnostics,
): ModuleMetadata {
  const nameOf = (name: string): string => `${formatAddressShort(identity.address)}::${identity.name}::${name}`;
  const privateGenerics = new Map<string, readonly bigint[]>();
  const gasFree = new Map<string, GasFreeFunction>();
  const dataStructs = new Map<string, boolean>();
  const dataStructFunctions = new Map<string, readonly bigint[]>();
  for (const { name, attributes } of structs.values()) {
    for (const attribute of attributes) {
      if (attribute.name.text === 'data_struct') dataStructs.set(nameOf(name.text), true);
      else if (attribute.name.text === 'private_generics' || attribute.name.text === 'gas_free') {
        diagnostics.add(
          Attributes.usage,
          attribute.span,
          `${attribute.name.text} is for functions, ${name.text} is a struct`,
        );
      }
    }
  }
  for (const declaration of functions.values()) {
    if (declaration.isInline) continue;
    const name = nameOf(declaration.name.text);
    for (const attribute of declaration.attributes) {
      if (attribute.name.text === 'private_generics')
        privateGenerics.set(name, indexes(declaration, attribute, diagnostics));
      else if (attribute.name.text === 'data_struct')
        dataStructFunctions.set(name, indexes(declaration, attribute, diagnostics));
      else if (attribute.name.text === 'gas_free') gasFree.set(name, gasFreeOf(attribute, nameOf));
    }
  }
  return { privateGenerics, gasFree, dataStructs, dataStructFunctions };
}

/** Positions of the type parameters that an attribute names. */
function indexes(
  { name, typeParameters }: FunctionDeclaration,
  attribute: ResolvedAttribute,
  diagnostics: Diagnostics,
): bigint[] {
  const items = attribute.kind === 'list' ? attribute.items : [];
  const unknown = items.find((item) => !typeParameters.some((parameter) => parameter.name.text === item.name.text));
  if (unknown !== undefined || items.length === 0) {
    const got = unknown === undefined ? 'none' : unknown.name.text;
    const message = `${attribute.name.text}: expected type parameters of ${name.text}, got ${got}`;
    diagnostics.add(Attributes.value, unknown?.span ?? attribute.span, message);
  }
  return typeParameters.flatMap((parameter, index) =>
    items.some((item) => item.name.text === parameter.name.text) ? [BigInt(index)] : [],
  );
}

function gasFreeOf(attribute: ResolvedAttribute, nameOf: (name: string) => string): GasFreeFunction {
  const items = attribute.kind === 'list' ? attribute.items : [];
  const given = (wanted: string): string => {
    const item = items.find(({ name }) => name.text === wanted);
    return item?.kind === 'assigned' && item.value.kind === 'member' ? nameOf(item.value.name.text) : '';
  };
  return { validate: given('gas_validate'), chargePost: given('gas_charge_post') };
}
