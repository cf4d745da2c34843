/**
 * Calls of Move functions on the command line: their arguments are texts, read by the types of the parameters, which
 * the node knows.
 *
 * | Move type | text |
 * | --- | --- |
 * | `bool` | `true` or `false` |
 * | integers | decimal digits |
 * | `address` | `0x...`, `rooch1...` or a Bitcoin address |
 * | `vector<u8>` | `0x` and hexadecimal digits, or a JSON array of numbers |
 * | `vector<T>` | a JSON array: `'["0x1","0x2"]'` |
 * | `0x1::string::String`, `0x1::ascii::String` | the text itself |
 * | `0x1::option::Option<T>` | `null` for none, or what T takes |
 * | `0x2::object::ObjectID`, `Object<T>` and references to it | the id, or the type of a named object |
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { METHOD_NOT_FOUND } from '../base/json-rpc.ts';
import { nearestName } from '../base/nearest-name.ts';
import {
  type FunctionAction,
  type FunctionId,
  formatFunctionId,
  parseFunctionId,
} from '../chain/transaction/action.ts';
import { type ArgumentType, argumentTypeText, isSigner, isStruct } from '../execution/runtime/call-arguments.ts';
import { formatAddressShort, MOVE_STD_ADDRESS } from '../move/address.ts';
import { displayType, parseTypeTag, type TypeTag } from '../move/type-tag.ts';
import { declaredType } from '../query/declared-type.ts';
import { callFunction, type ModuleAbi } from '../query/transaction-builder.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { ExactNumber, parseJson } from '../server/rpc/json.ts';
import { type Arguments, type Options, UsageError, understood } from './arguments.ts';
import { type AskedNode, NodeRefusal, readResult } from './node.ts';

/** The parts of a module's ABI that a call needs. */
interface Abi extends ModuleAbi {
  readonly functions: readonly (ModuleAbi['functions'][number] & { readonly type_params: readonly unknown[] })[];
}

/** A function to call, as the command line names it. */
export interface NamedCall {
  readonly id: FunctionId;
  readonly typeArguments: readonly TypeTag[];
  /** Its arguments as texts. */
  readonly texts: readonly string[];
}

/** The largest number of arguments of a function. */
export const ARGUMENTS_MAX = 255;

/** How arguments are written, for the help. */
export const ARGUMENTS_HELP = `Each ARGUMENT is text, depending on its parameter's Move type: digits, true or false, an address, the id of an object or
the type of a named one, text for strings, 0x and hexadecimal digits for vector<u8>, a JSON array in quotes for other
vectors, null or a value for Option<T>. Put arguments that begin with a dash after --.`;

export const TYPE_ARGUMENTS_OPTION: Options = {
  'type-args': { value: 'TYPE', multiple: true, help: 'a type argument' },
};

/** @throws {UsageError} for a function or a type that is not written as one */
export function namedCall(args: Arguments): NamedCall {
  const [name = '', ...texts] = args.positionals;
  if (/^\w+::\w+$/.test(name)) {
    const expected = `expected ADDRESS::MODULE::FUNCTION, with the address of the package`;
    throw new UsageError(`FUNCTION: ${expected}, got ${name}; movelet account list has those of the accounts`);
  }
  const id = understood('FUNCTION', () => parseFunctionId(name));
  const typeArguments = args.strings('type-args').map((text) => understood('--type-args', () => parseTypeTag(text)));
  return { id, typeArguments, texts };
}

/**
 * The call, with its arguments encoded by the module's ABI.
 * @throws {UsageError} for arguments that the function does not take. {EngineError} `not-found` for a function that the
 *   chain does not have; the errors of asking a node
 */
export function encodedCall(node: AskedNode, { texts, ...call }: NamedCall): Promise<FunctionAction> {
  return encodedBy(node, call, (types) =>
    texts.map((text, index) => {
      const type = types[index];
      return type === undefined ? text : argumentOf(type, text, `argument ${index}`);
    }),
  );
}

/**
 * As `encodedCall`, for arguments that are values.
 * @param valuesFor takes the types of the parameters that are not signers
 */
