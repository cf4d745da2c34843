/**
 * executeViewFunction, and calls of Move functions as clients write them.
 *
 * `args` holds BCS in hexadecimal, as in the reference. `arguments` holds values as JSON instead, encoded by the Move types
 * of the parameters (query/view-argument.ts): addresses, ids and types as text, wide integers as decimal strings, bytes as
 * hexadecimal with `0x`, structs as objects. `{ "bcs": HEX }` stands for any value.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/function_return_value_view.rs of the reference.
 * @module
 */
import { fromHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { type FunctionId, parseFunctionId } from '../../chain/transaction/action.ts';
import { displayType, parseTypeTag, type TypeTag } from '../../move/type-tag.ts';
import type { CallInput } from '../../query/function-call.ts';
import type { ViewResult, ViewStatus, ViewValue } from '../../query/view.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { ExactNumber, type JsonValue } from './json.ts';
import { immediate, type Method, type MethodContext } from './method.ts';
import * as param from './param.ts';
import { renderLocation, renderMoveValue } from './render.ts';
import { FAILURE, failureJson, valueJson } from './trace.ts';

/** Arguments and type arguments of one call over JSON-RPC: the module format has functions of at most 255 parameters. */
const VIEW_ARGUMENTS_MAX = 255;

const functionIdParser: param.Parser<FunctionId, string> = param.text(
  'a function <address>::<module>::<function>',
  { title: 'function id' },
  parseFunctionId,
);

export const typeTagParser: param.Parser<TypeTag, string> = param.text(
  'a Move type',
  { title: 'type tag' },
  parseTypeTag,
);

const moveArgument: param.Parser<ViewArgument, unknown> = {
  schema: { title: 'a value by its Move type', description: 'addresses, ids and wide integers as text' },
  parse: readArgument,
};

/**
 * A value whose type is given beside it: text is its BCS in hexadecimal, as everywhere; anything else is the value
 * itself.
 */
export const typedValue: param.Parser<ViewArgument, unknown> = {
  schema: { title: 'BCS in hexadecimal, or a value by its Move type other than text' },
  parse: (value) => (typeof value === 'string' ? { bcs: param.hex.parse(value) } : readArgument(value)),
};

/** Nesting was bounded when the message was parsed. */
function readArgument(value: unknown): ViewArgument {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw param.unexpected('an integer, or a decimal string', value);
    return value;
  }
  if (value instanceof ExactNumber) return BigInt(value.source);
  if (Array.isArray(value)) return Array.from(value, (item, index) => param.at(`[${index}]`, () => readArgument(item)));
  if (!param.isObject(value)) throw param.unexpected('a JSON value', value);
  const entries = Object.entries(value);
  const { bcs } = value;
  if (entries.length === 1 && typeof bcs === 'string') return { bcs: param.at('.bcs', () => fromHex(bcs)) };
  return Object.fromEntries(entries.map(([name, item]) => [name, param.at(`.${name}`, () => readArgument(item))]));
}

/** A call as a client writes it: `args` in BCS, or `arguments` as values. */
export interface GivenCall {
  readonly function_id: string;
  readonly ty_args?: readonly string[] | null;
  readonly args?: readonly string[] | null;
  readonly arguments?: readonly unknown[] | null;
}

const bcsHex = param.hexOf('the BCS of an argument in hex', 'values go in `arguments`');

const callMembers = param.object({
  function_id: param.member(functionIdParser),
  ty_args: param.memberOr(param.array(typeTagParser, VIEW_ARGUMENTS_MAX), []),
  args: param.memberOr(param.array(bcsHex, VIEW_ARGUMENTS_MAX)),
  arguments: param.memberOr(param.array(moveArgument, VIEW_ARGUMENTS_MAX)),
});

export const functionCallParser: param.Parser<CallInput, unknown> = {
  schema: callMembers.schema,
  parse: (value) => {
    const { function_id, ty_args, args, arguments: values } = callMembers.parse(value);
    if (args !== undefined && values !== undefined) {
      throw param.unexpected('args in BCS, or arguments as values, not both', value);
    }
    const given = args?.map((bcs) => ({ bcs })) ?? values ?? [];
    return { function: function_id, typeArguments: ty_args, arguments: given };
  },
};

const RESULT: param.Schema = {
  type: 'object',
  title: 'view function result',
  properties: {
    vm_status: { oneOf: [{ type: 'string', enum: ['Executed'] }, { type: 'object' }] },
    return_values: { oneOf: [{ type: 'array' }, { type: 'null' }] },
    error_message: { type: 'string' },
    failure: FAILURE,
  },
};

function vmStatus(context: MethodContext, status: ViewStatus): JsonValue {
  switch (status.kind) {
    case 'executed':
      return 'Executed';
    case 'move-abort':
      return { MoveAbort: { location: renderLocation(context, status.location), abort_code: status.code.toString() } };
    case 'execution-failure':
      return {
        ExecutionFailure: {
          location: renderLocation(context, status.location),
          function: status.function,
          code_offset: status.codeOffset,
          status_code: status.statusCode.toString(),
        },
      };
    case 'error':
      return { Error: status.statusCode.toString() };
  }
}

function returnValue(returned: ViewValue): ReturnedJson {
  const { tag, value } = returned.inside;
  return {
    value: { type_tag: displayType(tag), value: toHexPrefixed(returned.bytes) },
    decoded_value: renderMoveValue(value),
  };
}

function viewResult(context: MethodContext, view: ViewResult): ViewJson {
  const { values, failure, prints } = view;
  const status = view.inside;
  const result = {
    vm_status: vmStatus(context, status),
    return_values: status.kind === 'executed' ? values.map(returnValue) : null,
    ...(failure && { failure: failureJson(failure, context) }),
    ...(prints.length > 0 && { prints: prints.map(valueJson) }),
  };
  // A bare number would not tell a caller which argument was wrong.
  return status.kind === 'error' ? { ...result, error_message: status.message } : result;
}

type ReturnedJson = {
  readonly value: { readonly type_tag: string; readonly value: string };
  readonly decoded_value: JsonValue;
};

type ViewJson = {
  readonly vm_status: JsonValue;
  readonly return_values: readonly ReturnedJson[] | null;
  readonly error_message?: string;
  /** Why it failed, if Move code did. */
  readonly failure?: JsonValue;
  /** What it printed, if it did. */
  readonly prints?: readonly { readonly type: string; readonly value: JsonValue }[];
};

export interface ViewMethods {
  readonly executeViewFunction: Method<[function_call: GivenCall, option?: param.GivenPlace | null], ViewJson>;
}

export const viewMethods: ViewMethods = {
  executeViewFunction: immediate({
    description:
      'Runs a Move function of any visibility and returns its results. Nothing changes: a function that would change something ends in an error status. An object is passed by its id.',
    params: [
      param.required('function_call', functionCallParser, 'function_id, ty_args, and args or arguments'),
      param.placeOption,
    ],
    result: RESULT,
    runsOnWorker: true,
    errors: ['not-found', 'pruned'],
    example: [{ function_id: '0x2::timestamp::now_milliseconds', ty_args: [], args: [] }],
    handle: (context, [call, place]) => viewResult(context, param.chainAt(context, place).tryView(call)),
  }),
};
