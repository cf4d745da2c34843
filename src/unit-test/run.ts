/**
 * Runs the unit tests of a Move package: functions with `#[test]`, each in a session of its own on the state that the
 * package was published to. What a test changes is dropped with its session, so tests cannot disturb each other.
 * @module
 */

import type { UnitTest } from '../compile/index.ts';
import { UNIT_TEST_MS_MAX, VIEW_GAS_MAX } from '../config.ts';
import type { Engine } from '../engine.ts';
import { parseAddress, SYSTEM_ADDRESS } from '../move/address.ts';
import type { Reader } from '../query/reader.ts';
import { PrintLog } from '../runtime/print-log.ts';
import { runSession, type SessionCall } from '../runtime/session.ts';
import { moduleLookup } from '../trace/explain-failure.ts';
import { TraceValue } from '../trace/kept-value.ts';
import { Recorder } from '../trace/recorder.ts';
import type { Trace } from '../trace/trace.ts';
import { traceOf } from '../trace/traced.ts';
import { Deadline } from '../vm/deadline.ts';
import type { Failure } from '../vm/failure.ts';
import { complaintOf } from './expectation.ts';

import { type CodeNames, failureText } from './failure-text.ts';
import type { TestedPackage } from './tested-package.ts';

/** How a test ended. */
export interface UnitTestResult {
  readonly test: UnitTest;
  readonly passed: boolean;
  /** Why not, in lines: what happened and what was expected, then the call stack. */
  readonly complaint: readonly string[];
  /** What it printed by `0x1::debug::print`, one value a line. */
  readonly prints: readonly string[];
  readonly gasUsed: bigint;
  /** The functions that it called, `0x42::m::f`; only where coverage was asked for. */
  readonly called: readonly string[];
}

/** What is asked of a run. */
export interface RunOptions {
  /** Gas units that a test may use. */
  readonly gasMax?: bigint | undefined;
  /** Whether the functions are told that a test calls. It runs three to four times as long. */
  readonly coverage?: boolean | undefined;
}

/**
 * Publishes a package, as its addresses; `init` functions run.
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
  const reader = engine.current();
  const gasMax = options.gasMax ?? VIEW_GAS_MAX;
  const first = attempt(reader, test, gasMax, options.coverage === true);
  const { gasUsed, failure, prints } = first;
  const complaint = complaintOf(test.expected, failure);
  const called = first.trace?.functions.map((each) => each.function) ?? [];
  if (complaint === undefined) return { test, passed: true, complaint: [], prints, gasUsed, called };
  // The untraced run may have been translated code, which keeps no frames.
  const trace = failure && (first.trace ?? attempt(reader, test, gasMax, true).trace);
  const names: CodeNames = { modules: tested.modules };
  const lines = failure === undefined ? [] : failureText(failure, trace?.failure?.callStack ?? [], names);
  return { test, passed: false, complaint: [complaint, ...lines], prints, gasUsed, called };
}

interface Attempt {
  readonly gasUsed: bigint;
  readonly failure: Failure | undefined;
  readonly prints: readonly string[];
  readonly trace: Trace | undefined;
}

function attempt(reader: Reader, test: UnitTest, gasMax: bigint, traced: boolean): Attempt {
  const { state } = reader;
  const machines = reader.machines();
  const recorder = traced ? new Recorder() : undefined;
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
    tracer: recorder,
    prints: new PrintLog(),
  };
  return runSession(settings, (session) => {
    const outcome = session.call(callOf(test));
    const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
    const gasUsed = gasMax - session.gas.left;
    const prints = (session.prints?.printed ?? []).map(({ type, bytes }) => String(new TraceValue(type, bytes)));
    const trace = recorder && traceOf(recorder, { gasUsed, failure }, moduleLookup({ state, machines }));
    return { gasUsed, failure, prints, trace };
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
