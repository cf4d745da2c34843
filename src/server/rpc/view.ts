/**
 * executeViewFunction. Source: crates/rooch-rpc-api/src/jsonrpc_types/function_return_value_view.rs of the reference.
 * @module
 */
import { toHex, toHexPrefixed } from '../../base/bytes/hex.ts';
import type { Location } from '../../chain/transaction/execution-info.ts';
import { formatAddressShort } from '../../move/address.ts';
import { displayType } from '../../move/type-tag.ts';
import type { ViewResult, ViewStatus, ViewValue } from '../../query/view.ts';
import { renderMoveValue } from './decoded.ts';
import { FAILURE, failureJson } from './failure.ts';
import { functionCall, type GivenCall } from './function-call.ts';
import type { JsonValue } from './json.ts';
import { immediate, type Method, type MethodContext } from './method.ts';
import { required, type Schema } from './param.ts';
import { chainAt, type GivenPlace, placeOption } from './place.ts';
import { valueJson } from './trace.ts';

const RESULT: Schema = {
  type: 'object',
  title: 'view function result',
  properties: {
    vm_status: { oneOf: [{ type: 'string', enum: ['Executed'] }, { type: 'object' }] },
    return_values: { oneOf: [{ type: 'array' }, { type: 'null' }] },
    error_message: { type: 'string' },
    failure: FAILURE,
  },
};

function location(context: MethodContext, place: Location): string {
  if (place.kind === 'script') return 'script';
  const owner = context.forms === 'interface' ? toHex(place.address) : formatAddressShort(place.address);
  return `${owner}::${place.name}`;
}

function vmStatus(context: MethodContext, status: ViewStatus): JsonValue {
  switch (status.kind) {
    case 'executed':
      return 'Executed';
    case 'move-abort':
      return { MoveAbort: { location: location(context, status.location), abort_code: status.code.toString() } };
    case 'execution-failure':
      return {
        ExecutionFailure: {
          location: location(context, status.location),
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

/** A returned value in its wire form. */
type ReturnedJson = {
  readonly value: { readonly type_tag: string; readonly value: string };
  readonly decoded_value: JsonValue;
};

/** The outcome of a view function, in its wire form. */
export type ViewJson = {
  readonly vm_status: JsonValue;
  readonly return_values: readonly ReturnedJson[] | null;
  readonly error_message?: string;
  /** Why it failed, if Move code did. */
  readonly failure?: JsonValue;
  /** What it printed, if it did. */
  readonly prints?: readonly { readonly type: string; readonly value: JsonValue }[];
};

export interface ViewMethods {
  readonly executeViewFunction: Method<[function_call: GivenCall, option?: GivenPlace | null], ViewJson>;
}

export const viewMethods: ViewMethods = {
  executeViewFunction: immediate({
    description:
      'Runs a Move function, of any visibility, for what it returns. Nothing changes; a function that tries ends in an error status. An object is sent as its id.',
    params: [required('function_call', functionCall, 'function_id, ty_args, and args or arguments'), placeOption],
    result: RESULT,
    runsOnWorker: true,
    errors: ['not-found', 'pruned'],
    example: [{ function_id: '0x2::timestamp::now_milliseconds', ty_args: [], args: [] }],
    handle: (context, [call, place]) => viewResult(context, chainAt(context, place).tryView(call)),
  }),
};
