/**
 * Writes the HTTP listener's answers and refusals, also on sockets without a response. Source of the headers for callers
 * from other origins: Fetch (CORS), Private Network Access.
 * @module
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { MIN_ORDER_HEADER } from './http-request.ts';
import { type Refusal, refusalText } from './refusal.ts';

/** Flat list of header names and values, which writeHead takes without building an object. */
export type HeaderList = readonly string[];

const JSON_TYPE = 'application/json; charset=utf-8';

/** Milliseconds for which a refused sender's input is still read and discarded, so that it sees the answer, not a reset. */
const LINGER_MS_MAX = 1_000;

/** Bytes of an answer that are written at once. */
export const ANSWER_PIECE_BYTES = 262_144;

/**
 * Writes a JSON text, or its UTF-8. `headers` are added to its type and length. A string goes out in one write with the
 * headers.
 * @param length bytes of the text
 */
export function replyJson(
  response: ServerResponse,
  status: number,
  text: string | Uint8Array,
  headers: HeaderList,
  length: number = Buffer.byteLength(text),
): void {
  response.writeHead(status, ['content-type', JSON_TYPE, 'content-length', String(length), ...headers]);
  response.end(text);
}

/**
 * Writes a large JSON text in pieces, each once the previous one is taken.
 * @param msMax milliseconds after which the connection is cut off, however much has been read by then
 */
export function replyInPieces(response: ServerResponse, bytes: Uint8Array, headers: HeaderList, msMax: number): void {
  response.writeHead(200, ['content-type', JSON_TYPE, 'content-length', String(bytes.length), ...headers]);
  const cutOff = setTimeout(() => response.destroy(), msMax);
  let at = 0;
  const write = (): void => {
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + ANSWER_PIECE_BYTES);
      at += piece.length;
      if (at === bytes.length) response.end(piece);
      else if (!response.write(piece)) return;
    }
  };
  response.on('drain', write).on('close', () => clearTimeout(cutOff));
  write();
}

export function replyEmpty(response: ServerResponse, status: number, headers: HeaderList): void {
  response.writeHead(status, status === 204 ? [...headers] : ['content-length', '0', ...headers]);
  response.end();
}

/**
 * Refuses a request whose body may still be on its way.
 *
 * Closing a socket with unread bytes makes the system send a reset, which can destroy the answer before the sender has
 * read it. So the answer goes out, the rest is read and discarded for a while, and then the connection closes.
 * Source: RFC 9112 9.6.
 */
export function replyRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  headers: HeaderList,
): void {
  const text = refusalText(refusal);
  const isRead = request.complete || !hasBody(request);
  const last: HeaderList = isRead ? headers : ['connection', 'close', ...headers];
  if (isRead || request.socket.readableEnded) {
    replyJson(response, refusal.status, text, last);
    return;
  }
  response.writeHead(refusal.status, [
    'content-type',
    JSON_TYPE,
    'content-length',
    String(Buffer.byteLength(text)),
    ...last,
  ]);
  response.write(text);
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS_MAX);
  request.removeAllListeners('data');
  request.on('end', finish).on('close', finish).resume();
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/**
 * Answers on a socket without a ServerResponse, because its message was not HTTP or asked for an upgrade, and ends it.
 */
export function replyRaw(socket: Duplex, refusal: Refusal, headers: HeaderList): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = refusalText(refusal);
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS_MAX);
  socket.on('error', () => socket.destroy()).on('close', () => clearTimeout(timer));
  socket.resume();
}

/** An answer may differ by Origin, which caches must know. */
export const VARY: HeaderList = ['vary', 'Origin'];
const PREFLIGHT_VARY: HeaderList = ['vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'];

/** Headers of every answer to an accepted caller; if there is an Origin, it is an allowed one. */
export function corsHeaders({ headers: { origin } }: IncomingMessage): HeaderList {
  return origin === undefined ? VARY : [...VARY, 'access-control-allow-origin', origin];
}

/** Answers a CORS preflight or a plain OPTIONS from an allowed caller, on any path, as the reference does. */
export function replyPreflight(request: IncomingMessage, response: ServerResponse, headers: HeaderList): void {
  const isPrivate = request.headers['access-control-request-private-network'] === 'true';
  replyEmpty(response, 200, [
    ...PREFLIGHT_VARY,
    ...headers.slice(VARY.length),
    'access-control-allow-methods',
    'POST',
    'access-control-allow-headers',
    // The last one is sent by event-stream clients that use fetch.
    `content-type, ${MIN_ORDER_HEADER}, last-event-id`,
    'access-control-max-age',
    '600',
    ...(isPrivate ? ['access-control-allow-private-network', 'true'] : []),
    'allow',
    'GET, HEAD, POST, OPTIONS',
  ]);
}
