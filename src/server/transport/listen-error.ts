/**
 * Why a listener could not be opened, and what to do about it.
 * @module
 */
import { EngineError } from '../../base/error.ts';

/** The system's error, in words. */
export function listenError(host: string, port: number, cause: NodeJS.ErrnoException): EngineError {
  const details = { host, port, cause: cause.code ?? null };
  return new EngineError('transport-failed', `cannot listen on ${host}:${port}: ${reasonOf(host, port, cause)}`, {
    cause,
    details,
  });
}

function reasonOf(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use; choose another one, or 0 for any that is free`;
    case 'EACCES':
      return `port ${port} needs more rights; choose one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine`;
    default:
      return message;
  }
}
