/**
 * Wrong calls of the doors `movelet/log`, `movelet/log` and `movelet/log`.
 * @module
 */

import * as commitLog from '../../src/log/index.ts';
import { logCompliance, openPostgresLog } from '../../src/log/index.ts';
import { drained, members, type Table, tries, type World } from './attempts.ts';
import { NO_BYTES, NO_FUNCTION, NO_LIST, NO_OBJECT, NO_OPTIONS, NO_ORDER, NO_TEXT } from './values.ts';

const NO_COUNT: readonly unknown[] = [null, -1, 0.5, Number.NaN, '5'];
const NO_SIGNAL: readonly unknown[] = [null, 5, 'text', {}];

/** What every log is asked. */
function logCalls(name: string, log: commitLog.CommitLog): Table {
  const head = { epoch: 1n, order: 0n, digest: new Uint8Array(32), stateRoot: new Uint8Array(32) };
  return {
    [`${name}#append`]: [
      ...tries('after', NO_OBJECT, (after) => log.append(after, [])),
      ...tries('after.epoch', NO_ORDER, (epoch) => log.append({ ...head, epoch }, [])),
      ...tries('after.order', NO_ORDER, (order) => log.append({ ...head, order }, [])),
      ...tries('after.digest', NO_BYTES, (digest) => log.append({ ...head, digest }, [])),
      ...tries('after.stateRoot', NO_BYTES, (stateRoot) => log.append({ ...head, stateRoot }, [])),
      ...tries('records', NO_LIST, (records) => log.append(head, records)),
      ...tries('records[0]', NO_BYTES, (record) => log.append(head, [record])),
    ],
    [`${name}#read`]: [
      ...tries('fromOrder', NO_ORDER, (order) => drained(log.read(order))),
      ...tries('options', NO_OPTIONS, (options) => drained(log.read(1n, options))),
      ...members({ max: NO_COUNT, signal: NO_SIGNAL }, (given) => drained(log.read(1n, given))),
    ],
    [`${name}#prune`]: tries('beforeOrder', NO_ORDER, (order) => log.prune(order)),
    [`${name}#changed`]: tries('signal', [undefined, ...NO_SIGNAL], (signal) => drained(log.changed(signal))),
  };
}

export function commitLogCalls({ log, directory }: World): Table {
  return {
    ...logCalls('CommitLog', log),
    ...logCalls('DirectoryLog', log),
    openPostgresLog: [
      ...tries(
        'connection',
        NO_OBJECT.filter((given) => given !== 'text'),
        (connection) => openPostgresLog(connection),
      ),
      ...tries('options', NO_OPTIONS, (options) => openPostgresLog('postgres://127.0.0.1:1', options)),
      ...tries('chain', [null, 5, '', 'a'.repeat(64)], (chain) => openPostgresLog('postgres://127.0.0.1:1', { chain })),
    ],
    openDirectoryLog: [
      ...tries('path', NO_TEXT, (path) => commitLog.openDirectoryLog(path)),
      ...tries('options', NO_OPTIONS, (options) => commitLog.openDirectoryLog(directory, options)),
      ...tries('segmentBytes', NO_COUNT, (segmentBytes) => commitLog.openDirectoryLog(directory, { segmentBytes })),
    ],
    summaryOf: tries('record', NO_BYTES, (record) => commitLog.summaryOf(record)),
    logCompliance: [
      ...tries('options', NO_OBJECT, (options) => logCompliance(options)),
      ...tries('test', NO_FUNCTION, (test) => logCompliance({ test, create: async () => async () => log })),
      ...tries('create', NO_FUNCTION, (create) => logCompliance({ test: () => {}, create })),
      ...members({ runs: NO_COUNT, seed: [null, 0.5, Number.NaN, '5'] }, (given) =>
        logCompliance({ test: () => {}, create: async () => async () => log, ...given }),
      ),
    ],
  };
}
