/**
 * Ignoring offers to leave HTTP/1.1.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The headers that offer an upgrade. */
const OFFER = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * Serves a request that offers any upgrade but WebSocket as if it offered none: the HTTP/2 clients of Java and curl
 * offer `h2c` with ordinary POSTs. node:http passes every offer on with its parser detached, so the head is written
 * again without the offer, and the socket starts over.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const headers = headersOf(request).filter(([name]) => !OFFER.test(name));
  if (/\bclose\b/i.test(request.headers.connection ?? '')) headers.push(['Connection', 'close']);
  startOver(server, request, headers, socket, head);
}

/**
 * Serves a request that offers an upgrade anew, once the requests before it are answered. The socket may have been paused
 * for them, and whoever takes over a paused socket from node:http hears nothing more from it.
 */
export function serveUpgradeAnew(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  startOver(server, request, headersOf(request), socket, head);
}

function headersOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return headers;
}

function startOver(
  server: Server,
  { method, url, httpVersion }: IncomingMessage,
  headers: readonly (readonly [name: string, value: string])[],
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  server.emit('connection', socket);
  socket.resume();
  // Resuming reads from the system again a tick later, and only as long as node:http has not handed the socket over.
  process.nextTick(() => {
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  });
}
