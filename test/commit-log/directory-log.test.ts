/** A commit log in a directory: the suite for logs, and what a crash or a damaged file leaves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { logCompliance } from '../../src/commit-log/compliance/index.ts';
import { openDirectoryLog } from '../../src/commit-log/index.ts';

const root = mkdtempSync(join(tmpdir(), 'movelet-log-'));
afterAll(() => rmSync(root, { recursive: true }));

const newDirectory = (): string => mkdtempSync(join(root, 'log-'));

describe.each([
  ['one segment', undefined],
  ['a segment for each append', 1],
])('a directory log with %s', (_, segmentBytes) => {
  logCompliance({
    test: it,
    create: async () => {
      const path = newDirectory();
      return () => openDirectoryLog(path, { segmentBytes });
    },
  });
});
