/**
 * Runs the unit tests of a Move package: functions with `#[test]`, each in a session of its own on the state that the
 * package was published to. What a test changes is dropped with its session, so tests cannot disturb each other.
 * @module
 */
import { VIEW_GAS_MAX } from '../../base/config.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SessionCall, SessionTracer } from '../../execution/runtime/session.ts';
import { TraceValue } from '../../execution/trace/kept-value.ts';
import type { StackFrame } from '../../execution/trace/place.ts';
import type { Trace } from '../../execution/trace/trace.ts';
import { formatAddressShort, parseAddress, SYSTEM_ADDRESS } from '../../move/address.ts';
import type { Failure } from '../../vm/failure.ts';
import { statusName } from '../../vm/status.ts';
import type { ExpectedFailure, UnitTest } from '../index.ts';
import { CodeRun, type CoveredCode } from './covered-code.ts';
import { type CodeNames, failureText } from './failure-text.ts';
import type { TestedPackage } from './tested-package.ts';

/** Milliseconds that one Move unit test may take, whatever gas it is given. */
const UNIT_TEST_MS_MAX = 60_000;

/** How a test ended. */
export interface UnitTestResult {
  readonly test: UnitTest;
  readonly passed: boolean;
  /** Why not, in lines: what happened and what was expected, then the call stack. */
  readonly complaint: readonly string[];
  /** What it printed with `0x1::debug::print`, one value per line. */
  readonly prints: readonly string[];
  readonly gasUsed: bigint;
}

/** Options of a run. */
export interface RunOptions {
  /** Gas units that a test may use. */
  readonly gasMax?: bigint | undefined;
  /** Collects the instructions that the test runs. */
  readonly covered?: CoveredCode | undefined;
}

/**
 * Publishes a package in the name of its addresses; `init` functions run.
 * @throws {EngineError} those of `Engine.publish`
 * @returns undefined, or why the chain refused it
 */
export async function publishPackage(engine: Engine, { modules }: TestedPackage): Promise<string | undefined> {
  for (const address of new Set(modules.map((module) => module.address))) {
    const own = modules.filter((module) => module.address === address);
    const { status, failure } = await engine.publish(
      address,
      own.map(({ bytes }) => bytes),
    );
    if (status.kind !== 'executed') return failure?.message ?? status.kind;
  }
  return undefined;
}

/** Runs one test on a chain that the package was published to. */
export function runUnitTest(
  engine: Engine,
  tested: TestedPackage,
  test: UnitTest,
  options: RunOptions = {},
): UnitTestResult {
  const gasMax = options.gasMax ?? VIEW_GAS_MAX;
  const run = options.covered && new CodeRun();
  const { gasUsed, failure, prints } = attempt(engine, test, gasMax, run);
  if (run !== undefined) options.covered!.add(run);
  let found: readonly StackFrame[] | undefined;
  const stack = (): readonly StackFrame[] => {
    found ??= tracedAttempt(engine, test, gasMax).failure?.callStack ?? [];
    return found;
  };
  const complaint = complaintOf(test.expected, failure, () => stack().at(-1)?.module);
  if (complaint === undefined) return { test, passed: true, complaint: [], prints, gasUsed };
  const names: CodeNames = { modules: tested.modules };
  const lines = failure === undefined ? [] : failureText(failure, stack(), names);
  return { test, passed: false, complaint: [complaint, ...lines], prints, gasUsed };
}

/** The trace of a test: its first run may have been translated code, which keeps no frames. */
function tracedAttempt(engine: Engine, test: UnitTest, gasMax: bigint): Trace {
  const { Recorder, moduleLookup, traceOf } = engine.inside.core.execution;
  const recorder = new Recorder();
  const { gasUsed, failure } = attempt(engine, test, gasMax, recorder);
  const reader = engine.inside.core.current();
  const { state } = reader;
  return traceOf(recorder, { gasUsed, failure }, moduleLookup({ state, machines: reader.machines() }));
}

interface Attempt {
  readonly gasUsed: bigint;
  readonly failure: Failure | undefined;
  readonly prints: readonly string[];
}

function attempt(engine: Engine, test: UnitTest, gasMax: bigint, tracer: SessionTracer | undefined): Attempt {
  const { Deadline, PrintLog, runSession } = engine.inside.core.execution;
  const reader = engine.inside.core.current();
  const { state } = reader;
  const machines = reader.machines();
  const settings = {
    state,
    machine: machines.at(state),
    modules: machines.modules,
    context: {
      sender: test.arguments[0] === undefined ? SYSTEM_ADDRESS : parseAddress(test.arguments[0]),
      sequenceNumber: 0n,
      maxGasAmount: gasMax,
      txHash: new Uint8Array(32).fill(1),
      txSize: 0n,
      idsCreated: 0n,
      entries: [],
    },
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

function callOf({ module, name, arguments: given }: UnitTest): SessionCall {
  const [address = '', moduleName = ''] = module.split('::');
  return {
    module: { address: parseAddress(address), name: moduleName },
    function: name,
    typeArguments: [],
    arguments: given.map(parseAddress),
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
