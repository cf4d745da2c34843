/**
 * A small world for tests of the machine: assembled modules, three ways to run them, and a comparison of all three.
 * @module
 */
import { expect } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import { type Module, type ModuleId, moduleKey } from '../../../src/vm/binary/module.ts';
import type { CallArgument, CallOutcome } from '../../../src/vm/call.ts';
import { refuse } from '../../../src/vm/failure.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { type GasSchedule, INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';
import { Machine, type MachineOptions } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import type { GlobalStorage, WorkCounter } from '../../../src/vm/processor.ts';
import { StatusCode, statusName } from '../../../src/vm/status.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';

/** Small, different prices, so that every gas limit up to a function's total can be tried. */
export const SMALL_SCHEDULE: GasSchedule = {
  instruction: spread(INITIAL_GAS_SCHEDULE.instruction),
  size: spread(INITIAL_GAS_SCHEDULE.size),
};

/** One unit for an instruction and none for what it works on: gas counts instructions. */
export const UNIT_SCHEDULE: GasSchedule = {
  instruction: priced(INITIAL_GAS_SCHEDULE.instruction, (name) => (name.includes('_per_') ? 0 : 1)),
  size: priced(INITIAL_GAS_SCHEDULE.size, () => 0),
};

function priced<Names extends string>(
  prices: Readonly<Record<Names, number>>,
  price: (name: Names) => number,
): Readonly<Record<Names, number>> {
  const names = Object.keys(prices) as Names[];
  return Object.fromEntries(names.map((name) => [name, price(name)])) as Record<Names, number>;
}

function spread<Names extends string>(prices: Readonly<Record<Names, number>>): Readonly<Record<Names, number>> {
  const names = Object.keys(prices) as Names[];
  return Object.fromEntries(names.map((name, index) => [name, 1 + (index % 5)])) as Record<Names, number>;
}

/** An outcome in a form that compares and reads well. */
export interface Summary {
  readonly result: string;
  readonly gasUsed: bigint;
}

/** `mixed` begins in the interpreter and soon switches to translated code. */
export const ENGINES = ['interpret', 'translate', 'switch', 'mixed'] as const;
export type EngineName = (typeof ENGINES)[number];

/** More than any test uses. */
export const BUDGET: bigint = 10n ** 12n;

/** Counts work and refuses what exceeds the bound. */
export class BoundedWork implements WorkCounter {
  readonly #max: number;
  done = 0;

  constructor(max: number) {
    this.#max = max;
  }

  spend(microseconds: number): void {
    this.done += microseconds;
    if (this.done > this.#max) throw refuse(StatusCode.EXECUTION_LIMIT_REACHED, 'too much work');
  }
}

export interface WorldOptions<Host> extends Partial<MachineOptions<Host>> {
  /** Made anew for each call. */
  readonly host?: () => Host;
  /** Made anew for each call; none unless given. */
  readonly globals?: () => GlobalStorage;
  /** Made anew for each call; none unless given. */
  readonly work?: () => WorkCounter;
}

export class World<Host = undefined> {
  readonly #modules = new Map<string, Module>();
  readonly #machines: Readonly<Record<EngineName, Machine<Host>>>;
  readonly #host: () => Host;
  readonly #globals: (() => GlobalStorage) | undefined;
  readonly #work: (() => WorkCounter) | undefined;

  constructor(texts: readonly (string | Module)[], options: WorldOptions<Host> = {}) {
    const { host, globals, work, ...machineOptions } = options;
    this.#host = host ?? (() => undefined as Host);
    this.#globals = globals;
    this.#work = work;
    const common = { natives: new NativeTable<Host>(), schedule: INITIAL_GAS_SCHEDULE, ...machineOptions };
    this.#machines = {
      interpret: Machine.create({ ...common, engine: 'interpret' }),
      translate: Machine.create({ ...common, engine: 'translate', translateAfter: 0 }),
      switch: Machine.create({ ...common, engine: 'translate', translateAfter: 0, preferSwitch: true }),
      mixed: Machine.create({ ...common, engine: 'translate', translateAfter: 2 }),
    };
    for (const text of texts) this.publish(text);
  }

  machine(engine: EngineName): Machine<Host> {
    return this.#machines[engine];
  }

  /** Puts a module in, replacing an older one. The verifier must accept it. */
  publish(text: string | Module): void {
    const module = typeof text === 'string' ? assembleModule(text) : text;
    expect(verifyModule(module)).toMatchObject({ ok: true });
    this.publishUnverified(module);
  }

