import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../src/inspector/page.ts';
import { json } from '../../src/inspector/script/json.ts';
import { runs } from '../effort.ts';

interface JsonNode {
  readonly kind: string;
  readonly text?: string;
}

/** What the whole page may take, so that it grows knowingly. */
const PAGE_BYTES_MAX = 190_000;

/** The parts of the page's script that need no document. */
const NAMES = `parseJson, writeJson, toPlain, encodeField, fieldText, typesOf, describeSchema, argumentJson, concreteType,
  splitTypes`;
const {
  parseJson,
  writeJson,
  toPlain,
  encodeField,
  fieldText,
  typesOf,
  describeSchema,
  argumentJson,
  concreteType,
  splitTypes,
} = new Script(`(() => {${json} return { ${NAMES} }; })()`).runInThisContext() as {
  parseJson(text: string): JsonNode;
  writeJson(node: JsonNode, indent?: string): string;
  toPlain(node: JsonNode): unknown;
  encodeField(text: string, types: Set<string>): string | undefined;
  fieldText(node: JsonNode, types: Set<string>): string;
  typesOf(documented: unknown, schema: unknown): Set<string>;
  describeSchema(documented: unknown, schema: unknown): string;
  argumentJson(type: string, text: string): string;
  concreteType(type: string, typeArguments: readonly (string | undefined)[]): string;
  splitTypes(text: string): string[];
};

describe("the page's JSON", () => {
  it('is written back as it was read, whatever spaces were in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const compact = JSON.stringify(value);
        expect(writeJson(parseJson(compact))).toBe(compact);
        expect(writeJson(parseJson(JSON.stringify(value, null, '\t')))).toBe(compact);
        expect(writeJson(parseJson(compact), '  ')).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps digits, order and repetition', () => {
    for (const text of [
      '18446744073709551615',
      '-0',
      '1.50',
      '1E400',
      '0.1000000000000000055511151231257827',
      '{"b":1,"a":2,"10":3,"2":4,"b":5,"__proto__":6}',
      '["\\\\","\\\\\\"]"]',
    ]) {
      expect(writeJson(parseJson(text))).toBe(text);
    }
  });

  it('refuses what JSON.parse refuses', () => {
    for (const text of ['', '{', '[1,]', "{'a':1}", '01', 'nul', '"a', '1 2', 'undefined']) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });

  it('becomes plain values without a prototype to poison, unsafe numbers as text', () => {
    const plain = toPlain(parseJson('{"__proto__":{"x":1},"n":18446744073709551615,"m":7,"t":[true,null]}')) as {
      readonly n: string;
    };
    expect(Object.getPrototypeOf(plain)).toBe(null);
    expect(plain).toMatchObject({ n: '18446744073709551615', m: 7, t: [true, null] });
  });
});

