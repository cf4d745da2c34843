/**
 * A session: the world that one execution changes, until it is kept or dropped.
 *
 * It has the objects, events, transaction context and modules that Move code works on, over a state that is only read;
 * `call` runs a function on the machine of that state's code, `execute` runs the action of a transaction that `verify`
 * accepted, `finish` returns all effects. A failed call leaves its effects in the session, so continue in a new one
 * (`respawn`), as the reference does.
 *
 * Source: moveos/moveos/src/vm/moveos_vm.rs of the reference.
 *
 * `runSession` runs one in one attempt or two. Move allows more frames than the JavaScript stack may have left. If the
 * stack runs out, or much code has to be prepared (`vm/link/preparation.ts`), the attempt is discarded, and everything
 * runs again from the start on a separate interpreter, whose frames are on the heap. So the body may run twice and must
 * have no effect besides its result.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import type { StateChangeSet } from '../../chain/object/change-set.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import type { Action, FunctionCall, ScriptCall } from '../../chain/transaction/action.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import type { TypeTag } from '../../move/type-tag.ts';
import { type Module, type ModuleId, type Script, selfIdOf } from '../../vm/binary/module.ts';
import type { CallArgument, CallOutcome, CallSetting, CallTracer, ExecutionMode, Returned } from '../../vm/call.ts';
import type { Deadline } from '../../vm/deadline.ts';
import { type Failure, failureOr, isStackExhausted, StackExhausted } from '../../vm/failure.ts';
import { GasMeter } from '../../vm/gas/meter.ts';
import type { ModuleLoader } from '../../vm/link/linker.ts';
import { PREPARED_EXACT_MAX, PREPARED_MAX, TooMuchPrepared } from '../../vm/link/preparation.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { hasInitFunction } from '../../vm/verify/entry-functions.ts';
import { checkBundle, checkCalled, checkPublished, checkScript, loadScript, readBundle } from './action-check.ts';
import { type ArgumentSetting, checkArguments, resolveArguments } from './call-arguments.ts';
import { EventLog } from './event-log.ts';
import { Features } from './features.ts';
import type { SessionMachine } from './machine-cache.ts';
import type { ModuleCache } from './module-cache.ts';
import { SessionModules } from './module-source.ts';
import { NativeWork } from './native-work.ts';
import { ObjectRuntime } from './object-runtime.ts';
import { InitRequests, type PrintLog, type SessionHost } from './session-host.ts';
import { beginObserver } from './session-observer.ts';
import { type ContextEntry, type TxContext, TxContextValue } from './tx-context.ts';

export interface SessionSettings {
  readonly state: State;
  /** The machine of the state's code. */
  readonly machine: SessionMachine;
  readonly modules: ModuleCache;
  readonly context: TxContext;
  /** Gas units; `undefined` if nothing is metered. */
  readonly gasBudget: bigint | undefined;
  /** Whether arguments may be of any type: in views and validators, which change nothing, and in controls. */
  readonly isReadOnly?: boolean;
  /** Whether natives accept every well-formed signature. */
  readonly assumesSignatures?: boolean;
  /** Microseconds of work allowed to natives, in all sessions of the execution. Default: bounded by gas only. */
  readonly nativeWorkMax?: number;
  /** Deadline of a view or a dry run, for both attempts together. Never set for consensus execution. */
  readonly deadline?: Deadline | undefined;
  /** Notified of every call, and again from the start if the execution restarts. Never set for consensus execution. */
  readonly tracer?: SessionTracer | undefined;
  /** The output of Move code's prints, in this session and those that follow it. Default: none. */
  readonly prints?: PrintLog | undefined;
  /** Objects that exist before the session without being in the state: those of genesis. */
  readonly preloaded?: readonly ObjectState[];
}

export interface SessionCall {
  readonly module: ModuleId;
  readonly function: string;
  readonly typeArguments: readonly TypeTag[];
  /** BCS, one for each parameter that is not a signer. */
  readonly arguments: readonly Uint8Array[];
  /** Whether `arguments` also has the addresses of signers, each in its place: in unit tests. */
  readonly givesSigners?: boolean;
  /** Whether only a function declared `entry` may be called, as by transactions. */
  readonly requireEntry?: boolean;
}

