/**
 * A world in which the unit tests of Move packages run: the state is that of `UnitTestChain`, and each test runs in a
 * session of its own, by both engines.
 * @module
 */
import { expect } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { State } from '../../../src/chain/state/state.ts';
import type { UnitTest } from '../../../src/compile/index.ts';
import { stateWith, TEST_CONTEXT } from '../../../src/compile/unit-test/unit-test-chain.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache, type SessionMachine } from '../../../src/execution/runtime/machine-cache.ts';
import { runSession, type SessionSettings } from '../../../src/execution/runtime/session.ts';
import { parseAddressHex } from '../../../src/move/address.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { stateChangeSet } from '../../../src/query/transaction-builder.ts';
import { type Module, type ModuleId, selfIdOf } from '../../../src/vm/binary/module.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import type { CallOutcome } from '../../../src/vm/call.ts';
import type { Failure } from '../../../src/vm/failure.ts';
import { GasMeter } from '../../../src/vm/gas/meter.ts';
import { StatusCode, statusName } from '../../../src/vm/status.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { summarise } from '../../vm/machine/world.ts';

const BUDGET = 10n ** 15n;

export class UnitTestWorld {
  readonly #state: State;
  readonly #machines = { interpret: machineOf('interpret'), translate: machineOf('translate') };

  constructor(modules: readonly Module[]) {
    this.#state = stateWith(new Map(modules.map((module) => [shortId(selfIdOf(module)), writeModule(module)])));
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
      context: TEST_CONTEXT,
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
