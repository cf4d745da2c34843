/**
 * The web client: one HTML page that any node serves at `GET /`, with no build step and no external resources.
 *
 * It inspects a chain: what happened, what exists, what can be done. Each thing (a transaction, an account, an object,
 * a module, a method) has a view with its own address, and wherever one names another there is a link, so that
 * following links leads to the cause. A list shows one line per thing; opening the line asks the node for the rest (a
 * trace reruns a transaction), so that nothing is spent on what nobody looks at.
 *
 * It knows only what JSON-RPC tells it: it asks `rpc.discover` what the node offers, and hides the rest, such as traces
 * and the controls of a test node. New transactions arrive over one subscription, which always knows the next order.
 * Numbers keep all their digits, since the page has its own JSON reader.
 *
 * Everything is native HTML (links, buttons, details, tables), so that the keyboard and screen readers need no code;
 * one column at phone width; colours follow the system's scheme.
 *
 * Invariants: what a node says is inserted as text, never as HTML; nothing is loaded from elsewhere; the page may
 * connect to the nodes its user names, and to nothing else. The Content-Security-Policy allows exactly this page's
 * style and script, by their hashes, so that even injected HTML could not run a script.
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

/** The page as sent. */
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
