/**
 * The engine's chunk when Node imports `#engine`: from its script, with V8's code cache if one fits (code-cache.ts).
 *
 * A module cannot choose at run time what it re-exports, and awaiting the choice would rule out `require`. So the build
 * makes a module from this function and the names that the chunk exports (scripts/chunk-scripts.mjs). Node resolves
 * `#engine` to it, by the condition `node-addons`. Other runtimes and most bundlers do not set that, and take the chunk
 * itself.
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

/** What a script lacks: `import()` and `import.meta`. */
type Given = readonly [importChunk: (file: string) => Promise<unknown>, meta: ScriptMeta];

/**
 * The chunk's exports.
 * @param url of a module beside the chunk; undefined in a CommonJS bundle
 * @param bundled returns the chunk itself if a bundler took this module, as Bun's and esbuild can be told to. It fails
 * if there is no bundle.
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

/** The factory in the script of a chunk; undefined if there is none. */
function factoryBeside(chunk: string): Factory<Given, unknown> | undefined {
  const run = (host: ScriptHost): Factory<Given, unknown> =>
    runScript(host, readScript(host, 'engine', chunk), 'engine.js');
  const host = scriptHost();
  try {
    return host ? run(host) : evaluateScript('engine', chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // With --disallow-code-generation-from-strings only modules have source maps.
    const node = error instanceof EvalError ? nodeHost() : undefined;
    if (node === undefined) throw error;
    return run(node);
  }
}