describe('a field', () => {
  const any = new Set<string>();
  const word = new Set(['string']);
  const both = new Set(['integer', 'string', 'null']);

  it.each([
    ['', word, undefined],
    ['  ', any, undefined],
    ['0x3', word, '"0x3"'],
    ['"0x3"', word, '"0x3"'],
    ['5', word, '"5"'],
    ['{"a":1}', word, '"{\\"a\\":1}"'],
    ['null', word, '"null"'],
    ['null', both, 'null'],
    ['5', both, '5'],
    ['18446744073709551615', both, '"18446744073709551615"'],
    ['18446744073709551615', new Set(['integer']), '18446744073709551615'],
    ['all', new Set(['string', 'object']), '"all"'],
    ['{ "a": 18446744073709551615 }', new Set(['object']), '{"a":18446744073709551615}'],
    ['true', new Set(['boolean']), 'true'],
    ['0x3', any, '"0x3"'],
    ['[1]', any, '[1]'],
  ])('with %j for %o is %s', (text, types, wanted) => {
    expect(encodeField(text, types)).toBe(wanted);
  });

  it('that needs JSON and has none says so', () => {
    expect(() => encodeField('{', new Set(['object']))).toThrow('expected object as JSON');
  });

  it('shows a value so that it is read back as that value', () => {
    const types = fc.subarray(['string', 'integer', 'boolean', 'object', 'array', 'null']).map((list) => new Set(list));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), types, (value, accepted) => {
        const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
        fc.pre(accepted.size === 0 || accepted.has(kind === 'number' ? 'integer' : kind));
        fc.pre(typeof value !== 'number' || Number.isSafeInteger(value));
        const text = JSON.stringify(value);
        expect(encodeField(fieldText(parseJson(text), accepted), accepted)).toBe(text);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('an argument of a Move function', () => {
  it.each([
    ['u8', ' 255 ', '"255"'],
    ['u64', '18446744073709551615', '"18446744073709551615"'],
    ['u256', (2n ** 256n - 1n).toString(), `"${2n ** 256n - 1n}"`],
    ['bool', 'true', 'true'],
    ['address', '0x3', '"0x3"'],
    ['0x1::string::String', ' "spaces" and quotes ', '" \\"spaces\\" and quotes "'],
    ['0x1::ascii::String', '', '""'],
    ['0x1::option::Option<u8>', '', 'null'],
    ['0x1::option::Option<u8>', '7', '"7"'],
    ['0x1::option::Option<u8>', ' null ', 'null'],
    ['0x1::option::Option<0x1::string::String>', 'null', 'null'],
    ['0x1::option::Option<0x1::string::String>', 'null and void', '"null and void"'],
    ['vector<u8>', '0x00ff', '"0x00ff"'],
    ['vector<u8>', '0x', '"0x"'],
    ['vector<u8>', '[1, 2]', '[1,2]'],
    ['vector<u64>', '[18446744073709551615, "1"]', '[18446744073709551615,"1"]'],
    ['vector<address>', '["0x1"]', '["0x1"]'],
    ['&mut 0x2::object::Object<0x42::a::B<u8, vector<u8>>>', '0x12', '"0x12"'],
    ['0x2::object::ObjectID', '0x12', '"0x12"'],
    ['0x42::a::S', '{ "n": 18446744073709551615 }', '{"n":18446744073709551615}'],
  ])('of type %s, written %j, is %s', (type, text, wanted) => {
    expect(argumentJson(type, text)).toBe(wanted);
  });

  it.each([
    ['u8', '256', 'from 0 to 255'],
    ['u64', '18446744073709551616', 'from 0 to 2^64 - 1'],
    ['u64', '-1', 'a whole number'],
    ['u64', '1.0', 'a whole number'],
    ['u64', '', 'a whole number'],
    ['bool', 'yes', 'true or false'],
    ['address', '3', 'an address'],
    ['address', `0x${'1'.repeat(65)}`, 'an address'],
    ['vector<u8>', '0x123', 'an even number'],
    ['vector<u8>', 'abc', 'hexadecimal digits, or a JSON array'],
    ['vector<u64>', '5', 'a JSON array'],
    ['vector<u64>', '[1,', 'a JSON array'],
    ['0x2::object::Object<0x42::a::B>', 'mine', 'the id of an object'],
    ['0x1::option::Option<u8>', '-', 'a whole number'],
  ])('of type %s is not %j', (type, text, message) => {
    expect(() => argumentJson(type, text)).toThrow(message);
  });

  it('has the call’s type arguments in its type', () => {
    expect(concreteType('vector<T0>', ['u8'])).toBe('vector<u8>');
    expect(concreteType('0x1::m::T0<T1, T10>', ['a', 'b'])).toBe('0x1::m::T0<b, T10>');
    expect(splitTypes('u8, 0x1::m::S<u8, u16>,vector<T0>')).toEqual(['u8', '0x1::m::S<u8, u16>', 'vector<T0>']);
  });
});

describe('a schema', () => {
  const documented = {
    components: {
      schemas: {
        Address: { type: 'string', title: 'Address' },
        Filter: { oneOf: [{ type: 'object', properties: { owner: {} } }, { enum: ['all'] }] },
        Loop: { anyOf: [{ $ref: '#/components/schemas/Loop' }, { type: 'integer' }] },
      },
    },
  };
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

  it('names its types through references, choices and loops', () => {
    expect([...typesOf(documented, ref('Address'))]).toEqual(['string']);
    expect([...typesOf(documented, ref('Filter'))].sort()).toEqual(['object', 'string']);
    expect([...typesOf(documented, ref('Loop'))]).toEqual(['integer']);
    expect([...typesOf(documented, ref('Absent'))]).toEqual([]);
    expect([...typesOf(documented, true)]).toEqual([]);
  });

  it('is described in a few words', () => {
    expect(describeSchema(documented, ref('Address'))).toBe('Address (string)');
    expect(describeSchema(documented, ref('Filter'))).toBe('Filter (object { owner } or "all")');
    expect(describeSchema(documented, { type: 'array', items: ref('Address') })).toBe('array of Address (string)');
    expect(describeSchema(documented, { type: ['integer', 'null'] })).toBe('integer or null');
    expect(describeSchema(documented, undefined)).toBe('any value');
  });
});

describe('the page', () => {
  it('has a script that parses, names nothing outside, and never sets HTML', () => {
    const script = /<script>(.*)<\/script>/s.exec(pageHtml)?.[1] ?? '';
    expect(script.length).toBeGreaterThan(10_000);
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    expect(pageHtml).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(pageHtml).not.toMatch(/ on\w+="| style="/);
    expect(pageHtml.match(/<\/script>/g)).toHaveLength(1);
  });

  it('is no larger than it may be', () => {
    expect(Buffer.byteLength(pageHtml)).toBeLessThan(PAGE_BYTES_MAX);
  });

  it('gives every field of the markup a label', () => {
    for (const [, id] of pageHtml.matchAll(/<(?:input|textarea|select)[^>]* id="([\w-]+)"/g)) {
      const isWrapped = new RegExp(`<label[^>]*><(?:input|textarea)[^>]* id="${id}"`).test(pageHtml);
      expect(isWrapped || pageHtml.includes(`<label for="${id}"`), id).toBe(true);
    }
  });
});
