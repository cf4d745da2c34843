/** A server of files for the tests' pages, with headers of the test's choice. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedFiles {
  readonly url: string;
  close(): Promise<void>;
}

/** By path, without the first `/`. */
export type Files = Pick<ReadonlyMap<string, string | Uint8Array>, 'get'>;

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

export function contentTypeOf(path: string): string {
  return `${TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'}; charset=utf-8`;
}

export async function serveFiles(files: Files, headers: Readonly<Record<string, string>> = {}): Promise<ServedFiles> {
  const server = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://localhost').pathname.slice(1) || 'index.html';
    const file = files.get(path);
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': contentTypeOf(path), ...headers });
    response.end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
