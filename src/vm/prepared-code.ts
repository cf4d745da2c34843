/**
 * The code of functions at given type arguments. It is resolved when a function is first called, and translated
 * immediately or when the interpreter finds it hot. A machine shares it with its forks.
 * @module
 */
import { assert } from '../base/error.ts';
import type { ExecutionMode } from './call.ts';
import type { GasSchedule } from './gas/schedule.ts';
import type { InterpreterContext, UnitPrices } from './interpret/interpreter.ts';
import { type FunctionBody, findBlocks } from './link/function-body.ts';
import type { FunctionInstance, Runnable } from './link/function-instance.ts';
import { InstanceStore } from './link/instance-store.ts';
import type { Preparation } from './link/preparation.ts';
import { type ResolveContext, resolveBody } from './link/resolve.ts';
import { TypeStore } from './link/type-store.ts';
import type { MachineLimits } from './machine-limits.ts';
import type { NativeTable } from './native.ts';
import { Processor } from './processor.ts';
import { ResultCache } from './result-cache.ts';
import { type TranslateContext, translate, translateFrom } from './translate/translate.ts';
import { adaptiveOperations, generateStructClass } from './translate/type-code.ts';
import { genericOperations } from './value/generic-operations.ts';
import { SignerValue, type StructClass, structClass } from './value/struct.ts';
import type { Type } from './value/type.ts';

/**
 * Maximum number of loops of a function from which running calls continue as translated code. Each takes as much time
 * and memory as the function; later calls run the function itself.
 */
export const TRANSLATED_LOOPS_MAX = 4;

interface CodeOptions<Host> {
  readonly natives: NativeTable<Host>;
  readonly schedule: GasSchedule;
  readonly limits: MachineLimits;
  readonly engine: ExecutionMode;
  /** As in `Tiers`. */
  readonly heatMax: number;
  /** As in `TranslateContext`. */
  readonly preferSwitch: boolean;
}

export class PreparedCode<Host> {
  readonly engine: ExecutionMode;
  readonly preparation: Preparation;
  readonly processor: Processor<Host>;
  readonly types: TypeStore;
  readonly instances: InstanceStore;
  readonly interpreter: InterpreterContext;
  readonly #results: ResultCache;
  readonly #resolving: ResolveContext;
  readonly #translating: TranslateContext;

  constructor(options: CodeOptions<Host>, preparation: Preparation) {
    const { natives, schedule, limits, heatMax, preferSwitch } = options;
    this.engine = options.engine;
    this.preparation = preparation;
    const translates = this.engine === 'translate';
    this.processor = new Processor(natives);
    this.types = new TypeStore(limits, {
      makeOperations: (type) => (translates ? adaptiveOperations : genericOperations)(type, schedule.size),
      makeStructClass: translates ? generateStructClass : plainStructClass,
    });
    this.instances = new InstanceStore(this.types, {
      instancesMax: limits.specialisationsMax,
      unitsMax: limits.preparedKeptMax,
      preparation,
      link: (instance) => this.#link(instance),
    });
    this.#resolving = { types: this.types, schedule, instances: this.instances };
    const bodyOf = (instance: FunctionInstance): FunctionBody => this.#bodyOf(instance);
    this.#results = new ResultCache(this.processor.gas, preparation, limits, {
      bodyOf,
      pureNative: (module, name) => natives.pure(module, name),
    });
    const common = { processor: this.processor as Processor, limits, unitPrices: unitPricesOf(schedule) };
    const enter = (instance: FunctionInstance, offset: number): Runnable | undefined => this.#enter(instance, offset);
    this.interpreter = { ...common, tiers: translates ? { heatMax, enter } : undefined, bodyOf };
    this.#translating = {
      ...common,
      interpreter: this.interpreter,
      sizes: schedule.size,
      preferSwitch,
    };
  }

  #bodyOf(instance: FunctionInstance): FunctionBody {
    const { code } = instance.loaded;
    assert(code !== undefined, `expected a Move function, got native ${instance.loaded.name}`);
    if (instance.body === undefined) {
      this.instances.prepare(instance);
      instance.body = resolveBody(instance, code, this.#resolving);
    }
    return instance.body;
  }

  /** What `run` of an instance becomes. */
  #link(instance: FunctionInstance): Runnable {
    if (instance.isNative) return this.processor.linkNative(instance);
    const translated = translate(instance, this.#bodyOf(instance), this.#translating);
    const run = this.#results.wrap(instance, translated);
    // Several times larger than the code. The interpreter rebuilds it if translated code falls back to it.
    instance.body = undefined;
    return run;
  }

  /** The rest of a call from the head of a loop on, as translated code. */
  #enter(instance: FunctionInstance, offset: number): Runnable | undefined {
    instance.entries ??= new Map();
    const { entries } = instance;
    if (!entries.has(offset)) {
      if (entries.size >= TRANSLATED_LOOPS_MAX) return undefined;
      this.instances.countAgain(instance);
      const blocks = findBlocks(instance.loaded.code!.instructions, offset);
      entries.set(offset, translateFrom(instance, this.#bodyOf(instance), blocks, this.#translating));
    }
    return entries.get(offset);
  }
}

function unitPricesOf({ instruction }: GasSchedule): UnitPrices {
  return {
    copy: instruction.copy_loc_per_abs_val_unit,
    read: instruction.read_ref_per_abs_val_unit,
    equal: instruction.eq_per_abs_val_unit,
    unequal: instruction.neq_per_abs_val_unit,
  };
}

function plainStructClass(type: Type): StructClass {
  return type.kind === 'signer' ? SignerValue : structClass(type.fields.length, type.countsReferences);
}
