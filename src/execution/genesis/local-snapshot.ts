/**
 * The default local chain at genesis, which the build wrote: its rows as a store in memory holds them
 * (store/row-chunks.ts), in the order of their keys; where among them the modules are, as JSON; and the length of the
 * rows (4 bytes, little endian).
 *
 * Computing that genesis takes about 100 ms in a fresh process, mostly because the code is still cold. Reading a dump
 * of it takes 8 ms; these rows take 2 ms, since they need no parsing or copying. `scripts/build.mjs` makes them with
 * the code that it has just compiled. Sources that run without a build (tests) compute the genesis, and a test compares
 * the two.
 * @module
 */
import { fromHex, textOfBytes, toHex } from '../../base/bytes/bytes.ts';
import type { ShippedModule, ShippedModules } from '../runtime/module-cache.ts';
import { builtGenesis } from './built-genesis.ts';

const LENGTH_BYTES = 4;

/**
 * The file's table of modules: the root of the module store with exactly these modules, and the modules by their keys
 * in it.
 */
interface ModuleTable {
  readonly root: string;
  readonly modules: Readonly<Record<string, readonly [at: number, bytes: number, digest: string]>>;
}

/** The genesis that the build wrote. */
class LocalSnapshot {
  /** Do not write to it. */
  readonly rows: Uint8Array;
  readonly #text: Uint8Array;
  #table: ModuleTable | undefined;
  #modules: ShippedModules | undefined;

  constructor(rows: Uint8Array, table: Uint8Array) {
    this.rows = rows;
    this.#text = table;
  }

  /** The keys of its modules in the module store, each after those of the modules that it imports. */
  get moduleKeys(): readonly string[] {
    return Object.keys(this.#moduleTable().modules);
  }

  /** Its modules. */
  get modules(): ShippedModules {
    this.#modules ??= modulesOf(this.rows, this.#moduleTable());
    return this.#modules;
  }

  #moduleTable(): ModuleTable {
    this.#table ??= JSON.parse(textOfBytes(this.#text)) as ModuleTable;
    return this.#table;
  }
}

function modulesOf(rows: Uint8Array, { root, modules }: ModuleTable): ShippedModules {
  let digests: ReadonlySet<string> | undefined;
  return {
    root: fromHex(root),
    find: (key): ShippedModule | undefined => {
      const place = modules[key];
      if (place === undefined) return undefined;
      const [at, length, digest] = place;
      return { bytes: rows.subarray(at, at + length), digest: fromHex(digest) };
    },
    has: (digest): boolean => {
      digests ??= new Set(Object.values(modules).map(([, , text]) => text));
      return digests.has(toHex(digest));
    },
  };
}

/** Null once it is known not to exist: it is looked up in every transaction. */
let snapshot: LocalSnapshot | null | undefined;

/**
 * The genesis that the build wrote, always the same object; undefined if it does not exist.
 * @throws {EngineError} `corrupt` if the file is damaged
 */
export function localSnapshot(): LocalSnapshot | undefined {
  if (snapshot === undefined) snapshot = readSnapshot() ?? null;
  return snapshot ?? undefined;
}

function readSnapshot(): LocalSnapshot | undefined {
  const content = builtGenesis();
  if (content === undefined) return undefined;
  const tableEnd = content.length - LENGTH_BYTES;
  const rowsEnd = new DataView(content.buffer, content.byteOffset).getUint32(tableEnd, true);
  return new LocalSnapshot(content.subarray(0, rowsEnd), content.subarray(rowsEnd, tableEnd));
}
