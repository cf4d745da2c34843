/**
 * movelet call: one request to a running node or to a chain in a directory.
 *
 * The parameters come as one JSON text, or as one argument per parameter, read according to its schema in the method's row:
 *
 * | schema | argument |
 * | --- | --- |
 * | object, array | JSON: `'{"owner":"0x42"}'` |
 * | boolean | `true` or `false` |
 * | integer | decimal digits, each of them kept |
 * | string | the text itself |
 * | optional | `null`, or what the parameter takes |
 * @module
 */

import { messageOf } from '../base/error.ts';
import { parseJson } from '../server/rpc/json.ts';
import { methodTable } from '../server/rpc/methods.ts';
import { isObject, type Param } from '../server/rpc/param.ts';
import { isNamed } from '../server/rpc/request.ts';
import { type Arguments, type Command, command, type Options, UsageError } from './arguments.ts';
import { NODE_OPTIONS, OPENING_GROUP, onNode, prettyJson } from './node.ts';

const CALL_OPTIONS: Options = { ...NODE_OPTIONS, compact: { help: 'print the result as it came, on one line' } };
const PARAMS_MAX = 16;

async function runCall(args: Arguments): Promise<number> {
  const [method = '', ...texts] = args.positionals;
  const params = paramsText(method, texts);
  const result = await onNode(args, (node) => node.ask(method, params));
  process.stdout.write(`${args.flag('compact') ? result : prettyJson(result)}\n`);
  return 0;
}

export const callCommand: Command = command({
  name: 'call',
  summary: 'one JSON-RPC request, answered on stdout',
  usage: 'METHOD [PARAM...] [--url URL | --data DIR]',
  example: 'chain_getBalance 0x3 0x3::gas_coin::RGas',
  min: 1,
  max: 1 + PARAMS_MAX,
  help: `Each PARAM is text, digits, true, false, null, or quoted JSON, depending on the method:

  movelet call chain_getStates /object/0x3 '{"decode":true}'

A single PARAM that begins with [ holds all of them as JSON, and one that begins with { holds them by their names, or is the
first one if none of its names is a parameter's:

  movelet call chain_getStates '["/object/0x3",{"decode":true}]'
  movelet call chain_getStates '{"access_path":"/object/0x3"}'`,
  options: CALL_OPTIONS,
  more: [OPENING_GROUP],
  completes: [...methodTable(['chain', 'rooch'], true).keys(), 'rpc.discover'],
  run: runCall,
});

const DEPTH_MAX = 32;

/**
 * The parameters as JSON text.
 * @param texts the arguments after the method's name
 * @throws {UsageError} naming the parameter that cannot be read
 */
export function paramsText(method: string, texts: readonly string[]): string {
  const [first = '[]'] = texts;
  const row = methodTable(['chain', 'rooch'], true).get(method)?.row;
  if (texts.length <= 1 && /^\s*[[{]/.test(first)) {
    const text = jsonText('params', first);
    return isFirstParam(row?.params ?? [], text) ? `[${text}]` : text;
  }
  const params = texts.map((text, index) => {
    const param = row?.params[index];
    if (row !== undefined && param === undefined) {
      throw new UsageError(`${method} takes at most ${row.params.length} parameters, got ${texts.length}`);
    }
    return param === undefined ? guessed(text) : paramText(param, text, index);
  });
  return `[${params.join()}]`;
}

/** Whether JSON text is an object that the first parameter takes, rather than parameters by their names. */
function isFirstParam(params: readonly Param<unknown>[], text: string): boolean {
  const [first] = params;
  const value = parseJson(text, DEPTH_MAX);
  if (first === undefined || !isObject(value) || !typesOf(first.parser.schema).has('object')) return false;
  const names = Object.keys(value);
  return names.length > 0 && !names.some((name) => params.some((param) => isNamed(param, name)));
}

function paramText({ name, required, parser }: Param<unknown>, text: string, index: number): string {
  const what = `parameter ${index} (${name})`;
  const types = typesOf(parser.schema);
  if (text === 'null' && !required) return 'null';
  if (/^\s*[[{]/.test(text) && (types.has('object') || types.has('array'))) return jsonText(what, text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text;
  if (types.has('string') || types.size === 0) return JSON.stringify(text);
  if (types.has('integer') && /^\d+$/.test(text)) return text;
  throw new UsageError(`${what}: expected ${[...types].map(wordOf).join(' or ')}, got ${text}`);
}

/** The JSON types that a schema accepts. */
function typesOf(schema: unknown, found: Set<string> = new Set()): Set<string> {
  const { type, oneOf, anyOf } = schema as { type?: unknown; oneOf?: unknown[]; anyOf?: unknown[] };
  for (const each of Array.isArray(type) ? type : [type]) if (typeof each === 'string') found.add(each);
  for (const each of [...(oneOf ?? []), ...(anyOf ?? [])]) typesOf(each, found);
  return found;
}

function wordOf(type: string): string {
  return type === 'object' || type === 'array'
    ? `a JSON ${type} in quotes`
    : type === 'boolean'
      ? 'true or false'
      : `${type === 'integer' ? 'digits' : type}`;
}

/** For a method that is not ours: JSON if it is JSON, text otherwise. */
function guessed(text: string): string {
  try {
    parseJson(text, DEPTH_MAX);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function jsonText(what: string, text: string): string {
  try {
    parseJson(text, DEPTH_MAX);
    return text;
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`${what}: ${reason}; quote JSON for the shell: '["0x3"]'`);
  }
}
