/**
 * What a host gives beyond the language and the web's own interfaces: Node, and what resembles it (Bun, Deno, Electron).
 *
 * This is the one place where hosts differ. The build for pages puts `host.browser.ts` in the place of this file, so what
 * is built for pages reaches neither `node:` modules nor `Buffer` nor `process`, and needs no polyfills:
 *
 * - hashes, curves and checks of signatures: OpenSSL's where Node has them, the packages `@noble` otherwise; both exist on
 *   every host, and give the same bytes.
 * - turns of the event loop: immediates here; in a page messages of a channel, which timers of 4 ms would hold up.
 * - processor time, which puts off the deadlines of views: the process's here; a page cannot tell it, so there a deadline
 *   is one of the clock.
 * - worker threads and files: none in a page. What needs them is refused there as `not-supported`, or is one of the other
 *   files that have a sibling `*.browser.ts`.
 * @module
 */
import type * as NodeCrypto from 'node:crypto';
import type * as FileSystem from 'node:fs';
import type * as NodeModule from 'node:module';
import type * as WorkerThreads from 'node:worker_threads';

interface Builtins {
  'node:crypto': typeof NodeCrypto;
  'node:fs': typeof FileSystem;
  'node:module': typeof NodeModule;
  'node:worker_threads': typeof WorkerThreads;
}

/** What the rest of the code knows of its host. */
export interface Host {
  /** A module of Node, without an import that a bundler would follow; undefined if the host has none. */
  builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined;
  /** Node's class of bytes, whose conversions from and to text are several times faster than a loop. */
  readonly Buffer: typeof globalThis.Buffer | undefined;
  /** Runs a task after the event loop has done its other work. Not a test's fake timer, which would never run it. */
  afterTurn(task: () => void): void;
  /** Processor time of the process in milliseconds, all threads together; the clock's if the host does not tell. */
  processorMs(): number;
  /** Whether threads may be started; false only if the host has them and denies them. */
  allowsWorkers(): boolean;
}

const { process, Buffer, setImmediate } = globalThis as {
  readonly process?: Partial<Pick<NodeJS.Process, 'cpuUsage' | 'getBuiltinModule' | 'permission'>>;
  readonly Buffer?: typeof globalThis.Buffer;
  readonly setImmediate: typeof globalThis.setImmediate;
};

export const HOST: Host = {
  builtin: <Name extends keyof Builtins>(name: Name) => process?.getBuiltinModule?.(name) as Builtins[Name] | undefined,
  Buffer,
  afterTurn: (task) => void setImmediate(task),
  processorMs: () => {
    const used = process?.cpuUsage?.();
    return used === undefined ? performance.now() : (used.user + used.system) / 1_000;
  },
  allowsWorkers: () => process?.permission?.has('worker') !== false,
};
