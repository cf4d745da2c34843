/**
 * Why an execution failed, for people and for tests: the place in words instead of numbers, and the name of an abort code
 * and what it means where they are known.
 *
 * Compiled modules have neither names of constants nor lines of sources. So codes are named for the framework's modules,
 * by tables from its sources; and a place is told by its instruction. The calls that led there are found out when somebody
 * asks for them, by a run under trace: the run that failed may have been translated code, which keeps no frames.
 * @module
 */
import { ABORT_MEANINGS } from '../framework/abort-meanings.ts';
import { ABORT_NAMES } from '../framework/abort-names.ts';
import { formatAddressShort } from '../move/address.ts';
import type { MachineCache } from '../runtime/machine-cache.ts';
import type { State } from '../state/state.ts';
import { LazyReadable } from '../value/readable.ts';
import type { FunctionDefinition, Module } from '../vm/binary/module.ts';
import type { CodeLocation, Failure } from '../vm/failure.ts';
import type { ModuleId } from '../vm/module-id.ts';
import { StatusCode, statusName } from '../vm/status.ts';
import { instructionAt, type StackFrame } from './place.ts';

/** Why Move code failed, and where. */
export interface ExplainedFailure {
  /** Name of the Move machine's status: `ABORTED`, `OUT_OF_GAS`, `ARITHMETIC_ERROR`. */
  readonly status: string;
  /** `0x3::coin`, or `script`. Undefined where the failure is of no place in code. */
  readonly module: string | undefined;
  /** Undefined where the module is not there any more: it was to be published by the same transaction. */
  readonly function: string | undefined;
  readonly codeOffset: number | undefined;
  /** The instruction at that offset, disassembled; undefined as `function`, and for natives and scripts. */
  readonly instruction: string | undefined;
  /** What `abort` was given. */
  readonly abortCode: bigint | undefined;
  /** How the framework's sources call that code in that module. */
  readonly abortName: string | undefined;
  /** What they say of it. */
  readonly abortMeaning: string | undefined;
  /** One sentence of all this. */
  readonly message: string;
  /**
   * The functions that had not ended, from the outermost to the one that failed, each with the instruction that it had come
   * to; found out when it is asked for. Empty where no code ran, undefined where it cannot be found out: of a refused
   * transaction, or where the state is not there any more, or it would take longer than CALL_STACK_MS_MAX.
   */
  readonly callStack: readonly StackFrame[] | undefined;
}

/** Finds a module as it was when the code ran. */
export type ModuleLookup = (id: ModuleId) => Module | undefined;

/** Finds modules of a state: of that before a transaction, where it is the transaction that failed. */
export function moduleLookup({ state, machines }: CodeOfState): ModuleLookup {
  return ({ address, name }) => {
    const bytes = state.module(address, name);
    return bytes === undefined ? undefined : machines.modules.read(bytes);
  };
}

/** A state, and what has read its modules. */
interface CodeOfState {
  readonly state: State;
  readonly machines: Pick<MachineCache, 'modules'>;
}

/** Finds out which calls led to a failure. */
export type FindCallStack = () => readonly StackFrame[] | undefined;

/** @param findCallStack called once, when the stack is asked for */
export function explainFailure(
  failure: Failure,
  findModule: ModuleLookup,
  findCallStack: FindCallStack = () => undefined,
): ExplainedFailure {
  return new FailureInWords(failure, findModule, findCallStack);
}

class FailureInWords extends LazyReadable implements ExplainedFailure {
  readonly status: string;
  readonly module: string | undefined;
  readonly function: string | undefined;
  readonly codeOffset: number | undefined;
  readonly instruction: string | undefined;
  readonly abortCode: bigint | undefined;
  readonly abortName: string | undefined;
  readonly abortMeaning: string | undefined;
  readonly message: string;
  readonly #findCallStack: FindCallStack;
  #callStack: { readonly frames: readonly StackFrame[] | undefined } | undefined;

  constructor(failure: Failure, findModule: ModuleLookup, findCallStack: FindCallStack) {
    super();
    const { status, subStatus, location } = failure;
    this.status = statusName(status);
    this.module = location && moduleText(location);
    const found = location && findFunction(location, findModule);
    this.function = location && functionName(location, found);
    this.codeOffset = location?.codeOffset;
    this.instruction = location && found && instruction(location, found);
    this.abortCode = status === StatusCode.ABORTED ? subStatus : undefined;
    if (this.module !== undefined && this.abortCode !== undefined) {
      this.abortName = ABORT_NAMES[this.module]?.[Number(this.abortCode)];
      this.abortMeaning = ABORT_MEANINGS[this.module]?.[Number(this.abortCode)];
    }
    this.message = sentence(failure, { module: this.module, fun: this.function, abortName: this.abortName });
    this.#findCallStack = findCallStack;
  }

  get callStack(): readonly StackFrame[] | undefined {
    this.#callStack ??= { frames: this.#findCallStack() };
    return this.#callStack.frames;
  }

  override shown(): object {
    return { ...this, callStack: this.callStack };
  }
}

interface Words {
  readonly module: string | undefined;
  readonly fun: string | undefined;
  readonly abortName: string | undefined;
}

function sentence({ status, subStatus, location, message }: Failure, { module, fun, abortName }: Words): string {
  const place =
    location && ` in ${module}::${fun ?? `function ${location.functionIndex}`} at offset ${location.codeOffset}`;
  if (status === StatusCode.ABORTED && subStatus !== undefined) {
    return `aborted with code ${subStatus}${abortName === undefined ? '' : ` (${abortName})`}${place ?? ''}`;
  }
  return `${statusName(status)}${place ?? ''}${message === '' ? '' : `: ${message}`}`;
}

function moduleText({ module }: CodeLocation): string {
  return module === undefined ? 'script' : `${formatAddressShort(module.address)}::${module.name}`;
}

/** A function where it is declared. */
interface FoundFunction {
  readonly module: Module;
  readonly definition: FunctionDefinition;
}

function findFunction(
  { module: id, functionIndex }: CodeLocation,
  findModule: ModuleLookup,
): FoundFunction | undefined {
  const module = id && findModule(id);
  const definition = module?.functionDefinitions[functionIndex];
  return module && definition && { module, definition };
}

function functionName({ module: id }: CodeLocation, found: FoundFunction | undefined): string | undefined {
  if (id === undefined) return 'main';
  return found?.module.identifiers[found.module.functionHandles[found.definition.handle]!.name];
}

function instruction({ codeOffset }: CodeLocation, { module, definition }: FoundFunction): string | undefined {
  const { parameters } = module.functionHandles[definition.handle]!;
  return definition.code && instructionAt(module, definition.code, codeOffset, module.signatures[parameters]!.length);
}
