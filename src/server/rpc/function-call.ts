/**
 * Calls of Move functions as clients write them.
 *
 * `args` holds BCS in hexadecimal, as in the reference. `arguments` holds values as JSON instead, encoded by the Move types
 * of the parameters (query/view-argument.ts): addresses, ids and types as text, wide integers as decimal strings, bytes as
 * hexadecimal with `0x`, structs as objects. `{ "bcs": HEX }` stands for any value.
 * @module
 */
import { fromHex } from '../../base/bytes/hex.ts';

import { type FunctionId, parseFunctionId } from '../../chain/transaction/action.ts';
import { parseTypeTag, type TypeTag } from '../../move/type-tag.ts';
import type { CallInput } from '../../query/function-call.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { ExactNumber } from './json.ts';
import { array, at, hex, isObject, member, memberOr, object, type Parser, text, unexpected } from './param.ts';

/** Arguments and type arguments of one call over JSON-RPC: the module format has functions of at most 255 parameters. */
const VIEW_ARGUMENTS_MAX = 255;

export const functionId: Parser<FunctionId, string> = text(
  'a function <address>::<module>::<function>',
  { title: 'function id' },
  parseFunctionId,
);

export const typeTag: Parser<TypeTag, string> = text('a Move type', { title: 'type tag' }, parseTypeTag);

/** A value for a parameter of any Move type. */
export const moveArgument: Parser<ViewArgument, unknown> = {
  schema: { title: 'a value by its Move type', description: 'addresses, ids and wide integers as text' },
  parse: readArgument,
};

/**
 * A value whose type is given beside it: text is its BCS in hexadecimal, as everywhere; anything else is the value
 * itself.
 */
export const typedValue: Parser<ViewArgument, unknown> = {
  schema: { title: 'BCS in hexadecimal, or a value by its Move type other than text' },
  parse: (value) => (typeof value === 'string' ? { bcs: hex.parse(value) } : readArgument(value)),
};

/** Nesting was bounded when the message was parsed. */
function readArgument(value: unknown): ViewArgument {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw unexpected('an integer, or a decimal string', value);
    return value;
  }
  if (value instanceof ExactNumber) return BigInt(value.source);
  if (Array.isArray(value)) return Array.from(value, (item, index) => at(`[${index}]`, () => readArgument(item)));
  if (!isObject(value)) throw unexpected('a JSON value', value);
  const entries = Object.entries(value);
  const { bcs } = value;
  if (entries.length === 1 && typeof bcs === 'string') return { bcs: at('.bcs', () => fromHex(bcs)) };
  return Object.fromEntries(entries.map(([name, item]) => [name, at(`.${name}`, () => readArgument(item))]));
}

/** A call as a client writes it: `args` in BCS, or `arguments` as values. */
export interface GivenCall {
  readonly function_id: string;
  readonly ty_args?: readonly string[] | null;
  readonly args?: readonly string[] | null;
  readonly arguments?: readonly unknown[] | null;
}

/** A call whose arguments are BCS, `args`, or values, `arguments`. */
export const functionCall: Parser<CallInput, unknown> = (() => {
  const members = object<{
    function_id: FunctionId;
    ty_args: readonly TypeTag[];
    args: readonly Uint8Array[] | undefined;
    arguments: readonly ViewArgument[] | undefined;
  }>({
    function_id: member(functionId),
    ty_args: memberOr<readonly TypeTag[]>(array(typeTag, VIEW_ARGUMENTS_MAX), []),
    args: memberOr<readonly Uint8Array[] | undefined>(array(hex, VIEW_ARGUMENTS_MAX), undefined),
    arguments: memberOr<readonly ViewArgument[] | undefined>(array(moveArgument, VIEW_ARGUMENTS_MAX), undefined),
  });
  return {
    schema: members.schema,
    parse: (value) => {
      const { function_id, ty_args, args, arguments: values } = members.parse(value);
      if (args !== undefined && values !== undefined) {
        throw unexpected('args in BCS, or arguments as values, not both', value);
      }
      const given = args?.map((bcs) => ({ bcs })) ?? values ?? [];
      return { function: function_id, typeArguments: ty_args, arguments: given };
    },
  };
})();
