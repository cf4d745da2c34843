/**
 * What is kept of a package between compilations, so that compiling it again after a change is quick: the trees of
 * files, and the code of modules.
 *
 * Names and types are found anew each time, since declarations are objects that refer to each other. The code of a
 * module is taken over if its file is the same, and so is what it can see of other modules.
 * @module
 */
import type { CompilerDependency, CompilerInput } from './compiler-input.ts';
import type { EmittedModule } from './emit/emit.ts';
import type { ModuleDeclaration } from './names/declaration.ts';
import type { ModuleUses } from './names/module-order.ts';
import type { SyntaxFile, SyntaxModule } from './syntax/tree.ts';
import type { Diagnostics } from './text/diagnostic.ts';
import type { Span } from './text/source-text.ts';

interface KnownModule {
  readonly fingerprint: string;
  readonly emitted: EmittedModule;
  /** The warnings that came with its code. */
  readonly diagnostics: Diagnostics;
}

export class EmittedModuleCache {
  #dependencies: readonly CompilerDependency[] = [];
  #setting = '';
  /** By path. */
  readonly #files = new Map<string, SyntaxFile>();
  /** By key. */
  readonly #modules = new Map<string, KnownModule>();

  /** Forgets everything if sources are no longer compiled as they were. */
  prepare({ targets, dependencies, mode }: CompilerInput): void {
    const addresses = targets.map((each) => [...each.addresses].map(([name, value]) => `${name}=${value.join('.')}`));
    const setting = JSON.stringify([addresses, mode.hasTests, mode.hasVerification]);
    const isSame =
      setting === this.#setting &&
      dependencies.length === this.#dependencies.length &&
      dependencies.every((each, index) => each === this.#dependencies[index]);
    if (isSame) return;
    this.#setting = setting;
    this.#dependencies = dependencies;
    this.#files.clear();
    this.#modules.clear();
  }

  /** The tree of a file, if it was kept. */
  file(path: string, text: string, index: number): SyntaxFile | undefined {
    const known = this.#files.get(path);
    return known?.source.text === text && known.source.index === index ? known : undefined;
  }

  /** Keeps the tree of a file about which there is nothing to say. */
  keepFile(file: SyntaxFile): void {
    this.#files.set(file.source.path, file);
  }

  module(key: string, fingerprint: string): KnownModule | undefined {
    const known = this.#modules.get(key);
    return known?.fingerprint === fingerprint ? known : undefined;
  }

  keepModule(fingerprint: string, emitted: EmittedModule, diagnostics: Diagnostics): void {
    this.#modules.set(emitted.declaration.identity.key, { fingerprint, emitted, diagnostics });
  }
}

/** Tells what the code of modules depends on, besides the setting and the dependencies of the compilation. */
export class Fingerprints {
  readonly #files: ReadonlyMap<string, SyntaxFile>;
  /** By key: what each module to be compiled uses, and its file. */
  readonly #modules: ReadonlyMap<string, ModuleUses>;
  readonly #interfaces = new Map<string, string>();

  constructor(files: readonly SyntaxFile[], uses: readonly ModuleUses[]) {
    this.#files = new Map(files.map((file) => [file.source.path, file]));
    const targets = uses.filter(({ module }) => module.isTarget);
    this.#modules = new Map(targets.map((each) => [each.module.identity.key, each]));
  }

  /** @param firstLocal the number of the first local that inlining made in the module; undefined if it made none */
  of(declaration: ModuleDeclaration, firstLocal: number | undefined): string {
    const { path, text } = declaration.span.source;
    const found = new Set([declaration.identity.key]);
    for (const key of found) for (const used of this.#modules.get(key)?.used.keys() ?? []) found.add(used);
    const others = [...found].filter((key) => this.#modules.has(key)).sort();
    return [path, text, firstLocal, ...others.map((key) => this.#interface(key))].join('\0');
  }

  #interface(key: string): string {
    const { path } = this.#modules.get(key)!.module.span.source;
    const known = this.#interfaces.get(path);
    if (known !== undefined) return known;
    const file = this.#files.get(path);
    const text = file === undefined ? '' : interfaceOf(file);
    this.#interfaces.set(path, text);
    return text;
  }
}

/** The text of a file without what no other module sees: bodies of functions, but inline ones, and constants. */
function interfaceOf({ source, definitions }: SyntaxFile): string {
  const modules = definitions.flatMap((each): readonly SyntaxModule[] => {
    if (each.kind === 'addressBlock') return each.modules;
    return each.kind === 'module' ? [each] : [];
  });
  let kept = source.path;
  let from = 0;
  for (const { start, end } of modules.flatMap(hiddenParts)) {
    kept += source.text.slice(from, start);
    from = end;
  }
  return kept + source.text.slice(from);
}

function hiddenParts({ members }: SyntaxModule): Span[] {
  const hasInline = members.some((member) => member.kind === 'function' && member.isInline);
  return members.flatMap((member) => {
    if (member.kind === 'constant') return hasInline ? [] : [member.span];
    return member.kind === 'function' && !member.isInline && member.body !== undefined ? [member.body.span] : [];
  });
}
