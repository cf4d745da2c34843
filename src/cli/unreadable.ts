/**
 * Errors for files named on the command line that cannot be read.
 * @module
 */
import { EngineError, messageOf } from '../base/error.ts';

/**
 * The error for a file or folder that could not be read.
 * @param what its name in messages: `FILE`, `--genesis`
 * @param cause what Node threw
 */
export function unreadable(what: string, path: string, cause: unknown): EngineError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new EngineError('not-found', `${what}: there is no file or folder ${path}`, { cause });
  const reason = messageOf(cause);
  return new EngineError('not-found', `${what}: ${path} cannot be read: ${reason}`, { cause });
}
