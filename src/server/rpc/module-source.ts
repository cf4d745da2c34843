/**
 * The source of a module on the wire: as `addSources` takes it, with the code in hex.
 * @module
 */
import type { ModuleSource } from '../../execution/module-sources.ts';
import {
  array,
  at,
  hex,
  isObject,
  member,
  memberOr,
  object,
  type Parser,
  text,
  u32Param,
  unexpected,
} from './param.ts';

/** Items of a list in one module's source: a request of 2 MiB cannot hold more. */
const SOURCE_ITEMS_MAX = 1_000_000;

const anyText: Parser<string> = text('text', {}, (value) => value);

/** An object whose members have any names. */
function named<T>(item: Parser<T>): Parser<Readonly<Record<string, T>>> {
  return {
    schema: { type: 'object', additionalProperties: item.schema },
    parse: (value) => {
      if (!isObject(value)) throw unexpected('an object', value);
      const entries = Object.entries(value).map(([name, each]) => [name, at(`.${name}`, () => item.parse(each))]);
      return Object.fromEntries(entries) as Record<string, T>;
    },
  };
}

const offsetAndLine: Parser<readonly [offset: number, line: number]> = {
  schema: { type: 'array', items: u32Param.schema, minItems: 2, maxItems: 2 },
  parse: (value) => {
    if (!Array.isArray(value) || value.length !== 2) throw unexpected('a code offset and a line', value);
    return [u32Param.parse(value[0]), u32Param.parse(value[1])];
  },
};

const sourceLines = object({
  path: member(anyText),
  functions: member(named(array(offsetAndLine, SOURCE_ITEMS_MAX))),
  parameters: memberOr(named(array(anyText, SOURCE_ITEMS_MAX))),
});

export const moduleSource: Parser<ModuleSource, unknown> = object({
  bytes: member(hex),
  lines: memberOr(sourceLines),
  constants: memberOr(named(anyText)),
  abortConstants: memberOr(array(anyText, SOURCE_ITEMS_MAX)),
  constantDocs: memberOr(named(anyText)),
});
