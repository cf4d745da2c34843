/**
 * The modules and scripts of the files of a compilation, without what is only for tests or for verification.
 * @module
 */
import type { SyntaxAttribute, SyntaxFile, SyntaxModule, SyntaxScript } from '../syntax/tree.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Attributes, Declarations, duplicate } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { AddressNames, identityOf, type ResolvedAddress } from './address-names.ts';
import type { ModuleIdentity } from './declaration.ts';
import { isForTests, isTest } from './known-attribute.ts';

/** Files with the values of the names of addresses that hold in them. */
export interface ParsedPackage {
  /** Sorted by path. */
  readonly files: readonly SyntaxFile[];
  readonly addresses: ReadonlyMap<string, Uint8Array>;
  /** By key of a module: the keys of those that it uses, for sources that do not show it, since they have no bodies. */
  readonly uses?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** What is compiled besides what always is. */
export interface SourceMode {
  /** `#[test]` and `#[test_only]`. */
  readonly hasTests: boolean;
  /** `#[verify_only]`. */
  readonly hasVerification: boolean;
}

export interface CollectedModule {
  readonly syntax: SyntaxModule;
  readonly identity: ModuleIdentity;
  readonly addresses: AddressNames;
  /** Whether it is compiled, and not only used. */
  readonly isTarget: boolean;
  /** The keys of the modules that it uses, if its package says so. */
  readonly uses: readonly string[] | undefined;
}

export interface CollectedScript {
  readonly syntax: SyntaxScript;
  readonly addresses: AddressNames;
}

export interface CollectedSources {
  readonly modules: readonly CollectedModule[];
  readonly scripts: readonly CollectedScript[];
}

/** Collects the modules and scripts of packages, targets first. */
export function collectSources(
  targets: readonly ParsedPackage[],
  dependencies: readonly ParsedPackage[],
  mode: SourceMode,
  diagnostics: Diagnostics,
): CollectedSources {
  const collector = new Collector(mode, diagnostics);
  for (const each of targets) collector.collect(each, true);
  for (const each of dependencies) collector.collect(each, false);
  return collector;
}

class Collector implements CollectedSources {
  readonly modules: CollectedModule[] = [];
  readonly scripts: CollectedScript[] = [];
  readonly #mode: SourceMode;
  readonly #diagnostics: Diagnostics;
  /** Of the package that is collected. */
  #uses: ParsedPackage['uses'];

  constructor(mode: SourceMode, diagnostics: Diagnostics) {
    this.#mode = mode;
    this.#diagnostics = diagnostics;
  }

  collect({ files, addresses: values, uses }: ParsedPackage, isTarget: boolean): void {
    this.#uses = uses;
    const addresses = new AddressNames(values, this.#diagnostics);
    for (const definition of files.flatMap((file) => file.definitions)) {
      if (definition.kind === 'script') {
        if (isTarget) this.#script(definition, addresses);
      } else if (this.#isLeftOut(definition.attributes, isTarget)) {
        // Nothing of it is compiled.
      } else if (definition.kind === 'module') {
        this.#module(definition, addresses, isTarget);
      } else {
        const address = addresses.resolve(definition.address);
        for (const module of definition.modules) {
          if (!this.#isLeftOut(module.attributes, isTarget)) {
            this.#moduleAt(module, address, definition.span, addresses, isTarget);
          }
        }
      }
    }
  }

  #isLeftOut(attributes: readonly SyntaxAttribute[], isTarget: boolean): boolean {
    return attributes.some(({ name: { text } }) => {
      if (isTest(text)) return !this.#mode.hasTests || !isTarget;
      if (text === 'test_only') return !this.#mode.hasTests;
      return text === 'verify_only' && !this.#mode.hasVerification;
    });
  }

  #module(syntax: SyntaxModule, addresses: AddressNames, isTarget: boolean): void {
    if (syntax.address !== undefined) {
      this.#add(syntax, addresses.resolve(syntax.address), addresses, isTarget);
      return;
    }
    const message = `the module has no address: write 'module ADDRESS::${syntax.name.text}'`;
    if (!syntax.isSpec) this.#diagnostics.add(Declarations.module, syntax.name.span, message);
    const nowhere: ResolvedAddress = addresses.resolve({ kind: 'number', text: '0', span: syntax.name.span });
    this.#add(syntax, nowhere, addresses, isTarget);
  }

  /** A module in an address block. */
  #moduleAt(
    syntax: SyntaxModule,
    address: ResolvedAddress,
    blockSpan: Span,
    addresses: AddressNames,
    isTarget: boolean,
  ): void {
    const own = syntax.address === undefined ? undefined : addresses.resolve(syntax.address);
    if (own !== undefined) {
      const message = own.key === address.key ? 'the address is given twice' : 'the module has two addresses';
      this.#diagnostics.add(...duplicate(syntax.address!.span, message, blockSpan, 'the address of the block'));
    }
    this.#add(syntax, own ?? address, addresses, isTarget);
  }

  #add(syntax: SyntaxModule, address: ResolvedAddress, addresses: AddressNames, isTarget: boolean): void {
    const members = syntax.members.filter((member) => !this.#isLeftOut(member.attributes, isTarget));
    const identity = identityOf(address, syntax.name.text);
    const uses = this.#uses?.get(identity.key);
    this.modules.push({ syntax: { ...syntax, members }, identity, addresses, isTarget, uses });
  }

  #script(syntax: SyntaxScript, addresses: AddressNames): void {
    const items = [syntax, ...syntax.uses, ...syntax.constants, syntax.function];
    const tests = items.flatMap(({ attributes }) => attributes).filter(({ name }) => isForTests(name.text));
    for (const { span } of tests) {
      this.#diagnostics.add(Attributes.test, span, 'scripts are not tested, so that they have no such attribute');
    }
    const isKept = (item: { readonly attributes: readonly SyntaxAttribute[] }): boolean =>
      !this.#isLeftOut(item.attributes, true);
    if (tests.length > 0 || !isKept(syntax) || !isKept(syntax.function)) return;
    const kept = { ...syntax, uses: syntax.uses.filter(isKept), constants: syntax.constants.filter(isKept) };
    this.scripts.push({ syntax: kept, addresses });
  }
}
