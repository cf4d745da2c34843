/**
 * Sends JSON-RPC messages to another node over HTTP: how a reader of a commit log passes writes on to its writer.
 *
 * The number of concurrent requests, the time for an answer, and its size are limited. A request that got no answer may
 * have been carried out, as with any request over a network; the error says so.
 * @module
 */
import { argumentError } from '../../base/argument.ts';
import { FORWARD_ANSWER_BYTES_MAX, FORWARD_MS_MAX, FORWARDS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { fetchFailure } from '../../base/http-address.ts';
import type { Forward } from '../rpc/forward.ts';

/**
 * Forwards write requests to the node at `url`, for a reader of a commit log. The writer must serve the same namespaces
 * as the reader.
 *
 * ```ts
 * const rpc = createRpc(reader, { forward: forwardTo('http://writer.example:6767') });
 * ```
 * @throws {EngineError} `invalid-argument` for anything but an http or https URL without user and password
 */
export function forwardTo(url: string): Forward {
  const base = readUrl(url);
  let underWay = 0;
  return async (message, path) => {
    if (underWay >= FORWARDS_MAX) {
      throw new EngineError('limit-exceeded', `${FORWARDS_MAX} requests are being forwarded already (FORWARDS_MAX)`);
    }
    underWay++;
    try {
      return await post(`${base}${path === undefined || path === '/' ? '' : path}`, message);
    } finally {
      underWay--;
    }
  };
}

function readUrl(given: unknown): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || url.username + url.password !== '' || url.search !== '' || url.hash !== '') {
    throw argumentError('url', 'an address such as http://HOST:PORT', given);
  }
  return url.href.replace(/\/+$/, '');
}

async function post(url: string, body: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(FORWARD_MS_MAX);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    return await readAnswer(response, `the writer at ${url}`);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(
      'transport-failed',
      `the writer at ${url} did not answer: ${fetchFailure(error)}; it may or may not have executed the request`,
      { details: { writer: url }, cause: error },
    );
  }
}

/**
 * The text of a node's answer.
 * @param whose names the node in messages
 * @throws {EngineError} `limit-exceeded` if it is longer than any answer of a node. What `fetch` throws if it breaks off.
 */
export async function readAnswer(response: Response, whose: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > FORWARD_ANSWER_BYTES_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `the answer of ${whose}: expected at most ${FORWARD_ANSWER_BYTES_MAX} bytes (FORWARD_ANSWER_BYTES_MAX)`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
