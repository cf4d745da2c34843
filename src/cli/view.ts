/**
 * movelet view and movelet object: what a function returns without a transaction, and what an object is now.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { parseAccount } from '../bitcoin/address.ts';
import { formatObjectId, toObjectId } from '../chain/object/object-id.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { formatAddress } from '../move/address.ts';
import { UNDECODABLE } from '../move/layout.ts';
import { accountName } from './account.ts';
import { type Arguments, type Command, command, readNumber, understood } from './arguments.ts';
import { decodedText, plain } from './decoded-value.ts';
import {
  ARGUMENTS_HELP,
  ARGUMENTS_MAX,
  callParam,
  encodedCall,
  namedCall,
  TYPE_ARGUMENTS_OPTION,
} from './move-call.ts';
import { type AskedNode, NODE_OPTIONS, OPENING_GROUP, onNode, prettyJson, printAnswer, readResult } from './node.ts';

/** Where code stopped; all of it null if it did not. */
interface FrameJson {
  readonly module: string | null;
  readonly function: string | null;
  readonly code_offset: number | null;
  /** Present if the node knows the sources. */
  readonly source?: string;
}

/** Why it failed, as far as the node says. */
interface FailureJson extends FrameJson {
  readonly status: string;
  readonly abort_code: string | null;
  readonly abort_name: string | null;
  readonly abort_meaning: string | null;
  /** Null if the node did not look for it. */
  readonly call_stack: readonly FrameJson[] | null;
}

interface ViewJson {
  readonly vm_status: unknown;
  readonly return_values: readonly { readonly decoded_value: unknown }[] | null;
  readonly failure?: FailureJson;
  readonly error_message?: string;
}

async function runView(args: Arguments): Promise<number> {
  const call = namedCall(args);
  const method = 'rooch_executeViewFunction';
  const answer = await onNode(
    args,
    async (node) => node.ask(method, JSON.stringify([callParam(await encodedCall(node, call))])),
    true,
  );
  const { values, text } = readResult(method, answer, viewText);
  printAnswer(args, answer, text);
  return values === null ? 1 : 0;
}

function viewText({ vm_status: status, return_values: values, failure, error_message: message }: ViewJson) {
  if (values === null) return { values, text: failureText(failure, message ?? JSON.stringify(status)) };
  const lines = values.map(({ decoded_value: value }) => `${decodedText(value)}\n`);
  return { values, text: lines.join('') };
}

/** @param otherwise the text for a failure outside of Move code */
function failureText(failure: FailureJson | undefined, otherwise: string): string {
  if (failure === undefined || failure.module === null) return `failed: ${otherwise}\n`;
  const { status, abort_code: code, abort_name: name, abort_meaning: meaning, call_stack: stack } = failure;
  const abort = `aborted with code ${code}${name === null ? '' : ` (${name})`}`;
  const frames = (stack ?? [failure]).map((frame) => `  in ${frameText(frame)}`).reverse();
  // Only stored values that do not decode have this status.
  const reason = status === 'VM_EXTENSION_ERROR' ? `: a stored value does not decode: ${UNDECODABLE}` : '';
  const lines = [
    `failed: ${code === null ? status : abort}${reason}`,
    ...(meaning === null ? [] : [meaning]),
    ...frames,
  ];
  return `${shortText(lines.join('\n'))}\n`;
}

function frameText({ module, function: name, code_offset: offset, source }: FrameJson): string {
  return `${module}::${name}, ${source ?? `offset ${offset}`}`;
}

export const viewCommand: Command = command({
  name: 'view',
  summary: 'what a function returns, without a transaction',
  usage: 'ADDRESS::MODULE::FUNCTION [ARGUMENT...] [--type-args TYPE] ...',
  example: '0x3::gas_coin::balance 0x42',
  min: 1,
  max: 1 + ARGUMENTS_MAX,
  help: `Prints each value that the function returns on a line. Nothing is written, and nothing is paid.

${ARGUMENTS_HELP}`,
  options: {
    ...TYPE_ARGUMENTS_OPTION,
    json: { help: "print the node's answer" },
    ...NODE_OPTIONS,
  },
  more: [OPENING_GROUP],
  run: runView,
});

const FIELDS_SHOWN = 20;

interface ObjectJson {
  readonly id: string;
  readonly owner: string;
  readonly flag: number;
  readonly size: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly object_type: string;
  readonly value: string;
  readonly decoded_value: unknown;
}

