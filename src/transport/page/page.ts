import type { IncomingMessage, ServerResponse } from 'node:http';

export function servePage(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200).end(request.method === 'HEAD' ? '' : '<!doctype html>');
}
