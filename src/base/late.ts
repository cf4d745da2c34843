/**
 * The parts of the package that the build lays into files of their own (scripts/build.mjs), each loaded when one of its
 * functions is first called: before a first receipt, reading and compiling code takes longer than anything else. The sources
 * have no parts.
 *
 * They are needed in the middle of synchronous work, so they are loaded by the host's `require`, which Node, Bun and Deno
 * have for ES modules too. On other hosts, and in a bundle, `Engine.open` loads them.
 * @module
 */
import type { createRequire } from 'node:module';
import { HOST } from './host.ts';

/** The exports of a part. */
type Part = Readonly<Record<string, unknown>>;

/** Filled by the build, with imports that a bundler follows. */
const PARTS: Readonly<Record<string, () => Promise<Part>>> = {};

const loaded = new Map<string, Part>();

/** Tells this copy of the package from another one: a bundle may run where it was made, with the package's own files in reach. */
export const COPY: object = {};

/** The host's `require`, if it has one. */
export const hostRequire: ReturnType<typeof createRequire> | undefined = requireOfHost();

function requireOfHost(): typeof hostRequire {
  const module = HOST.builtin('node:module');
  // Yarn's Plug'n'Play does not find what a module that was required imports.
  if (module === undefined || 'findPnpApi' in module) return undefined;
  try {
    return module.createRequire(import.meta.url);
  } catch {
    // A CommonJS bundle has no URL.
    return undefined;
  }
}

/** A part by its name. */
export function part(name: string): Part {
  let found = loaded.get(name);
  if (found === undefined) {
    if (hostRequire === undefined)
      throw new Error(`the part ${name} is not loaded: a bundle needs an open engine first`);
    found = hostRequire(`./late/${name}.js`) as Part;
    loaded.set(name, found);
  }
  return found;
}

/** Loads all parts where that cannot be done when they are needed. */
export async function loadParts(): Promise<void> {
  if (canLoadParts()) return;
  // One by one: Vitest's loader of contexts loses a file that two imports ask for.
  for (const [name, load] of Object.entries(PARTS)) loaded.set(name, await load());
}

function canLoadParts(): boolean {
  try {
    return hostRequire?.('./late/copy.js').COPY === COPY;
  } catch {
    return false;
  }
}
