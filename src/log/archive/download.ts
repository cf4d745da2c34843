/**
 * A dump from an HTTP server, loaded as it downloads, so a slow reader takes no more memory.
 * @module
 */
import { DOWNLOAD_IDLE_MS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { basicCredentials, fetchFailure, type HttpAddress, readHttpAddress } from '../../base/http-address.ts';

/** Whether a text is an address to download from, and not a path. */
export function isDownload(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Where a download comes from, for messages: without user and password, and without path and query, where some services
 * expect a key.
 * @throws {EngineError} `invalid-argument` for text that is not a URL
 */
export function downloadOrigin(url: string): string {
  return parse(url).origin;
}

/**
 * The bytes of the file at `url`. A user and password in it are sent as a browser does; redirects are followed.
 * @param idleMs milliseconds that the server has for the next bytes
 * @throws {EngineError} `invalid-argument` for text that is not a URL, `not-found` for an answer without the file,
 * `transport-failed` for a server that cannot be reached, is silent for too long or ends too early
 */
export async function* download(url: string, idleMs: number = DOWNLOAD_IDLE_MS_MAX): AsyncGenerator<Uint8Array, void> {
  const address = parse(url);
  const { origin } = address;
  const abort = new AbortController();
  /** The result of `work`, if it comes soon enough. */
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => abort.abort(), idleMs);
    try {
      return await work;
    } catch (cause) {
      throw failure(origin, abort.signal.aborted ? `it said nothing for ${idleMs} ms` : fetchFailure(cause), cause);
    } finally {
      clearTimeout(timer);
    }
  };
  const response = await inTime(fetch(address.href, { headers: headersOf(address), signal: abort.signal }));
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new EngineError('not-found', `bootstrap: ${origin} answers HTTP ${response.status}, and gives no file`);
  }
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // A reader that wants no more releases the connection; one that failed has none any more.
    await reader.cancel().catch(() => undefined);
  }
}

function parse(url: string): HttpAddress {
  const address = readHttpAddress(url);
  if (address !== undefined) return address;
  // The text is not repeated: it may hold a password.
  throw new EngineError(
    'invalid-argument',
    'bootstrap: expected a path or an http or https URL, got one that is not valid',
  );
}

function headersOf({ credentials }: HttpAddress): Record<string, string> {
  return credentials === undefined ? {} : { authorization: `Basic ${basicCredentials(credentials)}` };
}

function failure(origin: string, reason: string, cause: unknown): EngineError {
  return new EngineError('transport-failed', `bootstrap: the download from ${origin} failed: ${reason}`, { cause });
}
