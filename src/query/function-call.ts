/**
 * Calls of Move functions by programs: names and types as text, arguments as JavaScript values, encoded by the types of
 * the function's parameters. Views, unsigned calls and transactions that are about to be signed are written so.
 * @module
 */

import { assertMembers, assertObject, describeReceived, parseArgument } from '../argument.ts';
import { encodeGiven } from '../bcs/codec.ts';
import { EngineError } from '../error.ts';
import { formatAddress } from '../move/address.ts';
import { assertTypeTag, displayType, parseTypeTag, type TypeTag } from '../move/type-tag.ts';
import { type ArgumentType, isSigner, typeText } from '../runtime/call-arguments.ts';
import type { MachineCache, SessionMachine } from '../runtime/machine-cache.ts';
import { StateModules } from '../runtime/module-source.ts';
import type { State } from '../state/state.ts';
import {
  type Action,
  action,
  type FunctionCall,
  type FunctionId,
  formatFunctionId,
  parseFunctionId,
} from '../transaction/action.ts';
import type { Failure } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';
import { encodeArgument, rawBytes, type ViewArgument } from './view-argument.ts';

/** What to call. */
export interface CallInput {
  /** `address::module::function`. */
  readonly function: string | FunctionId;
  readonly typeArguments?: readonly (string | TypeTag)[] | undefined;
  /** One for each parameter except signers; see `view-argument.ts` for what each Move type takes. */
  readonly arguments?: readonly ViewArgument[] | undefined;
}

declare const RESULTS: unique symbol;

/** A call of a function whose results the compiler knows, as `movelet types` writes it. */
export interface TypedCall<Results extends readonly unknown[]> extends CallInput {
  /** Never there: it tells the compiler what the results decode to. */
  readonly [RESULTS]?: Results;
}

/** A function at its type arguments, as the machine takes it. */
export type CallTarget = Parameters<SessionMachine['parameterTypes']>[0];

/**
 * The BCS form of a call, by the types of the function's parameters in `state`.
 * @throws {EngineError} `not-found` for a module or function that does not exist; `invalid-argument` naming the argument
 * that does not fit, or what arguments the function takes
 */
export function encodeCall(call: CallInput, state: State, machines: MachineCache, name = 'call'): FunctionCall {
  const modules = new StateModules(state, machines.modules);
  const { target, values } = readCall(call, modules, name);
  const { address, name: module } = target.module;
  const id: FunctionId = { address, module, name: target.function };
  const parameters = parametersOf(target, machines.at(state), modules);
  if ('status' in parameters) {
    const reason = parameters.message ?? 'there is no such function';
    const code = TYPE_ARGUMENT_STATUSES.includes(parameters.status) ? 'invalid-argument' : 'not-found';
    throw new EngineError(code, `${formatFunctionId(id)} cannot be called: ${reason}`);
  }
  assertNumber(parameters, values);
  return { function: id, typeArguments: target.typeArguments, arguments: encodeValues(parameters, values) };
}

/** For a function that is there, and takes other type arguments. */
const TYPE_ARGUMENT_STATUSES: readonly number[] = [
  StatusCode.NUMBER_OF_TYPE_ARGUMENTS_MISMATCH,
  StatusCode.CONSTRAINT_NOT_SATISFIED,
];

/** The action of a transaction: a function with JavaScript values, or an action already encoded. */
export type ActionInput = CallInput | Action;

/**
 * The action that a program asks for.
 * @throws {EngineError} as `encodeCall`
 */
export function encodeAction(given: ActionInput, state: State, machines: MachineCache): Action {
  assertObject(given, 'action', '{ function, typeArguments, arguments } or an action');
  if ('kind' in given) return checkedAction(given);
  return { kind: 'function', ...encodeCall(given, state, machines, 'action') };
}

/** @throws {EngineError} `invalid-argument` for anything that is not an action */
export function checkedAction(given: Action): Action {
  encodeGiven(action, given, 'action');
  return given;
}

/**
 * The BCS form of a call by parameter types that an ABI gives.
 * @param parametersOf the types of a function's parameters, signers included
 * @throws {EngineError} `invalid-argument`
 */
export function encodeCallBy(
  parametersOf: (name: string, typeArguments: readonly TypeTag[]) => readonly ArgumentType[],
  call: CallInput,
): FunctionCall {
  const { id, typeArguments, values } = readNames(call);
  const parameters = parametersOf(id.name, typeArguments).filter((type) => !isSigner(type));
  assertNumber(parameters, values);
  return { function: id, typeArguments, arguments: encodeValues(parameters, values) };
}

/**
 * The BCS form of a call whose arguments are BCS.
 * @throws {EngineError} `invalid-argument` for an argument that is not bytes
 */
