/**
 * The native functions that a machine knows, by `address::module::function`.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { type ModuleId, moduleKey } from './module-id.ts';
import type { NativeFunction } from './native.ts';

type Functions<Host> = Readonly<Record<string, NativeFunction<Host>>>;

/**
 * Natives of a module, by name, that have the same value for the same gas whenever they are called with the same
 * arguments, and change nothing else. `costly` ones take longer than looking up a result.
 */
export type PureNatives = Readonly<Record<string, 'costly' | 'cheap'>>;

export class NativeTable<Host = unknown> {
  readonly #functions = new Map<string, NativeFunction<Host>>();
  readonly #pure = new Map<string, { readonly isCostly: boolean }>();

  /**
   * Adds the natives of one module by name.
   * @throws {EngineError} `invalid-argument` for a name that is already in the table.
   */
  add(module: ModuleId, functions: Functions<Host>, pure: PureNatives = {}): this {
    for (const [name, native] of Object.entries(functions)) {
      const key = nativeKey(module, name);
      if (this.#functions.has(key)) throw new EngineError('invalid-argument', `native ${key} is in the table already`);
      this.#functions.set(key, native);
      const kind = pure[name];
      if (kind !== undefined) this.#pure.set(key, { isCostly: kind === 'costly' });
    }
    return this;
  }

  /** How a native is declared, if it is pure; `undefined` for any other. */
  pure(module: ModuleId, name: string): { readonly isCostly: boolean } | undefined {
    return this.#pure.get(nativeKey(module, name));
  }

  /** `undefined` if there is none: a call of it then fails with MISSING_DEPENDENCY. */
  get(module: ModuleId, name: string): NativeFunction<Host> | undefined {
    return this.#functions.get(nativeKey(module, name));
  }
}

function nativeKey(module: ModuleId, name: string): string {
  return `${moduleKey(module)}::${name}`;
}
