/**
 * Arguments of calls as the `rooch` program takes them: each is text that names its type, so no ABI is asked.
 *
 * | text | argument |
 * | --- | --- |
 * | `u64:15`, `15u64` | an integer, of u8 to u256 |
 * | `bool:true` | bool |
 * | `address:WHO`, `@WHO` | an address, or a name of one |
 * | `string:TEXT` | `0x1::string::String` |
 * | `object_id:ID`, `object:ID` | an object's id, or the type of a named object |
 * | `vector<TYPE>:A,B` | a vector, whose items are texts without type |
 * | `file:PATH` | the bytes of a file, as `vector<u8>` |
 *
 * Source: `rooch move run --help` of the reference.
 * @module
 */
import { readFile } from 'node:fs/promises';
import { bytes, encode } from '../../base/bcs.ts';
import { type FunctionAction, parseFunctionId } from '../../chain/transaction/action.ts';
import { parseTypeTag } from '../../move/type-tag.ts';
import { declaredType } from '../../query/declared-type.ts';
import { encodeArgument, type ViewArgument } from '../../query/view-argument.ts';
import { type Arguments, type Options, UsageError, understood, unreadableFile } from '../arguments.ts';
import type { RoochSession } from './session.ts';
import { requiredOption } from './table.ts';

const INTEGER = /^u(?:8|16|32|64|128|256)$/;

/** The Move types of the words whose name is not that of the type. */
const TYPES: Readonly<Record<string, string>> = {
  string: '0x1::string::String',
  object: '0x2::object::ObjectID',
  object_id: '0x2::object::ObjectID',
};

/**
 * The BCS of an argument.
 * @throws {UsageError} for text of another form. {EngineError} `not-found` for a file that cannot be read
 */
export async function callArgument(text: string, session: RoochSession): Promise<Uint8Array> {
  const [, word, value] = parts(text);
  if (word === 'file') {
    const path = session.path(value);
    const content = await readFile(path).catch((cause) => {
      throw unreadableFile('--args', path, cause);
    });
    return encode(bytes, content);
  }
  const read = typedValue(word, value, session);
  if (read === undefined) {
    const expected = 'TYPE:VALUE with u8 to u256, bool, address, string, object, object_id, vector<TYPE> or file';
    throw new UsageError(`--args: expected ${expected}, got ${text}`);
  }
  return understood(`--args ${text}`, () => encodeArgument(declaredType(read.type, []), read.value, word));
}

function parts(text: string): readonly [string, string, string] {
  if (text.startsWith('@')) return [text, 'address', text.slice(1)];
  const [, digits, integer] = /^(\d+)(u\d+)$/.exec(text) ?? [];
  if (digits !== undefined) return [text, integer!, digits];
  const at = text.indexOf(':');
  return [text, text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}

function typedValue(
  word: string,
  text: string,
  session: RoochSession,
): { readonly type: string; readonly value: ViewArgument } | undefined {
  const [, item] = /^vector<(.+)>$/.exec(word) ?? [];
  if (item !== undefined) {
    const items = (text === '' ? [] : text.split(',')).map((each) => typedValue(item, each, session));
    const type = typedValue(item, '', session)?.type;
    return type === undefined ? undefined : { type: `vector<${type}>`, value: items.map((each) => each!.value) };
  }
  if (INTEGER.test(word)) return { type: word, value: text };
  if (word === 'bool') return { type: word, value: text === 'true' || text === 'false' ? text === 'true' : text };
  if (word === 'address') return { type: word, value: text === '' ? text : session.address(text, '--args') };
  const type = TYPES[word];
  if (type === undefined) return undefined;
  return { type, value: word === 'string' ? text : session.named(text) };
}

/** Options that name a call. */
export const CALL_OPTIONS: Options = {
  function: { value: 'A::M::F', help: 'the function' },
  'type-args': { value: 'TYPE', multiple: true, help: 'a type argument' },
  args: { value: 'TYPE:VALUE', multiple: true, help: 'an argument, such as u64:15, @0x42, string:text' },
};

/** @throws {UsageError} for options that name no call */
export async function optionsCall(session: RoochSession, args: Arguments): Promise<FunctionAction> {
  const name = session.named(requiredOption(args, 'function'));
  const encoded: Uint8Array[] = [];
  for (const text of args.strings('args')) encoded.push(await callArgument(text, session));
  return understood('--function', () => ({
    kind: 'function',
    function: parseFunctionId(name),
    typeArguments: args.strings('type-args').map((text) => parseTypeTag(session.named(text))),
    arguments: encoded,
  }));
}
