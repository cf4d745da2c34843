/**
 * Parameters of a JSON-RPC method from a shell: all of them as one JSON text, or one argument per parameter, read
 * according to its schema in the method's row.
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
import type { Param } from '../server/rpc/param.ts';
import { UsageError } from './arguments.ts';

const DEPTH_MAX = 32;

/**
 * The parameters as JSON text.
 * @param texts the arguments after the method's name
 * @throws {UsageError} naming the parameter that cannot be read
 */
export function paramsText(method: string, texts: readonly string[]): string {
  const [first = '[]'] = texts;
  if (texts.length <= 1 && /^\s*[[{]/.test(first)) return jsonText('params', first);
  const row = methodTable(['chain', 'rooch'], true).get(method)?.row;
  const params = texts.map((text, index) => {
    const param = row?.params[index];
    if (row !== undefined && param === undefined) {
      throw new UsageError(`${method} takes at most ${row.params.length} parameters, got ${texts.length}`);
    }
    return param === undefined ? guessed(text) : paramText(param, text, index);
  });
  return `[${params.join()}]`;
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
