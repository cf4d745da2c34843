/**
 * Reads JSON-RPC requests from messages, and a method's arguments from their parameters.
 *
 * Beyond the specification, a request may name the fork it is for (`"fork": "7"`) and the order the chain must have
 * reached before it is answered (`"min_order": "120"`).
 * Source: https://www.jsonrpc.org/specification
 * @module
 */

import { INVALID_PARAMS } from '../../base/json-rpc.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { paramError, rpcError } from './error.ts';
import { ExactNumber } from './json.ts';
import type { MethodRow } from './method.ts';
import { isObject, type Param } from './param.ts';

export type RequestId = string | number | null | ExactNumber;

export interface ValidRequest {
  readonly method: string;
  readonly params: unknown;
  /** Undefined for a notification. */
  readonly id: RequestId | undefined;
  /** Id of the fork; undefined for the chain of the connection. */
  readonly fork: string | undefined;
  /** The order to wait for. */
  readonly minOrder: bigint | undefined;
  /** Whether another node forwarded it. */
  readonly isForwarded: boolean;
}

/** The request in a message, or the reason why it is not a request. */
export function readRequest(message: unknown): ValidRequest | string {
  if (!isObject(message)) return 'a request is an object';
  const { jsonrpc, method, params, id, fork, min_order: given, forwarded } = message as Record<string, unknown>;
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof method !== 'string') return 'method must be a string';
  if (fork !== undefined && typeof fork !== 'string') return 'fork must be a string';
  const minOrder = given === undefined ? undefined : givenOrder(given);
  if (given !== undefined && minOrder === undefined) {
    return 'min_order must be an order: a whole number, as a number or as text';
  }
  if (id !== undefined && !isId(id)) return 'id must be a number, a string or null';
  return { method, params, id, fork, minOrder, isForwarded: forwarded === true };
}

/** An order given as a number or a decimal string; undefined for anything else. */
export function givenOrder(given: unknown): bigint | undefined {
  if (Number.isSafeInteger(given) && (given as number) >= 0) return BigInt(given as number);
  if (typeof given !== 'string' || !/^\d{1,20}$/.test(given)) return undefined;
  const order = BigInt(given);
  return order < 1n << 64n ? order : undefined;
}

/** The id of a message that may not be a request; null if it has no id that can be echoed. */
export function idOf(message: unknown): RequestId {
  const id = isObject(message) ? message['id'] : undefined;
  return isId(id) ? id : null;
}

/**
 * The handler's arguments, from positional or named parameters; positional ones beyond the last are ignored.
 * @throws {RpcError} for a parameter that its parser refuses, or a name that no parameter has
 */
export function readParams(params: MethodRow['params'], given: unknown): unknown[] {
  if (given !== undefined && given !== null && !Array.isArray(given) && !isObject(given)) {
    throw rpcError(INVALID_PARAMS, 'Invalid params: expected an array or an object', 'invalid-argument', {
      expected: 'an array or an object',
    });
  }
  if (isObject(given) && params.length > 0) assertNames(params, given);
  return params.map((param, index) => {
    try {
      return param.parser.parse(Array.isArray(given) ? given[index] : namedValue(param.name, given));
    } catch (error) {
      throw paramError(error, `params[${index}] ${param.name}`);
    }
  });
}

function isId(value: unknown): value is RequestId {
  return value === null || typeof value === 'string' || value instanceof ExactNumber || Number.isFinite(value);
}

/** Characters of an unknown name that a message shows. */
const NAME_CHARACTERS_MAX = 80;

function assertNames(params: MethodRow['params'], given: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(given).find((name) => !params.some((param) => isNamed(param, name)));
  if (unknown === undefined) return;
  const names = params.map(({ name }) => name);
  const received = unknown.slice(0, NAME_CHARACTERS_MAX);
  const expected = `the parameters are ${names.join(', ')}`;
  const message = `Invalid params: there is no parameter ${received}; ${expected}`;
  const hint = didYouMean(unknown, names)[0];
  throw rpcError(INVALID_PARAMS, message, 'invalid-argument', { expected, received, hint });
}

/** Whether a member of named parameters is this one, in snake case or camel case. */
export function isNamed({ name }: Pick<Param<unknown>, 'name'>, given: string): boolean {
  return given === name || given === camelCase(name);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function namedValue(name: string, given: unknown): unknown {
  if (!isObject(given)) return undefined;
  return [name, camelCase(name)].filter((each) => Object.hasOwn(given, each)).map((each) => given[each])[0];
}