export function encodePlainCall(call: CallInput): FunctionCall {
  const { id, typeArguments, values } = readNames(call);
  const given = values.map((value, index) => {
    const bytes = value instanceof Uint8Array ? value : rawBytes(value);
    if (bytes === undefined) throw misfit(`argument ${index}: expected bytes, since no ABI says its type`, value);
    return bytes;
  });
  return { function: id, typeArguments, arguments: given };
}

/**
 * The function that a call names, and the values that it gives.
 * @throws {EngineError} `not-found` for a module that does not exist, `invalid-argument`
 */
export function readCall(
  call: CallInput,
  modules: StateModules,
  name = 'call',
): { readonly target: CallTarget; readonly values: readonly ViewArgument[] } {
  const { id, typeArguments, values } = readNames(call, name);
  const module = { address: id.address, name: id.module };
  if (!modules.has(module)) {
    throw new EngineError('not-found', `Module does not exist: ${formatAddress(id.address)}::${id.module}`);
  }
  return { target: { module, function: id.name, typeArguments }, values };
}

/** Types of the parameters that a caller passes, which are all but signers; or the reason why there are none. */
export function parametersOf(
  target: CallTarget,
  machine: SessionMachine,
  modules: StateModules,
): readonly ArgumentType[] | Failure {
  const parameters = machine.parameterTypes(target, modules);
  return 'status' in parameters ? parameters : parameters.filter((type) => !isSigner(type));
}

/**
 * The BCS of a value of any Move type, by the modules of `state`.
 * @param name of the value, for messages
 * @throws {EngineError} `invalid-argument` for a type that does not exist, or naming the part that does not fit
 */
export function encodeValue(
  tag: TypeTag,
  value: ViewArgument,
  name: string,
  state: State,
  machines: MachineCache,
): Uint8Array {
  const type = machines.at(state).loadType(tag, new StateModules(state, machines.modules));
  if (!('status' in type)) return encodeArgument(type, value, name);
  throw new EngineError('invalid-argument', `${name}: there is no type ${displayType(tag)}: ${type.message}`);
}

/** Encodes the values for the parameters. Extra values become no bytes: the session checks how many there are. */
export function encodeValues(parameters: readonly ArgumentType[], values: readonly ViewArgument[]): Uint8Array[] {
  return values.map((value, index) => {
    const type = parameters[index];
    return type === undefined ? new Uint8Array(0) : encodeArgument(type, value, `argument ${index}`);
  });
}

interface CallNames {
  readonly id: FunctionId;
  readonly typeArguments: readonly TypeTag[];
  readonly values: readonly ViewArgument[];
}

/** Callers without a compiler learn here what a call looks like. */
function readNames(call: CallInput, name = 'call'): CallNames {
  assertObject(call, name, 'a call { function, typeArguments, arguments }');
  assertMembers(call, CALL_MEMBERS);
  const {
    function: id,
    typeArguments = [],
    arguments: values = [],
  } = call as unknown as Partial<Record<string, unknown>>;
  if (typeof id !== 'string' && !isFunctionId(id)) {
    throw misfit(`function: expected ${FUNCTION_FORM}`, id);
  }
  if (!Array.isArray(typeArguments)) throw misfit('typeArguments: expected an array', typeArguments);
  if (!Array.isArray(values)) throw misfit('arguments: expected an array', values);
  return {
    id: typeof id === 'string' ? parseArgument('function', FUNCTION_FORM, id, parseFunctionId) : (id as FunctionId),
    typeArguments: typeArguments.map(readTypeArgument),
    values: values as readonly ViewArgument[],
  };
}

function assertNumber(parameters: readonly ArgumentType[], values: readonly ViewArgument[]): void {
  if (values.length === parameters.length) return;
  const expected = `${parameters.length} arguments (${parameters.map(typeText).join(', ')})`;
  throw new EngineError('invalid-argument', `arguments: expected ${expected}, got ${values.length}`, {
    details: { path: 'arguments', expected, received: values.length },
  });
}

const FUNCTION_FORM = '<address>::<module>::<function>, or { address, module, name }';
const CALL_MEMBERS = ['function', 'typeArguments', 'arguments'];

function isFunctionId(id: unknown): boolean {
  const { address, module, name } = (id ?? {}) as Partial<Record<keyof FunctionId, unknown>>;
  return address instanceof Uint8Array && typeof module === 'string' && typeof name === 'string';
}

function misfit(expected: string, received: unknown): EngineError {
  return new EngineError('invalid-argument', `${expected}, got ${describeReceived(received)}`);
}

function readTypeArgument(given: string | TypeTag, index: number): TypeTag {
  if (typeof given === 'object' && given !== null) {
    assertTypeTag(given, `type argument ${index}`);
    return given;
  }
  if (typeof given !== 'string') throw misfit(`type argument ${index}: expected a Move type`, given);
  try {
    return parseTypeTag(given);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const details = { ...error.details, path: `type argument ${index}` };
    throw new EngineError(error.code, `type argument ${index}: ${error.message}`, { details, cause: error });
  }
}
