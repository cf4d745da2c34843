/**
 * Compiling sources that are at hand as text, without files: in a test, in a browser. Synchronous.
 * @module
 */
import { assertOptions, type Expectation } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import type { SourceLines } from '../execution/module-sources.ts';
import { type Address, formatAddressShort, parseAddress } from '../move/address.ts';
import type { ModuleMetadata } from '../vm/verify/module-metadata.ts';
import { moduleMetadata } from '../vm/verify/module-metadata.ts';
import { abortConstantsOf } from './check/abort-constants.ts';
import type { FunctionPlaces } from './emit/emit.ts';
import { FRAMEWORK_ADDRESSES, FRAMEWORK_PACKAGE_NAMES, frameworkDependency } from './framework.ts';
import { type CompiledMoveModule, type CompilerInput, type CompilerOutput, compileMove } from './move-compiler.ts';
import type { ConstantDeclaration } from './names/declaration.ts';
import type { Diagnostic, Diagnostics } from './text/diagnostic.ts';
import { countText, diagnosticText, textPlaceOf } from './text/diagnostic-text.ts';
import type { Span } from './text/source-text.ts';

/** A place in a source; lines and columns from 1. */
export interface SourcePlace {
  /** As the source was named. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** What is to be said about the place. */
  readonly message: string;
}

/** An error or a warning about sources. Plain data. */
export interface SourceDiagnostic {
  readonly severity: 'error' | 'warning';
  /** As in the reference: `E04007`, `W09001`. */
  readonly code: string;
  /** What is wrong, in general. */
  readonly title: string;
  readonly place: SourcePlace;
  /** Other places that explain it. */
  readonly related: readonly SourcePlace[];
  readonly notes: readonly string[];
  /** All of it as text, in several lines, with the line of the source and the place in it marked. */
  readonly text: string;
}

/** A compiled module. */
export interface CompiledModule {
  /** `0x42`. */
  readonly address: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the chain's attributes say; the bytes contain it too. */
  readonly metadata: ModuleMetadata;
  /** The line of each instruction. */
  readonly lines: SourceLines;
  /** Constants that are whole numbers, by name, in decimal: abort codes among them. */
  readonly constants: Readonly<Record<string, string>>;
  /** Those of them that the module's code aborts with, by `abort` or `assert!`. */
  readonly abortConstants: readonly string[];
  /** The comments on these constants, by name. */
  readonly constantDocs: Readonly<Record<string, string>>;
}

/** How sources are compiled. */
export interface CompileSourcesOptions {
  /** Named addresses by name; those of the framework are known. */
  readonly addresses?: Readonly<Record<string, string>> | undefined;
}

/** What sources are compiled to. */
export interface CompiledSources {
  /** Each follows those that it depends on. */
  readonly modules: readonly CompiledModule[];
  readonly warnings: readonly SourceDiagnostic[];
}

export const ADDRESSES: Expectation = [
  'addresses as text, by name',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string'),
];

/**
 * Compiles sources, texts by name. They may use the framework, whose packages are those of the engine.
 *
 * ```ts
 * const counter = compileSources({ 'counter.move': text }, { addresses: { counter: '0x42' } });
 * await engine.publish('0x42', counter);
 * ```
 * @throws {EngineError} `compile-failed` with all errors of the sources, as text in the message and as data in
 * `details.diagnostics`; `invalid-argument`
 */
export function compileSources(
  sources: Readonly<Record<string, string>>,
  options: CompileSourcesOptions = {},
): CompiledSources {
  const isTexts = typeof sources === 'object' && sources !== null && !Array.isArray(sources);
  if (!isTexts || Object.values(sources).some((text) => typeof text !== 'string')) {
    throw new EngineError('invalid-argument', 'sources: expected texts by name, such as { "counter.move": text }');
  }
  assertOptions(options, { addresses: ADDRESSES });
  const addresses = new Map(FRAMEWORK_ADDRESSES);
  for (const [name, text] of Object.entries(options.addresses ?? {})) addresses.set(name, namedAddress(name, text));
  const target = { files: new Map(Object.entries(sources)), addresses };
  const dependencies = FRAMEWORK_PACKAGE_NAMES.map((name) => frameworkDependency(name, false));
  const mode = { hasTests: false, hasVerification: false };
  const output = compiled({ targets: [target], dependencies, mode }, 'the sources do not compile');
  return { modules: output.modules.map(compiledModule), warnings: warningsOf(output.diagnostics) };
}

