/**
 * `rooch move`: building and publishing packages, and calling what they contain.
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bytes, decode, encode } from '../../base/bcs.ts';
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import type { FunctionAction } from '../../chain/transaction/action.ts';
import { transactionData } from '../../chain/transaction/signed.ts';
import { type CompiledPackage, compile } from '../../compile/index.ts';
import { formatAddress } from '../../move/address.ts';
import { packageData, publishAction } from '../../pipeline/publish.ts';
import { publishModules } from '../../query/transaction-builder.ts';
import { type Arguments, type Options, UsageError, unreadableFile } from '../arguments.ts';
import { callParam } from '../move-call.ts';
import { CALL_OPTIONS, optionsCall } from './call-argument.ts';
import { type Executed, type RoochSession, SENDER_OPTIONS } from './session.ts';
import { type CommandAnswer, jsonAnswer, type RoochCommand } from './table.ts';

const PACKAGE_OPTIONS: Options = {
  path: { value: 'DIR', short: 'p', completes: 'directory', help: 'the package (default: here)' },
  'named-addresses': {
    value: 'NAME=WHO,...',
    multiple: true,
    help: 'addresses by name; default is the active account',
  },
};

async function built(session: RoochSession, args: Arguments): Promise<CompiledPackage> {
  const pairs = args.strings('named-addresses').flatMap((text) => text.split(','));
  const addresses = pairs.map((pair) => {
    const [name = '', who, ...more] = pair.split('=');
    if (who === undefined || more.length > 0) throw new UsageError(`--named-addresses: expected NAME=WHO, got ${pair}`);
    return [name, formatAddress(session.address(who, '--named-addresses'))] as const;
  });
  return compile(session.path(args.string('path') ?? '.'), { addresses: Object.fromEntries(addresses) });
}

/** What `move publish` sends: the modules of a package's folder, or of a file that `move build` wrote. */
async function modulesOf(session: RoochSession, args: Arguments): Promise<readonly Uint8Array[]> {
  const [file] = args.positionals;
  if (file === undefined) return (await built(session, args)).modules.map((module) => module.bytes);
  const path = session.path(file);
  const content = await readFile(path).catch((cause) => {
    throw unreadableFile('PACKAGE_FILE', path, cause);
  });
  return decode(packageData, content).modules;
}

/** The answer, or the lines that matter of it. */
function executedAnswer({ text, json: { execution_info: info, sequence_info: place } }: Executed): CommandAnswer {
  const lines = [
    `Status: ${JSON.stringify(info.status)}`,
    `Order: ${place.tx_order}`,
    `Hash: ${info.tx_hash}`,
    `Gas used: ${info.gas_used}`,
  ];
  return { json: text, text: lines.join('\n') };
}

const run: RoochCommand['run'] = async (session, args) => {
  const action = await optionsCall(session, args);
  if (args.flag('dry-run')) {
    const data = encode(transactionData, await session.build(session.sender(args), action, args));
    return { json: await session.ask('rooch_dryRunRawTransaction', toHexPrefixed(data)) };
  }
  return executedAnswer(await session.execute(session.sender(args), action, args));
};

const RUN_OPTIONS: Options = {
  ...CALL_OPTIONS,
  ...SENDER_OPTIONS,
  'dry-run': { help: 'tell what it would do, and write nothing' },
};

const view: RoochCommand['run'] = async (session, args) => {
  const action: FunctionAction = await optionsCall(session, args);
  return { json: await session.ask('rooch_executeViewFunction', callParam(action)) };
};

export const MOVE_ROWS: readonly RoochCommand[] = [
  {
    name: 'move build',
    summary: 'compile a package, and write package.rpd',
    options: {
      ...PACKAGE_OPTIONS,
      'install-dir': { value: 'DIR', help: 'where (default: build/NAME in the package)' },
    },
    run: async (session, args) => {
      const { name, modules } = await built(session, args);
      const action = publishAction(
        modules.map((module) => module.bytes),
        name,
      );
      const directory = args.string('install-dir') ?? join(args.string('path') ?? '.', 'build', name);
      const file = join(session.path(directory), 'package.rpd');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, decode(bytes, action.arguments[0]!));
      return jsonAnswer({ Result: 'Success' }, `Exported package to ${file}\nSuccess`);
    },
  },
  {
    name: 'move publish',
    summary: 'publish or upgrade a package',
    usage: '[PACKAGE_FILE]',
    max: 1,
    options: {
      ...PACKAGE_OPTIONS,
      ...SENDER_OPTIONS,
      'by-move-action': { help: 'as a bundle of modules instead of a call' },
      'skip-client-compat-check': { help: 'accepted: the chain alone checks upgrades' },
    },
    run: async (session, args) => {
      const modules = await modulesOf(session, args);
      const action = args.flag('by-move-action') ? publishModules(modules) : publishAction(modules);
      return executedAnswer(await session.execute(session.sender(args), action, args));
    },
  },
  { name: 'move run', summary: 'call a function in a transaction', options: RUN_OPTIONS, run },
  { name: 'move run-function', summary: 'the same, by its older name', options: RUN_OPTIONS, run },
  { name: 'move view', summary: 'call a function that only reads', options: CALL_OPTIONS, run: view },
];
