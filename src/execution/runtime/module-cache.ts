/**
 * Modules by their bytes, decoded once for all states, sessions and forks of an engine.
 *
 * The package itself holds all modules of a local chain at genesis. Most chains run this very code, and a process loads
 * half of it before its first transaction. Finding a module in the state takes a walk through the tree, checked hash by
 * hash, and then the module's digest; for a module store with the root of genesis, both are skipped.
 * @module
 */

import { equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { keepRecent } from '../../base/recent.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import { moduleOfField } from '../../chain/state/state.ts';
import type { Module } from '../../vm/binary/module.ts';
import { readModule } from '../../vm/binary/read.ts';
import { readStoredModule } from '../../vm/binary/stored-module.ts';

/** Digests of the bytes from which modules were decoded. */
const digests = new WeakMap<Module, string>();

/** Undefined for a module not decoded by a cache. */
export function moduleDigest(module: Module): string | undefined {
  return digests.get(module);
}

/** Number of parsed modules that are kept, counting all versions: the framework has 134, and each takes about 30 kB. */
const MODULES_READ_MAX = 2_000;

export class ModuleCache {
  /** By digest, least recently used first. */
  readonly #modules = new Map<string, Module>();
  /** Modules of state fields, whose bytes need not be hashed again. */
  readonly #stored = new WeakMap<ObjectState, Module>();
  /** Modules that are only partly decoded. */
  readonly #inPart = new WeakSet<Module>();

  readonly #shipped: () => ShippedModules | undefined;
  #hits = 0;
  #misses = 0;

  /** @param shipped the modules that the package holds; default: none */
  constructor(shipped: () => ShippedModules | undefined = () => undefined) {
    this.#shipped = shipped;
  }

  /** Number of modules held, and of hits. */
  get usage(): { entries: number; entriesMax: number; hits: number; misses: number } {
    return { entries: this.#modules.size, entriesMax: MODULES_READ_MAX, hits: this.#hits, misses: this.#misses };
  }

  /**
   * The module that a field of a state's module store holds.
   * @throws {EngineError} `malformed-module`; so do parts of it that are decoded on first use
   */
  stored(field: ObjectState): Module {
    let module = this.#stored.get(field);
    if (module !== undefined) this.#hits++;
    else {
      // A copy of the state's bytes.
      const bytes = moduleOfField(field);
      const hash = sha3(bytes);
      module = this.#inParts(bytes, hash, () => this.#shipped()?.has(hash) === true);
      this.#stored.set(field, module);
    }
    return module;
  }

  /** The package's copies of all modules of the module store with that root, or undefined. */
  shippedUnder(root: Uint8Array): ShippedModules | undefined {
    const shipped = this.#shipped();
    return shipped !== undefined && equalBytes(shipped.root, root) ? shipped : undefined;
  }

  /** A module that the package holds: the same as `stored` returns for a field that holds it. */
  shipped({ bytes, digest }: ShippedModule): Module {
    return this.#inParts(bytes, digest, () => true);
  }

  /** The module of these bytes, which must not change afterwards. */
  #inParts(bytes: Uint8Array, hash: Uint8Array, isSound: () => boolean): Module {
    const digest = textOfBytes(hash);
    let module = this.#modules.get(digest);
    this.#count(module);
    if (module === undefined) {
      module = readStoredModule(bytes, isSound());
      digests.set(module, digest);
      this.#inPart.add(module);
    }
    keepRecent(this.#modules, digest, module, MODULES_READ_MAX);
    return module;
  }

  /**
   * The module of these bytes, the same object each time. It is decoded completely, so refusing it does not depend on
   * whether a state holds the same bytes.
   * @throws {EngineError} `malformed-module`
   */
  read(bytes: Uint8Array): Module {
    const digest = textOfBytes(sha3(bytes));
    let module = this.#modules.get(digest);
    this.#count(module);
    // A module keeps views of its bytes, and the caller may change those.
    if (module === undefined || this.#inPart.has(module)) {
      module = readModule(bytes.slice());
      digests.set(module, digest);
    }
    keepRecent(this.#modules, digest, module, MODULES_READ_MAX);
    return module;
  }

  #count(module: Module | undefined): void {
    if (module === undefined) this.#misses++;
    else this.#hits++;
  }
}

export interface ShippedModule {
  /** Do not write to it. */
  readonly bytes: Uint8Array;
  /** SHA3-256 of the bytes. */
  readonly digest: Uint8Array;
}

export interface ShippedModules {
  /** The root of the module store. */
  readonly root: Uint8Array;
  /** @param key the module's (vm/binary/module.ts) */
  readonly find: (key: string) => ShippedModule | undefined;
  /**
   * Whether one of them has these bytes, from wherever they are loaded: it was verified when the package was built.
   * @param digest SHA3-256 of the bytes
   */
  readonly has: (digest: Uint8Array) => boolean;
}
