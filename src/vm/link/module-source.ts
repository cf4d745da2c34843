/**
 * Where the machine finds modules.
 * @module
 */
import type { Module } from '../binary/module.ts';
import type { ModuleId } from '../module-id.ts';

/**
 * Returns the module of an id, or `undefined` if there is none. The source has verified the module, alone and against
 * its dependencies; the machine trusts it. Synchronous. It should return the same object for the same bytes.
 */
export interface ModuleSource {
  load(id: ModuleId): Module | undefined;
}
