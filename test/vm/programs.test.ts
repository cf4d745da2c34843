/**
 * The programs of the reference's test suites for the verifier and the machine, and the status with which each is
 * refused or ends, on every engine.
 *
 * `$MOVELET_REFERENCE/movelet-tests/programs.json` holds them, prepared outside the project from its `.mvir` and `.exp`
 * files: `{ file, tasks: Task[] }[]`, where `text` is the program for this project's assembler, without `extern` blocks
 * for the framework, and the rest what the reference says of it. Modules that pass are published and what programs
 * store is kept for the tasks that follow.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { GENESIS_GAS_ENTRIES } from '../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../src/execution/native/table.ts';
import type { SessionHost } from '../../src/execution/runtime/session-host.ts';
import { formatAddressShort, parseAddressHex } from '../../src/move/address.ts';
import { parseTypeTag } from '../../src/move/type-tag.ts';
import {
  dependenciesOf,
  type Module,
  type ModuleId,
  type ModuleLookup,
  moduleKey,
  type Script,
  selfIdOf,
} from '../../src/vm/binary/module.ts';
import { readScript } from '../../src/vm/binary/read.ts';
import type { CallArgument, CallOutcome, CallSetting } from '../../src/vm/call.ts';
import type { CodeLocation } from '../../src/vm/failure.ts';
import { GasMeter } from '../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../src/vm/gas/schedule.ts';
import { Machine } from '../../src/vm/machine.ts';
import { type StatusCode, statusName } from '../../src/vm/status.ts';
import type { Type } from '../../src/vm/value/type.ts';
import { ACCEPTED, type VerifyLocation, type VerifyResult } from '../../src/vm/verdict.ts';
import { verifyBundle } from '../../src/vm/verify/bundle.ts';
import { checkCompatibility } from '../../src/vm/verify/compatibility.ts';
import { verifyDependencies } from '../../src/vm/verify/dependencies.ts';
import { verifyScript } from '../../src/vm/verify/verify.ts';
import { frameworkModule, withExterns } from '../execution/runtime/externs.ts';
import { assembleModule, assembleScriptBytes } from './assemble.ts';
import { lookup as framework } from './mutants.ts';
import { StoredGlobals } from './stored-globals.ts';

/** What the reference says of a program; nothing of the kind where it is accepted and ends well. */
interface Expected {
  readonly status?: keyof typeof StatusCode;
  readonly subStatus?: string;
  /** `script` or `0x42::M`. */
  readonly location?: string;
  readonly functionIndex?: number;
  readonly codeOffset?: number;
}

interface ModuleTask extends Expected {
  readonly task: number;
  readonly kind: 'module';
  readonly text: string;
  /** Of one that replaces another; default: true. */
  readonly checksFriends?: boolean;
  /** Whether it may replace anything, which no chain lets it. */
  readonly isForced?: boolean;
}

interface RunTask extends Expected {
  readonly task: number;
  readonly kind: 'script' | 'function';
  /** Of a script. */
  readonly text: string;
  /** `0x42::M::foo` */
  readonly function: string;
  readonly typeArguments: readonly string[];
  /** Addresses; they come before the other arguments. */
  readonly signers: readonly string[];
  /** BCS in hex. */
  readonly arguments: readonly string[];
}

type Task = ModuleTask | RunTask;

interface Suite {
  readonly file: string;
  readonly tasks: readonly Task[];
}

const path = `${process.env['MOVELET_REFERENCE']}/movelet-tests/programs.json`;
const isThere = existsSync(path);
const note = isThere ? '' : ' (skipped: MOVELET_REFERENCE names no directory that holds movelet-tests)';
const suites: readonly Suite[] = isThere ? JSON.parse(readFileSync(path, 'utf8')) : [];

const ENGINES = [
  { engine: 'interpret' },
  { engine: 'translate', translateAfter: 0 },
  { engine: 'translate', translateAfter: 0, preferSwitch: true },
] as const;
const NATIVES = nativeTable(new Map(GENESIS_GAS_ENTRIES));

interface Outcome {
  readonly status: string;
  readonly subStatus?: bigint | undefined;
  readonly location?: CodeLocation | VerifyLocation | undefined;
}

const DONE: Outcome = { status: 'ok' };

function outcomeOf(verdict: VerifyResult): Outcome {
  return verdict.ok ? DONE : { status: statusName(verdict.statusCode), location: verdict.location };
}

/** The chain of one suite. */
class Programs {
  readonly #published = new Map<string, Module>();
  #globals: ReadonlyMap<string, Uint8Array> = new Map();

  readonly #lookup: ModuleLookup = (id) => this.#published.get(moduleKey(id)) ?? framework(id);

  /** What is wrong with the outcome of a task, or undefined. */
  check(task: Task): string | undefined {
    const outcome = task.kind === 'module' ? this.#publish(task) : this.#run(task);
    const fault = faultOf(task, outcome);
    return fault === undefined ? undefined : `task ${task.task}: ${fault}`;
  }

  #publish(task: ModuleTask): Outcome {
    const module = assembleModule(textOf(task));
    const key = moduleKey(selfIdOf(module));
    const old = this.#published.get(key);
    const { checksFriends = true, isForced = false } = task;
    const replaced = old === undefined || isForced ? ACCEPTED : checkCompatibility(old, module, { checksFriends });
    const verdict = replaced.ok ? verifyBundle([module], this.#lookup) : replaced;
    if (verdict.ok) this.#published.set(key, module);
    return outcomeOf(verdict);
  }

