/**
 * The unit tests that modules declare: functions with `#[test]`, the addresses that they take, and how they must fail; and
 * those with `#[random_test]`, whose parameters without an address get random values.
 * Source: the reference's `move-compiler/src/unit_test/plan_builder.rs`; `random_test` is Sui's.
 * @module
 */
import { didYouMean } from '../../base/nearest-name.ts';
import { formatAddressShort } from '../../move/address.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import type { Value } from '../lower/value.ts';
import { shownModule } from '../names/address-names.ts';
import type { AttributeValue, ResolvedAttribute } from '../names/attribute.ts';
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  ModuleIdentity,
} from '../names/declaration.ts';
import { isTest } from '../names/known-attribute.ts';
import { constantNotes } from '../names/name-context.ts';
import type { ResolvedType } from '../names/type.ts';
import type { DiagnosticKind, Diagnostics, Label } from '../text/diagnostic.ts';
import { Attributes, Unused } from '../text/diagnostic-kind.ts';
import { textPlaceOf } from '../text/diagnostic-text.ts';
import type { Span } from '../text/source-text.ts';

/** How a test must fail. Without any of the members: in any way. */
export interface ExpectedFailure {
  /** Name of the Move machine's status: `ABORTED`, `ARITHMETIC_ERROR`. */
  readonly status?: string | undefined;
  /** The code of `abort`, in decimal. */
  readonly abortCode?: string | undefined;
  /** How the source writes that code, if it names a constant. */
  readonly abortName?: string | undefined;
  /** The number that refines the status, in decimal. */
  readonly minorStatus?: string | undefined;
  /** The module in which it must fail: `0x42::m`. With it, a failure without `minorStatus` must have none. */
  readonly location?: string | undefined;
}

/** A test function. Plain data: it can be written as JSON. */
export interface UnitTest {
  /** `0x42::m`. */
  readonly module: string;
  readonly name: string;
  /** For each parameter, the address that it takes, as signer or address; null for random values. */
  readonly arguments: readonly (string | null)[];
  /** Undefined for a test that must succeed. */
  readonly expected?: ExpectedFailure | undefined;
  /** The source, relative to the package's folder. */
  readonly path: string;
  readonly line: number;
}

/** What is known about the program that the tests are in. */
export interface TestedProgram {
  /** All modules by key. */
  readonly declarations: ReadonlyMap<string, ModuleDeclaration>;
  /** The value of a constant; undefined if it cannot be computed. */
  readonly valueOfConstant: (constant: ConstantDeclaration) => Value | undefined;
}

/** The tests of modules, in the order of the source. Mistakes in attributes are reported as errors and warnings. */
export function planTests(
  modules: readonly ModuleDeclaration[],
  program: TestedProgram,
  diagnostics: Diagnostics,
): UnitTest[] {
  return modules.flatMap(({ functions }) =>
    [...functions.values()].flatMap((declared) => new TestReader(declared, program, diagnostics).test() ?? []),
  );
}

/** By the attribute that says so: the status with which a test must fail, if the attribute does not give it. */
const STATUSES = {
  abort_code: StatusCode.ABORTED,
  arithmetic_error: StatusCode.ARITHMETIC_ERROR,
  vector_error: StatusCode.VECTOR_OPERATION_ERROR,
  out_of_gas: StatusCode.OUT_OF_GAS,
  major_status: undefined,
} as const;

const KINDS = Object.keys(STATUSES) as (keyof typeof STATUSES)[];

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** A number that an attribute gives. */
interface GivenNumber {
  readonly value: bigint;
  readonly span: Span;
  /** The constant that stands for it, with its module. */
  readonly constant: { readonly name: string; readonly module: ModuleIdentity } | undefined;
}

type Given = ReadonlyMap<string, ResolvedAttribute>;

/** Reads the attributes of one function; `undefined` stands for what is wrong, for which there is a diagnostic. */
class TestReader {
  readonly #declared: FunctionDeclaration;
  readonly #program: TestedProgram;
  readonly #diagnostics: Diagnostics;

  constructor(declared: FunctionDeclaration, program: TestedProgram, diagnostics: Diagnostics) {
    this.#declared = declared;
    this.#program = program;
    this.#diagnostics = diagnostics;
  }

