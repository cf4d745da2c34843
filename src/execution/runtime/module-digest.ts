/**
 * The digests of decoded modules, by which facts about code are kept outside the code itself.
 * @module
 */
import type { Module } from '../../vm/binary/module.ts';

const digests = new WeakMap<Module, string>();

/** Notes the digest of the bytes that a module was decoded from. */
export function noteDigest(module: Module, digest: string): void {
  digests.set(module, digest);
}

/** Undefined for a module that no cache decoded. */
export function digestOf(module: Module): string | undefined {
  return digests.get(module);
}