  #run(task: RunTask): Outcome {
    const script = task.kind === 'script' ? this.#load(task) : undefined;
    if (script !== undefined && 'status' in script) return script;
    const results = ENGINES.map((options) => {
      const machine = Machine.create({ natives: NATIVES, schedule: INITIAL_GAS_SCHEDULE, ...options });
      const globals = new StoredGlobals(this.#globals);
      const gas = new GasMeter(10n ** 15n);
      const host = undefined as unknown as SessionHost;
      const outcome = call(machine, task, script, { source: { load: this.#lookup }, gas, host, globals });
      const values = outcome.kind === 'returned' ? globals.values : this.#globals;
      return { outcome: endOf(outcome), gas: gas.left, values };
    });
    const [first, ...others] = results;
    for (const other of others) expect(other).toEqual(first);
    this.#globals = first!.values;
    return first!.outcome;
  }

  #load(task: RunTask): Script | Outcome {
    let script: Script;
    try {
      script = readScript(assembleScriptBytes(textOf(task)));
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'malformed-module') throw error;
      return { status: 'CODE_DESERIALIZATION_ERROR' };
    }
    const verdict = verifyScript(script);
    if (!verdict.ok) return outcomeOf(verdict);
    if (dependenciesOf(script).some((id) => this.#lookup(id) === undefined)) return { status: 'LINKER_ERROR' };
    const linked = verifyDependencies(script, this.#lookup);
    return linked.ok ? script : outcomeOf(linked);
  }
}

function textOf({ text }: Task): string {
  return withExterns(text, (name) =>
    name.startsWith('0x1::') && !text.includes(`extern ${name}`) ? frameworkModule(name) : undefined,
  );
}

function call(
  machine: Machine<SessionHost>,
  task: RunTask,
  script: Script | undefined,
  setting: CallSetting<SessionHost>,
): CallOutcome {
  const typeArguments = task.typeArguments.map((tag) => parseTypeTag(tag));
  if (script !== undefined) {
    const types = machine.scriptParameterTypes({ script, typeArguments }, setting.source);
    return machine.callScript({ script, typeArguments, arguments: argumentsOf(task, types) }, setting);
  }
  const [address, name, fun] = task.function.split('::') as [string, string, string];
  const target = { module: { address: parseAddressHex(address), name }, function: fun, typeArguments };
  const types = machine.parameterTypes(target, setting.source);
  return machine.call({ ...target, arguments: argumentsOf(task, types) }, setting);
}

function argumentsOf(
  { signers, arguments: given }: RunTask,
  types: readonly Type[] | { status: number },
): CallArgument[] {
  const isSigner = (index: number): boolean => {
    const type = Array.isArray(types) ? (types as readonly Type[])[index] : undefined;
    return type?.kind === 'signer' || (type?.isReference === true && type.item.kind === 'signer');
  };
  const all = [...signers.map((signer) => parseAddressHex(signer)), ...given.map((bytes) => fromHex(bytes))];
  return all.map((bytes, index) => {
    if (!isSigner(index)) return { bytes };
    const type = (types as readonly Type[])[index]!;
    return { value: new (type.isReference ? type.item : type).structClass(bytes) };
  });
}

function endOf(outcome: CallOutcome): Outcome {
  if (outcome.kind === 'returned') return DONE;
  if (outcome.kind === 'stackExhausted') return { status: 'stackExhausted' };
  const { status, subStatus, location } = outcome.failure;
  return { status: statusName(status), subStatus, location };
}

function faultOf(
  { status = undefined, subStatus, location: place, ...at }: Expected,
  found: Outcome,
): string | undefined {
  const { location } = found;
  const module = location !== undefined && 'module' in location ? location.module : undefined;
  const isPlaced = at.codeOffset !== undefined && location?.codeOffset !== undefined;
  const wanted = [status ?? 'ok', subStatus ?? '', ...(isPlaced ? [at.functionIndex, at.codeOffset] : [])];
  const got = [
    found.status,
    subStatus === undefined ? '' : found.subStatus,
    ...(isPlaced ? [location.functionIndex, location.codeOffset] : []),
  ];
  if (isPlaced && place !== undefined && 'module' in location) {
    wanted.push(place);
    got.push(module === undefined ? 'script' : shortId(module));
  }
  return wanted.join(' ') === got.join(' ') ? undefined : `expected ${wanted.join(' ')}, got ${got.join(' ')}`;
}

function shortId({ address, name }: ModuleId): string {
  return `${formatAddressShort(address)}::${name}`;
}

/**
 * Suites of upgrades that are left out. The first two change the fields of a struct: the reference switched that check
 * off in its `compatibility.rs`, and its lists still say what it was. The others replace modules unchecked, so that
 * others no longer link: the reference finds that when it loads these, here modules are held to what they import when
 * they are published. A chain comes to that only by friend functions while its feature COMPATIBILITY_CHECKER_V2 is off.
 */
const LEFT_OUT = [
  'republish_module_incompatible_layout',
  'republish_module_incompatible_layout_struct',
  'republish_module_incompatible_friend_fn_skip_check_friend_linking',
  'republish_module_incompatible_friend_fn_skip_check_friend_linking_remove',
  'republish_module_skip_compatible_linking',
];
const isLeftOut = ({ file }: Suite): boolean => LEFT_OUT.some((name) => file.endsWith(`/${name}.mvir`));

describe.skipIf(!isThere)(`programs of the reference's test-suites${note}`, () => {
  it('is there', () => {
    expect(suites.length).toBeGreaterThan(0);
  });

  it.each(suites.filter((suite) => !isLeftOut(suite)).map((suite) => [suite.file, suite] as const))(
    '%s',
    (_file, suite) => {
      const programs = new Programs();
      expect(suite.tasks.flatMap((task) => programs.check(task) ?? [])).toEqual([]);
    },
  );
});
