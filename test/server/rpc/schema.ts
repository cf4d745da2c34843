/** A checker for the JSON schemas that this project writes: the keywords that occur, and a complaint about any other. */
import type { JsonValue } from '../../../src/server/index.ts';

type Schema = Readonly<Record<string, unknown>>;
type Check = (expected: never, value: JsonValue | undefined, schema: Schema, path: string) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: JsonValue | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const first = (problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((one) => one !== undefined);

const CHECKS: Readonly<Record<string, Check>> = {
  type: (expected: string | readonly string[], value, _, path) => {
    const types = typeof expected === 'string' ? [expected] : expected;
    const type = typeOf(value);
    const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
    return fits ? undefined : `${path}: expected ${types.join(' or ')}, got ${type}`;
  },
  enum: (expected: readonly JsonValue[], value, _, path) =>
    expected.some((one) => one === value) ? undefined : `${path}: expected one of ${expected.join()}`,
  const: (expected: JsonValue, value, _, path) =>
    expected === value ? undefined : `${path}: expected ${String(expected)}`,
  pattern: (expected: string, value, _, path) =>
    typeof value !== 'string' || new RegExp(expected).test(value)
      ? undefined
      : `${path}: ${value} is not of ${expected}`,
  minimum: (expected: number, value, _, path) => (Number(value) < expected ? `${path}: below ${expected}` : undefined),
  maximum: (expected: number, value, _, path) => (Number(value) > expected ? `${path}: above ${expected}` : undefined),
  maxItems: (expected: number, value, _, path) =>
    Array.isArray(value) && value.length > expected ? `${path}: more than ${expected} items` : undefined,
  items: (expected: Schema, value, _, path) =>
    Array.isArray(value) ? first(value.map((item, index) => mismatch(item, expected, `${path}[${index}]`))) : undefined,
  properties: (expected: Readonly<Record<string, Schema>>, value, _, path) =>
    isObject(value)
      ? first(
          Object.entries(expected).map(([name, schema]) =>
            value[name] === undefined ? undefined : mismatch(value[name], schema, `${path}.${name}`),
          ),
        )
      : undefined,
  required: (expected: readonly string[], value, _, path) =>
    isObject(value)
      ? first(expected.map((name) => (name in value ? undefined : `${path}: ${name} is missing`)))
      : undefined,
  additionalProperties: (expected: boolean | Schema, value, schema, path) => {
    if (!isObject(value) || expected === true) return undefined;
    const known = Object.keys((schema['properties'] ?? {}) as object);
    const others = Object.keys(value).filter((name) => !known.includes(name));
    if (expected === false) return others.length === 0 ? undefined : `${path}: unknown ${others.join()}`;
    return first(others.map((name) => mismatch(value[name], expected, `${path}.${name}`)));
  },
  oneOf: (expected: readonly Schema[], value, _, path) => {
    const fitting = expected.filter((schema) => mismatch(value, schema, path) === undefined);
    return fitting.length === 1 ? undefined : `${path}: fits ${fitting.length} of ${expected.length} forms`;
  },
  anyOf: (expected: readonly Schema[], value, _, path) =>
    expected.some((schema) => mismatch(value, schema, path) === undefined) ? undefined : `${path}: fits no form`,
  title: () => undefined,
  description: () => undefined,
};

/** The first way in which a value does not fit a schema; undefined if it fits. */
export function mismatch(value: JsonValue | undefined, schema: Schema, path = '$'): string | undefined {
  for (const [keyword, expected] of Object.entries(schema)) {
    const check = CHECKS[keyword];
    if (check === undefined) return `${path}: the schema has the unknown keyword ${keyword}`;
    const problem = check(expected as never, value, schema, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
