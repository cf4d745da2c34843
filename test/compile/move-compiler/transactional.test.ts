/**
 * The programs that the reference's compiler is tested with by running them
 * (`move-compiler/transactional-tests`, with `MOVELET_REFERENCE`): each compiled by this compiler, run by this machine,
 * and held against what the reference says: returned values, or the status and place of a failure.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import type { SessionHost } from '../../../src/execution/runtime/session-host.ts';
import { addressOf, formatAddressShort, parseAddressHex } from '../../../src/move/address.ts';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import { type Module, type ModuleLookup, moduleKey, type Script, selfIdOf } from '../../../src/vm/binary/module.ts';
import type { CallArgument, CallOutcome } from '../../../src/vm/call.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { StatusCode, statusName } from '../../../src/vm/status.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { StoredGlobals } from '../../vm/stored-globals.ts';
import { codesOf } from './front-end.ts';

const LANGUAGE = `${process.env['MOVELET_REFERENCE'] ?? ''}/third_party/move/language`;
const PROGRAMS = `${LANGUAGE}/move-compiler/transactional-tests/tests`;
const NATIVES = nativeTable(new Map(GENESIS_GAS_ENTRIES));
const ADDRESSES = new Map([['std', addressOf(1)]]);
/** Gas units, of 64 each, of a task that says none. */
const GAS_UNITS = 1_000_000n;

function moveFiles(folder: string): string[] {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return paths.filter((path) => path.endsWith('.move')).sort();
}

interface Task {
  /** The command without `//#`: `run 0x42::M::f --args 1`. */
  readonly words: readonly string[];
  readonly text: string;
}

function tasksOf(text: string): Task[] {
  return text
    .split(/^\/\/# */m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { words: part.slice(0, end).trim().split(/\s+/), text: part.slice(end + 1) };
    });
}

