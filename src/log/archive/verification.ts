/**
 * Verifying an archive: each file against its digest, and the whole chain of records, applied to the oldest dump.
 * @module
 */
import { join } from 'node:path';
import { encode } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { head as headCodec } from '../../chain/ledger/head.ts';
import { summaryAt } from '../record.ts';
import type { Archive } from './archive.ts';
import { dumpFile } from './archive-files.ts';
import { headOfDump } from './archive-writer.ts';
import { type RestoreProgress, withRestored } from './restore.ts';

export interface ArchiveReport {
  readonly segments: number;
  readonly records: number;
  readonly dumps: number;
  /** Sentences; empty for a sound archive. */
  readonly problems: readonly string[];
}

export interface VerifyArchiveOptions {
  /** If it throws, the work ends. */
  readonly onProgress?:
    | ((progress: RestoreProgress | { name: 'files'; done: number; total: number }) => void)
    | undefined;
}

/**
 * Verifies an archive. Its records are applied, in a temporary directory, only if all files are unchanged.
 * @throws {EngineError} `store-failed`; what `onProgress` throws
 */
export async function verifyArchive(
  archive: Archive,
  { onProgress }: VerifyArchiveOptions = {},
): Promise<ArchiveReport> {
  const problems: string[] = archive
    .strays()
    .map(
      (name) =>
        `${join(archive.path, name)} is not in the manifest: the next movelet archive adds it, or says that it does not belong there`,
    );
  const files = archive.files();
  for (const [index, file] of files.entries()) {
    await listed(problems, () => archive.check(file));
    onProgress?.({ name: 'files', done: index + 1, total: files.length });
  }
  if (problems.length === 0) await checkDumps(archive, problems);
  if (problems.length === 0) await checkRecords(archive, problems, onProgress);
  const records = archive.segments.reduce((sum, { first, last }) => sum + Number(last - first) + 1, 0);
  return { segments: archive.segments.length, records, dumps: archive.dumps.length, problems };
}

/** Each dump must hold the head that the manifest names, and the state that the record of its order leads to. */
async function checkDumps(archive: Archive, problems: string[]): Promise<void> {
  if (archive.dumps.length === 0) problems.push(`${archive.path} has no dump to restore from`);
  for (const { head } of archive.dumps) {
    const path = join(archive.path, dumpFile(head.order));
    const found = await listed(problems, () => headOfDump(path));
    if (found === undefined) continue;
    if (!equalBytes(encode(headCodec, found), encode(headCodec, head))) {
      problems.push(`${path} holds another head than the manifest says`);
    }
    if (archive.segmentAt(head.order) === undefined) continue;
    const own = await summaryAt(archive, head.order);
    if (own !== undefined && !equalBytes(own.stateRoot, head.stateRoot)) {
      problems.push(`${path} holds another state than the record of order ${head.order} leads to`);
    }
  }
}

async function checkRecords(
  archive: Archive,
  problems: string[],
  onProgress: VerifyArchiveOptions['onProgress'],
): Promise<void> {
  const [first] = archive.segments;
  if (first === undefined) return;
  const base = archive.dumps.find(({ head }) => head.order + 1n === first.first);
  if (base === undefined) {
    problems.push(`${archive.path} has no dump that its first record, order ${first.first}, follows`);
    return;
  }
  await listed(problems, () => withRestored(archive, base, { onProgress }, async () => {}));
}

/** The result of `work`, or a problem. */
async function listed<T>(problems: string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'store-failed') throw error;
    problems.push(error.message);
    return undefined;
  }
}
