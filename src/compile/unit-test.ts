/**
 * The test functions that sources declare: `#[test]`, with the addresses of their signers and the expected failure.
 * Source: the reference's `move-compiler/src/unit_test/plan_builder.rs`.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { type Address, formatAddressShort, parseAddress } from '../move/address.ts';
import type { Attribute } from './attribute.ts';
import { constantNumber, numberOf } from './constant.ts';
import { frameworkDependency } from './framework.ts';
import { named, type PackageTree } from './package.ts';
import { type Declaration, readSource, type SourceModule } from './source.ts';

/** How a test must fail. Without any of the members: in any way. */
export interface ExpectedFailure {
  /** Name of the Move machine's status: `ABORTED`, `ARITHMETIC_ERROR`; or the number given as `major_status`. */
  readonly status?: string | undefined;
  /** The code of `abort`, in decimal. */
  readonly abortCode?: string | undefined;
  /** How the source writes that code. */
  readonly abortName?: string | undefined;
  /** The number that refines the status, in decimal. */
  readonly minorStatus?: string | undefined;
  /** The module in which it must fail: `0x42::m`. */
  readonly location?: string | undefined;
}

/** A test function. Plain data: it can be written as JSON. */
export interface UnitTest {
  /** `0x42::m`. */
  readonly module: string;
  readonly name: string;
  /** For each parameter, the address that it takes, as signer or address. */
  readonly arguments: readonly string[];
  /** Undefined for a test that must succeed. */
  readonly expected?: ExpectedFailure | undefined;
  /** The source, relative to the package's folder. */
  readonly path: string;
  readonly line: number;
}

/**
 * The test functions of a tree's root, in the order of the sources.
 * @throws {EngineError} `malformed-source` for a test whose attributes do not fit
 */
export function unitTestsOf(tree: PackageTree): UnitTest[] {
  const scope = new Scope(tree);
  return tree.root.sources.flatMap(({ path, text }) =>
    named(path, () => readSource(text).modules).flatMap((module) =>
      module.declarations
        .filter((declared) => named(path, () => isTest(declared)))
        .map((declared) => named(path, () => unitTest(declared, module, path, scope))),
    ),
  );
}

/** @throws {EngineError} `malformed-source` for a function that must fail and is no test */
function isTest(declared: Declaration): boolean {
  const { kind, attributes } = declared;
  const has = (wanted: string): boolean => attributes.some(({ name }) => name === wanted);
  if (!has('test') && has('expected_failure')) {
    throw misfit(declared, 'expected_failure is for functions with #[test]');
  }
  return kind === 'function' && has('test');
}

function unitTest(declared: Declaration, module: SourceModule, path: string, scope: Scope): UnitTest {
  const { name, line, attributes, parameters } = declared;
  if (declared.isInline) {
    throw misfit(declared, 'an inline function cannot be a test: it is not part of the compiled module');
  }
  const given = attributes.filter((attribute) => attribute.name === 'test').flatMap(({ items }) => items);
  const values = parameters.map((parameter) => {
    const value = given.find((item) => item.name === parameter)?.value;
    if (value === undefined) throw misfit(declared, `#[test] gives no value for ${parameter}`);
    return formatAddressShort(scope.address(value.replace(/^@/, ''), declared));
  });
  const unknown = given.find((item) => !parameters.includes(item.name));
  if (unknown !== undefined) throw misfit(declared, `there is no parameter ${unknown.name}`);
  const failure = attributes.find((attribute) => attribute.name === 'expected_failure');
  const expected = failure && expectedOf(failure, declared, module, scope);
  return { module: scope.idOf(module), name, arguments: values, ...(expected && { expected }), path, line };
}

/** What a failure is called in an attribute, and its status. */
const STATUSES: Readonly<Record<string, string>> = {
  arithmetic_error: 'ARITHMETIC_ERROR',
  vector_error: 'VECTOR_OPERATION_ERROR',
  out_of_gas: 'OUT_OF_GAS',
};

/** Members of the attribute of which it has one, if any. */
const KINDS: ReadonlySet<string> = new Set(['abort_code', 'major_status', ...Object.keys(STATUSES)]);

