/**
 * What the file system says about a file, as an error of the engine.
 * @module
 */
import { EngineError, messageOf } from '../base/error.ts';

/** Names the file in an error of the file system, such as a full disk. */
export async function orFailed<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}

/** The error for what was thrown about a file; errors of the engine stay as they are. */
export function fileFailure(path: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const reason = messageOf(cause);
  return new EngineError('store-failed', `${path}: ${reason}`, { cause });
}