  test(): UnitTest | undefined {
    const { name, module, attributes, isInline } = this.#declared;
    const attribute = (wanted: string): ResolvedAttribute | undefined =>
      attributes.find((each) => each.name.text === wanted);
    const [test, second] = attributes.filter(({ name: { text } }) => isTest(text));
    const failure = attribute('expected_failure');
    if (test === undefined) {
      if (failure === undefined) return undefined;
      const message = "only a test must fail: the function has 'expected_failure', but not 'test'";
      return this.#add(Attributes.usage, name.span, message, labels(failure.span, 'the attribute'));
    }
    if (second !== undefined) {
      const message = "a function is a 'test' or a 'random_test'; remove one";
      this.#add(Attributes.usage, second.span, message, labels(test.span, 'the other one'));
    }
    const testOnly = attribute('test_only');
    if (testOnly !== undefined) {
      const message = "a function is a test or 'test_only', which is for what tests use; remove one";
      this.#add(Attributes.usage, testOnly.span, message, labels(test.span, 'it is a test'));
    }
    if (isInline) {
      const message = 'an inline function cannot be a test: it is not part of the compiled module';
      this.#add(Attributes.test, name.span, message, labels(test.span, 'it is a test'));
    }
    const given = this.#arguments(test);
    const expected = failure && this.#expected(failure);
    return {
      module: idOf(module!.identity),
      name: name.text,
      arguments: given,
      ...(expected && { expected }),
      path: name.span.source.path,
      line: textPlaceOf(name.span.source, name.span.start).line,
    };
  }

