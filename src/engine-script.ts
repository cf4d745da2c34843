/**
 * The engine's chunk where Node imports `#engine`: from its script, with V8's code cache where one fits (code-cache.ts).
 *
 * A module cannot choose at run time what it exports from, and awaiting a choice would lock out `require`. So the build makes a
 * module of this function and of the names that the chunk exports (scripts/chunk-scripts.mjs). Node resolves `#engine` to it, by
 * the condition `node-addons`, which bundlers and other runtimes do not set: they take the chunk itself.
 * @module
 */
import { evaluateScript, type Factory, readScript, runScript, scriptHost } from './code-cache.ts';

/** What a script has not by itself: `import()`, and `import.meta`, which says that this is one. */
type Given = readonly [
  importChunk: (file: string) => Promise<unknown>,
  meta: { readonly url: string; readonly isScript: true },
];

/**
 * What the chunk exports.
 * @param url of a module beside the chunk; undefined in a bundle of CommonJS
 */
export function engineChunk(importChunk: Given[0], url: string | undefined): unknown {
  try {
    const chunk = new URL('./engine.js', url).href;
    const host = scriptHost();
    const factory: Factory<Given, unknown> =
      host === undefined
        ? evaluateScript('engine', chunk)
        : runScript(host, readScript(host, 'engine', chunk), 'engine.js');
    // Its lines are those of the chunk.
    return factory(importChunk, { url: chunk, isScript: true });
  } catch (cause) {
    if (!['ENOENT', 'ERR_INVALID_URL'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new Error(
      `movelet: engine.script.js is not beside ${url ?? 'this bundle'}. A bundler has to leave movelet outside, or not to resolve the condition "node-addons", which is Node's own.`,
      { cause },
    );
  }
}
