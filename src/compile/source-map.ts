/**
 * Source maps as Move compilers write them (`.mvsm`), read for one thing: the line of an instruction. Source:
 * `move-bytecode-source-map/src/source_map.rs` of the reference.
 * @module
 */
import { bool, bytes32, type Codec, decode, map, option, pair, string, struct, u16, u32, vector } from '../base/bcs.ts';
import { EngineError } from '../base/error.ts';
import type { SourceLines } from '../execution/module-sources.ts';
import { lineOf } from './tokens.ts';

/** A range in a source file. */
interface Place {
  readonly file: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const place: Codec<Place> = struct<Place>({ file: bytes32, start: u32, end: u32 });
const name = pair(string, place);

interface StructPlaces {
  readonly at: Place;
  readonly typeParameters: readonly (readonly [string, Place])[];
  readonly fields: readonly unknown[];
}

interface FunctionPlaces extends Omit<StructPlaces, 'fields'> {
  readonly parameters: readonly (readonly [string, Place])[];
  readonly locals: readonly (readonly [string, Place])[];
  readonly nops: readonly (readonly [string, number])[];
  readonly code: readonly (readonly [number, Place])[];
  readonly isNative: boolean;
}

interface ModulePlaces {
  readonly at: Place;
  readonly module: readonly [Uint8Array, string] | undefined;
  readonly structs: readonly (readonly [number, StructPlaces])[];
  readonly functions: readonly (readonly [number, FunctionPlaces])[];
  readonly constants: readonly (readonly [string, number])[];
}

const functionPlaces = struct<FunctionPlaces>({
  at: place,
  typeParameters: vector(name),
  parameters: vector(name),
  locals: vector(name),
  nops: map(string, u16),
  code: map(u16, place),
  isNative: bool,
});

function modulePlaces<Field>(field: Codec<Field>): Codec<ModulePlaces> {
  const structPlaces = struct<StructPlaces>({
    at: place,
    typeParameters: vector(name),
    fields: vector(field) as Codec<readonly unknown[]>,
  });
  return struct<ModulePlaces>({
    at: place,
    module: option(pair(bytes32, string)),
    structs: map(u16, structPlaces),
    functions: map(u16, functionPlaces),
    constants: map(string, u16),
  });
}

/** The reference's form, and that of compilers whose structs have variants, with the fields of each variant. */
const REFERENCE_FORM = modulePlaces(place);
const VARIANTS_FORM = modulePlaces(vector(place));

/**
 * The lines that a source map lists.
 * @param source the text that was compiled
 * @throws {EngineError} `malformed-bytes`
 */
export function readSourceMap(bytes: Uint8Array, path: string, source: string): SourceLines {
  const { functions } = readPlaces(bytes);
  const lines = functions.map(([index, { code }]) => {
    const pairs = code
      .map(([offset, { start }]) => [offset, lineOf(source, start)] as const)
      .sort(([left], [right]) => left - right);
    return [index, pairs.filter(([, line], at) => at === 0 || line !== pairs[at - 1]![1])] as const;
  });
  return { path, functions: Object.fromEntries(lines) };
}

function readPlaces(bytes: Uint8Array): ModulePlaces {
  try {
    return decode(REFERENCE_FORM, bytes);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-bytes') throw error;
    return decode(VARIANTS_FORM, bytes);
  }
}
