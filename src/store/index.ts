/**
 * The entry point `movelet/store`: the storage seam and its kinds, for programs with a database or a store of their
 * own.
 * @module
 */

export { type StoreComplianceOptions, storeCompliance } from './compliance/index.ts';
export type { Database } from './database.ts';
export { type DirectoryOptions, openDirectory } from './directory.ts';
export { dumpStore, type LoadOptions, loadDump } from './dump.ts';
export { beginBatch } from './gathered-batch.ts';
export { checkOperations, checkPage, checkRange } from './key-range.ts';
export { type Durability, LevelStore, type LevelStoreOptions } from './level.ts';
export { MemoryStore, OverlayStore } from './memory.ts';
export { MirrorStore } from './mirror.ts';
export type {
  BatchOptions,
  Checkpoint,
  KeyRange,
  LargeBatch,
  Operation,
  ReadableStore,
  RevertibleStore,
  Row,
  Store,
  StoreSupports,
  StoreView,
} from './store.ts';
