/**
 * The web client: one HTML page that any node serves at `GET /`, with no build step and no external resources.
 *
 * It inspects a chain. Each transaction, account, object, module and method has a view with its own address, and every
 * mention of another one is a link. A list shows one line per item; opening the line requests the rest (a trace reruns a
 * transaction), so that nothing is computed in vain.
 *
 * All data comes from JSON-RPC: the page asks `rpc.discover` for the methods of the node, and hides features that it lacks,
 * such as traces and the controls of a test node. New transactions arrive over one subscription, which always knows the
 * next order. Numbers keep all their digits, since the page has its own JSON reader.
 *
 * Everything is native HTML (links, buttons, details, tables), so that the keyboard and screen readers need no code;
 * one column at phone width; colours follow the system's scheme.
 *
 * Invariants: a node's answers are inserted as text, never as HTML; nothing is loaded from elsewhere; the page connects
 * only to nodes that its user names. The Content-Security-Policy allows exactly this page's style and script, by their
 * hashes, so that even injected HTML could not run a script.
 * Source: CSP level 3, OpenRPC 1.2.6.
 * @module
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { markup } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** The Content-Security-Policy source that allows a style or script by its hash. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * A page with one style and one script.
 * @param head further elements of the head
 */
export function htmlPage(head: string, look: string, body: string, code: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>movelet</title>
<link rel="icon" href="data:,">
<style>${look}</style>
</head>
<body>${body}<script>${code}</script>
</body>
</html>
`;
}

/** The page as sent. */
export const pageHtml: string = htmlPage('', style, markup, script);

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
