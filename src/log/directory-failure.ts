/**
 * Why a log in a directory did not do what it was asked.
 * @module
 */
import { EngineError, messageOf } from '../base/error.ts';
import type { LogHead } from './log-head.ts';

/** Another writer took over. */
export function fenced({ epoch }: LogHead): EngineError {
  return new EngineError(
    'fenced',
    `another writer took over the log from that of epoch ${epoch}: nothing was appended`,
    {
      details: { epoch: String(epoch) },
    },
  );
}

/** The disk did not confirm records, and nobody else has taken over since. */
export function diskFailed({ epoch }: LogHead, { cause, message }: EngineError): EngineError {
  const reason = cause instanceof Error ? cause.message : message;
  return new EngineError(
    'fenced',
    `the disk of the log failed, which ended the epoch ${epoch} of this writer: nothing was appended (${reason}); repair the disk, and start this writer again`,
    { details: { epoch: String(epoch), disk: 'failed' }, cause },
  );
}

/** A record that should be there. */
export function missing(order: bigint): EngineError {
  return new EngineError('corrupt', `the log should hold a record of order ${order}, and it is missing or damaged`, {
    details: { order: String(order) },
  });
}

/** Node 26 denies fsync under --permission, whatever is allowed. */
const WITHOUT_PERMISSION = 'Run without --permission, or keep the log in PostgreSQL (movelet/postgres)';

/** The error for what the file system threw; errors of the log stay as they are. */
export function failed(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = messageOf(error);
  if ((error as NodeJS.ErrnoException | null)?.code === 'ERR_ACCESS_DENIED') {
    const message = `Node's permission model denies what a log in a directory needs: ${reason} ${WITHOUT_PERMISSION}`;
    return new EngineError('not-supported', message, { cause: error });
  }
  return new EngineError('log-failed', `the log could not do what was asked: ${reason}`, { cause: error });
}

/** @throws {EngineError} `failed` for what `run` throws */
export async function orFailed<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw failed(error);
  }
}
