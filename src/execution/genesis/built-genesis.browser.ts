/**
 * The genesis that the build wrote, for pages: gzipped, as base64 text in a module, which every bundler includes and no
 * page policy forbids. It is loaded before the first chain is opened.
 * @module
 */
import { fromBase64 } from '../../base/bytes/base64.ts';

let content: Uint8Array | undefined;

export async function loadBuiltGenesis(): Promise<void> {
  const { default: text } = await import('../../../dist/browser/local-genesis.js');
  const bytes = new Response(fromBase64(text)).body!.pipeThrough(new DecompressionStream('gzip'));
  content = new Uint8Array(await new Response(bytes).arrayBuffer());
}

export const builtGenesis = (): Uint8Array | undefined => content;