interface FieldsJson {
  readonly data: readonly { readonly field_key: string; readonly state: ObjectJson }[];
  readonly has_next_page: boolean;
}

async function runObject(args: Arguments): Promise<number> {
  const [name = ''] = args.positionals;
  const id = understood('OBJECT', () => formatObjectId(toObjectId(name, 'OBJECT')));
  const limit = readNumber(args, 'fields', FIELDS_SHOWN, Number.MAX_SAFE_INTEGER);
  const show = async (node: AskedNode): Promise<number> => {
    const method = 'rooch_getStates';
    const answer = await node.ask(method, JSON.stringify([`/object/${id}`, { decode: true }]));
    const object = readResult(method, answer, ([found]: readonly [ObjectJson | null]) => found);
    if (object === null) throw noObject(name);
    const fields = object.size === '0' || limit === 0 ? undefined : await fieldsOf(node, object.id, limit);
    const text = readResult(method, answer, () => objectText(object, fields?.read));
    if (DEV_ACCOUNTS[Number(name)] !== undefined && /^\d+$/.test(name)) {
      process.stderr.write(`this is 0x${name}; the funded account is movelet account ${name}\n`);
    }
    if (!args.flag('json')) process.stdout.write(text);
    else process.stdout.write(`${[answer, ...(fields ? [fields.answer] : [])].map(prettyJson).join('\n')}\n`);
    return 0;
  };
  return onNode(args, show, true);
}

function noObject(name: string): EngineError {
  const type = /^\w+::\w+::(\w+)/.exec(name)?.[1];
  const hint = type === undefined ? '' : `: ${type} is not a named object; give an id`;
  return new EngineError('not-found', `there is no object ${name} on this chain${hint}`);
}

async function fieldsOf(node: AskedNode, id: string, limit: number) {
  const method = 'rooch_listFieldStates';
  const answer = await node.ask(method, JSON.stringify([id, null, `${limit}`, { decode: true }]));
  return { answer, read: readResult(method, answer, (page: FieldsJson) => page) };
}

function objectText(object: ObjectJson, fields: FieldsJson | undefined): string {
  const { id, owner, flag, size, created_at: created, updated_at: updated, object_type: type } = object;
  const lines = [
    `id       ${id}`,
    `type     ${type}`,
    `owner    ${ownerText(owner, flag)}`,
    `created  ${timeText(created)}, changed ${timeText(updated)}`,
    `value    ${stateText(object)}`,
    ...(size === '0' ? [] : [`fields   ${size}`]),
    ...(fields?.data ?? []).map(fieldText),
    ...(fields?.has_next_page ? ['  ... --fields N shows more'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function stateText({ decoded_value: decoded, value }: ObjectJson): string {
  return decoded === null ? value : decodedText(decoded);
}

const SHARED = 1;
const FROZEN = 2;

function ownerText(owner: string, flag: number): string {
  if (flag === SHARED) return 'shared: anybody may use it';
  if (flag === FROZEN) return 'frozen: anybody may read it';
  const address = formatAddress(parseAccount(owner));
  if (/^0x0*$/.test(address)) return 'nobody';
  const name = accountName(address);
  return name === undefined ? address : `${address} (${name})`;
}

function timeText(milliseconds: string): string {
  return new Date(Number(milliseconds)).toISOString();
}

/** A dynamic field as its name and value; an object below another one as its type. */
function fieldText({ field_key: key, state }: FieldsJson['data'][number]): string {
  const read = plain(state.decoded_value) as { readonly name?: unknown; readonly value?: unknown } | null;
  if (!/::object::DynamicField</.test(state.object_type)) return `  ${state.object_type} ${state.id}`;
  if (read === null) return `  ${key}: ${state.value}`;
  return `  ${decodedText(read.name)}: ${decodedText(read.value)}`;
}

export const objectCommand: Command = command({
  name: 'object',
  summary: 'what an object is now: its type, owner, value and fields',
  usage: 'OBJECT [--fields N] ...',
  example: '0x2::timestamp::Timestamp',
  min: 1,
  help: 'OBJECT is an object id, or the type of a named object. An address is the id of its account. movelet history shows earlier versions.',
  options: {
    fields: { value: 'N', help: `dynamic fields at most, such as the entries of a table (default: ${FIELDS_SHOWN})` },
    json: { help: "print the node's answers" },
    ...NODE_OPTIONS,
  },
  more: [OPENING_GROUP],
  run: runObject,
});
