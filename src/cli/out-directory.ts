/**
 * The folder of --out, for commands that write files into it.
 * @module
 */
import { EngineError, messageOf } from '../base/error.ts';
import { makeDirectory } from '../store/file-sync.ts';

/**
 * Makes the folder, unless there is one.
 * @throws {EngineError} `invalid-argument` naming the option if it cannot be made
 */
export async function makeOutDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new EngineError('invalid-argument', `--out: expected a folder, or a place for one, got ${path} (${reason})`, {
      cause,
    });
  }
}
