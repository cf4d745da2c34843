/**
 * View functions: Move functions that are run for what they return.
 *
 * Any function may be called, private ones too, by nobody (sender `0x0`), with a gas ceiling; it may read all of one
 * state and change nothing: one that would is answered with an error. Synchronous, and no writer waits for it.
 * Source: spec/execution.md 2.10, spec/rpc.md 8.10 and appendix A.
 * @module
 */
import { VIEW_GAS_MAX, VIEW_NATIVE_WORK_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { formatAddress, SYSTEM_ADDRESS } from '../move/address.ts';
import { annotate, type MoveValue } from '../move/annotate.ts';
import type { Layout, LayoutSource } from '../move/layout.ts';
import { parseTypeTag, type TypeTag } from '../move/type-tag.ts';
import { isSigner } from '../runtime/call-arguments.ts';
import { placeOf } from '../runtime/kept-status.ts';
import type { SessionMachine } from '../runtime/machine-cache.ts';
import { StateModules } from '../runtime/module-source.ts';
import { runSession, type Session } from '../runtime/session.ts';
import type { TxContext } from '../runtime/tx-context.ts';
import type { State } from '../state/state.ts';
import { type FunctionId, parseFunctionId } from '../transaction/action.ts';
import type { Location } from '../transaction/execution-info.ts';
import { type DecodedValue, decodedValue } from '../value/decoded.ts';
import { BytesValue, type HashInput, toStateRoot } from '../value/hash.ts';
import { Readable } from '../value/readable.ts';
import { describeReceived } from '../value/received.ts';
import { typeTagValue } from '../value/type-tag.ts';
import type { Failure } from '../vm/failure.ts';
import type { ModuleSource } from '../vm/link/module-source.ts';
import type { Returned } from '../vm/machine.ts';
import { StatusCode, statusClass } from '../vm/status.ts';
import { type Reader, type ReaderSource, stateOf } from './reader.ts';
import { encodeArgument, type ViewArgument } from './view-argument.ts';

/** What to call. */
export interface ViewCall {
  /** `address::module::function`. */
  readonly function: string | FunctionId;
  readonly typeArguments?: readonly (string | TypeTag)[] | undefined;
  /** One for each parameter that is no signer; see `view-argument.ts` for what each Move type takes. */
  readonly arguments?: readonly ViewArgument[] | undefined;
}

/** How a view function ended. */
export type ViewStatus =
  | { readonly kind: 'executed' }
  | { readonly kind: 'move-abort'; readonly location: Location; readonly code: bigint }
  | {
      readonly kind: 'execution-failure';
      readonly location: Location;
      readonly function: number;
      readonly codeOffset: number;
      readonly statusCode: number;
    }
  /** Everything else: arguments that do not fit, gas used up, a function that changes the state. */
  | { readonly kind: 'error'; readonly statusCode: number; readonly message: string };

/** A returned value; what was returned by reference is the value behind it. */
export class ViewValue extends Readable {
  readonly type: TypeTag;
  /** As a JavaScript value (value/decoded.ts). */
  readonly decoded: DecodedValue;
  /** BCS. */
  readonly bytes: BytesValue;
  readonly #layout: Layout;
  readonly #value: MoveValue;

  constructor(type: TypeTag, layout: Layout, bytes: Uint8Array) {
    super();
    this.type = typeTagValue(type);
    this.#value = annotate(layout, bytes);
    this.#layout = layout;
    this.decoded = decodedValue(this.#value);
    this.bytes = new BytesValue(bytes);
  }

  get layout(): Layout {
    return this.#layout;
  }

  /** With the type of every part. */
  get value(): MoveValue {
    return this.#value;
  }
}

export class ViewResult extends Readable {
  readonly status: ViewStatus;
  /** In the order of the function's results; none unless it was executed. */
  readonly values: readonly ViewValue[];
  readonly gasUsed: bigint;

  constructor(status: ViewStatus, values: readonly ViewValue[], gasUsed: bigint) {
    super();
    this.status = status;
    this.values = values;
    this.gasUsed = gasUsed;
  }
}

export class ViewQueries {
  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /**
   * Calls a function on the state at the head, or at an earlier root.
   * @throws {EngineError} `not-found` for a module that does not exist or a root that the chain never had;
   * `invalid-argument` for names and values that cannot be read as what they should be; `state-not-loaded`;
   * `limit-exceeded` for a returned value too large to show, for more work of natives than VIEW_NATIVE_WORK_MAX, or where
   * the JavaScript stack has no room.
   */
  call(call: ViewCall, stateRoot?: HashInput): ViewResult {
    assertCall(call);
    const reader = this.#source.current();
    const state = stateOf(reader, toStateRoot(stateRoot));
    const id = typeof call.function === 'string' ? parseFunctionId(call.function) : call.function;
    if (state.module(id.address, id.module) === undefined) {
      throw new EngineError('not-found', `Module does not exist: ${formatAddress(id.address)}::${id.module}`);
    }
    const machines = reader.machines();
    const machine = machines.at(state);
    const modules = new StateModules(state, machines.modules);
    const target = {
      module: { address: id.address, name: id.module },
      function: id.name,
      typeArguments: (call.typeArguments ?? []).map(readTypeArgument),
    };
    const given = encodeArguments(machine, modules, target, call.arguments ?? []);
    if ('status' in given) return failed(given, 0n);
    const settings = {
      state,
      machine,
      modules: machines.modules,
      context: NOBODY,
      gasBudget: VIEW_GAS_MAX,
      isReadOnly: true,
      nativeWorkMax: VIEW_NATIVE_WORK_MAX,
    };
    return runSession(settings, (session) => run(session, { ...target, arguments: given }, reader, state));
  }
}

/** Who calls view functions. */
const NOBODY: TxContext = {
  sender: SYSTEM_ADDRESS,
  sequenceNumber: 0n,
  maxGasAmount: VIEW_GAS_MAX,
  txHash: new Uint8Array(32),
  txSize: 0n,
  idsCreated: 0n,
  entries: [],
};

/** Callers without a compiler learn here what a call is. */
function assertCall(call: ViewCall): void {
  const given: unknown = call;
  if (typeof given !== 'object' || given === null) {
    throw misfit('expected a call { function, typeArguments, arguments }', given);
  }
  const { function: id, typeArguments = [], arguments: values = [] } = given as Partial<Record<string, unknown>>;
  if (typeof id !== 'string' && !isFunctionId(id)) {
    throw misfit('function: expected <address>::<module>::<function>, or { address, module, name }', id);
  }
  if (!Array.isArray(typeArguments)) throw misfit('typeArguments: expected an array', typeArguments);
  if (!Array.isArray(values)) throw misfit('arguments: expected an array', values);
}

function isFunctionId(id: unknown): boolean {
  const { address, module, name } = (id ?? {}) as Partial<Record<keyof FunctionId, unknown>>;
  return address instanceof Uint8Array && typeof module === 'string' && typeof name === 'string';
}

function misfit(expected: string, received: unknown): EngineError {
  return new EngineError('invalid-argument', `${expected}, got ${describeReceived(received)}`);
}

type Target = Parameters<SessionMachine['parameterTypes']>[0];

function readTypeArgument(given: string | TypeTag, index: number): TypeTag {
  if (typeof given === 'object' && given !== null) return given;
  if (typeof given !== 'string') throw misfit(`type argument ${index}: expected a Move type`, given);
  try {
    return parseTypeTag(given);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const details = { ...error.details, path: `type argument ${index}` };
    throw new EngineError(error.code, `type argument ${index}: ${error.message}`, { details, cause: error });
  }
}

/** Encodes what the parameters take; how many there are is the session's to check. */
function encodeArguments(
  machine: SessionMachine,
  modules: ModuleSource,
  target: Target,
  given: readonly ViewArgument[],
): Uint8Array[] | Failure {
  const parameters = machine.parameterTypes(target, modules);
  if ('status' in parameters) return parameters;
  const types = parameters.filter((type) => !isSigner(type));
  return given.map((value, index) => {
    const type = types[index];
    return type === undefined ? new Uint8Array(0) : encodeArgument(type, value, `argument ${index}`);
  });
}

function run(session: Session, call: Parameters<Session['call']>[0], reader: Reader, state: State): ViewResult {
  const outcome = session.call(call);
  const gasUsed = VIEW_GAS_MAX - session.gas.left;
  if (outcome.kind === 'failed') {
    assertWithinLimits(outcome.failure);
    return failed(outcome.failure, gasUsed);
  }
  const { changeSet, context } = session.finish();
  if (changeSet.changes.length > 0 || context.idsCreated > 0n) {
    const what = changeSet.changes.length > 0 ? 'changes the state' : 'makes fresh ids';
    const message = `${call.function} ${what}, which a view function may not: send a transaction`;
    return new ViewResult({ kind: 'error', statusCode: StatusCode.UNKNOWN_VALIDATION_STATUS, message }, [], gasUsed);
  }
  const layouts = reader.layouts(state);
  return new ViewResult(
    { kind: 'executed' },
    outcome.values.map((value) => show(value, layouts)),
    gasUsed,
  );
}

/** That natives were stopped is no outcome of the function: a transaction may ask for more. */
function assertWithinLimits({ status, message }: Failure): void {
  if (status !== StatusCode.EXECUTION_LIMIT_REACHED) return;
  throw new EngineError('limit-exceeded', `${message} (VIEW_NATIVE_WORK_MAX): ask for less in one view`);
}

function show({ type, value }: Returned, layouts: LayoutSource): ViewValue {
  const { tag } = type;
  return new ViewValue(tag, layouts.layout(tag), type.encode(value));
}

function failed(failure: Failure, gasUsed: bigint): ViewResult {
  return new ViewResult(statusOf(failure), [], gasUsed);
}

function statusOf({ status, subStatus, location, message }: Failure): ViewStatus {
  if (location !== undefined && status === StatusCode.ABORTED && subStatus !== undefined) {
    return { kind: 'move-abort', location: placeOf(location), code: subStatus };
  }
  if (location !== undefined && statusClass(status) === 'execution') {
    return {
      kind: 'execution-failure',
      location: placeOf(location),
      function: location.functionIndex,
      codeOffset: location.codeOffset,
      statusCode: status,
    };
  }
  return { kind: 'error', statusCode: status, message };
}
