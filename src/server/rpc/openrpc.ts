/**
 * The OpenRPC document of `rpc.discover`, generated from the method rows, so that it cannot drift from the actual
 * answers.
 * Source: https://spec.open-rpc.org version 1.3.2.
 * @module
 */
import { ERROR_CODES, type ErrorCode } from '../../base/error.ts';
import { BCS_ERROR, HANDLER_ERROR, INTERNAL_ERROR, INVALID_PARAMS } from '../../base/json-rpc.ts';
import type { JsonValue } from './json.ts';
import type { NamedMethod } from './methods.ts';
import type { Param } from './param.ts';

/**
 * Version of the interface, by which clients decide what a node can do: that of the reference whose `rooch_` forms are
 * served (the workspace version in its Cargo.toml).
 */
const INTERFACE_VERSION = '0.13.0';

export interface DocumentOptions {
  /** Of this package. */
  readonly packageVersion: string;
  readonly limits: Readonly<Record<string, number>>;
}

/** Errors that any method may answer with. */
const COMMON_ERRORS: JsonValue = [
  { code: INVALID_PARAMS, message: 'Invalid params' },
  { code: HANDLER_ERROR, message: 'The text tells what failed; error.data.code is a stable word' },
  { code: BCS_ERROR, message: 'Bytes do not decode' },
  { code: INTERNAL_ERROR, message: 'Internal error' },
];

/** Errors of methods that run Move code nobody pays for. */
const DEADLINE_ERRORS: readonly ErrorCode[] = ['deadline-exceeded', 'limit-exceeded'];

function paramDocument(param: Param<unknown>): JsonValue {
  return {
    name: param.name,
    description: param.description,
    ...(param.required ? { required: true } : {}),
    schema: param.parser.schema as JsonValue,
  };
}

function methodDocument({ name, row }: NamedMethod): JsonValue {
  return {
    name,
    description: row.description,
    paramStructure: 'either',
    params: row.params.map(paramDocument),
    result: { name: 'result', schema: row.result as JsonValue },
    errors: COMMON_ERRORS,
    'x-error-codes': [...(row.errors ?? []), ...(row.isAside === true ? DEADLINE_ERRORS : [])],
    examples: [
      {
        name: `${name} on a local chain`,
        params: row.example.map((value, index) => ({ name: row.params[index]?.name ?? `${index}`, value })),
      },
    ],
  };
}

export function openRpcDocument(methods: Iterable<NamedMethod>, options: DocumentOptions): JsonValue {
  const sorted = [...methods].sort((left, right) => (left.name < right.name ? -1 : 1));
  return {
    openrpc: '1.3.2',
    info: {
      title: 'movelet JSON-RPC',
      version: INTERFACE_VERSION,
      'x-package-version': options.packageVersion,
      description: 'A Move and Bitcoin chain node. chain_ and rooch_ methods share handlers and differ in their forms.',
      license: { name: 'Apache-2.0' },
      'x-limits': options.limits,
      'x-error-codes': ERROR_CODES,
    },
    methods: sorted.map(methodDocument),
  };
}
