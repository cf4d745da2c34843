/**
 * The web client: one HTML page that any node serves at `GET /`, without a build step and without outside resources.
 *
 * It shows the chain at a glance, takes a node URL, lists the methods that the node's OpenRPC document describes, sends requests and shows the answers
 * with all their digits, browses the state along access paths, object ids and cursors, calls entry functions by a form made
 * from their module's ABI, and watches events and transactions as they are committed.
 * Invariants: what a node says is inserted as text, never as HTML; nothing is loaded from anywhere; the page may connect
 * to the nodes that its user names, and to nothing else. The Content-Security-Policy allows exactly the style and the
 * script of this file, by their hashes, so that even HTML that found its way in could not run.
 * Source: CSP level 3, OpenRPC 1.2.6.
 * @module
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { markup } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The page as it is sent. */
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>movelet</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>${markup}<script>${script}</script>
</body>
</html>
`;

const HEADERS: readonly string[] = [
  'content-type',
  'text/html; charset=utf-8',
  'content-length',
  String(Buffer.byteLength(pageHtml)),
  'content-security-policy',
  [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${hashSource(script)}`,
    "connect-src 'self' http: https: ws: wss:",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'DENY',
  'referrer-policy',
  'no-referrer',
  'cache-control',
  'no-cache',
];

/** Answers a GET or HEAD of the page. */
export function servePage(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, [...HEADERS]);
  response.end(request.method === 'HEAD' ? undefined : pageHtml);
}
