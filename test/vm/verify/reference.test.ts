/**
 * What the reference's test-suites of the verifier and the machine list: programs, and the status for which each is
 * refused.
 *
 * `$MOVELET_REFERENCE/movelet-tests/programs.json` holds them, prepared outside the project from its `.mvir` and `.exp`
 * files: `{ file, tasks: Task[] }[]`, where `text` is the program for this project's assembler, without `extern` blocks
 * for the framework, and the rest what the reference says of it. Modules that pass are published for the tasks that
 * follow, scripts are loaded at the type arguments; nothing is run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/error.ts';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import type { Module, Script } from '../../../src/vm/binary/module.ts';
import { readScript } from '../../../src/vm/binary/read.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { moduleKey } from '../../../src/vm/module-id.ts';
import { NativeTable } from '../../../src/vm/native-table.ts';
import { StatusCode, statusClass, statusName } from '../../../src/vm/status.ts';
import { ACCEPTED, type VerifyLocation, type VerifyResult } from '../../../src/vm/verdict.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { checkCompatibility } from '../../../src/vm/verify/compatibility.ts';
import { verifyDependencies } from '../../../src/vm/verify/dependencies.ts';
import { dependenciesOf, type ModuleLookup, selfIdOf } from '../../../src/vm/verify/module-lookup.ts';
import { verifyScript } from '../../../src/vm/verify/verify.ts';
import { frameworkModule, withExterns } from '../../runtime/externs.ts';
import { assembleModule, assembleScriptBytes } from '../assemble.ts';
import { lookup as framework } from '../mutants.ts';

interface Task {
  readonly task: number;
  readonly kind: 'module' | 'script';
  readonly text: string;
  /** Of a script. */
  readonly typeArguments?: readonly string[];
  /** Of a module that replaces another; default: true. */
  readonly checksFriends?: boolean;
  /** Whether it may replace anything, which no chain lets it. */
  readonly isForced?: boolean;
  /** Absent where nothing is refused. */
  readonly status?: keyof typeof StatusCode;
  readonly functionIndex?: number;
  readonly codeOffset?: number;
}

interface Suite {
  readonly file: string;
  readonly tasks: readonly Task[];
}

const path = `${process.env['MOVELET_REFERENCE']}/movelet-tests/programs.json`;
const isThere = existsSync(path);
const note = isThere ? '' : ' (skipped: MOVELET_REFERENCE names no directory that holds movelet-tests)';
const suites: readonly Suite[] = isThere ? JSON.parse(readFileSync(path, 'utf8')) : [];

function check({ tasks }: Suite): string[] {
  const published = new Map<string, Module>();
  const lookup: ModuleLookup = (id) => published.get(moduleKey(id)) ?? framework(id);
  return tasks.flatMap((task) => {
    const verdict = task.kind === 'script' ? loadScript(task, lookup) : publish(task, published, lookup);
    const fault = faultOf(task, verdict);
    return fault === undefined ? [] : [`task ${task.task}: ${fault}`];
  });
}

interface Outcome {
  readonly status: string;
  readonly location: VerifyLocation;
}

function outcomeOf(verdict: VerifyResult): Outcome {
  if (verdict.ok) return { status: 'ok', location: {} };
  return { status: statusName(verdict.statusCode), location: verdict.location };
}

function textOf({ text }: Task): string {
  return withExterns(text, (name) =>
    name.startsWith('0x1::') && !text.includes(`extern ${name}`) ? frameworkModule(name) : undefined,
  );
}

function loadScript(task: Task, lookup: ModuleLookup): Outcome {
  let script: Script;
  try {
    script = readScript(assembleScriptBytes(textOf(task)));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
    return { status: 'CODE_DESERIALIZATION_ERROR', location: {} };
  }
  const verdict = verifyScript(script);
  if (!verdict.ok) return outcomeOf(verdict);
  if (dependenciesOf(script).some((id) => lookup(id) === undefined)) return { status: 'LINKER_ERROR', location: {} };
  const linked = verifyDependencies(script, lookup);
  if (!linked.ok) return outcomeOf(linked);
  const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE, engine: 'interpret' });
  const typeArguments = task.typeArguments!.map((tag) => parseTypeTag(tag));
  const types = machine.scriptParameterTypes({ script, typeArguments }, { load: lookup });
  return { status: 'status' in types ? statusName(types.status) : 'ok', location: {} };
}

function publish(task: Task, published: Map<string, Module>, lookup: ModuleLookup): Outcome {
  const module = assembleModule(textOf(task));
  const key = moduleKey(selfIdOf(module));
  const old = published.get(key);
  const { checksFriends = true, isForced = false } = task;
  const replaced = old === undefined || isForced ? ACCEPTED : checkCompatibility(old, module, { checksFriends });
  const verdict = replaced.ok ? verifyBundle([module], lookup) : replaced;
  if (verdict.ok) published.set(key, module);
  return outcomeOf(verdict);
}

/** Whether a status is the verifier's: others come from running the program or from its arguments. */
function isVerdict(status: keyof typeof StatusCode): boolean {
  return ['verification', 'deserialization'].includes(statusClass(StatusCode[status])) && !ARGUMENTS.has(status);
}
const ARGUMENTS: ReadonlySet<string> = new Set(['NUMBER_OF_ARGUMENTS_MISMATCH', 'TOO_MANY_TYPE_NODES']);

function faultOf(
  { status, functionIndex, codeOffset }: Task,
  { status: found, location }: Outcome,
): string | undefined {
  const wanted = status === undefined || !isVerdict(status) ? 'ok' : status;
  if (wanted !== found) return `expected ${wanted}, got ${found}`;
  if (found === 'ok' || codeOffset === undefined) return undefined;
  if (location.functionIndex === functionIndex && location.codeOffset === codeOffset) return undefined;
  return `expected ${wanted} at ${functionIndex}:${codeOffset}, got ${location.functionIndex}:${location.codeOffset}`;
}

/**
 * Upgrades that change the fields of a struct: the reference switched that check off in its `compatibility.rs`, and its
 * lists still say what it was.
 */
const FIELDS_CHANGED = /republish_module_(incompatible_layout|incompatible_layout_struct)\.mvir$/;

describe.skipIf(!isThere)(`what the reference's test-suites refuse${note}`, () => {
  it('is there', () => {
    expect(suites.length).toBeGreaterThan(0);
  });

  it.each(suites.filter(({ file }) => !FIELDS_CHANGED.test(file)).map((suite) => [suite.file, suite] as const))(
    '%s',
    (_file, suite) => {
      expect(check(suite)).toEqual([]);
    },
  );
});