type SessionOutcome =
  | { readonly kind: 'returned'; readonly values: readonly Returned[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A tracer of all calls of a session and of those that follow it in the same execution. */
export interface SessionTracer extends CallTracer {
  /** Discards everything reported so far: the execution restarts. */
  restart(): void;
}

/** The effects of a session. */
export interface SessionOutput {
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
  /** Decoded on first use. */
  readonly context: TxContext;
  readonly gasUsed: bigint;
}

/** A class, since creating an object literal with a getter takes a microsecond. */
class FinishedSession implements SessionOutput {
  readonly changeSet: StateChangeSet;
  readonly events: readonly TransactionEvent[];
  readonly gasUsed: bigint;
  readonly #context: TxContextValue;

  constructor({ objects, events, gasUsed, txContext }: Session) {
    this.changeSet = objects.changeSet();
    this.events = events.finish();
    this.gasUsed = gasUsed;
    this.#context = txContext;
  }

  get context(): TxContext {
    return this.#context.context;
  }
}

function callOf({ function: id, typeArguments, arguments: given }: FunctionCall, requireEntry: boolean): SessionCall {
  const module = { address: id.address, name: id.module };
  return { module, function: id.name, typeArguments, arguments: given, requireEntry };
}

/** The outcome of a call that did not exhaust the JavaScript stack. */
function outcomeOf(outcome: CallOutcome): SessionOutcome {
  if (outcome.kind === 'stackExhausted') throw new StackExhausted();
  return outcome;
}

/** More than any unmetered run could use; the rest is ignored. */
const UNMETERED_BUDGET = 0xffff_ffff_ffff_ffffn;

export class Session implements SessionHost {
  readonly objects: ObjectRuntime;
  readonly txContext: TxContextValue;
  readonly events: EventLog = new EventLog();
  readonly modules: SessionModules;
  readonly initRequests: InitRequests = new InitRequests();
  readonly features: Features;
  readonly work: NativeWork;
  readonly assumesSignatures: boolean;
  readonly prints: PrintLog | undefined;
  /** Shared with the sessions that follow in the same execution. */
  readonly gas: GasMeter;
  readonly #settings: SessionSettings;
  readonly #engine: ExecutionMode | undefined;
  /** The environment of its calls; created for the first one. */
  #callSetting: CallSetting<SessionHost> | undefined;
  #machine: SessionMachine;
  /**
   * The machine's module source: not `modules`, since modules published by an action must not get into a machine that
   * outlives it, and the code that an action started with must not be mixed with code that it publishes.
   */
  #code: ModuleLoader;
  /** Handles that are borrowed for arguments. */
  #borrowed: StructInstance[] = [];

  /** Use `runSession`. */
  static begin(settings: SessionSettings, engine: ExecutionMode | undefined): Session {
    const { gasBudget } = settings;
    const gas = new GasMeter(gasBudget ?? UNMETERED_BUDGET, gasBudget !== undefined);
    return new Session(settings, engine, gas, settings.context);
  }

  private constructor(settings: SessionSettings, engine: ExecutionMode | undefined, gas: GasMeter, context: TxContext) {
    this.#settings = settings;
    this.#engine = engine;
    this.#machine = settings.machine;
    this.gas = gas;
    this.objects = new ObjectRuntime(settings.state, settings.preloaded);
    this.txContext = new TxContextValue(context);
    this.modules = new SessionModules(this.objects, settings.modules);
    this.#code = this.modules.stored;
    this.features = new Features(settings.state);
    this.assumesSignatures = settings.assumesSignatures ?? false;
    this.prints = settings.prints;
    this.work = new NativeWork(settings.nativeWorkMax ?? Number.POSITIVE_INFINITY, settings.deadline);
  }

  /**
   * Another session from the same state, without any effects of this one except its gas use. Its count of fresh ids is
   * 0, and the context's map is `entries`.
   */
  respawn(entries: readonly ContextEntry[]): Session {
    const context = { ...this.txContext.context, idsCreated: 0n, entries };
    return new Session(this.#settings, this.#engine, this.gas, context);
  }

  /**
   * Whether the action of a transaction may be ordered: its function can be called with its arguments, or its script or
   * modules are sound. Has no effect; the session can be used afterwards.
   * @returns why not, or undefined
   * @throws {EngineError} for state that is not loaded or corrupt, which is not an outcome
   */
  verify(action: Action): Failure | undefined {
    switch (action.kind) {
      case 'script': {
        const script = this.#loadScript(action.code);
        if ('status' in script) return script;
        const parameters = this.#machine.scriptParameterTypes({ ...action, script }, this.#code);
        return this.#verifyCall(parameters, script, 'main', action.arguments) ?? checkScript(script, this.modules);
      }
      case 'function': {
        const call = callOf(action, false);
        const found = this.#machine.find(call, this.#code);
        if ('status' in found) return found;
        return this.#verifyCall(found.parameters, found.loaded.module.binary, call.function, action.arguments);
      }
      default: {
        const bundle = readBundle(action.modules, this.modules);
        return 'status' in bundle ? bundle : checkBundle(bundle, this.modules, this.txContext.sender);
      }
    }
  }

  /**
   * Runs the action of a transaction, and the `init` functions of the modules that it published. Functions must be
   * `entry`.
   * @throws {EngineError} as `call` does
   */
  execute(action: Action): SessionOutcome {
    const outcome = this.#perform(action);
    return outcome.kind === 'failed' ? outcome : this.runInitFunctions();
  }

  #perform(action: Action): SessionOutcome {
    if (action.kind === 'script') return this.callScript(action);
    if (action.kind === 'function') return this.call(callOf(action, true));
    return this.publish(action.modules);
  }

  /**
   * Calls a function, whatever its visibility.
   * @throws {EngineError} for state that is not loaded or corrupt, which is not an outcome of the call
   */
  call(call: SessionCall): SessionOutcome {
    const found = this.#machine.find(call, this.#code);
    if ('status' in found) return { kind: 'failed', failure: found };
    const { function: name, requireEntry } = call;
    const values = this.#resolve(found.parameters, call.arguments, call.givesSigners);
    if ('status' in values) return { kind: 'failed', failure: values };
    const { module, typeArguments } = call;
    const called = { module, function: name, typeArguments, arguments: values, requireEntry };
    return outcomeOf(this.#machine.call(called, this.#setting, found));
  }

  /**
   * Runs a script, which is read, verified and linked first.
   * @throws {EngineError} as `call` does
   */
  callScript(call: ScriptCall): SessionOutcome {
    const script = this.#loadScript(call.code);
    if ('status' in script) return { kind: 'failed', failure: script };
    const parameters = this.#machine.scriptParameterTypes({ ...call, script }, this.#code);
    if ('status' in parameters) return { kind: 'failed', failure: parameters };
    const values = this.#resolve(parameters, call.arguments);
    if ('status' in values) return { kind: 'failed', failure: values };
    const called = { script, typeArguments: call.typeArguments, arguments: values };
    return outcomeOf(this.#machine.callScript(called, this.#setting));
  }

  #loadScript(code: Uint8Array): Script | Failure {
    return failureOr(() => loadScript(code, this.modules, this.work));
  }

  /**
   * Publishes modules without Move code, each after those that it depends on, and runs the `init` functions of those
   * that are new.
   * @throws {EngineError} as `call` does
   */
  publish(codes: readonly Uint8Array[]): SessionOutcome {
    const bundle = readBundle(codes, this.modules);
    if ('status' in bundle) return { kind: 'failed', failure: bundle };
    const refused = checkPublished(bundle, this.modules, this.txContext.sender);
    if (refused !== undefined) return { kind: 'failed', failure: refused };
    const isNew = bundle.map((module) => this.modules.load(selfIdOf(module)) === undefined);
    for (const [index, module] of bundle.entries()) {
      const { address, name } = selfIdOf(module);
      this.objects.modules.publish(address, name, codes[index]!);
    }
    return this.runInitFunctions(
      bundle.filter((module, index) => isNew[index] && hasInitFunction(module)).map(selfIdOf),
    );
  }

  get #setting(): CallSetting<SessionHost> {
    const { deadline, tracer } = this.#settings;
    const engine = this.#engine;
    this.#callSetting ??= { source: this.#code, gas: this.gas, work: this.work, host: this, deadline, tracer, engine };
    return this.#callSetting;
  }

  /**
   * Runs the `init` functions of published modules in order, until one fails. Call it after an action that succeeded:
   * from here on the session runs the code that it published.
   */
  runInitFunctions(modules: readonly ModuleId[] = this.initRequests.modules): SessionOutcome {
    this.#refreshMachine();
    for (const module of modules) {
      const outcome = this.call({ module, function: 'init', typeArguments: [], arguments: [] });
      if (outcome.kind === 'failed') return outcome;
    }
    return { kind: 'returned', values: [] };
  }

  /** Whether its calls run as translated code: neither traced nor on the interpreter. */
  get isTranslated(): boolean {
    return this.#settings.tracer === undefined && (this.#engine ?? this.#machine.engine) === 'translate';
  }

  /** Returns the handles borrowed for arguments: the action is over, and what follows may use the objects. */
  releaseArguments(): void {
    for (const handle of this.#borrowed) handle.references--;
    this.#borrowed = [];
  }

  /** All effects. The session may not be used afterwards. */
  finish(): SessionOutput {
    return new FinishedSession(this);
  }

  /** Gas units used so far, by this session and those before it in the same execution. */
  get gasUsed(): bigint {
    const { gasBudget } = this.#settings;
    return gasBudget === undefined ? 0n : gasBudget - this.gas.left;
  }

  #resolve(
    parameters: readonly Type[],
    given: readonly Uint8Array[],
    givesSigners?: boolean,
  ): readonly CallArgument[] | Failure {
    return failureOr(() => {
      const { values, borrowed } = resolveArguments(parameters, given, this.#argumentSetting(givesSigners));
      this.#borrowed.push(...borrowed);
      return values;
    });
  }

  #verifyCall(
    parameters: readonly Type[] | Failure,
    binary: Module | Script,
    name: string,
    given: readonly Uint8Array[],
  ): Failure | undefined {
    if ('status' in parameters) return parameters;
    const refused = checkCalled(binary, name);
    if (refused !== undefined) return refused;
    return failureOr(() => {
      checkArguments(parameters, given, this.#argumentSetting());
      return undefined;
    });
  }

  #argumentSetting(givesSigners?: boolean): ArgumentSetting {
    const { isReadOnly = false } = this.#settings;
    return { objects: this.objects, types: this, sender: this.txContext.sender, isReadOnly, givesSigners };
  }

  /** The runtime type of a tag in the code that the session runs; undefined if it does not exist. */
  findType(tag: TypeTag): Type | undefined {
    const found = this.#machine.loadType(tag, this.#code);
    return 'status' in found ? undefined : found;
  }

  /** A separate machine, without what the session replaced, and values without types of replaced code. */
  #refreshMachine(): void {
    const changed = this.objects.modules.changed();
    if (changed.length === 0) return;
    this.#machine = this.#machine.fork();
    this.#machine.drop(changed);
    this.#code = this.modules.freeze(changed);
    this.#callSetting = undefined;
    this.objects.encodeValues();
    this.txContext.encode();
  }
}

/**
 * Runs `body` in a new session, and again from the start if the JavaScript stack ran out or too much code was prepared.
 * @throws {EngineError} `limit-exceeded` if the stack ran out even on the interpreter, because the caller is too deep
 * in its own stack; `deadline-exceeded`.
 */
export function runSession<T>(settings: SessionSettings, body: (session: Session) => T): T {
  const observer = settings.tracer === undefined ? beginObserver() : undefined;
  if (observer === undefined) return attempt(settings, body);
  const value = attempt({ ...settings, tracer: observer }, body);
  observer.end();
  return value;
}

function attempt<T>(settings: SessionSettings, body: (session: Session) => T): T {
  const { preparation } = settings.machine;
  const outer = preparation.begin(PREPARED_MAX);
  try {
    return body(Session.begin(settings, undefined));
  } catch (error) {
    if (!ranOut(error)) throw error;
    settings.tracer?.restart();
    settings.prints?.clear();
  } finally {
    preparation.resume(outer);
  }
  const machine = settings.machine.exact();
  machine.preparation.begin(PREPARED_EXACT_MAX);
  try {
    return body(Session.begin({ ...settings, machine }, 'interpret'));
  } catch (error) {
    if (!ranOut(error)) throw error;
    throw new EngineError('limit-exceeded', 'the JavaScript stack is full: call from a shallower stack', {
      cause: error,
    });
  }
}

function ranOut(error: unknown): boolean {
  return error instanceof StackExhausted || error instanceof TooMuchPrepared || isStackExhausted(error);
}
