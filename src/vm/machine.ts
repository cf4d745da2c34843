/**
 * The Move virtual machine: runs functions of modules from a source, with natives from a table, for gas.
 *
 * It knows neither storage nor objects: natives access the world through the `host` of a call, which the machine passes
 * on without using it (`native.ts`). A machine serves one state of the code. What it loaded, linked and translated
 * stays until `drop` says that modules were replaced; `fork` makes a machine for a second state that starts with all of
 * it. A machine and its forks run one call at a time between them; calls do not nest.
 *
 * The outcome of a call is a value. Only broken contracts throw.
 *
 * Folders: `binary` reads modules, `verify` checks them, `link` resolves everything once, running code uses `value` and
 * `gas`, and `interpret` and `translate` are the two engines.
 * Source: third_party/move/language/move-vm of the reference.
 * @module
 */
import {
  CALL_DEPTH_MAX,
  INSTANTIATION_NODES_MAX,
  MACHINE_LAYOUT_DEPTH_MAX,
  MACHINE_LAYOUT_NODES_MAX,
  OPERANDS_MAX,
  PACKED_VALUE_DEPTH_MAX,
  PREPARED_KEPT_MAX,
  SPECIALISATIONS_MAX,
  STRUCT_TYPES_MAX,
  TRANSLATE_AFTER,
  TRANSLATED_LOOPS_MAX,
} from '../config.ts';
import { assert, EngineError } from '../error.ts';
import type { TypeTag } from '../move/type-tag.ts';
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
import { type Failure, refuse, ThrownFailure } from './failure.ts';
import type { GasSchedule } from './gas/schedule.ts';
import { type InterpreterContext, interpret, listReturned, type StackLimits } from './interpret/interpreter.ts';
import { findBlocks } from './link/blocks.ts';
import type { FunctionBody } from './link/function-body.ts';
import type { FunctionInstance, Runnable } from './link/function-instance.ts';
import { InstanceStore } from './link/instance-store.ts';
import { Linker, requireTypeArguments } from './link/linker.ts';
import type { CountsReferences, LoadedFunction } from './link/loaded-module.ts';
import type { ModuleSource } from './link/module-source.ts';
import { Preparation } from './link/preparation.ts';
import { type PurityContext, purityOf } from './link/purity.ts';
import { resolveBody } from './link/resolve-body.ts';
import type { ResolveContext } from './link/resolve-value.ts';
import { type TypeLimits, TypeStore } from './link/type-store.ts';
import type { ModuleId } from './module-id.ts';
import type { NativeTable } from './native-table.ts';
import { type DirectNative, Processor } from './processor.ts';
import { ResultCache } from './result-cache.ts';
import { isStackExhausted } from './stack-exhausted.ts';
import { StatusCode } from './status.ts';
import { canTranslate, translate, translateFrom } from './translate/translate.ts';
import { adaptiveOperations, generateStructClass } from './translate/type-code.ts';
import { genericOperations } from './value/generic-operations.ts';
import { Signer, type StructClass, structClass } from './value/struct.ts';
import type { Type } from './value/type.ts';

/** Bounds of a machine. All except those of what is kept are consensus. */
export interface MachineLimits extends TypeLimits, StackLimits {
  /** How many functions with given type arguments are kept. */
  readonly specialisationsMax: number;
  /** The units that they may have together; see `link/preparation.ts`. */
  readonly preparedKeptMax: number;
}

const LIMITS: MachineLimits = {
  callDepthMax: CALL_DEPTH_MAX,
  operandsMax: OPERANDS_MAX,
  valueDepthMax: PACKED_VALUE_DEPTH_MAX,
  layoutNodesMax: MACHINE_LAYOUT_NODES_MAX,
  layoutDepthMax: MACHINE_LAYOUT_DEPTH_MAX,
  instantiationNodesMax: INSTANTIATION_NODES_MAX,
  specialisationsMax: SPECIALISATIONS_MAX,
  preparedKeptMax: PREPARED_KEPT_MAX,
  structTypesMax: STRUCT_TYPES_MAX,
};

/** For a machine whose counts depend only on the execution: nothing is dropped. */
const EXACT_LIMITS = {
  specialisationsMax: Number.MAX_SAFE_INTEGER,
  preparedKeptMax: Number.MAX_SAFE_INTEGER,
  structTypesMax: Number.MAX_SAFE_INTEGER,
};

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
   * Calls and turns of loops for which a function is interpreted before it is translated; 0 translates at once.
   * Outcomes and gas do not depend on it.
   */
  readonly translateAfter?: number;
  /** For tests: generates all code in the form for irreducible control flow. */
  readonly preferSwitch?: boolean;
  /** Struct types whose live references are counted in `StructValue.references`. */
  readonly countsReferences?: CountsReferences;
}

