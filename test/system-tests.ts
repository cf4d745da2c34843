/**
 * Which test files start other processes or browsers, to kill them, to install packages, or to see movelet as a user of the
 * command line does: `npm run test:system` runs these, and `npm test` all others.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const STARTS_PROCESSES = /from 'node:child_process'|from 'playwright|modelcontextprotocol\/client\/stdio/;
const IMPORTED = /from '(\.[^']+)'/g;

const known = new Map<string, boolean>();

/** Whether a test file starts processes, or imports another one that does. */
export function startsProcesses(path: string): boolean {
  const found = known.get(path);
  if (found !== undefined) return found;
  known.set(path, false);
  const text = readFileSync(path, 'utf8');
  const imported = Array.from(text.matchAll(IMPORTED), ([, name]) => join(dirname(path), name!));
  const starts = STARTS_PROCESSES.test(text) || imported.some((file) => isTestFile(file) && startsProcesses(file));
  known.set(path, starts);
  return starts;
}

function isTestFile(path: string): boolean {
  return /^test[/\\]/.test(path) && existsSync(path);
}
