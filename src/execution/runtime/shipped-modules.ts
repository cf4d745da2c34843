/**
 * Modules that the package itself holds: those of a local chain at genesis, everything in its module store.
 *
 * Most chains run this very code, and a process loads half of it before its first transaction. Finding a module in the
 * state takes a walk through the tree, checked hash by hash, and then the module's digest. But if the module store has
 * this root, its modules are known.
 * @module
 */

export interface ShippedModule {
  /** Do not write to it. */
  readonly bytes: Uint8Array;
  /** SHA3-256 of the bytes. */
  readonly digest: Uint8Array;
}

export interface ShippedModules {
  /** The root of the module store. */
  readonly root: Uint8Array;
  /** @param key the module's (vm/module-id.ts) */
  readonly find: (key: string) => ShippedModule | undefined;
  /**
   * Whether one of them has these bytes, wherever they are loaded from: it was verified when the package was built.
   * @param digest SHA3-256 of the bytes
   */
  readonly has: (digest: Uint8Array) => boolean;
}