/** @throws {EngineError} `invalid-argument` */
export function namedAddress(name: string, text: string): Address {
  try {
    return parseAddress(text);
  } catch (cause) {
    throw new EngineError('invalid-argument', `addresses.${name}: expected an address, got ${text}`, { cause });
  }
}

/**
 * Compiles, without an error.
 * @param refusal how the message begins if there is one
 * @throws {EngineError} `compile-failed`
 */
export function compiled(input: CompilerInput, refusal: string): CompilerOutput {
  const output = compileMove(input);
  if (output.isComplete) return output;
  const all = output.diagnostics.sorted();
  const found = all.filter(({ isFollowUp }) => !isFollowUp);
  // A comment that does not end is a warning, and yet nothing is compiled.
  const errors = output.diagnostics.has('error') ? found.filter(({ kind }) => kind.severity !== 'warning') : found;
  const { left } = output.diagnostics;
  const counted = countText(errors.length, output.diagnostics.has('error') ? 'error' : 'warning');
  const followUps = all.length - found.length;
  const hidden = [
    ...(followUps === 0 ? [] : [`${followUps} more that follow from them`]),
    ...(left === 0 ? [] : [`${left} more that are not shown`]),
  ];
  const count = [counted, ...hidden].join(', and ');
  const message = [`${refusal}:`, ...errors.map((each) => diagnosticText(each)), count].join('\n\n');
  throw new EngineError('compile-failed', message, { details: { diagnostics: found.map(sourceDiagnostic) } });
}

export function warningsOf(diagnostics: Diagnostics): SourceDiagnostic[] {
  return diagnostics.sorted().map(sourceDiagnostic);
}

function sourceDiagnostic(diagnostic: Diagnostic): SourceDiagnostic {
  const { kind, primary, secondary, notes } = diagnostic;
  const place = ({ span, message }: { readonly span: Span; readonly message: string }): SourcePlace => {
    return { path: span.source.path, ...textPlaceOf(span.source, span.start), message };
  };
  return {
    severity: kind.severity === 'warning' ? 'warning' : 'error',
    ...{ code: kind.code, title: kind.title, place: place(primary), related: secondary.map(place), notes },
    text: diagnosticText(diagnostic),
  };
}

/** A module with what its source says about it. */
export function compiledModule({
  declaration,
  module,
  bytes,
  functions,
  constants,
  typed,
}: CompiledMoveModule): CompiledModule {
  const metadata = moduleMetadata(module);
  if (metadata === 'malformed') throw new EngineError('invariant-violation', 'the metadata of a compiled module');
  const numbers = constants.flatMap(({ declaration: { name }, value }) =>
    value.kind === 'number' ? [[name.text, String(value.value)] as const] : [],
  );
  const aborts = abortConstantsOf(typed);
  return {
    address: formatAddressShort(declaration.identity.address),
    name: declaration.identity.name,
    ...{ bytes, metadata, constants: Object.fromEntries(numbers) },
    lines: {
      path: declaration.span.source.path,
      functions: Object.fromEntries(functions.map((each, index) => [index, linesOf(each)])),
      parameters: Object.fromEntries(functions.map((each, index) => [index, each.parameters.map(({ name }) => name)])),
    },
    abortConstants: numbers.flatMap(([name]) => (aborts.has(name) ? [name] : [])),
    constantDocs: constantDocsOf([...declaration.constants.values()]),
  };
}

/** The line of each instruction at which it changes. */
function linesOf({ code }: FunctionPlaces): (readonly [offset: number, line: number])[] {
  const lines = code.map(({ source, start }, offset) => [offset, textPlaceOf(source, start).line] as const);
  return lines.filter(([, line], index) => index === 0 || line !== lines[index - 1]![1]);
}

function constantDocsOf(constants: readonly ConstantDeclaration[]): Record<string, string> {
  const docs = constants.flatMap(({ name: { text, span } }) => {
    const doc = docAbove(span.source.text.split('\n'), textPlaceOf(span.source, span.start).line - 1);
    return doc === '' ? [] : [[text, doc] as const];
  });
  return Object.fromEntries(docs);
}

/** The `///` comment that ends above the line at `index`, in one line. */
function docAbove(lines: readonly string[], index: number): string {
  let first = index;
  while (first > 0 && /^\s*\/\/\//.test(lines[first - 1]!)) first--;
  return lines
    .slice(first, index)
    .map((line) => line.trim().slice(3).trim())
    .join(' ');
}
