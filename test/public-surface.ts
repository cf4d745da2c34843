/**
 * What a program can name and call in the package, by the declarations that were built behind its doors: the names that
 * a door exports, and functions, constructors and methods, with the methods of whatever comes back from them.
 *
 * The compiler is asked. Its programming interface is marked unstable, so only this file uses it.
 * @module
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type Symbol as NamedSymbol,
  type Project,
  type Signature,
  SignatureKind,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('../', import.meta.url));
const CONFIG = `${root}test/public-surface.tsconfig.json`;

/** A function that takes something and that a program can call. */
export interface PublicCallable {
  /** `serveHttp`, `new MemoryStore`, `Engine.open`, `BalanceQueries#get`. */
  readonly name: string;
  readonly parameters: readonly string[];
}

/** A name that a door exports. */
export interface PublicName {
  readonly door: string;
  readonly name: string;
  readonly documentation: string;
  readonly tags: readonly string[];
}

export interface PublicSurface {
  readonly callables: readonly PublicCallable[];
  readonly names: readonly PublicName[];
}

/** The doors: what they are imported by, their declarations and their code. */
export function packageDoors(): readonly { readonly door: string; readonly types: string; readonly code: string }[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    readonly exports: Readonly<
      Record<
        string,
        string | { readonly require: { readonly types: string }; readonly default: { readonly default: string } }
      >
    >;
  };
  return Object.entries(exports).flatMap(([door, target]) =>
    typeof target === 'string'
      ? []
      : [{ door, types: root + target.require.types.slice(2), code: root + target.default.default.slice(2) }],
  );
}

/** The surface of the package as it was last built. */
export async function publicSurface(): Promise<PublicSurface> {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [CONFIG] }).getProjects();
    const survey = new Survey(project!);
    for (const { door, types, code } of packageDoors()) {
      survey.add(door, types, new Set(Object.keys((await import(/* @vite-ignore */ code)) as object)));
    }
    return survey;
  } finally {
    api.close();
  }
}

class Survey implements PublicSurface {
  readonly names: PublicName[] = [];
  readonly #project: Project;
  readonly #checker: Checker;
  readonly #callables = new Map<string, PublicCallable>();
  readonly #reached = new Set<number>();

  constructor(project: Project) {
    this.#project = project;
    this.#checker = project.checker;
  }

  get callables(): readonly PublicCallable[] {
    return [...this.#callables.values()];
  }

  /** @param values the names that exist at run time */
  add(door: string, file: string, values: ReadonlySet<string>): void {
    const source = this.#project.program.getSourceFile(file);
    if (source === undefined) throw new Error(`${CONFIG} does not name ${file}`);
    for (const exported of this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(source)!)) {
      const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
      const documentation = this.#checker.getDocumentationCommentOfSymbol(symbol);
      const tags = this.#checker.getJsDocTagsOfSymbol(symbol).map(({ name }) => name);
      // What a door passes on from another package is that package's to explain.
      if (this.#isOurs(symbol)) this.names.push({ door, name: exported.name, documentation, tags });
      if (values.has(exported.name)) this.#addValue(exported.name, symbol);
    }
  }

  #addValue(name: string, symbol: NamedSymbol): void {
    const type = this.#checker.getTypeOfSymbol(symbol)!;
    for (const signature of this.#checker.getSignaturesOfType(type, SignatureKind.Call)) this.#addCall(name, signature);
    for (const signature of this.#checker.getSignaturesOfType(type, SignatureKind.Construct)) {
      this.#addCall(`new ${name}`, signature);
    }
    if (symbol.flags & SymbolFlags.Class) {
      for (const member of this.#membersOf(type)) this.#addMember(`${name}.${member.name}`, member);
    } else this.#reach(type);
  }

  #addMember(name: string, member: NamedSymbol): void {
    const type = this.#checker.getTypeOfSymbol(member)!;
    for (const part of type.isUnionType() ? type.getTypes()! : [type]) {
      const signatures = this.#checker.getSignaturesOfType(part, SignatureKind.Call);
      for (const signature of signatures) this.#addCall(name, signature);
      if (signatures.length === 0) this.#reach(part);
    }
  }

  #addCall(name: string, signature: Signature): void {
    const parameters = signature.getParameters().map((parameter) => parameter.name);
    if (parameters.length > 0 && !this.#callables.has(name)) this.#callables.set(name, { name, parameters });
    const result = this.#checker.getReturnTypeOfSignature(signature);
    if (result !== undefined) this.#reach(result);
  }

  /** The methods of what a program gets. */
  #reach(type: Type): void {
    if (this.#reached.has(type.id)) return;
    this.#reached.add(type.id);
    if (type.isUnionType() || type.isIntersectionType()) {
      for (const part of type.getTypes() ?? []) this.#reach(part);
      return;
    }
    if ((type.flags & TypeFlags.Object) === 0) return;
    if (type.isTypeReference()) for (const argument of this.#checker.getTypeArguments(type)) this.#reach(argument);
    const symbol = type.getSymbol();
    if (symbol === undefined || !this.#isOurs(symbol)) return;
    // A type that has no name of its own goes by the class that it is a member of.
    const name = symbol.name.startsWith('_') ? 'object' : symbol.name;
    // What the engine has as a view is named once.
    for (const member of this.#membersOf(type)) {
      const owner = member.getParent()?.name === 'ChainView' ? 'ChainView' : name;
      this.#addMember(`${owner}#${member.name}`, member);
    }
  }

  #membersOf(type: Type): NamedSymbol[] {
    return this.#checker
      .getPropertiesOfType(type)
      .filter((member) => member.name !== 'prototype' && this.#isOurs(member) && !this.#isHidden(member));
  }

  #isOurs(symbol: NamedSymbol): boolean {
    return symbol.declarations.some(({ path }) => path.startsWith(`${root}dist/`));
  }

  #isHidden(member: NamedSymbol): boolean {
    const node = member.declarations[0]?.resolve(this.#project) as
      | { readonly modifiers?: readonly { readonly kind: SyntaxKind }[] }
      | undefined;
    return (
      node?.modifiers?.some(
        ({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword,
      ) === true
    );
  }
}
