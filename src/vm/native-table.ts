/**
 * The native functions that a machine knows, by `address::module::function`.
 * @module
 */
import { EngineError } from '../error.ts';
import { type ModuleId, moduleKey } from './module-id.ts';
import type { NativeFunction } from './native.ts';

export class NativeTable<Host = unknown> {
  readonly #functions = new Map<string, NativeFunction<Host>>();

  /**
   * Adds the natives of one module by name.
   * @throws {EngineError} `invalid-argument` for a name that is there already.
   */
  add(module: ModuleId, functions: Readonly<Record<string, NativeFunction<Host>>>): this {
    for (const [name, native] of Object.entries(functions)) {
      const key = nativeKey(module, name);
      if (this.#functions.has(key)) throw new EngineError('invalid-argument', `native ${key} is in the table already`);
      this.#functions.set(key, native);
    }
    return this;
  }

  /** `undefined` if there is none: a call of it then fails with MISSING_DEPENDENCY. */
  get(module: ModuleId, name: string): NativeFunction<Host> | undefined {
    return this.#functions.get(nativeKey(module, name));
  }
}

function nativeKey(module: ModuleId, name: string): string {
  return `${moduleKey(module)}::${name}`;
}
