/**
 * Shared by all code that runs on one machine: the gas counter, the caller's host, and how things fail.
 *
 * Translated code closes over it, so there is one for a machine and all its forks, and one call runs at a time.
 * @module
 */
import { assert, EngineError } from '../base/error.ts';
import type { TypeTag } from '../move/type-tag.ts';
import { type Failure, ThrownFailure } from './failure.ts';
import { GasCounter } from './gas/meter.ts';
import type { FunctionInstance, Runnable } from './link/function-instance.ts';
import type { ModuleLoader } from './link/linker.ts';
import type { LoadedFunction, ModuleConstant } from './link/loaded-module.ts';
import type { NativeContext, NativeTable } from './native.ts';
import { StatusCode } from './status.ts';
import type { StructInstance } from './value/struct.ts';
import type { Type } from './value/type.ts';

/**
 * The target of the global storage instructions of classic Move. The chain bans them at publish; tests of the VM use
 * them.
 */
export interface GlobalStorage {
  exists(address: Uint8Array, type: Type): boolean;
  /** `undefined` if there is none. */
  borrow(address: Uint8Array, type: Type): StructInstance | undefined;
  /** `undefined` if there is none. */
  moveFrom(address: Uint8Array, type: Type): StructInstance | undefined;
  /** False if there already is one. */
  moveTo(address: Uint8Array, type: Type, value: StructInstance): boolean;
}

/** Counts work, in microseconds of the machine on which it was measured. */
export interface WorkCounter {
  /** @throws {ThrownFailure} if it exceeds the rest. */
  spend(microseconds: number): void;
}

/** What the running call passed along. */
interface RunningCall<Host> {
  readonly host: Host;
  readonly globals?: GlobalStorage | undefined;
  readonly work?: WorkCounter | undefined;
  readonly source: ModuleLoader;
}

/** The machine of the running call, which knows types. */
interface TypeLoader {
  loadType(tag: TypeTag, source: ModuleLoader): Type | Failure;
}

export class Processor<Host = unknown> {
  readonly gas: GasCounter = new GasCounter();
  readonly #natives: NativeTable<Host>;
  readonly #context: NativeCall<Host>;
  #running: RunningCall<Host> | undefined;
  #types: TypeLoader | undefined;

  constructor(natives: NativeTable<Host>) {
    this.#natives = natives;
    this.#context = new NativeCall(this);
  }

  get running(): RunningCall<Host> {
    assert(this.#running !== undefined, 'expected a running call, got none');
    return this.#running;
  }

  enter(call: RunningCall<Host>, types: TypeLoader): void {
    assert(this.#running === undefined, 'expected no running call: calls of one machine and its forks do not nest');
    this.#running = call;
    this.#types = types;
    this.#context.host = call.host;
  }

  leave(): void {
    this.#running = undefined;
    this.#types = undefined;
    this.#context.host = undefined as Host;
  }

  /** The runtime type of a tag in the running call, or undefined. */
  findType(tag: TypeTag): Type | undefined {
    const found = this.#types!.loadType(tag, this.running.source);
    return 'status' in found ? undefined : found;
  }

  /** @throws {ThrownFailure} always, with the instruction as its location. */
  fail(
    at: LoadedFunction,
    codeOffset: number,
    status: StatusCode,
    message: string,
    subStatus?: bigint,
    reason?: string,
  ): never {
    const location = { module: at.module.id, functionIndex: at.index, codeOffset };
    const failure = { status, subStatus, location, message: `${message} in ${at.name} at ${codeOffset}` };
    throw new ThrownFailure(reason === undefined ? failure : { ...failure, reason });
  }

  /** The value of a constant whose instruction is paid for; counts the work. */
  loadConstant(constant: ModuleConstant): unknown {
    const { work } = constant;
    if (work > 0) {
      // As `keepNoResult` of a native.
      this.gas.fillings++;
      this.running.work?.spend(work);
    }
    return constant.copy();
  }

  /**
   * A native as code calls it: it takes its arguments and returns a value, an array of several values, or
   * nothing. It fails with the native as the location.
   */
  linkNative(instance: FunctionInstance): Runnable {
    const { signature, loaded } = instance;
    const context = this.#context;
    const { gas } = this;
    const native = this.#natives.get(signature.module, signature.name) as
      | ((...parameters: unknown[]) => unknown)
      | undefined;
    if (native === undefined) {
      return () => {
        gas.settle();
        return this.fail(loaded, 0, StatusCode.MISSING_DEPENDENCY, `native ${signature.name} does not exist`);
      };
    }
    const takesCounted = instance.parameters.some((type) => type.isCountedReference);
    if (takesCounted || instance.parameters.length > 3 || instance.returns.length > 1) {
      return (...parameters) => {
        context.enter(loaded);
        const result = native(context, signature, ...parameters);
        this.#countReferences(instance, parameters, result);
        return result;
      };
    }
    if (instance.returns[0]?.isCountedReference === true) {
      return (first, second, third) => {
        context.enter(loaded);
        const result = native(context, signature, first, second, third);
        (result as StructInstance).references++;
        return result;
      };
    }
    return (first, second, third) => {
      context.enter(loaded);
      return native(context, signature, first, second, third);
    };
  }

  /** Ends the references passed to a native and begins those that it returns. */
  #countReferences(instance: FunctionInstance, parameters: readonly unknown[], result: unknown): void {
    const { returns } = instance;
    for (const [index, type] of instance.parameters.entries()) {
      if (type.isCountedReference) (parameters[index] as StructInstance).references--;
    }
    for (const [index, type] of returns.entries()) {
      if (!type.isCountedReference) continue;
      const reference = returns.length === 1 ? result : (result as unknown[])[index];
      (reference as StructInstance).references++;
    }
  }
}

/** The context that natives see; one object serves all calls, since natives do not call each other. */
class NativeCall<Host> implements NativeContext<Host> {
  callee: LoadedFunction | undefined;
  /** The host of the running call: natives read it many times. */
  host: Host = undefined as Host;
  readonly #processor: Processor<Host>;

  constructor(processor: Processor<Host>) {
    this.#processor = processor;
  }

  /** A native is about to be called: earlier charges must be covered. */
  enter(callee: LoadedFunction): void {
    const { gas } = this.#processor;
    gas.settle();
    if (gas.deadline !== undefined) gas.deadline.check();
    this.callee = callee;
  }

  get gasLeft(): bigint {
    return this.#processor.gas.remaining;
  }

  charge(units: number): void {
    if (!Number.isSafeInteger(units) || units < 0) {
      throw new EngineError('invariant-violation', `expected a number of gas units, got ${units}`);
    }
    this.#processor.gas.charge(units);
  }

  keepNoResult(): void {
    this.#processor.gas.fillings++;
  }

  abort(code: number | bigint, reason?: string): never {
    return this.#processor.fail(this.callee!, 0, StatusCode.ABORTED, `native abort ${code}`, BigInt(code), reason);
  }

  fail(status: StatusCode, message: string, subStatus?: bigint): never {
    return this.#processor.fail(this.callee!, 0, status, message, subStatus);
  }

  findType(tag: TypeTag): Type | undefined {
    return this.#processor.findType(tag);
  }
}
