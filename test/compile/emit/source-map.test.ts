/**
 * The places of instructions: `counter.mvsm` is the source map that another build of the reference's compiler
 * (`@initia/builder.js` 0.2.12) wrote of examples/counter. Its structs list their fields by variant.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bool,
  bytes32,
  type Codec,
  decode,
  map,
  option,
  pair,
  string,
  struct,
  u16,
  u32,
  vector,
} from '../../../src/base/bcs.ts';
import { FRAMEWORK_ADDRESSES, FRAMEWORK_PACKAGE_NAMES, frameworkDependency } from '../../../src/compile/framework.ts';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { addressOf } from '../../../src/move/address.ts';

interface Place {
  readonly file: Uint8Array;
  readonly start: number;
  readonly end: number;
}

type Range = Pick<Place, 'start' | 'end'>;

interface FunctionMap {
  readonly at: Place;
  readonly typeParameters: readonly (readonly [string, Place])[];
  readonly nops: readonly (readonly [string, number])[];
  readonly isNative: boolean;
  readonly parameters: readonly (readonly [string, Place])[];
  readonly locals: readonly (readonly [string, Place])[];
  readonly code: readonly (readonly [number, Place])[];
}

const place: Codec<Place> = struct<Place>({ file: bytes32, start: u32, end: u32 });
const name = pair(string, place);
const functionMap = struct<FunctionMap>({
  at: place,
  typeParameters: vector(name),
  parameters: vector(name),
  locals: vector(name),
  nops: map(string, u16),
  code: map(u16, place),
  isNative: bool,
});
const structMap = struct({ at: place, typeParameters: vector(name), fields: vector(vector(place)) });
const moduleMap = struct({
  at: place,
  module: option(pair(bytes32, string)),
  structs: map(u16, structMap),
  functions: map(u16, functionMap),
  constants: map(string, u16),
});

const text = readFileSync('examples/counter/sources/counter.move', 'utf8');
const { functions } = decode(moduleMap, new Uint8Array(readFileSync('test/vectors/counter.mvsm')));

describe('places in sources', () => {
  const addresses = new Map([...FRAMEWORK_ADDRESSES, ['counter', addressOf(0x42)]]);
  const output = compileMove({
    targets: [{ files: new Map([['counter.move', text]]), addresses }],
    dependencies: FRAMEWORK_PACKAGE_NAMES.map((name) => frameworkDependency(name, false)),
    mode: { hasTests: false, hasVerification: false },
  });
  const made = output.modules[0]?.functions ?? [];
  const rangeOf = ({ start, end }: Range): string => `${start}-${end} ${text.slice(start, end)}`;

  it('are as many functions', () => {
    expect(made).toHaveLength(functions.length);
  });

  it.each(functions)('are those of the map, to the column: function %i', (index, expected) => {
    const { declaration, parameters, locals, code } = made[index]!;
    expect(rangeOf(declaration.name.span)).toBe(rangeOf(expected.at));
    const named = (all: readonly { readonly name: string; readonly span: Range }[]): string[] =>
      all.map((each) => `${each.name} ${rangeOf(each.span)}`);
    const listed = (all: FunctionMap['locals']): string[] => all.map(([text, at]) => `${text} ${rangeOf(at)}`);
    expect(named(parameters)).toEqual(listed(expected.parameters));
    expect(named(locals)).toEqual(listed(expected.locals));
    // The map lists an offset where the place is another one than before.
    const changes = code.flatMap((span, offset) =>
      offset > 0 && rangeOf(span) === rangeOf(code[offset - 1]!) ? [] : [`${offset} ${rangeOf(span)}`],
    );
    expect(changes).toEqual(expected.code.map(([offset, at]) => `${offset} ${rangeOf(at)}`));
  });
});