  #arguments(test: ResolvedAttribute): (string | null)[] {
    const given = new Map<string, string>();
    const isRandom = test.name.text === 'random_test';
    if (test.kind === 'assigned')
      this.#add(Attributes.test, test.span, `'${test.name.text}' takes values for parameters, in brackets`);
    for (const item of test.kind === 'list' ? test.items : []) {
      if (item.kind !== 'assigned') {
        this.#add(Attributes.test, item.span, "expected the value of a parameter, such as 'alice = @0x1'");
      } else if (item.value.kind !== 'address') {
        const message = "tests take addresses, such as '@0x1', for signers and for addresses";
        this.#add(Attributes.value, item.value.span, message, labels(item.span, 'given here'));
      } else given.set(item.name.text, formatAddressShort(item.value.value));
    }
    return this.#declared.parameters.flatMap(({ local, type }) => {
      const value = given.get(local.name);
      if (value !== undefined) return [value];
      if (isRandom) {
        if (hasRandomValues(type)) return [null];
        const message = `'random_test' has no values for the parameter '${local.name}': it gives numbers, 'bool', 'address', 'signer', strings, and vectors and options of them`;
        this.#add(Attributes.test, test.span, message, labels(type.span, 'the parameter'));
        return [];
      }
      const message = `'test' gives no value for the parameter '${local.name}': write 'test(${local.name} = @0x1)'`;
      this.#add(Attributes.test, test.span, message, labels(local.span, 'the parameter'));
      return [];
    });
  }

  #expected(failure: ResolvedAttribute): ExpectedFailure | undefined {
    if (failure.kind === 'word') return {};
    if (failure.kind === 'assigned') {
      const message = "expected what kind of failure it is, in brackets, such as 'expected_failure(abort_code = 1)'";
      return this.#add(Attributes.value, failure.value.span, message, labels(failure.span, 'the attribute'));
    }
    const given = new Map(failure.items.map((item) => [item.name.text, item]));
    const kinds = KINDS.filter((kind) => given.has(kind));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const found = kinds.length === 0 ? 'none' : kinds.join(' and ');
      const message = `expected one kind of failure, got ${found}; there are ${KINDS.join(', ')}`;
      return this.#add(Attributes.value, failure.span, message);
    }
    const expected = this.#expectedKind(kind, given);
    const known: readonly string[] = [
      kind,
      'location',
      ...(kind === 'vector_error' || kind === 'major_status' ? ['minor_status'] : []),
    ];
    // Only where nothing is wrong, and the module is certain, as in the reference.
    if (expected?.location === undefined) return expected;
    for (const { name } of failure.items.filter((item) => !known.includes(item.name.text))) {
      this.#add(Unused.attribute, name.span, `a failure of the kind '${kind}' does not have '${name.text}'`);
    }
    return expected;
  }

  #expectedKind(kind: keyof typeof STATUSES, given: Given): ExpectedFailure | undefined {
    const attribute = given.get(kind)!;
    if (kind === 'abort_code') return this.#abort(attribute, given);
    let status: number | undefined = STATUSES[kind];
    if (status !== undefined && attribute.kind !== 'word') {
      return this.#add(Attributes.value, attribute.name.span, `'${kind}' takes no value`);
    }
    if (status === undefined) {
      const number = this.#number(attribute);
      if (number === undefined) return undefined;
      status = Number(number.value);
      if (statusName(status) === String(status)) {
        const message = `the Move machine has no status with the number ${number.value}`;
        return this.#add(Attributes.value, attribute.span, message, labels(number.span, 'given here'));
      }
    }
    const minor = kind === 'vector_error' || kind === 'major_status' ? given.get('minor_status') : undefined;
    const minorStatus = minor && this.#number(minor);
    if (minor !== undefined && minorStatus === undefined) return undefined;
    const located = given.get('location');
    if (located === undefined) {
      const message = `'${kind}' needs the module in which the test fails: write '${kind}, location = Self'`;
      return this.#add(Attributes.usage, attribute.name.span, message);
    }
    const location = this.#location(located);
    if (location === undefined) return undefined;
    const refined = minorStatus !== undefined && { minorStatus: String(minorStatus.value) };
    return { status: statusName(status), ...refined, location };
  }

  #abort(attribute: ResolvedAttribute, given: Given): ExpectedFailure | undefined {
    const code = this.#number(attribute);
    if (code === undefined) return undefined;
    const { value, constant, span } = code;
    const abort = { status: 'ABORTED', abortCode: String(value), ...(constant && { abortName: constant.name }) };
    const located = given.get('location');
    if (located !== undefined) {
      const location = this.#location(located);
      return location === undefined ? undefined : { ...abort, location };
    }
    if (constant !== undefined) return { ...abort, location: idOf(constant.module) };
    const hint = "name the module's constant instead, or add 'location = MODULE'";
    const message = 'the test passes for an abort with this code in any module';
    this.#add(Attributes.doubtful, attribute.name.span, message, labels(span, hint));
    return abort;
  }

  #location(attribute: ResolvedAttribute): string | undefined {
    const value = this.#assigned(attribute);
    if (value === undefined) return undefined;
    if (value.kind !== 'module') {
      const message = "expected a module, such as 'std::vector' or 'Self'";
      return this.#add(Attributes.value, attribute.span, message, labels(value.span, 'given here'));
    }
    return this.#module(value.module, value.span) === undefined ? undefined : idOf(value.module);
  }

  #module(module: ModuleIdentity, span: Span): ModuleDeclaration | undefined {
    const found = this.#program.declarations.get(module.key);
    if (found !== undefined) return found;
    return this.#add(Attributes.value, span, `there is no source of a module ${shownModule(module)}`);
  }

  /** A number of type `u64`: a literal, or a constant of any module. */
  #number(attribute: ResolvedAttribute): GivenNumber | undefined {
    const value = this.#assigned(attribute);
    if (value === undefined) return undefined;
    const { span } = value;
    if (value.kind === 'member' && value.module !== undefined)
      return this.#constant(value.module, value.name.text, span);
    const isU64 =
      value.kind === 'number' && (value.type === 'u64' || (value.type === undefined && value.value <= U64_MAX));
    if (isU64) return { value: value.value, span, constant: undefined };
    const message = "expected a 'u64', or a constant of this type";
    const notes = value.kind === 'member' ? constantNotes(value.name.text, this.#program.declarations.values()) : [];
    return this.#add(Attributes.value, attribute.span, message, labels(span, 'given here'), notes);
  }

  #constant(module: ModuleIdentity, name: string, span: Span): GivenNumber | undefined {
    const declared = this.#module(module, span);
    if (declared === undefined) return undefined;
    const constant = declared.constants.get(name);
    if (constant === undefined) {
      const message = `the module ${shownModule(module)} has no constant '${name}'`;
      return this.#add(Attributes.value, span, message, [], didYouMean(name, declared.constants.keys()));
    }
    const value = this.#program.valueOfConstant(constant);
    if (value?.kind === 'number' && value.type === 'u64')
      return { value: value.value, span, constant: { name, module } };
    const message = `the constant '${name}' is not a 'u64', as codes and statuses are`;
    return this.#add(Attributes.value, span, message, labels(constant.name.span, 'declared here'));
  }

  #assigned(attribute: ResolvedAttribute): AttributeValue | undefined {
    if (attribute.kind === 'assigned') return attribute.value;
    const { text, span } = attribute.name;
    return this.#add(Attributes.value, span, `'${text}' needs a value: write '${text} = ...'`);
  }

  #add(
    kind: DiagnosticKind,
    span: Span,
    message: string,
    secondary: readonly Label[] = [],
    notes: readonly string[] = [],
  ): undefined {
    this.#diagnostics.add(kind, span, message, secondary, notes);
  }
}

const STRINGS = ['0x1::string::String', '0x1::ascii::String'];

/** Whether random values of a type can be made. */
function hasRandomValues(type: ResolvedType): boolean {
  if (type.kind === 'primitive') return true;
  if (type.kind === 'vector') return hasRandomValues(type.element);
  if (type.kind !== 'struct') return false;
  const name = `${idOf(type.struct.module.identity)}::${type.struct.name.text}`;
  return STRINGS.includes(name) || (name === '0x1::option::Option' && type.arguments.every(hasRandomValues));
}

const labels = (span: Span, message: string): Label[] => [{ span, message }];

const idOf = ({ address, name }: ModuleIdentity): string => `${formatAddressShort(address)}::${name}`;
