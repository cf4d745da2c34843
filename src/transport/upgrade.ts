/**
 * Offers to leave HTTP/1.1 that this listener passes over.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves a request that offers an upgrade other than WebSocket as if it had not: Java's and curl's HTTP/2 clients offer
 * `h2c` with ordinary POSTs. node:http hands every offer over with the parser detached, so the head is written anew
 * without the offer and the socket starts again.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    if (!/^(?:connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
