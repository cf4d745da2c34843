/**
 * Units of the build from V8's code cache.
 *
 * Parsing the engine and the machine, and compiling the parts that a first transaction runs, is a good part of what a
 * user waits for. The build also writes both units as scripts (scripts/code-cache.mjs), each with V8's code cache
 * beside it, taken after a view, a transfer and a package, for the V8 that built. If the running V8 is the same, in a
 * process of Node's own, the scripts replace the modules. It is one or the other, never both: whoever imports the
 * engine imports `#engine` (package.json, `imports`; engine-script.ts), and only `Engine.open` imports the machine
 * (scripts/build.mjs checks this).
 *
 * V8 checks its version, its flags and the length of the source, and crashes on a wrong byte in the data. So a cache
 * begins with a digest of the script and of itself, and one that does not match is ignored. In that case, and if V8
 * rejects a cache for its flags, the script is compiled like any other, which costs only time.
 * @module
 */
import type * as Crypto from 'node:crypto';
import type * as FileSystem from 'node:fs';
import type * as VirtualMachine from 'node:vm';

/** Length of the SHA-256 in front of V8's data. */
const DIGEST_BYTES = 32;

/** The engine's chunk, as all others import it. */
const ENGINE = '#engine';

interface HostProcess {
  readonly versions: { readonly v8: string };
  readonly arch: string;
  readonly sourceMapsEnabled?: boolean;
  getBuiltinModule?(name: 'node:crypto'): typeof Crypto;
  getBuiltinModule?(name: 'node:fs'): typeof FileSystem;
  getBuiltinModule?(name: 'node:vm'): typeof VirtualMachine;
}

/** What the engine has in place of `import.meta` when it runs as a script. */
export interface ScriptMeta {
  /** Of the chunk that the script was made from. */
  readonly url: string;
  /** What the script returned, once it is evaluated. */
  unit: unknown;
}

/** The function that a script evaluates to: it takes what it does not contain, and returns the chunk's exports. */
export type Factory<Given extends readonly unknown[], Unit> = (...given: Given) => Unit;

/** The Node modules that running scripts in place of modules takes. */
export interface ScriptHost {
  readonly files: typeof FileSystem;
  readonly vm: typeof VirtualMachine;
  readonly crypto: typeof Crypto;
  /** V8 and the processor: what a code cache is for. */
  readonly target: string;
}

/**
 * Undefined outside of Node, and in a node:vm context, where a script would have other array and error classes than the
 * modules.
 */
export function nodeHost(): ScriptHost | undefined {
  const { process } = globalThis as { readonly process?: HostProcess };
  if (process?.getBuiltinModule === undefined) return undefined;
  const vm = process.getBuiltinModule('node:vm');
  if (!(vm.Script instanceof Function)) return undefined;
  const files = process.getBuiltinModule('node:fs');
  const crypto = process.getBuiltinModule('node:crypto');
  return { files, vm, crypto, target: `${process.versions.v8}-${process.arch}` };
}

/** `nodeHost`, unless stack traces are shown in lines of `src`: Node has no source maps for such scripts. */
export function scriptHost(): ScriptHost | undefined {
  const { process } = globalThis as { readonly process?: HostProcess };
  return process?.sourceMapsEnabled === true ? undefined : nodeHost();
}

/** A unit that has been read but is not code yet. */
export interface StoredScript {
  /** In ASCII. */
  readonly source: Buffer;
  /** The digest and V8's data; undefined if the build made none for this V8. */
  readonly stored: Buffer | undefined;
}

/**
 * Reads a unit from beside the file of a URL.
 * @throws errors of node:fs if there is no such unit
 */
export function readScript({ files, target }: ScriptHost, unit: string, url: string): StoredScript {
  const cache = new URL(`./${unit}.${target}.cache`, url);
  return {
    source: files.readFileSync(new URL(`./${unit}.script.js`, url)),
    stored: files.existsSync(cache) ? files.readFileSync(cache) : undefined,
  };
}

/**
 * Runs a unit. In stack traces it has this name wherever it lies: V8 takes the name from the cache, which was made
 * elsewhere.
 */
export function runScript<Given extends readonly unknown[], Unit>(
  host: ScriptHost,
  { source, stored }: StoredScript,
  name: string,
): Factory<Given, Unit> {
  const filename = `movelet/dist/${name}`;
  const cachedData = stored && checkedData(host.crypto, source, stored);
  const script = new host.vm.Script(source.toString('latin1'), { filename, ...(cachedData && { cachedData }) });
  return script.runInThisContext() as Factory<Given, Unit>;
}

/**
 * Evaluates a unit in this context, whichever it is, with the source map of the chunk that it was made from.
 * @param url of that chunk
 */
export function evaluateScript<Given extends readonly unknown[], Unit>(
  unit: string,
  url: string,
): Factory<Given, Unit> {
  const files = process.getBuiltinModule('node:fs');
  const text = files.readFileSync(new URL(`./${unit}.script.js`, url), 'latin1');
  // biome-ignore lint/security/noGlobalEval: the text is a file of the build, and importing it would have to be awaited
  const evaluate = globalThis.eval as (text: string) => Factory<Given, Unit>;
  return evaluate(`${text}\n//# sourceURL=${url}\n//# sourceMappingURL=${unit}.js.map`);
}

/** V8's data for the source, if the digest in front of it matches both. */
function checkedData(crypto: typeof Crypto, source: Buffer, stored: Buffer): Buffer | undefined {
  const cachedData = stored.subarray(DIGEST_BYTES);
  const digest = crypto.createHash('sha256').update(source).update(cachedData).digest();
  return digest.equals(stored.subarray(0, DIGEST_BYTES)) ? cachedData : undefined;
}

/**
 * A function that returns the late unit's exports; undefined if the module has to be imported: in a bundle, in sources,
 * under another version of V8, or without scripts. Everything has been read by then; the script is checked and compiled
 * on first use, since a program that only reads a chain does not need it.
 */
export async function cachedUnit<Unit>(): Promise<(() => Unit) | undefined> {
  const host = scriptHost();
  const { url, unit } = import.meta as ImportMeta & Partial<ScriptMeta>;
  if (host === undefined || url?.startsWith('file:') !== true || (unit === undefined && !runsAs(url))) return undefined;
  if (!host.files.existsSync(new URL(`./execution.${host.target}.cache`, url))) return undefined;
  const late = readScript(host, 'execution', url);
  const engine: unknown = unit ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ ENGINE));
  return once(() => runScript<[engine: unknown], Unit>(host, late, 'execution.script.js')(engine));
}

/** Calls `make` on first use, and then drops everything it held on to. */
function once<T>(make: () => T): () => T {
  let pending: (() => T) | undefined = make;
  let made: T | undefined;
  return () => {
    made ??= pending!();
    pending = undefined;
    return made;
  };
}

/**
 * Whether this code runs as the file of that URL. Bundlers keep the source's URL in their output; the script would then
 * find the chunks beside that source, and with them a second engine.
 */
function runsAs(url: string): boolean {
  return new Error('where is this?').stack?.includes(url) === true;
}
