/**
 * Runs the unit tests of a Move package: functions with `#[test]`, each in a session of its own on one state. What a test
 * changes is dropped with its session, so tests cannot disturb each other. One with random arguments runs many times, each
 * time in a session of its own; arguments with which it fails are made simpler, as long as it fails in the same way.
 * @module
 */
import { VIEW_GAS_MAX } from '../../base/config.ts';
import { runSession, type SessionCall, type SessionTracer } from '../../execution/runtime/session.ts';
import { PrintLog } from '../../execution/runtime/session-host.ts';
import { CodeRun, type CoveredCode } from '../../execution/trace/covered-code.ts';
import { moduleLookup } from '../../execution/trace/explain-failure.ts';
import { TraceValue } from '../../execution/trace/kept-value.ts';
import { moduleName, type StackFrame } from '../../execution/trace/place.ts';
import { Recorder } from '../../execution/trace/recorder.ts';
import { type Trace, traceOf } from '../../execution/trace/trace.ts';
import { formatAddressShort, parseAddress } from '../../move/address.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { Deadline } from '../../vm/deadline.ts';
import type { Failure } from '../../vm/failure.ts';
import { statusName } from '../../vm/status.ts';
import type { ExpectedFailure, UnitTest } from '../index.ts';
import { type CodeNames, failureText, genesisHint } from './failure-text.ts';
import { type GivenTest, RandomParameters, RandomStream } from './random-value.ts';
import type { TestedPackage } from './tested-package.ts';
import { TEST_CONTEXT, type UnitTestChain } from './unit-test-chain.ts';

/** Milliseconds that one Move unit test may take, whatever gas it is given. */
const UNIT_TEST_MS_MAX = 60_000;

/** Milliseconds after which a test with random arguments is not begun again, and as many in which a failure is made simpler. */
export const RANDOM_TEST_MS_MAX = 10_000;

/** How often a test with random arguments is run. */
export const RANDOM_RUNS_DEFAULT = 100;

/** How a test ended. */
export interface UnitTestResult {
  readonly test: UnitTest;
  readonly passed: boolean;
  /** Why not, in lines: what happened and what was expected, then the call stack. */
  readonly complaint: readonly string[];
  /** What it printed with `0x1::debug::print`, one value per line. */
  readonly prints: readonly string[];
  /** The most that a run used. */
  readonly gasUsed: bigint;
  /** How often it ran, if its arguments are random. */
  readonly runs?: number | undefined;
}

/** Options of a run. */
export interface RunOptions {
  /** Gas units that a test may use. */
  readonly gasMax?: bigint | undefined;
  /** Collects the instructions that the test runs. */
  readonly covered?: CoveredCode | undefined;
  /** A line of a source, by its path in the package; failures quote it. */
  readonly lineText?: CodeNames['lineText'];
  /** What random arguments follow from. Default: 0. */
  readonly seed?: bigint | undefined;
  /** How often a test with random arguments is run. Default: RANDOM_RUNS_DEFAULT. */
  readonly randomRuns?: number | undefined;
}

/** Runs one test of the package of a chain. */
export function runUnitTest(
  chain: UnitTestChain,
  tested: TestedPackage,
  test: UnitTest,
  options: RunOptions = {},
): UnitTestResult {
  const fixed = test.arguments.filter((given) => given !== null);
  if (fixed.length === test.arguments.length)
    return runOnce(chain, tested, { test, given: fixed.map(parseAddress) }, options);
  const { seed = 0n, randomRuns = RANDOM_RUNS_DEFAULT } = options;
  const parameters = new RandomParameters(tested, test);
  const random = new RandomStream(seed, `${test.module}::${test.name}`);
  const end = performance.now() + RANDOM_TEST_MS_MAX;
  let gasUsed = 0n;
  let runs = 0;
  while (runs < randomRuns && (runs === 0 || performance.now() < end)) {
    const values = parameters.values(random);
    const result = runOnce(chain, tested, parameters.given(values), options);
    runs++;
    gasUsed = result.gasUsed > gasUsed ? result.gasUsed : gasUsed;
    if (result.passed) continue;
    const simplest = simplestFailure(chain, parameters, values, options);
    const { complaint, prints } = runOnce(chain, tested, parameters.given(simplest), {
      ...options,
      covered: undefined,
    });
    const [first, ...rest] = complaint;
    const given = `${first} with ${parameters.text(simplest)}, found in run ${runs}`;
    return { test, passed: false, complaint: [given, ...rest], prints, gasUsed, runs };
  }
  return { test, passed: true, complaint: [], prints: [], gasUsed, runs };
}

/** Makes arguments with which a test fails simpler, one at a time, until none of the simpler ones fails in the same way. */
function simplestFailure(
  chain: UnitTestChain,
  parameters: RandomParameters,
  values: readonly ViewArgument[],
  { gasMax = VIEW_GAS_MAX }: RunOptions,
): readonly ViewArgument[] {
  const kindOf = (given: readonly ViewArgument[]): string => {
    const { failure } = attempt(chain, parameters.given(given), gasMax, undefined);
    return failure === undefined ? '' : placedStatus(failure);
  };
  const wanted = kindOf(values);
  const end = performance.now() + RANDOM_TEST_MS_MAX;
  let simplest = values;
  for (;;) {
    const simpler = parameters.simpler(simplest).find((each) => performance.now() < end && kindOf(each) === wanted);
    if (simpler === undefined) return simplest;
    simplest = simpler;
  }
}

