/**
 * Where this user's caches are.
 * Source: the XDG base directory specification; the guidelines of macOS and Windows.
 * @module
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder in which rows of forks are kept unless another one is named. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME: named, LOCALAPPDATA: local } = process.env;
  const caches =
    named !== undefined && named !== ''
      ? named
      : process.platform === 'win32' && local !== undefined
        ? local
        : join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  return join(caches, 'movelet', 'forks');
}
