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
  expectationUnsupported,
  notUtf8,
  overloaded,
  type Refusal,
  requestTooBig,
} from './refusal.ts';
import { RequestBuffer } from './request-buffer.ts';

/** `application/json` and `application/*+json`, with parameters. Source: RFC 6838. */
const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)[ \t]*(?:;(.*))?$/i;
const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i;

/** As node:http tells it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Whether the client waits to be told to send its body. HTTP/1.0 has no answer 100. Source: RFC 9110 10.1.1. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect !== undefined && CONTINUE.test(headers.expect);
}

/** The reason why the client's expectation cannot be met; undefined if it can, or there is none. */
export function rejectExpectation(request: IncomingMessage): Refusal | undefined {
  const { expect } = request.headers;
  const isMet = expect === undefined || request.httpVersion === '1.0' || expectsContinue(request);
  return isMet ? undefined : expectationUnsupported(expect);
}

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
  if (expectsContinue(request)) response.writeContinue();
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
