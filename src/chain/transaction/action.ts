/**
 * What a transaction does.
 * Source: MoveAction in moveos/moveos-types/src/transaction.rs of the reference.
 * @module
 */
import { assertText, textError } from '../../base/argument.ts';
import { bytes, type Codec, payload, struct, variant, vector } from '../../base/bcs.ts';
import { type Address, address, formatAddress, parseAddress } from '../../move/address.ts';
import { identifier, isIdentifier } from '../../move/identifier.ts';
import { type TypeTag, typeTags } from '../../move/type-tag.ts';

/** `address::module::function`. */
export interface FunctionId {
  readonly address: Address;
  readonly module: string;
  readonly name: string;
}

/** A call of a Move function, with its arguments in BCS. */
export interface FunctionCall {
  readonly function: FunctionId;
  readonly typeArguments: readonly TypeTag[];
  /** BCS of each argument. */
  readonly arguments: readonly Uint8Array[];
}

export interface ScriptCall {
  readonly code: Uint8Array;
  readonly typeArguments: readonly TypeTag[];
  readonly arguments: readonly Uint8Array[];
}

/** The action that calls a function. */
export type FunctionAction = { readonly kind: 'function' } & FunctionCall;

/** What a transaction does. */
export type Action =
  | ({ readonly kind: 'script' } & ScriptCall)
  | FunctionAction
  | { readonly kind: 'modules'; readonly modules: readonly Uint8Array[] };

export const functionId: Codec<FunctionId> = struct<FunctionId>({ address, module: identifier, name: identifier });

export const functionCall: Codec<FunctionCall> = struct<FunctionCall>({
  function: functionId,
  typeArguments: typeTags,
  arguments: vector(bytes),
});

/** An action in BCS. */
export const action: Codec<Action> = variant<Action>('MoveAction', [
  payload<Action, 'script'>(
    'script',
    struct<ScriptCall>({ code: bytes, typeArguments: typeTags, arguments: vector(bytes) }),
  ),
  payload<Action, 'function'>('function', functionCall),
  payload<Action, 'modules'>('modules', struct({ modules: vector(bytes) })),
]);

/** `0x` + 64 digits, then `::module::function`. */
export function formatFunctionId(id: FunctionId): string {
  return `${formatAddress(id.address)}::${id.module}::${id.name}`;
}

/**
 * Reads `address::module::function`; the address in any form of `parseAddress`.
 * @throws {EngineError} `invalid-argument`
 */
export function parseFunctionId(text: string): FunctionId {
  assertText(text, 'text', 'a function as text (<address>::<module>::<function>)');
  const [owner, module, name, ...rest] = text.split('::');
  if (
    owner === undefined ||
    module === undefined ||
    name === undefined ||
    rest.length > 0 ||
    ![module, name].every(isIdentifier)
  ) {
    throw textError('a function <address>::<module>::<function>', text);
  }
  return { address: parseAddress(owner), module, name };
}
