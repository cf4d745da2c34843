/**
 * The late unit from V8's code cache.
 *
 * Parsing the machine and compiling what a first view runs is half of what a user waits for. The build writes the unit
 * once more as a script, and beside it what V8 made of it after a view, a transfer and a package, for the V8 that built.
 * Where that is the V8 that runs, in a process of Node's own, the script takes the place of the module; everywhere else
 * (another version, a bundle, a context of node:vm, sources) there is none, and the caller imports the module. It is one
 * or the other, never both: the promise is kept, and no other chunk imports the module (scripts/build.mjs checks it).
 *
 * V8 looks at its version, at its flags and at the length of the source, and dies of a byte that is wrong in between. So
 * the cache begins with a digest of the script and of itself, and one that does not fit is left alone. Then, as where V8
 * refuses a cache for its flags, the script is compiled as any other, which costs time and nothing else.
 * @module
 */
import type * as FileSystem from 'node:fs';
import type * as VirtualMachine from 'node:vm';
import { equalBytes } from './bytes/compare.ts';
import { createSha256 } from './hash/sha256.ts';

/** Of the digest in front of V8's data. */
const DIGEST_BYTES = 32;

interface HostProcess {
  readonly versions: { readonly v8: string };
  readonly arch: string;
  readonly sourceMapsEnabled?: boolean;
  getBuiltinModule?(name: 'node:fs'): typeof FileSystem;
  getBuiltinModule?(name: 'node:vm'): typeof VirtualMachine;
}

/** What the script is: it takes the chunk that it shares with the modules, and gives what the module exports. */
type Factory<Unit> = (engine: unknown) => Unit;

/**
 * What gives the late unit's exports, or undefined where the module has to be imported. All is read by then; the script
 * is checked and becomes code when it is first asked for, since a program that reads a chain does without.
 */
export async function cachedUnit<Unit>(): Promise<(() => Unit) | undefined> {
  const { process } = globalThis as { readonly process?: HostProcess };
  if (process?.getBuiltinModule === undefined || process.sourceMapsEnabled === true) return undefined;
  const { url } = import.meta;
  if (url?.startsWith('file:') !== true || !runsAs(url)) return undefined;
  const [files, vm] = [process.getBuiltinModule('node:fs'), process.getBuiltinModule('node:vm')];
  const beside = (file: string): string => new URL(file, url).href;
  const cache = new URL(beside(`./execution.${process.versions.v8}-${process.arch}.cache`));
  if (!files.existsSync(cache)) return undefined;
  // In a context of its own a script would meet other arrays and errors than the modules.
  if (!(vm.Script instanceof Function)) return undefined;
  const filename = beside('./execution.script.js');
  const source = files.readFileSync(new URL(filename));
  const stored = files.readFileSync(cache);
  const engine: unknown = await import(/* @vite-ignore */ /* webpackIgnore: true */ beside('./engine.js'));
  return once(() => {
    const cachedData = checkedData(source, stored);
    // The build writes the script in ASCII.
    const script = new vm.Script(source.toString('latin1'), { filename, ...(cachedData && { cachedData }) });
    return (script.runInThisContext() as Factory<Unit>)(engine);
  });
}

/** What V8 made of the source, where the digest in front of it is that of both. */
function checkedData(source: Buffer, stored: Buffer): Buffer | undefined {
  const cachedData = stored.subarray(DIGEST_BYTES);
  const digest = createSha256();
  digest.update(source);
  digest.update(cachedData);
  return equalBytes(Uint8Array.from(digest.digest()), stored.subarray(0, DIGEST_BYTES)) ? cachedData : undefined;
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
