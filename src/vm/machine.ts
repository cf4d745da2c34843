/**
 * The Move virtual machine: runs functions of modules from a source, with natives from a table, for gas.
 *
 * It knows neither storage nor objects: natives access the outside through the `host` of a call, which the machine
 * passes on without using it (`native.ts`). A machine serves one state of the code. Everything that it loaded, linked
 * and translated stays until `drop` reports replaced modules; `fork` makes a machine for a second state that starts
 * with all of it. A machine and its forks run one call at a time between them; calls do not nest.
 *
 * The outcome of a call is a value. Only violated preconditions throw.
 *
 * Folders: `binary` reads modules, `verify` checks them, `link` resolves everything once, running code uses `value` and
 * `gas`, and `interpret` and `translate` are the two engines.
 * Source: third_party/move/language/move-vm of the reference.
 * @module
 */
import { didYouMean } from '../base/nearest-name.ts';
import type { TypeTag } from '../move/type-tag.ts';
import type { ModuleId } from './binary/module.ts';
import {
  type CallArgument,
  type CallOutcome,
  type CallSetting,
  decodeArguments,
  type ExecutionMode,
  type MachineCall,
  type MachineScript,
  type Returned,
  returned,
} from './call.ts';
import { type Failure, failureOr, isStackExhausted, refuse, ThrownFailure } from './failure.ts';
import type { GasSchedule } from './gas/schedule.ts';
import { interpret, listReturned } from './interpret/interpreter.ts';
import type { FunctionInstance } from './link/function-instance.ts';
import { Linker, type ModuleLoader, requireTypeArguments } from './link/linker.ts';
import type { CountsReferences, LoadedFunction } from './link/loaded-module.ts';
import { Preparation } from './link/preparation.ts';
import { KEEPING_ALL, type MachineLimits, machineLimits } from './machine-limits.ts';
import type { NativeTable } from './native.ts';
import { PreparedCode } from './prepared-code.ts';
import { StatusCode } from './status.ts';
import { canTranslate } from './translate/translate.ts';
import type { Type } from './value/type.ts';

/**
 * Calls and loop iterations after which a Move function is translated, which costs as much as interpreting about sixty.
 */
export const TRANSLATE_AFTER = 64;

export interface MachineOptions<Host> {
  readonly natives: NativeTable<Host>;
  readonly schedule: GasSchedule;
  readonly limits?: Partial<MachineLimits>;
  /**
   * `translate` compiles functions to JavaScript, `interpret` does not. Default: `translate` if the host allows code
   * generation. Outcomes and gas are the same.
   */
  readonly engine?: ExecutionMode;
  /**
   * Calls and loop iterations for which a function is interpreted before it is translated; 0 translates it on its first
   * call. Outcomes and gas do not depend on it.
   */
  readonly translateAfter?: number;
  /** For tests: generates all code in the form meant for irreducible control flow. */
  readonly preferSwitch?: boolean;
  /** Struct types whose live references are counted in `StructInstance.references`. */
  readonly countsReferences?: CountsReferences;
}

export class Machine<Host = unknown> {
  readonly #options: MachineOptions<Host>;
  readonly #code: PreparedCode<Host>;
  readonly #linker: Linker;

  /** @throws {EngineError} `invalid-argument` for limits out of range. */
  static create<Host>(options: MachineOptions<Host>): Machine<Host> {
    return Machine.#make(options, new Preparation(false));
  }

