/**
 * Ignoring offers to leave HTTP/1.1.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves a request that offers any upgrade but WebSocket as if it offered none: the HTTP/2 clients of Java and curl
 * offer `h2c` with ordinary POSTs. node:http passes every offer on with its parser detached, so the head is written
 * again without the offer, and the socket starts over.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    if (!/^(?:connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