function placedStatus({ status, subStatus, location }: Failure): string {
  const module = location?.module;
  return `${status} ${subStatus} ${module && `${formatAddressShort(module.address)}::${module.name}`}`;
}

/** @param given the BCS of each argument */
function runOnce(
  chain: UnitTestChain,
  tested: TestedPackage,
  { test, given }: GivenTest,
  options: RunOptions,
): UnitTestResult {
  const gasMax = options.gasMax ?? VIEW_GAS_MAX;
  const run = options.covered && new CodeRun();
  const { gasUsed, failure, prints } = attempt(chain, { test, given }, gasMax, run);
  if (run !== undefined) options.covered!.add(run);
  let found: readonly StackFrame[] | undefined;
  const stack = (): readonly StackFrame[] => {
    found ??= tracedAttempt(chain, { test, given }, gasMax).failure?.callStack ?? [];
    return found;
  };
  const complaint = complaintOf(test.expected, failure, () => stack().at(-1)?.module);
  if (complaint === undefined) return { test, passed: true, complaint: [], prints, gasUsed };
  if (failure === undefined) return { test, passed: false, complaint: [complaint], prints, gasUsed };
  const lines = failureText(failure, stack(), { modules: tested.modules, lineText: options.lineText });
  const ran = run ?? new CodeRun();
  if (run === undefined) attempt(chain, { test, given }, gasMax, ran);
  const hint = genesisHint(failure, stack(), (module, name) => hasRun(ran, module, name));
  return { test, passed: false, complaint: [complaint, ...lines, ...hint], prints, gasUsed };
}

function hasRun({ functions }: CodeRun, module: string, name: string): boolean {
  return [...functions.keys()].some((loaded) => loaded.name === name && moduleName(loaded.module.id) === module);
}

/** The trace of a test: its first run may have been translated code, which keeps no frames. */
function tracedAttempt(chain: UnitTestChain, test: GivenTest, gasMax: bigint): Trace {
  const recorder = new Recorder();
  const { gasUsed, failure } = attempt(chain, test, gasMax, recorder);
  return traceOf(recorder, { gasUsed, failure }, moduleLookup(chain));
}

interface Attempt {
  readonly gasUsed: bigint;
  readonly failure: Failure | undefined;
  readonly prints: readonly string[];
}

function attempt(
  { state, machines }: UnitTestChain,
  test: GivenTest,
  gasMax: bigint,
  tracer: SessionTracer | undefined,
): Attempt {
  const settings = {
    state,
    machine: machines.at(state),
    modules: machines.modules,
    context: TEST_CONTEXT,
    gasBudget: gasMax,
    isReadOnly: true,
    deadline: new Deadline(UNIT_TEST_MS_MAX),
    tracer,
    prints: new PrintLog(),
  };
  return runSession(settings, (session) => {
    const outcome = session.call(callOf(test));
    const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
    const gasUsed = gasMax - session.gas.left;
    const prints = (session.prints?.printed ?? []).map(({ type, bytes }) => String(new TraceValue(type, bytes)));
    return { gasUsed, failure, prints };
  });
}

function callOf({ test: { module, name }, given }: GivenTest): SessionCall {
  const [address = '', moduleName = ''] = module.split('::');
  return {
    module: { address: parseAddress(address), name: moduleName },
    function: name,
    typeArguments: [],
    arguments: given,
    givesSigners: true,
  };
}

/**
 * What is wrong with how a test ended, in a sentence; undefined if nothing is.
 * @param innermost finds the module of the function that failed, for a failure without a place: OUT_OF_GAS
 */
function complaintOf(
  expected: ExpectedFailure | undefined,
  failure: Failure | undefined,
  innermost: () => string | undefined,
): string | undefined {
  if (expected === undefined) return failure === undefined ? undefined : 'it failed';
  const wanted = expectationText(expected);
  if (failure === undefined) return `expected ${wanted}; it succeeded`;
  return meets(expected, failure, innermost) ? undefined : `expected ${wanted}; it failed otherwise`;
}

function meets(
  expected: ExpectedFailure,
  { status, subStatus, location }: Failure,
  innermost: () => string | undefined,
): boolean {
  const { abortCode, minorStatus = abortCode } = expected;
  if (expected.status !== undefined && expected.status !== statusName(status)) return false;
  if (minorStatus !== undefined && String(subStatus) !== minorStatus) return false;
  if (expected.location === undefined) return true;
  // As in the reference, which compares all three of status, number and place.
  if (minorStatus === undefined && subStatus !== undefined) return false;
  if (location === undefined) return innermost() === expected.location;
  const { module } = location;
  return module !== undefined && `${formatAddressShort(module.address)}::${module.name}` === expected.location;
}

function expectationText({ status, abortCode, abortName, minorStatus, location }: ExpectedFailure): string {
  const name = abortName === undefined ? '' : ` (${abortName})`;
  const what = abortCode === undefined ? (status ?? 'a failure') : `an abort with code ${abortCode}${name}`;
  const minor = minorStatus === undefined ? '' : ` with minor status ${minorStatus}`;
  return `${what}${minor}${location === undefined ? '' : ` in ${location}`}`;
}
