/**
 * movelet call and movelet status: one request to a running node or to a chain in a directory.
 * @module
 */
import { methodTable } from '../server/rpc/methods.ts';
import { type Arguments, ENGINE_HELP, readArguments } from './arguments.ts';
import { paramsText } from './call-params.ts';
import type { Command } from './command.ts';
import { NODE_OPTIONS, openNode } from './node.ts';
import { prettyJson } from './pretty-json.ts';

const CALL_OPTIONS = { ...NODE_OPTIONS, compact: { type: 'boolean' } } as const;
const PARAMS_MAX = 16;

async function runCall(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, CALL_OPTIONS, {
    min: 1,
    max: 1 + PARAMS_MAX,
    usage: 'call METHOD [PARAM...] [--url URL | --data DIR]',
  });
  const [method = '', ...texts] = args.positionals;
  return answer(args, method, paramsText(method, texts));
}

async function runStatus(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, CALL_OPTIONS, { min: 0, max: 0, usage: 'status [--url URL | --data DIR]' });
  return answer(args, 'chain_status', '[]', true);
}

async function answer(args: Arguments, method: string, params: string, isReading = false): Promise<number> {
  const node = await openNode(args, isReading);
  try {
    const result = await node.ask(method, params);
    process.stdout.write(`${args.flag('compact') ? result : prettyJson(result)}\n`);
    return 0;
  } finally {
    await node.close();
  }
}

export const callCommand: Command = {
  name: 'call',
  summary: 'one JSON-RPC request, answered on stdout',
  help: `usage: movelet call METHOD [PARAM...] [OPTIONS]

Each PARAM is text, digits, true, false, null, or quoted JSON, depending on the method:
movelet call chain_getStates /object/0x3 '{"decode":true}'
A single PARAM that begins with [ or { holds all of them as JSON: movelet call chain_getStates '["/object/0x3",{"decode":true}]'

  --url URL               ask the node at this address (default: open the chain in this process)
  --compact               print the result as it came, on one line
${ENGINE_HELP}`,
  options: CALL_OPTIONS,
  completes: [...methodTable(['chain', 'rooch'], true).keys(), 'rpc.discover'],
  run: runCall,
};

export const statusCommand: Command = {
  name: 'status',
  summary: 'how far a chain is',
  help: `usage: movelet status [OPTIONS]

A directory that cannot be written is read through links among the temporary files.

  --url URL               ask the node at this address (default: open the chain in this process)
  --compact               print the result as it came, on one line
${ENGINE_HELP}`,
  options: CALL_OPTIONS,
  run: runStatus,
};
