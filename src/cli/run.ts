/**
 * movelet run: calls a function with a transaction. Its arguments are read according to the types of the parameters:
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
import { EngineError } from '../base/error.ts';
import { type FunctionAction, type FunctionId, parseFunctionId } from '../chain/transaction/action.ts';
import { type ArgumentType, argumentTypeText, isSigner, isStruct } from '../execution/runtime/call-arguments.ts';
import { formatAddressShort, MOVE_STD_ADDRESS } from '../move/address.ts';
import { parseTypeTag, type TypeTag } from '../move/type-tag.ts';
import { declaredType } from '../query/declared-type.ts';
import { callFunction, type ModuleAbi } from '../query/transaction-builder.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { ExactNumber, parseJson } from '../server/rpc/json.ts';
import { nearestName } from '../server/rpc/param.ts';
import { type Arguments, type Command, command, ENGINE_HELP, UsageError, understood } from './arguments.ts';
import { type AskedNode, readResult } from './node.ts';
import { firstAccount, SUBMIT_HELP, SUBMIT_OPTIONS, senderOf, submit } from './submit.ts';

const ARGUMENTS_MAX = 255;

async function run(args: Arguments): Promise<number> {
  const [name = '', ...texts] = args.positionals;
  const id = understood('FUNCTION', () => parseFunctionId(name));
  const typeArguments = args.strings('type-args').map((text) => understood('--type-args', () => parseTypeTag(text)));
  const sender = senderOf(args, firstAccount());
  return submit(args, async (node) => ({ sender, action: await callOf(node, id, typeArguments, texts) }));
}

/** The parts of a module's ABI that a call needs. */
interface Abi extends ModuleAbi {
  readonly functions: readonly (ModuleAbi['functions'][number] & { readonly type_params: readonly unknown[] })[];
}

/** The call, with its arguments encoded by the module's ABI. */
async function callOf(
  node: AskedNode,
  id: FunctionId,
  typeArguments: readonly TypeTag[],
  texts: readonly string[],
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
    const values = texts.map((text, index) => {
      const type = types[index];
      return type === undefined ? text : argumentOf(type, text, `argument ${index}`);
    });
    return callFunction({ function: id, typeArguments, arguments: values }, abi);
  });
}

async function abiOf(node: AskedNode, { address, module }: FunctionId): Promise<Abi> {
  const owner = formatAddressShort(address);
  const method = 'rooch_getModuleABI';
  const answer = await node.ask(method, JSON.stringify([owner, module]));
  const abi = readResult(
    method,
    answer,
    (result: Abi | null) => result && { functions: result.functions.map(declared) },
  );
  if (abi === null) throw new EngineError('not-found', `there is no module ${owner}::${module} on this chain`);
  return abi;
}

/** The parts of a declaration, which only a node gives. */
function declared({ name, params, type_params }: Abi['functions'][number]): Abi['functions'][number] {
  return { name: `${name}`, params: params.map((type) => `${type}`), type_params: [...type_params] };
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

export const runCommand: Command = command({
  name: 'run',
  summary: 'call a function in a transaction',
  usage: 'ADDRESS::MODULE::FUNCTION [ARGUMENT...] --url URL | --data DIR',
  min: 1,
  max: 1 + ARGUMENTS_MAX,
  help: `movelet run 0x3::transfer::transfer_coin 0x42 1000 --type-args 0x3::gas_coin::RGas --url http://127.0.0.1:6767

Each ARGUMENT is text, depending on its parameter's Move type: digits, true or false, an address, the id of an object or
the type of a named one, text for strings, 0x and hexadecimal digits for vector<u8>, a JSON array in quotes for other
vectors, null or a value for Option<T>. A signer is not an argument: it is the sender. Put arguments that begin with a
dash after --. Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.

  --sender WHO            an address, or a number of movelet account list (default: 0)
  --type-args TYPE        a type argument; one for each
${SUBMIT_HELP}${ENGINE_HELP}`,
  options: {
    ...SUBMIT_OPTIONS,
    'type-args': { type: 'string', multiple: true },
  },
  run,
});

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

function withoutExactNumbers(value: unknown): ViewArgument {
  if (value instanceof ExactNumber) return value.source;
  return Array.isArray(value) ? value.map(withoutExactNumbers) : (value as ViewArgument);
}
