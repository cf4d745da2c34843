/**
 * The engine's chunk where Node imports `#engine`: from its script, with V8's code cache where one fits (code-cache.ts).
 *
 * A module cannot choose at run time what it exports from, and awaiting a choice would lock out `require`. So the build makes a
 * module of this function and of the names that the chunk exports (scripts/chunk-scripts.mjs). Node resolves `#engine` to it, by
 * the condition `node-addons`. Other runtimes and most bundlers do not set that, and take the chunk itself.
 * @module
 */
import {
  evaluateScript,
  type Factory,
  nodeHost,
  readScript,
  runScript,
  type ScriptHost,
  type ScriptMeta,
  scriptHost,
} from './code-cache.ts';

/** What a script has not by itself: `import()` and `import.meta`. */
type Given = readonly [importChunk: (file: string) => Promise<unknown>, meta: ScriptMeta];

/**
 * What the chunk exports.
 * @param url of a module beside the chunk; undefined in a bundle of CommonJS
 * @param bundled gives the chunk itself where a bundler took this module, as Bun's and esbuild can be told to. It fails
 * where there is no bundle.
 */
export function engineChunk(importChunk: Given[0], url: string | undefined, bundled: () => unknown): unknown {
  const chunk = url?.startsWith('file:') ? new URL('./engine.js', url).href : undefined;
  const factory = chunk && factoryBeside(chunk);
  if (factory) {
    const meta: ScriptMeta = { url: chunk, unit: undefined };
    meta.unit = factory(importChunk, meta);
    return meta.unit;
  }
  try {
    return bundled();
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    throw new Error(`movelet is not whole: ${url} has no engine.script.js beside it. Install it again.`, { cause });
  }
}

/** What the script of a chunk is; undefined where there is none. */
function factoryBeside(chunk: string): Factory<Given, unknown> | undefined {
  const run = (host: ScriptHost): Factory<Given, unknown> =>
    runScript(host, readScript(host, 'engine', chunk), 'engine.js');
  const host = scriptHost();
  try {
    return host ? run(host) : evaluateScript('engine', chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // With --disallow-code-generation-from-strings there are source maps of modules only.
    const node = error instanceof EvalError ? nodeHost() : undefined;
    if (node === undefined) throw error;
    return run(node);
  }
}
