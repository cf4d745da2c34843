/**
 * Wrong calls of the doors `movelet/store` and `movelet/store`.
 * @module
 */

import * as store from '../../src/store/index.ts';
import { storeCompliance } from '../../src/store/index.ts';
import {
  drained,
  members,
  NO_OPERATIONS,
  operations,
  rangesOfKeys,
  type Table,
  tries,
  type World,
} from './attempts.ts';
import { ANYTHING_ELSE, NO_BYTES, NO_FLAG, NO_FUNCTION, NO_OBJECT, NO_OPTIONS, NO_TEXT } from './values.ts';

/** What every store and view of one is asked. */
export function readCalls(name: string, kept: Pick<store.ReadableStore, 'get' | 'range' | 'scan'>): Table {
  return {
    [`${name}#get`]: tries('key', NO_BYTES, (key) => kept.get(key)),
    [`${name}#range`]: rangesOfKeys((range) => kept.range(range), true),
    [`${name}#scan`]: rangesOfKeys((range) => drained(kept.scan(range)), false),
  };
}

export function storeCalls({ batches, level, mirror, directory }: World): Table {
  const memory = new store.MemoryStore();
  const overlay = store.OverlayStore.over(memory.view());
  const headKey = Uint8Array.of(1);
  return {
    ...readCalls('MemoryStore', memory),
    ...readCalls('OverlayStore', overlay),
    ...readCalls('LevelStore', level),
    ...readCalls('MirrorStore', mirror),
    'StoreView#get': [memory, overlay, level].flatMap((kept) => readCalls('StoreView', kept.view())['StoreView#get']!),
    'StoreView#range': [memory, overlay, level].flatMap(
      (kept) => readCalls('StoreView', kept.view())['StoreView#range']!,
    ),
    'StoreView#scan': [memory, overlay, level].flatMap(
      (kept) => readCalls('StoreView', kept.view())['StoreView#scan']!,
    ),
    'MemoryStore#batch': operations((given) => memory.batch(given)),
    'MemoryStore#apply': operations((given) => memory.apply(given)),
    'OverlayStore#batch': operations((given) => overlay.batch(given)),
    'OverlayStore#apply': operations((given) => overlay.apply(given)),
    'LevelStore#batch': [
      ...operations((given) => level.batch(given)),
      ...tries('options', NO_OPTIONS, (options) => level.batch([], options)),
      ...members({ sync: NO_FLAG, order: [null, 5, '5', -1n] }, (given) => level.batch([], given)),
    ],
    'LevelStore#bytesOnDisk': tries(
      'upTo',
      NO_BYTES.filter((upTo) => upTo !== undefined),
      (upTo) => level.bytesOnDisk(upTo),
    ),
    'MirrorStore#batch': [
      ...operations((given) => mirror.batch(given)),
      ...tries('options', NO_OPTIONS, (options) => mirror.batch([], options)),
      ...tries('sync', NO_FLAG, (sync) => mirror.batch([], { sync })),
    ],
    'MemoryStore#restore': tries('checkpoint', [...NO_OBJECT, {}, overlay.checkpoint()], (checkpoint) =>
      memory.restore(checkpoint),
    ),
    'OverlayStore#restore': tries('checkpoint', [...NO_OBJECT, {}, memory.checkpoint()], (checkpoint) =>
      overlay.restore(checkpoint),
    ),
    'LargeBatch#get': batches.flatMap((batch) => tries('key', NO_BYTES, (key) => batch.get(key))),
    'LargeBatch#add': batches.flatMap((batch) => operations((given) => batch.add(given))),
    'LargeBatch#commit': tries('operations', NO_OPERATIONS, (given) => new store.MemoryStore().begin().commit(given)),
    'LevelStore.over': tries('database', [...NO_OBJECT, {}], (database) => store.LevelStore.over(database)),
    'MirrorStore.over': tries('database', [...NO_OBJECT, {}], (database) => store.MirrorStore.over(database)),
    'OverlayStore.over': tries('view', [...NO_OBJECT, {}], (view) => store.OverlayStore.over(view)),
    openDirectory: [
      ...tries('path', [...NO_TEXT, ''], (path) => store.openDirectory(path)),
      ...tries('options', NO_OPTIONS, (options) => store.openDirectory(directory, options)),
      ...members(
        {
          durability: [null, 'sync', 5],
          cacheBytes: [null, -1, 0.5, Number.NaN, '5'],
          checkTables: NO_FLAG,
          onClose: [null, 5, 'text', {}],
          sync: [true],
        },
        (given) => store.openDirectory(directory, given),
      ),
    ],
    dumpStore: tries('store', [...NO_OBJECT, {}], (kept) => drained(store.dumpStore(kept))),
    loadDump: [
      ...tries('store', [...NO_OBJECT, {}], (kept) => store.loadDump(kept, [], { headKey })),
      ...tries('chunks', [undefined, ...ANYTHING_ELSE, {}], (chunks) =>
        store.loadDump(new store.MemoryStore(), chunks, { headKey }),
      ),
      ...tries('chunks', [['text'], [5], [{}]], (chunks) =>
        store.loadDump(new store.MemoryStore(), chunks, { headKey }),
      ),
      ...tries('options', NO_OBJECT, (options) => store.loadDump(new store.MemoryStore(), [], options)),
      ...tries('headKey', NO_BYTES, (key) => store.loadDump(new store.MemoryStore(), [], { headKey: key })),
      ...members({ check: [null, 5, 'text'], onProgress: [null, 5, 'text'] }, (given) =>
        store.loadDump(new store.MemoryStore(), [], { headKey, ...given }),
      ),
    ],
    beginBatch: tries('store', [...NO_OBJECT, {}], (kept) => store.beginBatch(kept)),
    checkOperations: operations((given) => store.checkOperations(given)),
    checkPage: rangesOfKeys((range) => store.checkPage(range), true),
    checkRange: rangesOfKeys((range) => store.checkRange(range), false),
    storeCompliance: [
      ...tries('options', NO_OBJECT, (options) => storeCompliance(options)),
      ...tries('test', NO_FUNCTION, (test) => storeCompliance({ test, open: async () => new store.MemoryStore() })),
      ...tries('open', NO_FUNCTION, (open) => storeCompliance({ test: () => {}, open })),
      ...members({ runs: [null, -1, 0.5, Number.NaN, '5'], seed: [null, 0.5, Number.NaN, '5'] }, (given) =>
        storeCompliance({ test: () => {}, open: async () => new store.MemoryStore(), ...given }),
      ),
    ],
  };
}