function expectedOf(failure: Attribute, declared: Declaration, module: SourceModule, scope: Scope): ExpectedFailure {
  if (failure.value !== undefined) {
    const { value } = failure;
    throw misfit(declared, `expected_failure: expected (abort_code = ${value}), got = ${value}`);
  }
  const kinds = failure.items.map(({ name }) => name).filter((name) => KINDS.has(name));
  if (kinds.length > 1) {
    throw misfit(declared, `expected_failure: expected one kind of failure, got ${kinds.join(' and ')}`);
  }
  let expected: ExpectedFailure = {};
  for (const { name, value } of failure.items) {
    if (STATUSES[name] !== undefined) expected = { ...expected, status: STATUSES[name] };
    else if (value === undefined) throw misfit(declared, `expected_failure: ${name} is not known, or lacks its value`);
    else if (name === 'abort_code')
      expected = { ...scope.abortCode(value, module, declared), ...expected, status: 'ABORTED' };
    else if (name === 'location') expected = { ...expected, location: scope.location(value, module, declared) };
    else if (name === 'major_status') expected = { ...expected, status: scope.number(value, module, declared) };
    else if (name === 'minor_status') expected = { ...expected, minorStatus: scope.number(value, module, declared) };
    else throw misfit(declared, `expected_failure: ${name} is not known`);
  }
  return expected;
}

/** Resolves the names in attributes. */
class Scope {
  readonly #addresses: ReadonlyMap<string, Address>;
  /** By `0x42::m`. */
  readonly #modules = new Map<string, SourceModule>();

  constructor({ root, dependencies, framework, addresses }: PackageTree) {
    this.#addresses = addresses;
    const sources = [...dependencies.values(), root].flatMap((each) => each.sources.map(({ text }) => text));
    const shipped = framework.flatMap((name) => [...frameworkDependency(name).files.values()]);
    for (const { modules } of [...shipped, ...sources].map(readSource)) {
      for (const module of modules) this.#modules.set(this.idOf(module), module);
    }
  }

  idOf({ address, name }: SourceModule): string {
    return `${formatAddressShort(addressIn(address, this.#addresses))}::${name}`;
  }

  address(text: string, declared: Declaration): Address {
    try {
      return addressIn(text, this.#addresses);
    } catch (cause) {
      throw misfit(declared, `there is no address ${text}`, cause);
    }
  }

  /** The module that a text names: `Self`, `0x1::m`, `std::m`, or `m` as the module uses it. */
  location(text: string, module: SourceModule, declared: Declaration): string {
    if (text === 'Self') return this.idOf(module);
    const path = module.uses.get(text) ?? text;
    const [address = '', name] = path.split('::');
    if (name === undefined) throw misfit(declared, `there is no module ${text}`);
    return `${formatAddressShort(this.address(address, declared))}::${name}`;
  }

  abortCode(text: string, module: SourceModule, declared: Declaration): ExpectedFailure {
    const abortCode = this.number(text, module, declared);
    if (/^\d/.test(text)) return { abortCode };
    const [constant, owner] = splitPath(text);
    const location = this.location(owner ?? 'Self', module, declared);
    return { abortCode, abortName: constant, location };
  }

  /** A number in decimal: a literal, or a constant of this module or of another. */
  number(text: string, module: SourceModule, declared: Declaration): string {
    if (/^\d/.test(text)) return numberOf(text) ?? this.#unknown(text, declared);
    const [constant, owner] = splitPath(text);
    const home = owner === undefined ? module : this.#modules.get(this.location(owner, module, declared));
    const found = home?.declarations.find(({ kind, name }) => kind === 'constant' && name === constant);
    return constantNumber(found?.value ?? '') ?? this.#unknown(text, declared);
  }

  #unknown(text: string, declared: Declaration): never {
    throw misfit(declared, `${text} is neither a number nor a constant that is one`);
  }
}

/** The last name of a path, and what precedes it. */
function splitPath(text: string): [last: string, before: string | undefined] {
  const at = text.lastIndexOf('::');
  return at === -1 ? [text, undefined] : [text.slice(at + 2), text.slice(0, at)];
}

/** The address that a source names. */
export function addressIn(text: string, addresses: ReadonlyMap<string, Address>): Address {
  const found = /^\d/.test(text)
    ? parseAddress(text.startsWith('0x') ? text : `0x${BigInt(text).toString(16)}`)
    : addresses.get(text);
  if (found === undefined) throw new EngineError('malformed-source', `there is no address ${text}`);
  return found;
}

function misfit({ name, line }: Declaration, message: string, cause?: unknown): EngineError {
  return new EngineError('malformed-source', `line ${line}: ${name}: ${message}`, { cause });
}
