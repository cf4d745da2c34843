/**
 * A world in which the unit tests of Move packages run, as the reference's test command makes it: a chain without any
 * transaction yet, which holds the modules, the timestamp and the module store, and nothing else; each test in a session
 * of its own, unmetered, by both engines.
 * Source: crates/rooch/src/commands/move_cli/commands/unit_test.rs of the reference.
 * @module
 */
import { expect } from 'vitest';
import { encode, u64 } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { stateChangeSet } from '../../../src/chain/object/change-set.ts';
import { MODULE_STORE_TYPE, namedObjectId } from '../../../src/chain/object/object-id.ts';
import { FLAG_SHARED, type ObjectState } from '../../../src/chain/object/object-state.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import type { UnitTest } from '../../../src/compile/index.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache, type SessionMachine } from '../../../src/execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { runSession, type SessionSettings } from '../../../src/execution/runtime/session.ts';
import type { TxContext } from '../../../src/execution/runtime/tx-context.ts';
import { addressOf, MOVEOS_STD_ADDRESS, parseAddressHex } from '../../../src/move/address.ts';
import { displayStruct, type StructTag, structTag } from '../../../src/move/type-tag.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { type Module, type ModuleId, selfIdOf } from '../../../src/vm/binary/module.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import type { CallOutcome } from '../../../src/vm/call.ts';
import type { Failure } from '../../../src/vm/failure.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { StatusCode, statusName } from '../../../src/vm/status.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { summarise } from '../../vm/machine/world.ts';
import { contextOf } from './session-world.ts';

const BUDGET = 10n ** 15n;

function shared(type: StructTag, value: Uint8Array): ObjectState {
  const facts = {
    owner: addressOf(0),
    flag: FLAG_SHARED,
    stateRoot: undefined,
    size: 0n,
    createdAt: 0n,
    updatedAt: 0n,
  };
  return { meta: { ...facts, id: namedObjectId(type), objectType: type }, value };
}

/** What exists before genesis. */
const PRELOADED: readonly ObjectState[] = [
  shared(structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'), encode(u64, 0n)),
  shared(MODULE_STORE_TYPE, Uint8Array.of(0)),
];

/** The sender has sent no transaction before. */
const CONTEXT: TxContext = { ...contextOf(addressOf(0x5e)), sequenceNumber: 0n };

export class UnitTestWorld {
  readonly #state: State;
  readonly #machines = { interpret: machineOf('interpret'), translate: machineOf('translate') };

  constructor(modules: readonly Module[]) {
    const nodes = new Map<string, Uint8Array>();
    const tree = new Tree((hash) => nodes.get(toHex(hash)), new NodeCache());
    const empty = new State(tree, EMPTY_ROOT, 0n);
    const runtime = new ObjectRuntime(empty, PRELOADED);
    for (const module of modules) {
      const { address, name } = selfIdOf(module);
      runtime.modules.publish(address, name, writeModule(module));
    }
    const changeSet = runtime.changeSet();
    const applied = applyChangeSet(empty, changeSet);
    for (const { hash, bytes } of applied.fresh) nodes.set(toHex(hash), bytes);
    this.#state = new State(tree, applied.changeSet.stateRoot, changeSet.globalSize);
  }

  /** Runs a test by both engines, which must agree. Returns what is wrong with its outcome, or undefined. */
  run(test: UnitTest): string | undefined {
    const interpreted = this.#runBy('interpret', test);
    const translated = this.#runBy('translate', test);
    expect(translated.effects, `${test.module}::${test.name}`).toEqual(interpreted.effects);
    const wrong = fault(test, interpreted.outcome);
    return wrong === undefined ? undefined : `${test.module}::${test.name}: ${wrong}`;
  }

  #runBy(engine: 'interpret' | 'translate', test: UnitTest): { outcome: CallOutcome; effects: unknown } {
    const { machine, modules } = this.#machines[engine];
    const settings: SessionSettings = {
      state: this.#state,
      machine,
      modules,
      context: CONTEXT,
      gasBudget: BUDGET,
    };
    const [address, name] = test.module.split('::') as [string, string];
    const target = {
      module: { address: parseAddressHex(address), name },
      function: test.name,
      typeArguments: [],
    };
    return runSession(settings, (session) => {
      const parameters = machine.parameterTypes(target, session.modules);
      const given =
        'status' in parameters
          ? []
          : parameters.map((type, index) => ({ value: argument(type, test.arguments[index] ?? '') }));
      const gas = new GasMeter(BUDGET);
      const setting = { source: session.modules, gas, host: session };
      let outcome = machine.call({ ...target, arguments: given }, setting);
      if (outcome.kind === 'stackExhausted') outcome = { kind: 'failed', failure: STACK };
      const { changeSet, events } = session.finish();
      const effects = {
        outcome: summarise(outcome),
        gas: gas.left,
        changes: toHex(encode(stateChangeSet, changeSet)),
        events: events.map(({ eventType, eventData }) => `${displayStruct(eventType)} ${toHex(eventData)}`),
      };
      return { outcome, effects };
    });
  }
}

const STACK: Failure = {
  status: StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR,
  subStatus: undefined,
  location: undefined,
  message: 'the JavaScript stack ran out',
};

function machineOf(engine: 'interpret' | 'translate'): {
  machine: SessionMachine;
  modules: MachineCache['modules'];
} {
  const entries = new Map(GENESIS_GAS_ENTRIES);
  const cache = new MachineCache({ natives: nativeTable, gasEntries: () => entries, engine, translateAfter: 0 });
  return { machine: cache.create(entries), modules: cache.modules };
}

function argument(type: Type, text: string): unknown {
  const address = parseAddressHex(text);
  const target = type.isReference ? type.item : type;
  return target.kind === 'signer' ? new target.structClass(address) : address;
}

function fault({ expected }: UnitTest, outcome: CallOutcome): string | undefined {
  if (outcome.kind !== 'failed') {
    return expected === undefined ? undefined : `returned, expected ${JSON.stringify(expected)}`;
  }
  const { status, subStatus, location, message } = outcome.failure;
  if (expected === undefined) return `${failureText(outcome.failure)} (${message})`;
  const { status: wanted, abortCode, minorStatus = abortCode, location: module } = expected;
  const isAlike =
    wanted === undefined ||
    (wanted === statusName(status) &&
      minorStatus === subStatus?.toString() &&
      (module === undefined || (location?.module !== undefined && shortId(location.module) === module)));
  return isAlike ? undefined : `${failureText(outcome.failure)} (${message}), expected ${JSON.stringify(expected)}`;
}

function failureText({ status, subStatus, location }: Failure): string {
  const where = location?.module === undefined ? 'nowhere' : shortId(location.module);
  return `${statusName(status)} ${subStatus ?? ''} at ${where}:${location?.functionIndex}:${location?.codeOffset}`;
}

/** `0x2::bag` */
function shortId(id: ModuleId): string {
  return `0x${toHex(id.address).replace(/^0+(?=.)/, '')}::${id.name}`;
}
