/**
 * Reads the JSON text of an HTTP request without ever holding more of it than the limits allow.
 * @module
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Exchange } from './connection.ts';
import {
  contentEncodingUnsupported,
  contentTypeUnsupported,
  notUtf8,
  overloaded,
  type Refusal,
  requestTooBig,
} from './refusal.ts';
import { RequestBuffer } from './request-buffer.ts';

/** `application/json` and `application/*+json`, with parameters. Source: RFC 6838. */
const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)[ \t]*(?:;(.*))?$/i;
const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i;

/** The reason why the body, judging by its headers, cannot be JSON text; undefined if it can. */
export function rejectContentType(request: IncomingMessage): Refusal | undefined {
  const type = request.headers['content-type'];
  if (type !== 'application/json') {
    const match = type === undefined ? null : JSON_TYPE.exec(type);
    const charset = match?.[1] === undefined ? 'utf-8' : (CHARSET.exec(match[1])?.[1] ?? 'utf-8').toLowerCase();
    if (match === null || (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii')) {
      return contentTypeUnsupported(type);
    }
  }
  const encoding = request.headers['content-encoding'];
  return encoding === undefined || encoding === 'identity' ? undefined : contentEncodingUnsupported(encoding);
}

/**
 * Reads the body and passes it to `done`, or the reason why it could not be read. `done` is called at most once, and
 * not at all if the client goes away first.
 * @param bytesMax bytes of one body
 */
export function readJsonBody(exchange: Exchange, bytesMax: number, done: (body: string | Refusal) => void): void {
  const { request, response } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    done(requestTooBig(bytesMax));
    return;
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = new RequestBuffer(bytesMax);
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    if (refused) return;
    const fits = body.append(chunk);
    if (fits && exchange.hold(chunk.length)) return;
    refused = true;
    body.clear();
    done(
      fits
        ? overloaded('bytes of requests in flight', exchange.connection.requestBytes.budget.max)
        : requestTooBig(bytesMax),
    );
  });
  request.on('end', () => {
    if (refused) return;
    const bytes = body.take();
    done(isUtf8(bytes) ? bytes.toString('utf8') : notUtf8());
  });
}