/** What the reference says of each task that does not simply succeed, by its number. */
function expectations(text: string): Map<number, string> {
  const found = text.split(/^task (\d+) '.*$/m).slice(1);
  const pairs = found.flatMap((number, at) => (at % 2 === 0 ? [[Number(number), found[at + 1]!] as const] : []));
  return new Map(pairs.map(([number, said]) => [number, summaryOf(said)]));
}

function summaryOf(said: string): string {
  const returned = /return values: (.*)/.exec(said);
  if (returned !== null) return `returned ${returned[1]}`;
  const field = (name: string): string => new RegExp(`${name}: (.*?),?\n`).exec(said)?.[1] ?? '';
  const subStatus = /Some\((\d+)\)/.exec(field('sub_status'))?.[1] ?? '';
  const [, index, offset] = /FunctionDefinitionIndex\((\d+)\), (\d+)/.exec(said) ?? [];
  const status = field('major_status');
  // Where gas runs out depends on the prices of the reference's test machine.
  const place = status === 'OUT_OF_GAS' ? [] : [index, offset];
  return [status, subStatus, field('location'), ...place].join(' ');
}

/** The chain of one program. */
class Chain {
  readonly #sources = new Map<string, string>();
  readonly #published = new Map<string, Module>();
  readonly #standard: { readonly files: Map<string, string>; readonly addresses: typeof ADDRESSES };
  readonly #lookup: ModuleLookup = (id) => this.#published.get(moduleKey(id));
  #globals: ReadonlyMap<string, Uint8Array> = new Map();

  constructor(standard: Map<string, string>) {
    this.#standard = { files: standard, addresses: ADDRESSES };
  }

  /** How a task ends, as the reference's list would say; undefined for a plain success. */
  run({ words, text }: Task): string | undefined {
    const option = (name: string): string[] => {
      const at = words.indexOf(name);
      return at < 0 ? [] : words.slice(at + 1, at + 2);
    };
    const code = text.replace(/\/\/.*/g, '').trim() === '' ? undefined : this.#compile(text);
    if (typeof code === 'string') return code;
    if (words[0] === 'publish') return undefined;
    const units = BigInt(option('--gas-budget')[0] ?? GAS_UNITS);
    const globals = new StoredGlobals(this.#globals);
    const machine = Machine.create({ natives: NATIVES, schedule: INITIAL_GAS_SCHEDULE, engine: 'translate' });
    const host = undefined as unknown as SessionHost;
    const source = { load: this.#lookup };
    const setting = { source, gas: new GasMeter(units * 1_000n), host, globals };
    const typeArguments = option('--type-args').map((tag) => parseTypeTag(tag));
    const given = { signers: option('--signers'), numbers: option('--args') };
    let outcome: CallOutcome;
    if (code !== undefined) {
      const types = machine.scriptParameterTypes({ script: code, typeArguments }, source);
      outcome = machine.callScript({ script: code, typeArguments, arguments: argumentsOf(given, types) }, setting);
    } else {
      const [address, name, fun] = words[1]!.split('::') as [string, string, string];
      const target = { module: { address: parseAddressHex(address), name }, function: fun, typeArguments };
      outcome = machine.call(
        { ...target, arguments: argumentsOf(given, machine.parameterTypes(target, source)) },
        setting,
      );
    }
    if (outcome.kind === 'returned') this.#globals = globals.values;
    return endOf(outcome, code === undefined);
  }

  /** The script, if there is one; modules are published. */
  #compile(text: string): Script | string | undefined {
    const own = { files: new Map([['task.move', text]]), addresses: ADDRESSES };
    const before = { files: this.#sources, addresses: ADDRESSES };
    const dependencies = [before, this.#standard];
    const mode = { hasTests: false, hasVerification: false };
    const output = compileMove({ targets: [own], dependencies, mode });
    if (!output.isComplete) return `does not compile: ${codesOf(output.diagnostics)}`;
    if (this.#published.size === 0) this.#publishStandard();
    for (const { module } of output.modules) this.#published.set(moduleKey(selfIdOf(module)), module);
    if (output.modules.length > 0) this.#sources.set(`${this.#sources.size}.move`, text);
    return output.scripts[0]?.script;
  }

  #publishStandard(): void {
    const mode = { hasTests: false, hasVerification: false };
    const output = compileMove({ targets: [this.#standard], dependencies: [], mode });
    for (const { module } of output.modules) this.#published.set(moduleKey(selfIdOf(module)), module);
  }
}

function argumentsOf(
  { signers, numbers }: { readonly signers: readonly string[]; readonly numbers: readonly string[] },
  types: readonly Type[] | { status: number },
): CallArgument[] {
  const list = Array.isArray(types) ? (types as readonly Type[]) : [];
  const passed = signers.map((signer, index): CallArgument => {
    const type = list[index]!;
    return { value: new (type.isReference ? type.item : type).structClass(parseAddressHex(signer)) };
  });
  const u64 = (value: string): CallArgument => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
    return { bytes };
  };
  return [...passed, ...numbers.map(u64)];
}

function endOf(outcome: CallOutcome, isFunction: boolean): string | undefined {
  if (outcome.kind === 'stackExhausted') return outcome.kind;
  if (outcome.kind === 'returned') {
    if (!isFunction || outcome.values.length === 0) return undefined;
    return `returned ${outcome.values.map(({ type, value }) => numberOrList(type.encode(value))).join(', ')}`;
  }
  const { status, subStatus, location } = outcome.failure;
  const module = location !== undefined && 'module' in location ? location.module : undefined;
  const place = module === undefined ? 'script' : `${formatAddressShort(module.address)}::${module.name}`;
  const offsets = status === StatusCode.OUT_OF_GAS ? [] : [location?.functionIndex, location?.codeOffset];
  return [statusName(status), subStatus ?? '', place, ...offsets].join(' ');
}

/** The returned values of these programs are `u64`, and vectors without items. */
function numberOrList(bytes: Uint8Array): string {
  if (bytes.length === 8) return String(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  return bytes[0] === 0 ? '[]' : `0x${Buffer.from(bytes).toString('hex')}`;
}

describe.skipIf(!hasReference)(`programs that are run${referenceNote}`, () => {
  const library = `${LANGUAGE}/move-stdlib/sources`;
  const standard = new Map(moveFiles(library).map((path) => [path, readFileSync(`${library}/${path}`, 'utf8')]));

  it.each(moveFiles(PROGRAMS))('%s', (path) => {
    const file = `${PROGRAMS}/${path}`;
    const expected = expectations(readFileSync(file.replace(/\.move$/, '.exp'), 'utf8'));
    const chain = new Chain(standard);
    const ends = tasksOf(readFileSync(file, 'utf8')).map((task) => chain.run(task));
    expect(ends).toEqual(ends.map((_, index) => expected.get(index)));
  });
});