/** What a machine and its forks share. */
interface Shared<Host> {
  readonly options: MachineOptions<Host>;
  readonly preparation: Preparation;
  readonly processor: Processor<Host>;
  readonly types: TypeStore;
  readonly interpreter: InterpreterContext;
  readonly instances: InstanceStore;
  readonly engine: ExecutionMode;
}

export class Machine<Host = unknown> {
  readonly #shared: Shared<Host>;
  readonly #linker: Linker;

  /** @throws {EngineError} `invalid-argument` for limits out of range. */
  static create<Host>(options: MachineOptions<Host>): Machine<Host> {
    return Machine.#make(options, new Preparation(false));
  }

  static #make<Host>(options: MachineOptions<Host>, preparation: Preparation): Machine<Host> {
    const shared = share(options, preparation);
    return new Machine(shared, new Linker(shared.types, options.countsReferences ?? (() => false)));
  }

  private constructor(shared: Shared<Host>, linker: Linker) {
    this.#shared = shared;
    this.#linker = linker;
  }

  /** How its calls run, unless they say otherwise. */
  get engine(): ExecutionMode {
    return this.#shared.engine;
  }

  /** The code that one execution may prepare. Unbounded until `Preparation.begin`. */
  get preparation(): Preparation {
    return this.#shared.preparation;
  }

  /** A machine that starts empty, interprets, and drops nothing: its counts depend only on the execution. */
  exact(): Machine<Host> {
    const { options } = this.#shared;
    const limits = { ...options.limits, ...EXACT_LIMITS };
    return Machine.#make({ ...options, engine: 'interpret', limits }, new Preparation(true));
  }

  /** A machine for another state of the code, which starts with everything that this one has. */
  fork(): Machine<Host> {
    return new Machine(this.#shared, this.#linker.fork());
  }

  /**
   * Drops modules that were replaced and everything that depends on them. Returns how many loaded modules were dropped.
   */
  drop(modules: Iterable<ModuleId>): number {
    return this.#linker.drop(modules);
  }

  /** Drops modules for which `source` now has another binary, and everything that depends on them; returns how many. */
  refresh(source: ModuleSource): number {
    return this.#linker.refresh(source);
  }

  /** Calls a function. `found` is the result of `find` for it, if it was looked up already. */
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
  loadType(tag: TypeTag, source: ModuleSource): Type | Failure {
    try {
      return this.#linker.type(tag, source);
    } catch (thrown) {
      return failureOf(thrown);
    }
  }

  /**
   * A function with given type arguments, for making arguments of its parameter types.
   * @returns a failure where `call` would fail for the function or its type arguments
   */
  find(
    call: Pick<MachineCall, 'module' | 'function' | 'typeArguments'>,
    source: ModuleSource,
  ): FunctionInstance | Failure {
    try {
      return this.#find(call, source);
    } catch (thrown) {
      return failureOf(thrown);
    }
  }

  /** The parameter types of a function at given type arguments; otherwise as `find`. */
  parameterTypes(
    call: Pick<MachineCall, 'module' | 'function' | 'typeArguments'>,
    source: ModuleSource,
  ): readonly Type[] | Failure {
    const found = this.find(call, source);
    return 'status' in found ? found : found.parameters;
  }

  /** The parameter types of a script at given type arguments; otherwise as `find`. */
  scriptParameterTypes(
    call: Pick<MachineScript, 'script' | 'typeArguments'>,
    source: ModuleSource,
  ): readonly Type[] | Failure {
    try {
      return this.#findScript(call, source).parameters;
    } catch (thrown) {
      return failureOf(thrown);
    }
  }

  #findScript(call: Pick<MachineScript, 'script' | 'typeArguments'>, source: ModuleSource): FunctionInstance {
    const main = this.#linker.script(call.script, source).function(0);
    return this.#instantiate(main, call.typeArguments, source);
  }

  #find(call: Pick<MachineCall, 'module' | 'function' | 'typeArguments'>, source: ModuleSource): FunctionInstance {
    const loaded = this.#linker.module(call.module, source).findFunction(call.function);
    if (loaded === undefined) {
      throw refuse(StatusCode.FUNCTION_RESOLUTION_FAILURE, `module ${call.module.name} has no ${call.function}`);
    }
    return this.#instantiate(loaded, call.typeArguments, source);
  }

  /** The called function: `found`, if it was looked up already. */
  #called(call: MachineCall, found: FunctionInstance | undefined, source: ModuleSource): FunctionInstance {
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
    const { processor, preparation } = this.#shared;
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

  #instantiate(loaded: LoadedFunction, tags: readonly TypeTag[], source: ModuleSource): FunctionInstance {
    const typeArguments = tags.map((tag) => this.#linker.type(tag, source));
    requireTypeArguments(loaded.typeParameters, typeArguments);
    return this.#shared.instances.get(loaded, typeArguments);
  }

  #run(instance: FunctionInstance, given: readonly CallArgument[], setting: CallSetting<Host>): readonly Returned[] {
    const { processor, interpreter, engine } = this.#shared;
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

