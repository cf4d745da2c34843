/**
 * movelet archive and movelet restore: adds a chain's history to an archive, and makes a data directory from one. The
 * archive code is loaded on demand, like that of logs.
 * @module
 */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { Engine } from '../engine/engine.ts';
import type { ArchiveWriter } from '../log/archive/archive-writer.ts';
import type { CommitLog } from '../log/commit-log.ts';
import { openForReading } from '../store/directory.ts';
import {
  type Arguments,
  CHAIN_OPTIONS,
  type Command,
  command,
  engineOptions,
  type Options,
  orderOption,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { checkSound, dumped } from './dump.ts';
import { LOG_OPTIONS, openLog, readKeys } from './node-options.ts';
import { longWork } from './progress.ts';

/** Orders between two dumps of an archive. A restore applies this many records at most, which takes minutes. */
const ARCHIVE_DUMP_ORDERS = 100_000;

/** The largest setting for that: beyond any chain. */
const ARCHIVE_DUMP_ORDERS_MAX: number = 10 ** 15;

const ARCHIVE_OPTIONS: Options = {
  'dump-every': {
    value: 'N',
    help: `make a dump when the newest is N orders old; 0 for none (default: ${ARCHIVE_DUMP_ORDERS})`,
  },
  'prune-log': { help: 'then prune archived records from the log, after reading the archive back' },
  'log-chain': LOG_OPTIONS['log-chain']!,
  'writer-key': {
    value: 'HEX',
    multiple: true,
    help: 'another public key that signs the log (default: the first one seen)',
  },
  genesis: { ...CHAIN_OPTIONS['genesis']!, help: 'the released genesis file of a log that begins at genesis' },
  chain: { ...CHAIN_OPTIONS['chain']!, help: 'the chain id of the default genesis, for a log that begins there' },
};

/** Names of a directory log's claim files and segments. */
const LOG_FILE = /^\d{10}\.claim$|\.segment$/;

const AGAIN = 'what is complete stays, and the same command continues';

async function runArchive(args: Arguments): Promise<number> {
  const [source = '', target = ''] = args.positionals;
  const isOfLog = await isLog(source);
  const forLogs = Object.keys(ARCHIVE_OPTIONS).find((name) => args.given.has(name));
  if (!isOfLog) assertDumpable(source);
  if (!isOfLog && forLogs !== undefined) throw new UsageError(`--${forLogs} is for logs, and ${source} is none`);
  const { ArchiveWriter } = await import('../log/archive/archive-writer.ts');
  const writer = await ArchiveWriter.open(target);
  try {
    await (isOfLog ? archiveLog(writer, source, args) : archiveDump(writer, source));
  } finally {
    writer.close();
  }
  return 0;
}

/** @throws {UsageError} for an archive */
async function isLog(source: string): Promise<boolean> {
  if (/^postgres(?:ql)?:\/\//.test(source)) return true;
  const { isArchive } = await import('../log/archive/archive-files.ts');
  if (isArchive(source)) throw new UsageError(`${source} is itself an archive: copy its files instead`);
  if (!existsSync(source) || isFile(source) || existsSync(join(source, 'CURRENT'))) return false;
  return readdirSync(source).some((name) => LOG_FILE.test(name));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** @throws {EngineError} `not-found` */
function assertDumpable(source: string): void {
  if (isFile(source) || existsSync(join(source, 'CURRENT'))) return;
  throw new EngineError('not-found', `${source} is neither a log nor a data directory nor a dump; check the path`);
}

/** Adds a dump: of a data directory, or an existing one. */
async function archiveDump(writer: ArchiveWriter, source: string): Promise<void> {
  const store = isFile(source) ? undefined : await openForReading(source);
  try {
    const chunks = store === undefined ? createReadStream(source) : dumped(store);
    const { head, isNew } = await writer.addDump(chunks as AsyncIterable<Uint8Array>);
    const done = isNew ? `archived a dump of order ${head.order}` : `the archive has a dump of order ${head.order}`;
    process.stdout.write(`${done}\n`);
  } finally {
    await store?.close();
  }
}

async function archiveLog(writer: ArchiveWriter, source: string, args: Arguments): Promise<void> {
  const dumpEvery = readNumber(args, 'dump-every', ARCHIVE_DUMP_ORDERS, ARCHIVE_DUMP_ORDERS_MAX);
  const writers = readKeys(args.strings('writer-key'));
  const log = await openLog(source, args.string('log-chain'));
  const { archive } = writer;
  try {
    if (archive.dumps.length === 0 && (await log.head()).order === 0n) {
      process.stdout.write('nothing is new: the log has no record yet\n');
      return;
    }
    if (archive.dumps.length === 0) await addGenesis(writer, log, args);
    const from = archive.end.order;
    const records = await longWork(AGAIN, (onProgress) =>
      writer.addRecords(log, { writers, onProgress: (done, total) => onProgress({ name: 'orders', done, total }) }),
    );
    const { order } = archive.end;
    const added = archive.segments.filter(({ last }) => last > from).length;
    process.stdout.write(
      records === 0
        ? `nothing is new: the archive ends at order ${order}\n`
        : `archived orders ${order - BigInt(records) + 1n} to ${order} in ${counted(added, 'segment')}\n`,
    );
    await addNewDump(writer, BigInt(dumpEvery));
    if (!args.flag('prune-log')) return;
    await writer.pruneLog(log);
    process.stdout.write(`pruned the log before order ${order}\n`);
  } finally {
    await log.close();
  }
}

/** An archive begins with a dump; for a log that begins at genesis, a dump of its genesis. */
async function addGenesis(writer: ArchiveWriter, log: CommitLog, args: Arguments): Promise<void> {
  for await (const { order } of beginning(log)) {
    if (order !== 1n) return;
    const engine = await withFlagsNamed(async () => {
      const { genesis, chainId } = await engineOptions(args);
      return Engine.open({ genesis, chainId });
    });
    try {
      await writer.addDump(engine.dump());
    } finally {
      await engine.close();
    }
  }
}

/** The first record, if the log begins at genesis. */
async function* beginning(log: CommitLog): AsyncGenerator<{ readonly order: bigint }, void, undefined> {
  try {
    yield* log.read(1n, { max: 1 });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'pruned') throw error;
  }
}

/** Makes a dump of the newest archived order if the newest dump is too old. */
async function addNewDump(writer: ArchiveWriter, every: bigint): Promise<void> {
  const { archive } = writer;
  const { order } = archive.end;
  const newest = archive.dumps.at(-1)?.head.order ?? 0n;
  if (every === 0n || order < newest + every) return;
  const { dumpBefore, withRestored } = await import('../log/archive/restore.ts');
  await longWork(AGAIN, (onProgress) =>
    withRestored(archive, dumpBefore(archive, order), { onProgress }, (store) => writer.addDump(dumped(store))),
  );
  process.stdout.write(`archived a dump of order ${order}\n`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export const archiveCommand: Command = command({
  name: 'archive',
  summary: 'add the records of a log, or a dump, to an archive',
  usage: 'LOG|DIR|DUMP ARCHIVE [--dump-every N] [--prune-log]',
  example: './chain ./archive',
  min: 2,
  help: `ARCHIVE is a directory, which is created if it is missing. New records of a LOG (a directory, or
postgres://...) are added in segments that are never changed; from a data directory DIR, which must be closed, a dump
of its head; a DUMP is copied. Each record is checked, each file is read back, and an interruption, even kill -9,
leaves a sound archive. An archive begins with a dump: if a log begins later than genesis, archive a data directory of
that order or a later one first. Dumps of later orders are made in the temporary directory, which needs as much space
as the chain.`,
  options: ARCHIVE_OPTIONS,
  completes: 'file',
  run: runArchive,
});

async function runRestore(args: Arguments): Promise<number> {
  const to = orderOption(args, 'to');
  const [source = '', directory = ''] = args.positionals;
  const [{ Archive }, { restoreArchive }] = await Promise.all([
    import('../log/archive/archive.ts'),
    import('../log/archive/restore.ts'),
  ]);
  const archive = await Archive.open(source);
  const check = args.flag('trusted') ? undefined : checkSound;
  const { order, stateRoot } = await longWork('the same command continues', (onProgress) =>
    restoreArchive(archive, directory, { to, check, onProgress }),
  );
  process.stdout.write(`restored order ${order}, state root ${toHexPrefixed(stateRoot)}, into ${directory}\n`);
  return 0;
}

export const restoreCommand: Command = command({
  name: 'restore',
  summary: 'make a data directory from an archive',
  usage: 'ARCHIVE DIR [--to ORDER] [--trusted]',
  example: './archive ./restored --to 1000',
  min: 2,
  help: `DIR must be empty or missing, and neither mounted itself nor the current directory. It begins with the newest dump at or
before the order; the records after that are checked one by one, and each must lead to the state root that it names. DIR gets
its name when it is complete: until then it is DIR.restoring, and the same command continues there after an interruption.
`,
  options: {
    to: { value: 'ORDER', help: 'restore the chain as it was after this order (default: the newest)' },
    trusted: { help: "trust the author of the archive's dumps: check only their digests, as for movelet load" },
  },
  completes: 'directory',
  run: runRestore,
});
