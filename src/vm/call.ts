/**
 * A call of a machine from outside: the function and its arguments, the environment in which it runs, and its outcome.
 * Arguments are passed as BCS or as values; results are values without references.
 * @module
 */
import type { TypeTag } from '../move/type-tag.ts';
import type { ModuleId, Script } from './binary/module.ts';
import type { Deadline } from './deadline.ts';
import { type Failure, refuse } from './failure.ts';
import type { GasMeter } from './gas/meter.ts';
import type { FunctionInstance } from './link/function-instance.ts';
import type { ModuleLoader } from './link/linker.ts';
import type { GlobalStorage, WorkCounter } from './processor.ts';
import { StatusCode } from './status.ts';
import { Cell, dereference } from './value/reference.ts';
import type { StructInstance } from './value/struct.ts';
import type { Type } from './value/type.ts';

export type ExecutionMode = 'translate' | 'interpret';

/** An argument: BCS, decoded as the parameter's type, or a value, which then belongs to the call. */
export type CallArgument = { readonly bytes: Uint8Array } | { readonly value: unknown };

export interface MachineCall {
  readonly module: ModuleId;
  readonly function: string;
  readonly typeArguments: readonly TypeTag[];
  readonly arguments: readonly CallArgument[];
  /** Whether only functions declared `entry` may be called, as by transactions. */
  readonly requireEntry?: boolean | undefined;
}

export interface MachineScript {
  readonly script: Script;
  readonly typeArguments: readonly TypeTag[];
  readonly arguments: readonly CallArgument[];
}

/** The environment of a call. */
export interface CallSetting<Host> {
  readonly source: ModuleLoader;
  readonly gas: GasMeter;
  readonly host: Host;
  readonly globals?: GlobalStorage | undefined;
  /** Overrides the machine's engine for this call; after `stackExhausted`, run the call again with `interpret`. */
  readonly engine?: ExecutionMode | undefined;
  /** Deadline of the call; never set for consensus execution. */
  readonly deadline?: Deadline | undefined;
  /** Counter of work that gas does not pay for. */
  readonly work?: WorkCounter | undefined;
  /** Notified of every call; all of them are then interpreted. */
  readonly tracer?: CallTracer | undefined;
}

/** A returned value; for a reference, its target. */
export interface Returned {
  readonly type: Type;
  readonly value: unknown;
}

/**
 * How a call ended. `stackExhausted` is not an outcome of Move: the JavaScript stack ran out, and the caller must
 * discard what the host did and run everything again in a fresh session with the engine `interpret`, whose frames are
 * on the heap. Result and gas are what they would have been.
 */
export type CallOutcome =
  | { readonly kind: 'returned'; readonly values: readonly Returned[] }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'stackExhausted' };

/**
 * A returned value, dereferenced.
 * @throws {ThrownFailure} VERIFICATION_ERROR for a type without a layout, which the reference could not serialize.
 */
export function returned(type: Type, value: unknown): Returned {
  if (type.isCountedReference) (value as StructInstance).references--;
  const target = type.isReference ? type.item : type;
  if (target.layoutFault !== 0) {
    throw refuse(StatusCode.VERIFICATION_ERROR, 'entry point functions cannot have non-serializable return types');
  }
  return { type: target, value: type.isReference ? dereference(target, value) : value };
}

/**
 * The values of a call's arguments.
 * @throws {ThrownFailure} NUMBER_OF_ARGUMENTS_MISMATCH, INVALID_PARAM_TYPE_FOR_DESERIALIZATION,
 * FAILED_TO_DESERIALIZE_ARGUMENT
 */
export function decodeArguments(instance: FunctionInstance, given: readonly CallArgument[]): unknown[] {
  const { parameters } = instance;
  if (given.length !== parameters.length) {
    const message = `expected ${parameters.length} ${parameters.length === 1 ? 'argument' : 'arguments'}, got ${given.length}`;
    throw refuse(StatusCode.NUMBER_OF_ARGUMENTS_MISMATCH, message);
  }
  const values: unknown[] = [];
  for (let index = 0; index < parameters.length; index++) {
    const type = parameters[index]!;
    const argument = given[index]!;
    const value = 'value' in argument ? argument.value : readArgument(type, argument.bytes);
    if (type.isCountedReference) (value as StructInstance).references++;
    values.push(value);
  }
  return values;
}

function readArgument(type: Type, bytes: Uint8Array): unknown {
  const target = type.isReference ? type.item : type;
  if (target.layoutFault !== 0) {
    throw refuse(StatusCode.INVALID_PARAM_TYPE_FOR_DESERIALIZATION, 'the parameter has a type without a layout');
  }
  const value = target.decode(bytes);
  if (value === undefined) {
    throw refuse(StatusCode.FAILED_TO_DESERIALIZE_ARGUMENT, `expected the BCS of a ${target.kind}`);
  }
  return type.isReference && !target.isContainer ? new Cell(value) : value;
}

/** A frame of the interpreter, as seen by a tracer. */
export interface TracedFrame {
  /** Offset of the running instruction, or of the waiting call. */
  readonly offset: number;
}

/**
 * Receives every call of an execution: the function, its arguments and results, and the gas left; and optionally every
 * instruction.
 *
 * Only the interpreter reports calls, so a traced execution is interpreted throughout; values, status, location and gas
 * are those of translated code. Values are the machine's own and change as it continues: to keep one, keep its BCS.
 */
export interface CallTracer {
  /**
   * A call begins, inside the innermost running one.
   * @param frame undefined for a native, which has none
   * @param gasLeft units, after the call instruction was paid for
   */
  enter(
    instance: FunctionInstance,
    parameters: readonly unknown[],
    frame: TracedFrame | undefined,
    gasLeft: bigint,
  ): void;
  /** The innermost running call ends. */
  leave(values: readonly unknown[], gasLeft: bigint): void;
  /** The instruction at `offset` is about to be paid for. */
  step?(instance: FunctionInstance, offset: number): void;
  /** The call from outside failed, and with it all running calls. */
  fail(failure: Failure, gasLeft: bigint): void;
}