  static #make<Host>(options: MachineOptions<Host>, preparation: Preparation): Machine<Host> {
    const code = new PreparedCode(
      {
        natives: options.natives,
        schedule: options.schedule,
        limits: machineLimits(options.limits),
        engine: options.engine ?? (canTranslate() ? 'translate' : 'interpret'),
        heatMax: options.translateAfter ?? TRANSLATE_AFTER,
        preferSwitch: options.preferSwitch ?? false,
      },
      preparation,
    );
    return new Machine(options, code, new Linker(code.types, options.countsReferences ?? (() => false)));
  }

  private constructor(options: MachineOptions<Host>, code: PreparedCode<Host>, linker: Linker) {
    this.#options = options;
    this.#code = code;
    this.#linker = linker;
  }

  /** How its calls run, unless overridden by the call. */
  get engine(): ExecutionMode {
    return this.#code.engine;
  }

  /** The code that one execution may prepare. Unbounded until `Preparation.begin`. */
  get preparation(): Preparation {
    return this.#code.preparation;
  }

  /** A machine that starts empty, interprets, and drops nothing: its counts depend only on the execution. */
  exact(): Machine<Host> {
    const limits = { ...this.#options.limits, ...KEEPING_ALL };
    return Machine.#make({ ...this.#options, engine: 'interpret', limits }, new Preparation(true));
  }

  /** A machine for another state of the code, which starts with all code of this one. */
  fork(): Machine<Host> {
    return new Machine(this.#options, this.#code, this.#linker.fork());
  }

  /**
   * Drops modules that were replaced and everything that depends on them. Returns how many loaded modules were dropped.
   */
  drop(modules: Iterable<ModuleId>): number {
    return this.#linker.drop(modules);
  }

  /** Drops modules for which `source` now has another binary, and everything that depends on them; returns how many. */
  refresh(source: ModuleLoader): number {
    return this.#linker.refresh(source);
  }

  /** Calls a function. `found` is the result of `find` for it, if already looked up. */
  call(call: MachineCall, setting: CallSetting<Host>, found?: FunctionInstance): CallOutcome {
    return this.#attempt(setting, call, found);
  }

  /** Runs a script, which must have been verified. */
  callScript(call: MachineScript, setting: CallSetting<Host>): CallOutcome {
    return this.#attempt(setting, call, undefined);
  }

  /**
   * The runtime type of a tag, loading all modules that it needs.
   * @returns a failure for a tag that names no type
   */
  loadType(tag: TypeTag, source: ModuleLoader): Type | Failure {
    return failureOr(() => this.#linker.type(tag, source));
  }

  /**
   * A function with given type arguments, for building arguments of its parameter types.
   * @returns a failure where `call` would fail for the function or its type arguments
   */
  find(call: Omit<MachineCall, 'arguments' | 'requireEntry'>, source: ModuleLoader): FunctionInstance | Failure {
    return failureOr(() => this.#find(call, source));
  }

  /** The parameter types of a function at given type arguments; otherwise as `find`. */
  parameterTypes(
    call: Omit<MachineCall, 'arguments' | 'requireEntry'>,
    source: ModuleLoader,
  ): readonly Type[] | Failure {
    const found = this.find(call, source);
    return 'status' in found ? found : found.parameters;
  }

  /** The parameter types of a script at given type arguments; otherwise as `find`. */
  scriptParameterTypes(call: Omit<MachineScript, 'arguments'>, source: ModuleLoader): readonly Type[] | Failure {
    return failureOr(() => this.#findScript(call, source).parameters);
  }

  #findScript(call: Omit<MachineScript, 'arguments'>, source: ModuleLoader): FunctionInstance {
    const main = this.#linker.script(call.script, source).function(0);
    return this.#instantiate(main, call.typeArguments, source);
  }

  #find(call: Omit<MachineCall, 'arguments' | 'requireEntry'>, source: ModuleLoader): FunctionInstance {
    const loaded = this.#linker.module(call.module, source).findFunction(call.function);
    if (loaded === undefined) {
      const { name } = call.module;
      const names = this.#linker.module(call.module, source).functionNames;
      const message = [`module ${name} has no ${call.function}`, ...didYouMean(call.function, names)].join('; ');
      throw refuse(StatusCode.FUNCTION_RESOLUTION_FAILURE, message);
    }
    return this.#instantiate(loaded, call.typeArguments, source);
  }

  /** The called function: `found`, if already looked up. */
  #called(call: MachineCall, found: FunctionInstance | undefined, source: ModuleLoader): FunctionInstance {
    const instance = found ?? this.#find(call, source);
    if (call.requireEntry === true && !instance.loaded.isEntry) {
      const status = StatusCode.EXECUTE_ENTRY_FUNCTION_CALLED_ON_NON_ENTRY_FUNCTION;
      throw refuse(status, `${call.function} is not an entry function`);
    }
    return instance;
  }

  #attempt(
    setting: CallSetting<Host>,
    call: MachineCall | MachineScript,
    found: FunctionInstance | undefined,
  ): CallOutcome {
    const { processor, preparation } = this.#code;
    const { gas, source, deadline } = setting;
    preparation.isCounting = gas.metering;
    preparation.deadline = deadline;
    processor.enter(setting, this);
    try {
      processor.gas.open(gas, deadline);
      const instance = 'script' in call ? this.#findScript(call, source) : this.#called(call, found, source);
      const values = this.#run(instance, call.arguments, setting);
      processor.gas.settle();
      processor.gas.close(gas);
      return { kind: 'returned', values };
    } catch (thrown) {
      if (isStackExhausted(thrown)) return { kind: 'stackExhausted' };
      if (!(thrown instanceof ThrownFailure)) throw thrown;
      processor.gas.close(gas);
      setting.tracer?.fail(thrown.failure, processor.gas.remaining);
      return { kind: 'failed', failure: thrown.failure };
    } finally {
      preparation.deadline = undefined;
      processor.gas.deadline = undefined;
      processor.leave();
    }
  }

  #instantiate(loaded: LoadedFunction, tags: readonly TypeTag[], source: ModuleLoader): FunctionInstance {
    const typeArguments = tags.map((tag) => this.#linker.type(tag, source));
    requireTypeArguments(loaded.typeParameters, typeArguments);
    return this.#code.instances.get(loaded, typeArguments);
  }

  #run(instance: FunctionInstance, given: readonly CallArgument[], setting: CallSetting<Host>): readonly Returned[] {
    const { processor, interpreter, engine } = this.#code;
    const parameters = decodeArguments(instance, given);
    if (instance.isNative) {
      processor.fail(instance.loaded, 0, StatusCode.PC_OVERFLOW, 'a native cannot be called from outside');
    }
    const { tracer } = setting;
    const isTranslating = tracer === undefined && (setting.engine ?? engine) === 'translate';
    const tiers = isTranslating ? interpreter.tiers : undefined;
    const isHot = tiers !== undefined && ++instance.heat > tiers.heatMax;
    const values = isHot
      ? listReturned(instance, instance.run(0, ...parameters))
      : interpret({ ...interpreter, tiers, tracer }, instance, parameters, { depth: 0, height: 0 });
    const list: Returned[] = [];
    for (const [index, type] of instance.returns.entries()) list.push(returned(type, values[index]));
    return list;
  }
}
