/** Which files this process has open: what must be closed is asked for by tests on Linux, which alone lists them. */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';

const FOLDER = '/proc/self/fd';

/** Whether open files can be listed here. */
export const listsOpenFiles: boolean = existsSync(FOLDER);

/** Files below a directory that this process has open; other threads open and close theirs meanwhile. */
export function openFiles(path: string): string[] {
  const root = realpathSync(path);
  return readdirSync(FOLDER).flatMap((file) => {
    try {
      const target = readlinkSync(`${FOLDER}/${file}`);
      return target.startsWith(root) ? [target] : [];
    } catch {
      // It is closed by now, as the one is that listed the folder.
      return [];
    }
  });
}
