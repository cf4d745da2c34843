/**
 * The metadata that the chain's compiler records about a module: one entry of six maps.
 *
 * Functions and structs are named `0x<short address>::module::name`. Only the last four maps are ever filled.
 * Source: the reference's `moveos-verifier/src/metadata.rs`.
 * @module
 */
import { bool, type Codec, decode, encode, map, string, struct, u8, u64, vector } from '../../base/bcs.ts';
import { EngineError } from '../../base/error.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import type { Metadata, Module } from '../binary/module.ts';
import { moduleText } from '../binary/render.ts';

const METADATA_KEY = 'rooch::metadata_v0';

interface KnownAttribute {
  readonly kind: number;
  readonly arguments: readonly string[];
}

/** Names of the helpers of a gas-free function; they have no effect on the chain. */
export interface GasFreeFunction {
  readonly validate: string;
  readonly chargePost: string;
}

type Entries<T> = readonly (readonly [name: string, value: T])[];

interface MetadataEntries {
  readonly structAttributes: Entries<readonly KnownAttribute[]>;
  readonly functionAttributes: Entries<readonly KnownAttribute[]>;
  readonly privateGenerics: Entries<readonly bigint[]>;
  readonly gasFree: Entries<GasFreeFunction>;
  readonly dataStructs: Entries<boolean>;
  readonly dataStructFunctions: Entries<readonly bigint[]>;
}

/** The metadata that is checked. */
export interface ModuleMetadata {
  /** By function: its type parameters that accept only types of the calling module. */
  readonly privateGenerics: ReadonlyMap<string, readonly bigint[]>;
  readonly gasFree: ReadonlyMap<string, GasFreeFunction>;
  /** Structs that are plain data. */
  readonly dataStructs: ReadonlyMap<string, boolean>;
  /** By function: its type parameters that accept only plain data. */
  readonly dataStructFunctions: ReadonlyMap<string, readonly bigint[]>;
}

const attributes: Codec<readonly KnownAttribute[]> = vector(
  struct<KnownAttribute>({ kind: u8, arguments: vector(string) }),
);
const codec: Codec<MetadataEntries> = struct({
  structAttributes: map(string, attributes),
  functionAttributes: map(string, attributes),
  privateGenerics: map(string, vector(u64)),
  gasFree: map(string, struct<GasFreeFunction>({ validate: string, chargePost: string })),
  dataStructs: map(string, bool),
  dataStructFunctions: map(string, vector(u64)),
});

const EMPTY: ModuleMetadata = {
  privateGenerics: new Map(),
  gasFree: new Map(),
  dataStructs: new Map(),
  dataStructFunctions: new Map(),
};

/** The metadata as an entry of its module; undefined if there is none to write. */
export function encodeMetadata(metadata: ModuleMetadata): Metadata | undefined {
  const { privateGenerics, gasFree, dataStructs, dataStructFunctions } = metadata;
  if (privateGenerics.size + gasFree.size + dataStructs.size + dataStructFunctions.size === 0) return undefined;
  const entries: MetadataEntries = {
    structAttributes: [],
    functionAttributes: [],
    privateGenerics: [...privateGenerics],
    gasFree: [...gasFree],
    dataStructs: [...dataStructs],
    dataStructFunctions: [...dataStructFunctions],
  };
  return { key: new TextEncoder().encode(METADATA_KEY), value: encode(codec, entries) };
}

const ascii = new TextDecoder('latin1');
const cache = new WeakMap<Module, ModuleMetadata | 'malformed'>();

/** The module's metadata, empty if it has none; `malformed` for another key, the key twice, or other bytes. */
export function moduleMetadata(module: Module): ModuleMetadata | 'malformed' {
  return getOrInsert(cache, module, () => readMetadata(module.metadata));
}

function readMetadata(entries: readonly Metadata[]): ModuleMetadata | 'malformed' {
  const [entry] = entries;
  if (entry === undefined) return EMPTY;
  if (entries.length > 1 || ascii.decode(entry.key) !== METADATA_KEY) return 'malformed';
  try {
    const { privateGenerics, gasFree, dataStructs, dataStructFunctions } = decode(codec, entry.value);
    return {
      privateGenerics: byName(privateGenerics),
      gasFree: byName(gasFree),
      dataStructs: byName(dataStructs),
      dataStructFunctions: byName(dataStructFunctions),
    };
  } catch (thrown) {
    if (thrown instanceof EngineError && thrown.code === 'malformed-bytes') return 'malformed';
    throw thrown;
  }
}

/** In the order in which the reference visits them: by name, while the bytes are sorted by length and then name. */
function byName<T>(entries: Entries<T>): Map<string, T> {
  return new Map([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** `0x2::coin` of a module itself. */
export function ownName(module: Module): string {
  return moduleText(module, module.selfHandle);
}

interface SplitName {
  /** `0x2::coin`. */
  readonly module: string;
  readonly name: string;
}

/** The parts of a full name; anything after a third `::` is ignored, as in the reference. */
export function splitName(text: string): SplitName | undefined {
  const [address, module, name] = text.split('::');
  return module === undefined || name === undefined ? undefined : { module: `${address}::${module}`, name };
}

/** The handle of the function with this full name, if the module defines it. */
export function findFunction(module: Module, text: string): number | undefined {
  const parts = splitName(text);
  if (parts?.module !== ownName(module)) return undefined;
  const [first] = indexOf(module).functions.get(parts.name) ?? [];
  return first === undefined ? undefined : module.functionDefinitions[first]!.handle;
}

/** The definitions of a struct by its name alone; a module that is not verified may have several. */
export function structsNamed(module: Module, name: string): readonly number[] {
  return indexOf(module).structs.get(name) ?? [];
}

/** Definitions by name. */
interface DefinitionIndex {
  readonly functions: ReadonlyMap<string, readonly number[]>;
  readonly structs: ReadonlyMap<string, readonly number[]>;
}

/** Metadata and fields of other structs may name each of thousands of definitions. */
const indexes = new WeakMap<Module, DefinitionIndex>();

function indexOf(module: Module): DefinitionIndex {
  return getOrInsert(indexes, module, () => {
    const { functionDefinitions, functionHandles, structDefinitions, structHandles, identifiers } = module;
    const nameOf = ({ name }: { readonly name: number }): string => identifiers[name]!;
    return {
      functions: positionsByName(functionDefinitions.map(({ handle }) => nameOf(functionHandles[handle]!))),
      structs: positionsByName(structDefinitions.map(({ handle }) => nameOf(structHandles[handle]!))),
    };
  });
}

function positionsByName(names: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, name] of names.entries()) {
    getOrInsert(positions, name, () => []).push(position);
  }
  return positions;
}
