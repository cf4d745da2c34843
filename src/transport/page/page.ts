/**
 * The web client: one HTML page that any node serves at `GET /`, without a build step and without outside resources.
 *
 * It is an inspector of a chain: what happened, what there is, what may be done. Each thing has a view with an address of its
 * own (a transaction, an account, an object, a module, a method), and wherever one names another there is a link, so that
 * somebody who follows links finds out why. A list shows a line for each thing; opening the line asks the node for the rest
 * (a trace runs a transaction again), so that nothing is paid for that nobody looks at.
 *
 * It knows nothing that JSON-RPC does not say: it asks `rpc.discover` what the node offers, and leaves out what it does not,
 * such as traces and the controls of a test node. What is new comes over one subscription, which knows the next order at all
 * times. Numbers keep all their digits, since answers are read by the page's own JSON reader.
 *
 * Everything is native HTML (links, buttons, details, tables), so that the keyboard and screen readers work without code for
 * them; one column at phone width; colours by the system's scheme.
 *
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
