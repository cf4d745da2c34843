/**
 * movelet call and movelet status: one request, to a node that runs or to a chain in a directory.
 * @module
 */
import { Engine } from '../engine.ts';
import { EngineError } from '../error.ts';
import { parseJson } from '../rpc/json.ts';
import { createRpc } from '../rpc/server.ts';
import {
  type Arguments,
  assertChainDirectory,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  engineOptions,
  readArguments,
  UsageError,
} from './arguments.ts';
import type { Command } from './command.ts';
import { prettyJson } from './pretty-json.ts';

const CALL_OPTIONS = { ...ENGINE_OPTIONS, url: { type: 'string' }, compact: { type: 'boolean' } } as const;
const PARAMS_DEPTH_MAX = 32;

async function runCall(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, CALL_OPTIONS, {
    min: 1,
    max: 2,
    usage: "call METHOD ['[PARAMS]'] [--url URL | --data DIR]",
  });
  const [method = '', params = '[]'] = args.positionals;
  try {
    parseJson(params, PARAMS_DEPTH_MAX);
  } catch (error) {
    throw new UsageError(`params: ${error instanceof Error ? error.message : String(error)}; quote them: '["0x3"]'`);
  }
  return answer(args, method, params);
}

async function runStatus(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, CALL_OPTIONS, { min: 0, max: 0, usage: 'status [--url URL | --data DIR]' });
  return answer(args, 'chain_status', '[]');
}

async function answer(args: Arguments, method: string, params: string): Promise<number> {
  const request = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  const url = args.string('url');
  if (url !== undefined && args.string('data') !== undefined) throw new UsageError('give --url or --data, not both');
  const text = url === undefined ? await askDirectory(args, request) : await askUrl(url, request);
  const error = errorMessage(text);
  if (error !== undefined) throw new EngineError('not-supported', error);
  const result = resultText(text);
  process.stdout.write(`${args.flag('compact') ? result : prettyJson(result)}\n`);
  return 0;
}

async function askDirectory(args: Arguments, request: string): Promise<string> {
  const data = args.string('data');
  if (data !== undefined) assertChainDirectory(data);
  const engine = await Engine.open(await engineOptions(args));
  try {
    return (await createRpc(engine, { dev: true }).handle(request)) ?? '';
  } finally {
    await engine.close();
  }
}

async function askUrl(url: string, request: string): Promise<string> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--url: expected http://HOST:PORT, got ${url}`);
  }
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: request });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new EngineError('not-found', `nothing answers at ${url}: ${cause}; start a node with movelet serve`, {
      cause: error,
    });
  }
  return response.text();
}

interface Answer {
  readonly error?: { readonly code: number; readonly message: string };
}

function errorMessage(text: string): string | undefined {
  let parsed: Answer;
  try {
    parsed = JSON.parse(text) as Answer;
  } catch (cause) {
    throw new EngineError('malformed-bytes', `expected a JSON-RPC answer, got ${text.slice(0, 80)}`, { cause });
  }
  return parsed.error === undefined ? undefined : `${parsed.error.message} (code ${parsed.error.code})`;
}

/** The result member as it was sent: reading it into numbers would lose digits. */
function resultText(text: string): string {
  const at = text.indexOf('"result":');
  return text.slice(at + '"result":'.length, text.lastIndexOf('}'));
}

export const callCommand: Command = {
  name: 'call',
  summary: 'one JSON-RPC request, answered on stdout',
  help: `usage: movelet call METHOD [PARAMS] [OPTIONS]

PARAMS is a JSON array or object, quoted for the shell: movelet call chain_getStates '["/object/0x3",{"decode":true}]'

  --url URL               ask the node at this address (default: open the chain in this process)
  --compact               print the result as it came, on one line
${ENGINE_HELP}`,
  run: runCall,
};

export const statusCommand: Command = {
  name: 'status',
  summary: 'how far a chain is',
  help: `usage: movelet status [OPTIONS]

  --url URL               ask the node at this address (default: open the chain in this process)
  --compact               print the result as it came, on one line
${ENGINE_HELP}`,
  run: runStatus,
};
