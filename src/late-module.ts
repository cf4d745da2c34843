/**
 * Code that is loaded when it is first needed, by callers that cannot wait.
 *
 * The Move machine with its natives is as much code as the rest of the engine, Bitcoin with its curve as much again, and
 * most programs that open one only read. But views are synchronous, so the code must be there when the first one comes.
 * Node can load a module at that moment; where a host cannot, or where the sources run without having been compiled,
 * `prepare` loads it ahead.
 *
 * While an `import()` is under way, Node cannot load a module at once that shares code with it. So the engine itself
 * never imports: what can wait uses `load`.
 * @module
 */
import { EngineError } from './error.ts';

interface NodeModule {
  createRequire(url: string): { (path: string): unknown; resolve(path: string): string };
}

interface Host {
  readonly process?: {
    getBuiltinModule?(name: string): unknown;
    readonly features?: { readonly require_module?: boolean };
  };
}

export class LateModule<Exports> {
  readonly #path: string;
  readonly #load: () => Promise<Exports>;
  readonly #require: (() => Exports) | undefined;
  #exports: Exports | undefined;

  /**
   * @param path of the module from the folder of this file, without extension: the build keeps that one file a late
   *   module has, while the callers are bundled
   * @param load `() => import(...)` of the same module
   * @param base URL of another file in whose folder the module lies, for tests
   */
  constructor(path: string, load: () => Promise<Exports>, base: string = import.meta.url) {
    this.#path = path;
    this.#load = load;
    this.#require = requireOf<Exports>(base, `./${path}.js`);
  }

  /** Loads the module unless it can be had at any moment; gives what it exports if it is loaded. */
  async prepare(): Promise<Exports | undefined> {
    if (this.#exports === undefined && this.#require === undefined) this.#exports = await this.#load();
    return this.#exports;
  }

  /** What the module exports, for callers that can wait. */
  async load(): Promise<Exports> {
    try {
      this.#exports ??= this.#require?.();
    } catch {
      // An import of the same code is under way: this one waits for it. Other errors come again.
    }
    this.#exports ??= await this.#load();
    return this.#exports;
  }

  /**
   * What the module exports. `prepare` must have been awaited.
   * @throws {EngineError} `invariant-violation` while the program itself imports the same code.
   * @throws {RangeError} the host's, where little is left of its stack.
   */
  get exports(): Exports {
    try {
      this.#exports ??= this.#require?.();
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      const message = `${this.#path} cannot be loaded: the program imports code that it shares; await that import first`;
      throw new EngineError('invariant-violation', message, { cause });
    }
    if (this.#exports === undefined) throw new EngineError('invariant-violation', `${this.#path} was not prepared`);
    return this.#exports;
  }
}

/**
 * Arguments that lie on the stack at once, 256 KiB of it. Code whose stack runs out while it is loaded stays broken for
 * the whole process, so that much must be there, or nothing is begun and the host's error passes up.
 */
const STACK_WORDS: readonly unknown[] = new Array(32_768).fill(0);

const nothing = (): void => {};

/** How to load the module at once, if this host can: Node from 20.19 on, which shares it with later imports. */
function requireOf<Exports>(base: string, path: string): (() => Exports) | undefined {
  const { process } = globalThis as Host;
  if (process?.features?.require_module !== true) return undefined;
  const node = process.getBuiltinModule?.('node:module') as NodeModule | undefined;
  if (node === undefined) return undefined;
  try {
    const require = node.createRequire(base);
    require.resolve(path);
    return () => {
      Reflect.apply(nothing, undefined, STACK_WORDS);
      return require(path) as Exports;
    };
  } catch {
    // Uncompiled sources, or a bundle that has the module elsewhere: the import finds it.
    return undefined;
  }
}
