/**
 * Arguments of Move functions from a shell: text, read according to the type of the parameter.
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
import { type ArgumentType, isStruct, typeText } from '../execution/runtime/call-arguments.ts';
import { MOVE_STD_ADDRESS } from '../move/address.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { ExactNumber, parseJson } from '../server/rpc/json.ts';
import { UsageError } from './arguments.ts';

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
    throw new UsageError(`${name} (${typeText(type)}): expected a JSON array in quotes, got ${text}: ${error.message}`);
  }
}

function withoutExactNumbers(value: unknown): ViewArgument {
  if (value instanceof ExactNumber) return value.source;
  return Array.isArray(value) ? value.map(withoutExactNumbers) : (value as ViewArgument);
}
