/**
 * The capabilities of a host beyond the language and the web's interfaces: Node, and hosts like it (Bun, Deno, Electron).
 *
 * Hosts differ here. The build for pages replaces this file by `host.browser.ts`, so it refers neither to `node:` modules
 * nor to `Buffer` or `process`, and needs no polyfills:
 *
 * - hashes, curves and checks of signatures: OpenSSL's where Node has them, the packages `@noble` otherwise, with the same
 *   results.
 * - turns of the event loop: immediates here; messages of a channel in a page, whose timers would take 4 ms.
 * - processor time, which extends the deadlines of views: the process's here; a page has none, so its deadlines follow the
 *   clock.
 * - worker threads and files: none in a page. Features that need them are refused there as `not-supported`, or are in other
 *   files with a sibling `*.browser.ts`.
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

/** The host. */
export interface Host {
  /** A module of Node, without an import that a bundler would follow; undefined if the host has none. */
  builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined;
  /** Node's class of bytes, whose conversions from and to text are several times faster than a loop. */
  readonly Buffer: typeof globalThis.Buffer | undefined;
  /** Runs a task after the event loop has done its other work. Not a test's fake timer, which would never run it. */
  afterTurn(task: () => void): void;
  /** Processor time of the process in milliseconds, all threads together; the clock's if the host has no such figure. */
  processorMs(): number;
  /** Whether threads may be started; false only if the host denies them. */
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