export async function encodedBy(
  node: AskedNode,
  { id, typeArguments }: Pick<NamedCall, 'id' | 'typeArguments'>,
  valuesFor: (types: readonly ArgumentType[]) => readonly ViewArgument[],
): Promise<FunctionAction> {
  const name = `${formatAddressShort(id.address)}::${id.module}::${id.name}`;
  const abi = await abiOf(node, id);
  const { params, type_params } = functionOf(abi, id);
  if (type_params.length !== typeArguments.length) {
    const expected = `type arguments: expected ${type_params.length}, one --type-args each`;
    throw new UsageError(`${name}: ${expected}, got ${typeArguments.length}`);
  }
  return understood(name, () => {
    const types = params.map((text) => declaredType(text, typeArguments)).filter((type) => !isSigner(type));
    return callFunction({ function: id, typeArguments, arguments: valuesFor(types) }, abi);
  });
}

/** An encoded call as methods of a node take it. */
export const callParam = (action: FunctionAction): object => ({
  function_id: formatFunctionId(action.function),
  ty_args: action.typeArguments.map(displayType),
  args: action.arguments.map(toHexPrefixed),
});

async function abiOf(node: AskedNode, { address, module }: FunctionId): Promise<Abi> {
  const owner = formatAddressShort(address);
  const params = JSON.stringify([owner, module]);
  // With the names of parameters, which the reference's nodes do not know.
  const [method, answer] = await node.ask('chain_getModuleABI', params).then(
    (found) => ['chain_getModuleABI', found] as const,
    async (error: unknown) => {
      if (!(error instanceof NodeRefusal) || error.number !== METHOD_NOT_FOUND) throw error;
      return ['rooch_getModuleABI', await node.ask('rooch_getModuleABI', params)] as const;
    },
  );
  const abi = readResult(
    method,
    answer,
    (result: Abi | null) => result && { functions: result.functions.map(declared) },
  );
  if (abi === null) throw await noSuchModule(node, `${owner}::${module}`);
  return abi;
}

/** The error for a missing module, with the name that the node suggests. */
async function noSuchModule(node: AskedNode, name: string): Promise<EngineError> {
  const call = { function_id: `${name}::f`, ty_args: [], args: [] };
  const refusal: unknown = await node.ask('rooch_executeViewFunction', JSON.stringify([call])).catch((error) => error);
  const hint = refusal instanceof NodeRefusal ? (/; did you mean .*$/.exec(refusal.reason)?.[0] ?? '') : '';
  return new EngineError('not-found', `there is no module ${name} on this chain${hint}`);
}

/** The parts of a declaration that are used. Throws if a node cannot have sent it. */
function declared({ name, params, type_params, param_names = [] }: Abi['functions'][number]): Abi['functions'][number] {
  const names = param_names.map((each) => `${each}`);
  return {
    name: `${name}`,
    params: params.map((type) => `${type}`),
    type_params: [...type_params],
    param_names: names,
  };
}

function functionOf({ functions }: Abi, { module, name }: FunctionId): Abi['functions'][number] {
  const found = functions.find((each) => each.name === name);
  if (found !== undefined) return found;
  const nearest = nearestName(
    name,
    functions.map((each) => each.name),
  );
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new EngineError('not-found', `module ${module} has no public or entry function ${name}${hint}`);
}

const JSON_DEPTH_MAX = 32;

/**
 * The JavaScript value of a text. Encoding it later checks that the type accepts it.
 * @param name of the argument, for messages
 * @throws {UsageError} for text that should be JSON but is not
 */
export function argumentOf(type: ArgumentType, text: string, name: string): ViewArgument {
  const target = type.isReference ? type.item : type;
  if (target.kind === 'struct' && isStruct(target, MOVE_STD_ADDRESS, 'option', 'Option')) {
    return text === 'null' ? null : argumentOf(target.struct.typeArguments[0]!, text, name);
  }
  switch (target.kind) {
    case 'bool':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'vector':
      return target.item.kind === 'u8' && text.startsWith('0x') ? text : jsonArgument(target, text, name);
    default:
      return text;
  }
}

function jsonArgument(type: ArgumentType, text: string, name: string): ViewArgument {
  try {
    return withoutExactNumbers(parseJson(text, JSON_DEPTH_MAX));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new UsageError(
      `${name} (${argumentTypeText(type)}): expected a JSON array in quotes, got ${text}: ${error.message}`,
    );
  }
}

/** The same value, with the digits of integers that a double cannot hold as texts. */
export function withoutExactNumbers(value: unknown): ViewArgument {
  if (value instanceof ExactNumber) return value.source;
  return Array.isArray(value) ? value.map(withoutExactNumbers) : (value as ViewArgument);
}
