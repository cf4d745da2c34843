/**
 * The default local chain at genesis, which the build wrote beside the compiled code: its rows as a store in memory
 * holds them (store/row-layout.ts), in the order of their keys; where among them the modules are, as JSON; the length
 * of the rows (4 bytes, little endian); and the SHA-256 of all that.
 *
 * Computing that genesis takes some 100 ms in a fresh process, mostly because the code is still cold. Reading a dump of
 * it takes eight; these rows take two, since they need no parsing or copying. `scripts/build.mjs` makes them with the
 * code that it has just compiled. Sources that run without a build (tests) compute the genesis, and a test compares the
 * two.
 * @module
 */
import type * as FileSystem from 'node:fs';
import { equalBytes, fromHex, textOfBytes, toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import type { ShippedModule, ShippedModules } from '../runtime/module-cache.ts';

interface Host {
  readonly process?: { getBuiltinModule?(name: 'node:fs'): typeof FileSystem | undefined };
}

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;

/** The file's table of modules: the root of the module store that has exactly these, and each by its key there. */
interface ModuleTable {
  readonly root: string;
  readonly modules: Readonly<Record<string, readonly [at: number, bytes: number, digest: string]>>;
}

/** The genesis that the build wrote. */
class LocalSnapshot {
  /** Do not write to it. */
  readonly rows: Uint8Array;
  readonly #table: Uint8Array;
  #modules: ShippedModules | undefined;

  constructor(rows: Uint8Array, table: Uint8Array) {
    this.rows = rows;
    this.#table = table;
  }

  /** Its modules. */
  get modules(): ShippedModules {
    this.#modules ??= modulesOf(this.rows, JSON.parse(textOfBytes(this.#table)) as ModuleTable);
    return this.#modules;
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

/** Null once it is known that there is none: callers ask in every transaction. */
let snapshot: LocalSnapshot | null | undefined;

/**
 * The genesis that the build wrote, the same each time; undefined if there is none: no build, no file system, or a bundle
 * without it. A CommonJS bundle has no URL either.
 * @throws {EngineError} `corrupt` if the file is damaged
 */
export function localSnapshot(): LocalSnapshot | undefined {
  if (snapshot === undefined) snapshot = readSnapshot() ?? null;
  return snapshot ?? undefined;
}

function readSnapshot(): LocalSnapshot | undefined {
  const files = (globalThis as Host).process?.getBuiltinModule?.('node:fs');
  if (files === undefined || import.meta.url === undefined) return undefined;
  // This code is bundled into one of the files at the top of `dist`, where the build puts the snapshot.
  const url = new URL('./local-genesis.rows', import.meta.url);
  if (!files.existsSync(url)) return undefined;
  const { buffer, byteOffset, length } = files.readFileSync(url);
  const content = new Uint8Array(buffer, byteOffset, Math.max(length - DIGEST_BYTES, 0));
  if (!equalBytes(sha256(content), new Uint8Array(buffer, byteOffset + content.length, length - content.length))) {
    throw new EngineError('corrupt', `${url.href}: its digest does not match its bytes: install movelet again`);
  }
  const tableEnd = content.length - LENGTH_BYTES;
  const rowsEnd = new DataView(buffer, byteOffset).getUint32(tableEnd, true);
  return new LocalSnapshot(content.subarray(0, rowsEnd), content.subarray(rowsEnd, tableEnd));
}
