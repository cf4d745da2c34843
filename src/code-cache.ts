/**
 * Units of the build from V8's code cache.
 *
 * Parsing the engine and the machine, and compiling what a first transaction runs of them, is a good part of what a user
 * waits for. The build writes both units once more as scripts (scripts/code-cache.mjs), and beside each what V8 made of it
 * after a view, a transfer and a package, for the V8 that built. Where that is the V8 that runs, in a process of Node's own, the
 * scripts take the place of the modules. It is one or the other, never both: whoever imports the engine imports
 * `#engine` (package.json, `imports`; engine-script.ts), and nobody but `Engine.open` imports the machine (scripts/build.mjs
 * checks it).
 *
 * V8 looks at its version, at its flags and at the length of the source, and dies of a byte that is wrong in between. So
 * a cache begins with a digest of the script and of itself, and one that does not fit is left alone. Then, as where V8
 * refuses a cache for its flags, the script is compiled as any other, which costs time and nothing else.
 * @module
 */
import type * as Crypto from 'node:crypto';
import type * as FileSystem from 'node:fs';
import type * as VirtualMachine from 'node:vm';

/** Of the SHA-256 in front of V8's data. */
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

/** What the engine has for `import.meta` where it is a script. */
export interface ScriptMeta {
  /** Of the chunk that the script is made of. */
  readonly url: string;
  /** What the script gave, once it is evaluated. */
  unit: unknown;
}

/** What a script is: it takes what it does not hold, and gives what the chunk exports. */
export type Factory<Given extends readonly unknown[], Unit> = (...given: Given) => Unit;

/** Node's modules, where scripts can take the place of modules. */
export interface ScriptHost {
  readonly files: typeof FileSystem;
  readonly vm: typeof VirtualMachine;
  readonly crypto: typeof Crypto;
  /** V8 and the processor: what a code cache is for. */
  readonly target: string;
}

/**
 * Undefined outside of Node, and in a context of node:vm, where a script would meet other arrays and errors than the modules.
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

/** `nodeHost`, but where stack traces are told in lines of `src`: Node has no source maps of such scripts. */
export function scriptHost(): ScriptHost | undefined {
  const { process } = globalThis as { readonly process?: HostProcess };
  return process?.sourceMapsEnabled === true ? undefined : nodeHost();
}

/** A unit that was read and is not code yet. */
export interface StoredScript {
  /** In ASCII. */
  readonly source: Buffer;
  /** The digest and V8's data; undefined where the build made none for this V8. */
  readonly stored: Buffer | undefined;
}

/**
 * A unit beside the file of a URL.
 * @throws errors of node:fs, where there is no such unit
 */
export function readScript({ files, target }: ScriptHost, unit: string, url: string): StoredScript {
  const cache = new URL(`./${unit}.${target}.cache`, url);
  return {
    source: files.readFileSync(new URL(`./${unit}.script.js`, url)),
    stored: files.existsSync(cache) ? files.readFileSync(cache) : undefined,
  };
}

/**
 * What a unit is. In stack traces it has this name wherever it lies: V8 takes the name from the cache, which was made elsewhere.
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
 * What a unit is, in this context, whichever it is, and with the source map of the chunk that it is made of.
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

/** What V8 made of the source, where the digest in front of it is that of both. */
function checkedData(crypto: typeof Crypto, source: Buffer, stored: Buffer): Buffer | undefined {
  const cachedData = stored.subarray(DIGEST_BYTES);
  const digest = crypto.createHash('sha256').update(source).update(cachedData).digest();
  return digest.equals(stored.subarray(0, DIGEST_BYTES)) ? cachedData : undefined;
}

/**
 * What gives the late unit's exports, or undefined where the module has to be imported: in a bundle, in sources, under another
 * version of V8, and where there are no scripts. All is read by then; the script is checked and becomes code when it is first
 * asked for, since a program that reads a chain does without.
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

/** Makes what `make` gives when it is first asked for, and lets go of all that it took. */
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
 * Whether this code runs as the file of that URL. Bundlers write the URL of the source into what they make of it; the
 * script would find its chunks beside that source, and with them a second engine.
 */
function runsAs(url: string): boolean {
  return new Error('where is this?').stack?.includes(url) === true;
}