  publishUnverified(module: Module): void {
    const id = idOfHandle(module, module.selfHandle);
    this.#modules.set(moduleKey(id), module);
    for (const machine of Object.values(this.#machines)) machine.drop([id]);
  }

  readonly source = { load: (id: ModuleId): Module | undefined => this.#modules.get(moduleKey(id)) };

  /** Calls `name` (`module::function`, with type arguments if any) of the module that has that name. */
  run(engine: EngineName, name: string, parameters: readonly unknown[], budget: bigint = BUDGET): Summary {
    return this.runArguments(
      engine,
      name,
      parameters.map((value) => ({ value })),
      budget,
    );
  }

  runArguments(engine: EngineName, name: string, given: readonly CallArgument[], budget: bigint = BUDGET): Summary {
    const match = /^(\w+)::(\w+)(?:<(.*)>)?$/.exec(name)!;
    const gas = new GasMeter(budget);
    const call = {
      module: this.#id(match[1]!),
      function: match[2]!,
      typeArguments: match[3] === undefined ? [] : match[3].split(';').map((tag) => parseTypeTag(tag)),
      arguments: given,
    };
    const globals = this.#globals?.();
    const outcome = this.#machines[engine].call(call, {
      source: this.source,
      gas,
      host: this.#host(),
      work: this.#work?.(),
      ...(globals === undefined ? {} : { globals }),
    });
    return { result: summarise(outcome), gasUsed: budget - gas.left };
  }

  /** Runs it every way, and all must agree; with `everyLimit`, with every gas limit below the total too. */
  agree(name: string, parameters: readonly unknown[] = [], everyLimit = false): Summary {
    return this.agreeOn((engine, budget) => this.run(engine, name, parameters, budget), name, everyLimit);
  }

  agreeOn(run: (engine: EngineName, budget?: bigint) => Summary, name: string, everyLimit = false): Summary {
    const summary = run('interpret');
    // Their texts are compared at once: one `expect` costs more than the calls that it checks.
    const text = ({ result, gasUsed }: Summary): string => `${result}, ${gasUsed} gas`;
    expect(
      ENGINES.map((engine) => text(run(engine))),
      name,
    ).toEqual(ENGINES.map(() => text(summary)));
    if (everyLimit) {
      const given: string[] = [];
      const expected: string[] = [];
      for (let budget = 0n; budget < summary.gasUsed; budget++) {
        const { result, gasUsed } = run('interpret', budget);
        const limited = `with ${budget} gas: ${result}`;
        given.push(`${limited}, ${gasUsed} gas`);
        expected.push(`${limited}, ${budget} gas`);
        for (const engine of ['translate', 'switch', 'mixed'] as const) {
          given.push(`by ${engine} with ${budget} gas: ${text(run(engine, budget))}`);
          expected.push(`by ${engine} ${limited}, ${budget} gas`);
        }
      }
      expect(given, name).toEqual(expected);
      expect(run('translate', summary.gasUsed)).toEqual(summary);
    }
    return summary;
  }

  #id(name: string): ModuleId {
    for (const module of this.#modules.values()) {
      const id = idOfHandle(module, module.selfHandle);
      if (id.name === name) return id;
    }
    throw new Error(`the world has no module ${name}`);
  }
}

/** `7, true, [1, 2], {3, 0x1}` for values, `ABORTED 7 at m:1:12` for failures. */
export function summarise(outcome: CallOutcome): string {
  if (outcome.kind === 'stackExhausted') return 'stackExhausted';
  if (outcome.kind === 'returned') {
    return outcome.values.map(({ type, value }) => formatValue(type, new ByteReader(type.encode(value)))).join(', ');
  }
  const { status, subStatus, location } = outcome.failure;
  const where =
    location === undefined
      ? 'nowhere'
      : `${location.module?.name ?? 'script'}:${location.functionIndex}:${location.codeOffset}`;
  return `${statusName(status)}${subStatus === undefined ? '' : ` ${subStatus}`} at ${where}`;
}

/** Reads the BCS of a value, by rules of its own, since the machine's decoder is what is tested. */
function formatValue(type: Type, reader: ByteReader): string {
  switch (type.kind) {
    case 'bool':
      return reader.u8() === 1 ? 'true' : 'false';
    case 'address':
    case 'signer':
      return `0x${toHex(reader.view(32)).replace(/^0+(?=.)/, '')}`;
    case 'vector': {
      const items = Array.from({ length: reader.uleb128() }, () => formatValue(type.item, reader));
      return `[${items.join(', ')}]`;
    }
    case 'struct':
      return `{${type.fields.map((field) => formatValue(field, reader)).join(', ')}}`;
    case 'reference':
    case 'mutableReference':
      throw new Error('a reference was returned');
    default:
      return String(reader[type.kind]());
  }
}
