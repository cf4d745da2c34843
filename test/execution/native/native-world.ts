/**
 * Calls one native of the real table the way Move code does, on both engines, and reports what it alone cost.
 *
 * The world assembles the native's module with a public function for each native, at a schedule where instructions are
 * free; so the gas that a call uses is the native's. Prices of natives are those of the default genesis.
 * @module
 */
import { expect } from 'vitest';
import type { State } from '../../../src/chain/state/state.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { EventLog } from '../../../src/execution/runtime/event-log.ts';
import { Features } from '../../../src/execution/runtime/features.ts';
import { countsReferences } from '../../../src/execution/runtime/machine-cache.ts';
import { ModuleCache } from '../../../src/execution/runtime/module-cache.ts';
import { SessionModules } from '../../../src/execution/runtime/module-source.ts';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { InitRequests, type SessionHost } from '../../../src/execution/runtime/session-host.ts';
import { type TxContext, TxContextValue } from '../../../src/execution/runtime/tx-context.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import type { CallArgument } from '../../../src/vm/call.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { assembleModule } from '../../vm/assemble.ts';
import { World } from '../../vm/machine/world.ts';
import { Chain } from '../runtime/chain.ts';
import { declaredNatives, frameworkNatives, TEST_ONLY_NATIVES } from './declared-natives.ts';

const FREE_SCHEDULE = { instruction: free(INITIAL_GAS_SCHEDULE.instruction), size: INITIAL_GAS_SCHEDULE.size };

function free<Names extends string>(prices: Readonly<Record<Names, number>>): Readonly<Record<Names, number>> {
  return Object.fromEntries(Object.keys(prices).map((name) => [name, 0])) as Record<Names, number>;
}

/** The prices of the default genesis, with changes: `undefined` leaves an entry out. */
export function pricesWith(changes: Readonly<Record<string, bigint | undefined>> = {}): Map<string, bigint> {
  const entries = new Map(GENESIS_GAS_ENTRIES);
  for (const [key, price] of Object.entries(changes)) {
    if (price === undefined) entries.delete(key);
    else entries.set(key, price);
  }
  return entries;
}

/** What a call of a native gave: values or failure as `summarise` shows them, and gas. */
export interface NativeOutcome {
  readonly result: string;
  readonly gas: bigint;
}

/** A host over a state, which holds the timestamp object alone unless one is given. */
export function hostOf(state: State = new Chain().state): SessionHost {
  const objects = new ObjectRuntime(state);
  const context: TxContext = {
    sender: addressOf(0x5e),
    sequenceNumber: 0n,
    maxGasAmount: 0n,
    txHash: new Uint8Array(32),
    txSize: 0n,
    idsCreated: 0n,
    entries: [],
  };
  return {
    objects,
    txContext: new TxContextValue(context),
    events: new EventLog(),
    modules: new SessionModules(objects, new ModuleCache()),
    initRequests: new InitRequests(),
    features: new Features(state),
    work: new NativeWork(Number.POSITIVE_INFINITY),
    assumesSignatures: false,
  };
}

export class NativeWorld {
  readonly #world: World<SessionHost>;
  readonly #module: string;
  readonly #makeHost: () => SessionHost;
  #host: SessionHost;

  /**
   * @param id `0x2::account`
   * @param declarations structs, natives one a line (`native fun name<T>(u64, &T): bool`), and functions that call them
   * @param modules texts of other modules that these name
   * @param makeHost makes what each call runs on
   */
  constructor(
    id: string,
    declarations: string,
    modules: readonly string[] = [],
    entries: ReadonlyMap<string, bigint> = pricesWith(),
    makeHost: () => SessionHost = hostOf,
  ) {
    this.#makeHost = makeHost;
    this.#host = makeHost();
    this.#module = id.split('::')[1]!;
    const module = assembleModule(`module ${id}\n${declarations}\n${callers(declarations)}`);
    requireDeclared(module);
    this.#world = new World<SessionHost>([...modules, module], {
      natives: nativeTable(entries),
      schedule: FREE_SCHEDULE,
      host: () => this.#host,
      countsReferences,
    });
  }

  /** Calls the native `name` or `name<T; U>`, with BCS arguments or values. */
  call(name: string, ...given: readonly (Uint8Array | CallArgument)[]): NativeOutcome {
    return this.run(`call_${name}`, ...given);
  }

  /** Calls a function, on each engine with a host of its own. Both must agree, and do the same to their hosts. */
  run(name: string, ...given: readonly (Uint8Array | CallArgument)[]): NativeOutcome {
    const parameters = given.map((argument) => (argument instanceof Uint8Array ? { bytes: argument } : argument));
    const [interpreted, translated] = (['interpret', 'translate'] as const).map((engine) => {
      this.#host = this.#makeHost();
      const outcome = this.#world.runArguments(engine, `${this.#module}::${name}`, parameters);
      return { outcome, events: this.#host.events.finish(), changes: this.#host.objects.changeSet() };
    });
    expect(translated).toEqual(interpreted);
    const { result, gasUsed } = interpreted!.outcome;
    return { result, gas: gasUsed };
  }

  /** What the last call ran on. */
  get host(): SessionHost {
    return this.#host;
  }
}

/** A test of a native that the framework declares in another way would prove nothing. */
function requireDeclared(module: Module): void {
  const declared = frameworkNatives();
  for (const [name, { text }] of declaredNatives(module)) {
    if (!TEST_ONLY_NATIVES.includes(name)) expect(text, name).toBe(declared.get(name)?.text);
  }
}

/** `public fun call_name<T>(a0: u64, a1: &T): bool { MoveLoc a0; MoveLoc a1; Call name<T>; Ret }` for each native. */
function callers(declarations: string): string {
  const native = /native fun (\w+)(<[^(]*>)?\((.*?)\)(: .*)?$/gm;
  return [...declarations.matchAll(native)]
    .map(([, name, generics = '', parameters = '', returns = '']) => {
      const types = splitTypes(parameters);
      const declared = types.map((type, index) => `a${index}: ${type}`).join(', ');
      const loads = types.map((_, index) => `MoveLoc a${index};`).join(' ');
      const inner = generics.replace(/: [^,>]*/g, '');
      return `public fun call_${name}${generics}(${declared})${returns} { ${loads} Call ${name}${inner}; Ret }`;
    })
    .join('\n');
}

/** Splits at commas outside of `<>`. */
function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if (character === '<') depth++;
    if (character === '>') depth--;
    if (character === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else {
      part += character;
    }
  }
  return part.trim() === '' ? parts : [...parts, part.trim()];
}
