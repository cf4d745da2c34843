/**
 * Options of the commands that answer JSON-RPC.
 * @module
 */
import { WORKERS_MAX } from '../base/config.ts';
import type { Namespace } from '../server/rpc/methods.ts';
import type { RpcOptions } from '../server/rpc/options.ts';
import { type Arguments, logToStderr, type Option, readNumber, UsageError } from './arguments.ts';

export const RPC_OPTIONS: Readonly<Record<string, Option>> = {
  namespaces: { type: 'string', completes: ['chain', 'rooch', 'chain,rooch'] },
  forms: { type: 'string', completes: ['interface', 'current'] },
  'list-item': { type: 'string', completes: ['A', 'B'] },
  dev: { type: 'boolean' },
  'no-dev': { type: 'boolean' },
  workers: { type: 'string', completes: ['auto', '0', '1'] },
};

export const RPC_HELP = `  --namespaces LIST       prefixes of the methods: chain,rooch (default: both)
  --forms FORMS           answers of btc_ methods: interface (default) or current
  --list-item A|B         item shape of chain_listStates (default: A)
  --dev, --no-dev         whether the controls of a test node answer: calls in anybody's name, funding, time, forks
  --workers N|auto        threads for views and dry runs, so that long ones hold up nobody else; auto begins one when it is
                          needed, 0 none, also for long transactions (default: auto where a port is listened on, otherwise
                          one for long transactions only)
`;

/** The defaults of commands that listen on a port: a stranger's views should hold up nobody. */
export const LISTENER: RpcDefaults = { dev: false, workers: 'auto' };

/** A command's defaults. */
export interface RpcDefaults {
  readonly dev: boolean;
  readonly workers: RpcOptions['workers'];
}

/**
 * @throws {UsageError} for an invalid value
 */
export function rpcOptions(args: Arguments, defaults: RpcDefaults): RpcOptions {
  const forms = args.string('forms');
  if (forms !== undefined && forms !== 'interface' && forms !== 'current') {
    throw new UsageError(`--forms: expected interface or current, got ${forms}`);
  }
  const listItem = args.string('list-item');
  if (listItem !== undefined && listItem !== 'A' && listItem !== 'B') {
    throw new UsageError(`--list-item: expected A or B, got ${listItem}`);
  }
  if (args.flag('dev') && args.flag('no-dev')) throw new UsageError('give --dev or --no-dev, not both');
  const dev = !args.flag('no-dev') && (defaults.dev || args.flag('dev'));
  const workers = readWorkers(args) ?? defaults.workers;
  return { namespaces: readNamespaces(args.string('namespaces')), forms, listItem, dev, workers, log: logToStderr };
}

function readWorkers(args: Arguments): RpcOptions['workers'] {
  const given = args.string('workers');
  return given === undefined || given === 'auto' ? given : readNumber(args, 'workers', 0, WORKERS_MAX);
}

function readNamespaces(text: string | undefined): Namespace[] | undefined {
  return text?.split(',').map((name) => {
    if (name !== 'chain' && name !== 'rooch')
      throw new UsageError(`--namespaces: expected chain, rooch or both, got ${name}`);
    return name;
  });
}
