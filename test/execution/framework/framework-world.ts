/**
 * Chains that have a framework, ours or another, and stages: a chain with one way to run code on it. A transaction on a
 * stage is a session in which functions are called one after the other; what they return stays and can be given to
 * later calls, so tests build tables, documents and whatever else through the framework's own functions.
 * @module
 */
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import { nativeTable } from '../../../src/execution/native/table.ts';
import { type GasEntries, MachineCache } from '../../../src/execution/runtime/machine-cache.ts';
import { ObjectFailure } from '../../../src/execution/runtime/object-failure.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import {
  runSession,
  type Session,
  type SessionOutput,
  type SessionSettings,
} from '../../../src/execution/runtime/session.ts';
import type { ContextEntry, TxContext } from '../../../src/execution/runtime/tx-context.ts';
import { ABILITY_COPY } from '../../../src/move/ability.ts';
import { MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import {
  type Address,
  canonicalType,
  namedObjectId,
  type ObjectId,
  type StateChangeSet,
  type TypeTag,
} from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import type { CallOutcome, ExecutionMode, MachineCall } from '../../../src/vm/call.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import type { StructInstance } from '../../../src/vm/value/struct.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { summarise } from '../../vm/machine/world.ts';

const TIMESTAMP_ID = namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'));

/** States in memory, one after the other. */
export class Chain {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree = new Tree((hash) => this.#nodes.get(toHex(hash)), new NodeCache());
  #state = new State(this.#tree, EMPTY_ROOT, 0n);

  /** The local chain's genesis; `modules`, if given, take the places of our framework's and are added to it. */
  static async open(modules: readonly Uint8Array[] = []): Promise<Chain> {
    const chain = new Chain();
    chain.apply((await localGenesis({})).output.changeSet);
    if (modules.length > 0) {
      const runtime = new ObjectRuntime(chain.state);
      for (const bytes of modules) {
        const { address, name } = selfIdOf(readModule(bytes));
        runtime.modules.publish(address, name, bytes);
      }
      chain.apply(runtime.changeSet());
    }
    return chain;
  }

  get state(): State {
    return this.#state;
  }

  apply(changeSet: StateChangeSet): void {
    const applied = applyChangeSet(this.#state, changeSet);
    for (const { hash, bytes } of applied.fresh) this.#nodes.set(toHex(hash), bytes);
    this.#state = new State(this.#tree, applied.changeSet.stateRoot, changeSet.globalSize);
  }
}

/** Where a parameter's value comes from. */
export type Source =
  /** BCS of the value, or of what the parameter refers to. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** What an earlier call returned; copied where it can be, otherwise moved. */
  | { readonly kind: 'kept'; readonly index: number }
  /** The handle of an object that has one, taken or borrowed. */
  | { readonly kind: 'handle'; readonly id: ObjectId }
  /** A reference to an object's value. */
  | { readonly kind: 'object'; readonly id: ObjectId };

export interface Step extends Pick<MachineCall, 'module' | 'function' | 'typeArguments'> {
  readonly sources: readonly Source[];
  /** Which of the returned values are references. */
  readonly returnsReference: readonly boolean[];
}

/** A value that stays between transactions, by its number. */
export interface Kept {
  readonly tag: TypeTag;
  /** The tag as text, to compare. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface TransactionSettings {
  readonly sender: Address;
  /** Tells the transactions of a test apart. */
  readonly number: number;
  readonly entries: readonly ContextEntry[];
  readonly gasBudget: bigint;
  /** Values by number; new ones are numbered from `nextKept` on. */
  readonly kept: ReadonlyMap<number, Kept>;
  readonly nextKept: number;
}

/** What a call did, as text. */
export interface Result {
  readonly kind: 'returned' | 'failed';
  /** `7, {1, 2}` or `ABORTED 7 at m:1:12`. */
  readonly text: string;
  /** The referents after the call, one for each reference. */
  readonly referents: readonly string[];
  readonly gasUsed: bigint;
}

export interface TransactionResult {
  readonly results: readonly Result[];
  /** Values that were kept, the new ones included. */
  readonly kept: ReadonlyMap<number, Kept>;
  /** Those of them that were used or made. */
  readonly touched: ReadonlyMap<number, Kept>;
  readonly nextKept: number;
  readonly output: SessionOutput;
}

interface StageOptions {
  readonly engine: ExecutionMode;
  readonly gasEntries: (state: State) => GasEntries;
}

/** A chain and a way to run code on it. */
export class Stage {
  readonly chain: Chain;
  readonly #cache: MachineCache;

  constructor(chain: Chain, { engine, gasEntries }: StageOptions) {
    this.chain = chain;
    this.#cache = new MachineCache({ natives: nativeTable, gasEntries, engine, translateAfter: 0 });
  }

  /** Runs the steps that `next` gives, one after the other, until there are no more or one fails. */
  run(settings: TransactionSettings, next: (run: Run) => Step | undefined): TransactionResult {
    return runSession(this.#sessionSettings(settings), (session) => {
      const run = new Run(session, this.#cache.at(this.chain.state), settings);
      for (let step = next(run); step !== undefined; step = next(run)) {
        if (run.call(step).kind === 'failed') break;
      }
      return run.finish();
    });
  }

  #sessionSettings({ sender, number, entries, gasBudget }: TransactionSettings): SessionSettings {
    const txHash = new Uint8Array(32).fill(0x7a);
    new DataView(txHash.buffer).setUint32(0, number);
    const context: TxContext = {
      sender,
      sequenceNumber: 3n,
      maxGasAmount: 1_000_000_000n,
      txHash,
      txSize: 100n,
      idsCreated: 0n,
      entries,
    };
    const { state } = this.chain;
    return { state, machine: this.#cache.at(state), modules: this.#cache.modules, context, gasBudget };
  }
}

interface Live {
  readonly type: Type;
  value: unknown;
}

/** A transaction that runs. */
export class Run {
  readonly session: Session;
  readonly results: Result[] = [];
  readonly #machine: ReturnType<MachineCache['at']>;
  readonly #settings: TransactionSettings;
  /** Values that were used or made in this transaction. */
  readonly #live = new Map<number, Live>();
  readonly #moved = new Set<number>();
  #nextKept: number;

  constructor(session: Session, machine: ReturnType<MachineCache['at']>, settings: TransactionSettings) {
    this.session = session;
    this.#machine = machine;
    this.#settings = settings;
    this.#nextKept = settings.nextKept;
  }

  /** The parameter types of a function, or undefined if it does not take the type arguments. */
  parameterTypes(call: Pick<MachineCall, 'module' | 'function' | 'typeArguments'>): readonly Type[] | undefined {
    const types = this.#machine.parameterTypes(call, this.session.modules);
    return 'status' in types ? undefined : types;
  }

  /** Numbers and types of the values that later calls may be given. */
  *values(): Generator<readonly [index: number, kept: Pick<Kept, 'tag' | 'type'>], void, undefined> {
    for (const [index, kept] of this.#settings.kept) if (!this.#moved.has(index)) yield [index, kept];
    for (const [index, { type }] of this.#live) {
      if (index < this.#settings.nextKept || this.#moved.has(index)) continue;
      yield [index, { tag: type.tag, type: canonicalType(type.tag) }];
    }
  }

  call(step: Step): Result {
    const before = this.session.gas.left;
    const borrowed: StructInstance[] = [];
    const types = this.parameterTypes(step) ?? [];
    let outcome: CallOutcome;
    let given: readonly unknown[] = [];
    try {
      given = types.map((type, index) => this.#argument(type, step.sources[index]!, borrowed));
      outcome = this.#machine.call(
        { ...step, arguments: given.map((value) => ({ value })) },
        { source: this.session.modules, gas: this.session.gas, host: this.session },
      );
    } catch (error) {
      if (!(error instanceof ObjectFailure)) throw error;
      return this.#add({ kind: 'failed', text: `no handle: ${error.message}`, referents: [], gasUsed: 0n });
    }
    for (const handle of borrowed) handle.references--;
    if (outcome.kind === 'stackExhausted')
      throw new Error('a function of the framework needs more stack than there is');
    const gasUsed = before - this.session.gas.left;
    const text = summarise(outcome);
    if (outcome.kind === 'failed') return this.#add({ kind: 'failed', text, referents: [], gasUsed });
    const referents = types.flatMap((type, index) => {
      if (!type.isReference) return [];
      const value = type.item.isContainer ? given[index] : (given[index] as Cell).get();
      if (step.sources[index]!.kind === 'kept' && !type.item.isContainer) {
        this.#live.get((step.sources[index] as { index: number }).index)!.value = value;
      }
      return [toHex(type.item.encode(value))];
    });
    this.#keepReturned(step, outcome.values);
    return this.#add({ kind: 'returned', text, referents, gasUsed });
  }

  finish(): TransactionResult {
    const kept = new Map<number, Kept>();
    for (const [index, value] of this.#settings.kept) {
      if (!this.#moved.has(index) && !this.#live.has(index)) kept.set(index, value);
    }
    const touched = new Map<number, Kept>();
    for (const [index, { type, value }] of this.#live) {
      if (this.#moved.has(index)) continue;
      touched.set(index, { tag: type.tag, type: canonicalType(type.tag), bytes: type.encode(value) });
    }
    for (const [index, value] of touched) kept.set(index, value);
    return { results: this.results, kept, touched, nextKept: this.#nextKept, output: this.#output() };
  }

  /** A session without a timestamp object cannot tell what it did. */
  #output(): SessionOutput {
    if (this.session.objects.exists(TIMESTAMP_ID)) return this.session.finish();
    this.#add({ kind: 'failed', text: 'the timestamp is gone', referents: [], gasUsed: 0n });
    const changeSet = { stateRoot: EMPTY_ROOT, globalSize: 0n, changes: [] };
    return { changeSet, events: [], context: this.session.txContext.context, gasUsed: 0n };
  }

  #add(result: Result): Result {
    this.results.push(result);
    return result;
  }

  #argument(type: Type, source: Source, borrowed: StructInstance[]): unknown {
    const target = type.isReference ? type.item : type;
    switch (source.kind) {
      case 'bytes': {
        const value = target.decode(source.bytes);
        if (value === undefined) throw new Error(`0x${toHex(source.bytes)} is no ${target.kind}`);
        return type.isReference && !target.isContainer ? new Cell(value) : value;
      }
      case 'kept':
        return this.#useKept(type, target, source.index);
      case 'handle': {
        const object = this.session.objects.load(source.id, { findType: (tag) => this.#type(tag) });
        if (!type.isReference) return object.takeHandle(target);
        const handle = object.borrowHandle(target);
        handle.references++;
        borrowed.push(handle);
        return handle;
      }
      case 'object':
        return this.session.objects.load(source.id, { findType: (tag) => this.#type(tag) }).borrow(target);
    }
  }

  #useKept(type: Type, target: Type, index: number): unknown {
    let live = this.#live.get(index);
    if (live === undefined) {
      live = { type: target, value: target.decode(this.#settings.kept.get(index)!.bytes) };
      this.#live.set(index, live);
    }
    if (type.isReference) return target.isContainer ? live.value : new Cell(live.value);
    if ((target.abilities & ABILITY_COPY) !== 0) return target.operations.copy(live.value);
    this.#moved.add(index);
    return live.value;
  }

  /** What is returned by reference belongs to somebody else: a copy of it stays, if it can be copied. */
  #keepReturned(step: Step, values: readonly { readonly type: Type; readonly value: unknown }[]): void {
    for (const [index, { type, value }] of values.entries()) {
      const canCopy = (type.abilities & ABILITY_COPY) !== 0;
      if (step.returnsReference[index] === true && !canCopy) continue;
      this.#live.set(this.#nextKept++, { type, value: canCopy ? type.operations.copy(value) : value });
    }
  }

  #type(tag: TypeTag): Type | undefined {
    const type = this.#machine.loadType(tag, this.session.modules);
    return 'status' in type ? undefined : type;
  }
}
