/**
 * Sessions on the state of a local chain, each run by both engines, which must agree in everything.
 * @module
 */
import { expect } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import { gasEntriesOf } from '../../../src/execution/framework/gas-schedule.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { MachineCache } from '../../../src/execution/runtime/machine-cache.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import {
  runSession,
  type Session,
  type SessionOutput,
  type SessionSettings,
} from '../../../src/execution/runtime/session.ts';
import type { TxContext } from '../../../src/execution/runtime/tx-context.ts';
import { addressOf, parseAddressHex } from '../../../src/move/address.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import { type Address, formatObjectId, parseTypeTag, stateChangeSet } from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { type Module, selfIdOf } from '../../../src/vm/binary/module.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { assembleModule } from '../../vm/assemble.ts';
import { summarise } from '../../vm/machine/world.ts';
import { frameworkModule, withExterns } from './externs.ts';

export const SENDER: Address = addressOf(0x5e);
export const TX_HASH: Uint8Array = new Uint8Array(32).fill(0x7a);
const BUDGET = 1_000_000_000n;

/** The result of a session: outcomes of its calls as text, and what it did. */
export interface Ran {
  readonly results: readonly string[];
  readonly output: SessionOutput;
}

type Call = readonly [name: string, ...given: Uint8Array[]];

export class SessionWorld {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree = new Tree((hash) => this.#nodes.get(toHex(hash)), new NodeCache());
  readonly #caches = {
    interpret: new MachineCache({ natives: nativeTable, gasEntries: gasEntriesOf, engine: 'interpret' }),
    translate: new MachineCache({
      natives: nativeTable,
      gasEntries: gasEntriesOf,
      engine: 'translate',
      translateAfter: 0,
    }),
  };
  #state = new State(this.#tree, EMPTY_ROOT, 0n);

  /** The local chain's genesis, with the modules of `texts`, for which `extern` blocks are written. */
  static async open(...texts: readonly string[]): Promise<SessionWorld> {
    const world = new SessionWorld();
    const genesis = await localGenesis({});
    world.apply(genesis.output.changeSet);
    if (texts.length > 0) world.publish(...texts);
    return world;
  }

  get state(): State {
    return this.#state;
  }

  /** Stores modules without running code. */
  publish(...texts: readonly string[]): void {
    const modules: Module[] = texts.map((text) => assembleModule(withExterns(text)));
    const lookup = ({ address, name }: { address: Address; name: string }): Module | undefined =>
      frameworkModule(`0x${toHex(address).replace(/^0+/, '')}::${name}`);
    expect(verifyBundle(modules, lookup)).toEqual({ ok: true });
    const runtime = new ObjectRuntime(this.#state);
    for (const module of modules) {
      const { address, name } = selfIdOf(module);
      runtime.modules.publish(address, name, writeModule(module));
    }
    this.apply(runtime.changeSet());
  }

  apply(changeSet: SessionOutput['changeSet']): void {
    const applied = applyChangeSet(this.#state, changeSet);
    for (const { hash, bytes } of applied.fresh) this.#nodes.set(toHex(hash), bytes);
    this.#state = new State(this.#tree, applied.changeSet.stateRoot, changeSet.globalSize);
  }

  settings(engine: 'interpret' | 'translate', options: Partial<SessionSettings> = {}): SessionSettings {
    const cache = this.#caches[engine];
    return {
      state: this.#state,
      machine: cache.at(this.#state),
      modules: cache.modules,
      context: contextOf(SENDER),
      gasBudget: BUDGET,
      ...options,
    };
  }

  /** Runs calls, `0x2::m::f<T, U>` with BCS, one after the other in one session; stops at the first that fails. */
  run(calls: readonly Call[], options: Partial<SessionSettings> = {}): Ran {
    return this.inSession((session) => callAll(session, calls), options);
  }

  /** As `run`, and makes the state after it the present one. */
  commit(calls: readonly Call[], options: Partial<SessionSettings> = {}): Ran {
    const ran = this.run(calls, options);
    this.apply(ran.output.changeSet);
    return ran;
  }

  /** Runs `body` in a session of each engine; both must return and do the same. */
  inSession(body: (session: Session) => readonly string[], options: Partial<SessionSettings> = {}): Ran {
    const run = (engine: 'interpret' | 'translate'): Ran =>
      runSession(this.settings(engine, options), (session) => ({ results: body(session), output: session.finish() }));
    const interpreted = run('interpret');
    expect(comparable(run('translate'))).toEqual(comparable(interpreted));
    return interpreted;
  }
}

export function contextOf(sender: Address): TxContext {
  return {
    sender,
    sequenceNumber: 3n,
    maxGasAmount: BUDGET,
    txHash: TX_HASH,
    txSize: 100n,
    idsCreated: 0n,
    entries: [],
  };
}

/** Calls until one fails; what each gave, as text. */
export function callAll(session: Session, calls: readonly Call[]): string[] {
  const results: string[] = [];
  for (const [name, ...given] of calls) {
    const outcome = session.call({ ...parseCall(name), arguments: given });
    results.push(summarise(outcome));
    if (outcome.kind === 'failed') break;
  }
  return results;
}

export function parseCall(name: string): Pick<Parameters<Session['call']>[0], 'module' | 'function' | 'typeArguments'> {
  const [, address, module, fun, generics] = /^(0x\w+)::(\w+)::(\w+)(?:<(.*)>)?$/.exec(name)!;
  const typeArguments = generics === undefined ? [] : generics.split(';').map((tag) => parseTypeTag(tag));
  return { module: { address: parseAddressHex(address!), name: module! }, function: fun!, typeArguments };
}

/** What both engines must agree on. Running out of gas loses all effects, so only then may they differ in them. */
function comparable({ results, output }: Ran): unknown {
  const outcome = { results, gasUsed: output.gasUsed };
  if (results.some((result) => result.startsWith('OUT_OF_GAS'))) return outcome;
  return {
    ...outcome,
    changes: toHex(encode(stateChangeSet, output.changeSet)),
    events: output.events.map(({ eventType, eventData, handle, eventIndex }) =>
      [displayStruct(eventType), toHex(eventData), formatObjectId(handle), eventIndex].join(' '),
    ),
    idsCreated: output.context.idsCreated,
    entries: output.context.entries,
  };
}