/** The failure that was thrown; anything else is thrown on. */
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof ThrownFailure) return thrown.failure;
  throw thrown;
}

function share<Host>(options: MachineOptions<Host>, preparation: Preparation): Shared<Host> {
  const { natives, schedule } = options;
  const limits = { ...LIMITS, ...options.limits };
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new EngineError('invalid-argument', `expected a positive limit ${name}, got ${limit}`);
    }
  }
  const engine = options.engine ?? (canTranslate() ? 'translate' : 'interpret');
  const generates = engine === 'translate';
  const processor = new Processor(natives);
  const types = new TypeStore(limits, {
    makeOperations: (type) => (generates ? adaptiveOperations : genericOperations)(type, schedule.size),
    makeStructClass: generates ? generateStructClass : plainStructClass,
  });
  const { instruction } = schedule;
  const unitPrices = {
    copy: instruction.copy_loc_per_abs_val_unit,
    read: instruction.read_ref_per_abs_val_unit,
    equal: instruction.eq_per_abs_val_unit,
    unequal: instruction.neq_per_abs_val_unit,
  };
  const bodyOf = (instance: FunctionInstance): FunctionBody => {
    const { code } = instance.loaded;
    assert(code !== undefined, `expected a Move function, got native ${instance.loaded.name}`);
    if (instance.body === undefined) {
      instances.prepare(instance);
      instance.body = resolveBody(instance, code, resolving);
    }
    return instance.body;
  };
  const enter = (instance: FunctionInstance, offset: number): Runnable | undefined => {
    instance.entries ??= new Map();
    const { entries } = instance;
    if (!entries.has(offset)) {
      if (entries.size >= TRANSLATED_LOOPS_MAX) return undefined;
      instances.include(instance, instance);
      const blocks = findBlocks(instance.loaded.code!.instructions, offset);
      entries.set(offset, translateFrom(instance, bodyOf(instance), blocks, translating));
    }
    return entries.get(offset);
  };
  const heatMax = options.translateAfter ?? TRANSLATE_AFTER;
  const tiers = generates ? { heatMax, enter } : undefined;
  const interpreter = { processor: processor as Processor, limits, unitPrices, tiers, bodyOf };
  const preferSwitch = options.preferSwitch ?? false;
  const nativeOf = (instance: FunctionInstance): DirectNative | undefined => processor.directNative(instance);
  const results = new ResultCache(processor.gas, preparation, limits);
  const purity: PurityContext = { bodyOf, pureNative: (module, name) => natives.pure(module, name) };
  const translating = {
    processor: interpreter.processor,
    interpreter,
    limits,
    unitPrices,
    sizes: schedule.size,
    nativeOf,
    preferSwitch,
    isCached: (instance: FunctionInstance) => results.caches(instance, () => purityOf(instance, purity)),
    include: (instance: FunctionInstance, callee: FunctionInstance) => instances.include(instance, callee),
  };
  const link = (instance: FunctionInstance): Runnable => {
    if (instance.isNative) return processor.linkNative(instance);
    const translated = translate(instance, bodyOf(instance), translating);
    const run = results.wrap(instance, translated, () => purityOf(instance, purity));
    // Several times larger than the code. The interpreter rebuilds it if translated code falls back to it.
    instance.body = undefined;
    return run;
  };
  const instances = new InstanceStore(types, {
    instancesMax: limits.specialisationsMax,
    unitsMax: limits.preparedKeptMax,
    preparation,
    link,
  });
  const resolving: ResolveContext = { types, schedule, instances };
  return { options, preparation, processor, types, interpreter, instances, engine };
}

function plainStructClass(type: Type): StructClass {
  return type.kind === 'signer' ? Signer : structClass(type.fields.length, type.countsReferences);
}
