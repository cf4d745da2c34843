/**
 * Where the machine finds modules.
 * @module
 */
import type { Module } from '../binary/module.ts';
import type { ModuleId } from '../module-id.ts';

/**
 * Gives the module of an id, or `undefined` if there is none. Whoever gives a module has had it verified, by itself and
 * against its dependencies; the machine trusts it. Synchronous. The same object should come back for the same bytes.
 */
export interface ModuleSource {
  load(id: ModuleId): Module | undefined;
}
