/**
 * Explanations of failures for humans and tests: the place by names instead of numbers, and the name and meaning of an
 * abort code, if known.
 *
 * Compiled modules contain neither names of constants nor source lines. The codes of the framework's modules get their
 * names from tables made from its sources; those of other modules, and source lines, from what was passed to
 * `addSources` (place.ts). Otherwise a place is described by its instruction. The call stack is found on demand, by
 * another run under trace: the failed run may have been translated code, which keeps no frames.
 * @module
 */

import type { State } from '../../chain/state/state.ts';
import { LazyReadable } from '../../chain/value/readable.ts';
import type { FunctionDefinition, Module, ModuleLookup } from '../../vm/binary/module.ts';
import type { CodeLocation, Failure } from '../../vm/failure.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import { abortCode } from '../framework/abort-codes.ts';
import type { MachineCache } from '../runtime/machine-cache.ts';
import { abortConstant, instructionAt, moduleName, type StackFrame, sourcePlace, stackLines } from './place.ts';

/** Why Move code failed, and where. */
export interface ExplainedFailure {
  /** Name of the Move machine's status: `ABORTED`, `OUT_OF_GAS`, `ARITHMETIC_ERROR`. */
  readonly status: string;
  /** `0x3::coin`, or `script`. Undefined if the failure has no place in code. */
  readonly module: string | undefined;
  /**
   * Undefined if no code ran, or if the module no longer exists because the failed transaction itself would have
   * published it.
   */
  readonly function: string | undefined;
  /** Undefined if no code ran. */
  readonly codeOffset: number | undefined;
  /** The instruction at that offset, disassembled; undefined if `function` is, and for natives and scripts. */
  readonly instruction: string | undefined;
  /** The code given to `abort`. */
  readonly abortCode: bigint | undefined;
  /** The source line of the instruction, `sources/counter.move:25`, if known from `addSources`. */
  readonly source?: string;
  /**
   * The name of that code in the sources, of the framework or as passed to `addSources`; `EPOCH or EOWNER` if it is
   * ambiguous between two constants of that value.
   */
  readonly abortName: string | undefined;
  /** Its comment in the sources. */
  readonly abortMeaning: string | undefined;
  /** All of this in one sentence. */
  readonly message: string;
  /**
   * The running functions, from the outermost to the one that failed, each with its current instruction; found when
   * first read. Empty if no code ran. Undefined if it cannot be found: for a refused transaction, if the state is no
   * longer kept, or if it would take longer than CALL_STACK_MS_MAX.
   */
  readonly callStack: readonly StackFrame[] | undefined;
}

/** Finds modules of a state: for a failed transaction, of the state before it. */
export function moduleLookup({ state, machines }: CodeOfState): ModuleLookup {
  return ({ address, name }) => {
    const bytes = state.module(address, name);
    return bytes === undefined ? undefined : machines.modules.read(bytes);
  };
}

/** A state, and the machines that keep the modules read from it. */
interface CodeOfState {
  readonly state: State;
  readonly machines: Pick<MachineCache, 'modules'>;
}

/** Finds the calls that led to a failure. */
export type FindCallStack = () => readonly StackFrame[] | undefined;

/** @param findCallStack called once, when the stack is first read */
export function explainFailure(
  failure: Failure,
  findModule: ModuleLookup,
  findCallStack: FindCallStack = () => undefined,
): ExplainedFailure {
  return new FailureInWords(failure, findModule, findCallStack);
}

/** A failure as lines: the message, its meaning, and the call stack, the innermost call first, without repetition. */
export function failureLines({
  message,
  abortMeaning,
  source,
  callStack = [],
}: Pick<ExplainedFailure, 'message' | 'abortMeaning' | 'source' | 'callStack'>): string[] {
  const last = callStack.at(-1);
  // The innermost call repeats the place, with its line.
  const what =
    last === undefined
      ? `${message}${source === undefined ? '' : `, ${source}`}`
      : message.replace(` in ${last.module}::${last.function} at offset ${last.codeOffset}`, '');
  return [what, ...(abortMeaning === undefined ? [] : [abortMeaning]), ...stackLines(callStack)];
}

class FailureInWords extends LazyReadable implements ExplainedFailure {
  readonly status: string;
  readonly module: string | undefined;
  readonly function: string | undefined;
  readonly codeOffset: number | undefined;
  readonly instruction: string | undefined;
  readonly abortCode: bigint | undefined;
  readonly source?: string;
  readonly abortName: string | undefined;
  readonly abortMeaning: string | undefined;
  readonly message: string;
  readonly #findCallStack: FindCallStack;
  #callStack: { readonly frames: readonly StackFrame[] | undefined } | undefined;

  constructor(failure: Failure, findModule: ModuleLookup, findCallStack: FindCallStack) {
    super();
    const { status, subStatus } = failure;
    const location = failure.isBeforeCode === true ? undefined : failure.location;
    this.status = statusName(status);
    this.module = failure.location && moduleName(failure.location.module);
    const found = location && findFunction(location, findModule);
    this.function = location && functionName(location, found);
    this.codeOffset = location?.codeOffset;
    this.instruction = location && found && instruction(location, found);
    this.abortCode = status === StatusCode.ABORTED ? subStatus : undefined;
    if (this.module !== undefined && this.abortCode !== undefined) {
      const told = found && abortConstant(found.module, this.abortCode);
      const [constant, comment] = abortCode(this.module, this.abortCode);
      this.abortName = constant ?? told?.name;
      this.abortMeaning = comment ?? told?.doc;
    }
    const source = location && found && sourcePlace(found.module, location.functionIndex, location.codeOffset);
    if (source !== undefined) this.source = source;
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

function sentence(
  { status, subStatus, location, isBeforeCode, message, reason }: Failure,
  { module, fun, abortName }: Words,
): string {
  const code = location && `::${fun ?? `function ${location.functionIndex}`} at offset ${location.codeOffset}`;
  const place = location && ` in ${module}${isBeforeCode === true ? '' : code}`;
  if (status === StatusCode.ABORTED && subStatus !== undefined) {
    const name = abortName === undefined ? '' : ` (${abortName})`;
    return `aborted with code ${subStatus}${name}${place ?? ''}${reason === undefined ? '' : `: ${reason}`}`;
  }
  return `${statusName(status)}${place ?? ''}${message === '' ? '' : `: ${message}`}`;
}

/** A function in the module that declares it. */
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
