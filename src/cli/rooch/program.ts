/**
 * The `rooch` program of the reference network, as far as suites call it, on a node of this package.
 *
 * It is a table of rows: a name, flags, and what is asked of a node, always through JSON-RPC. Nothing of the
 * reference's program is in it; its forms follow the documentation of that program and the assertions of suites. For a
 * command that is not in the table, the error names what to use instead. `movelet rooch ...` runs a row from a shell.
 * `TestBox` (test-box.ts) runs one on a worker thread (thread.ts), because suites call `roochCommand` without `await`:
 * the calling thread sleeps, so its nodes run on the worker thread too.
 * @module
 */

import { PACKAGE_VERSION } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { readArguments, UsageError } from '../arguments.ts';
import { prettyJson } from '../node.ts';
import { ACCOUNT_ROWS } from './account.ts';
import { CHAIN_ROWS } from './chain.ts';
import { DID_ROWS } from './did.ts';
import { MOVE_ROWS } from './move.ts';
import { PAYMENT_CHANNEL_ROWS } from './payment-channel.ts';
import { SERVER_ROWS } from './server.ts';
import { COMMON_OPTIONS, RoochSession } from './session.ts';
import type { CommandHost, RoochCommand } from './table.ts';

const ROWS: readonly RoochCommand[] = [
  ...ACCOUNT_ROWS,
  ...MOVE_ROWS,
  ...CHAIN_ROWS,
  ...SERVER_ROWS,
  ...DID_ROWS,
  ...PAYMENT_CHANNEL_ROWS,
];

/** Shorter names of first words. */
const ALIASES: Readonly<Record<string, string>> = { tx: 'transaction' };

/** Commands of the reference's program that are missing here, by their first words, and what to use instead. */
const ABSENT: Readonly<Record<string, string>> = {
  'move test': 'movelet test DIRECTORY',
  'move new': 'movelet new NAME',
  'move disassemble': 'movelet disassemble FILE',
  'move coverage': 'movelet test --coverage',
  'server clean': 'a node keeps its chain in memory, or in the directory of --data-dir: delete that',
  'account create-multisign': 'multisignSigner of movelet/transaction',
  abi: 'movelet types',
  bitcoin: 'dev_mine of a node, or engine.dev.mine with spend of movelet/bitcoin',
  bitseed: 'reveal of movelet/bitcoin',
  da: 'movelet archive',
  db: 'movelet verify, movelet prune, movelet dump',
  faucet: 'dev_fund of a node',
  genesis: 'movelet serve --genesis FILE',
  indexer: 'nothing: indexes are written with each transaction',
  oracle: 'move run with the functions of 0x3::oracle',
  statedb: 'movelet dump and movelet load',
  task: 'transaction build, sign and submit',
  upgrade: 'move publish',
  util: 'account list',
};

/** Where a run takes place. */
export interface CommandPlace {
  /** Paths are relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a command; returns what it prints.
 * @param words as they are typed, without `rooch`
 * @throws {UsageError} for a command or options that are not understood. {EngineError} `not-supported` for a command that
 *   only the reference's program has, and the errors of the command
 */
export async function runRooch(words: readonly string[], place: CommandPlace, host: CommandHost): Promise<string> {
  const [first = '', ...rest] = words;
  if (first === '' || first === 'help' || words.includes('--help') || words.includes('-h')) return overview(first);
  if (first === 'version' || first === '--version' || first === '-V') return `rooch ${PACKAGE_VERSION} (movelet)\n`;
  const named = [ALIASES[first] ?? first, ...rest];
  const row = rowOf(named);
  const options = { ...row.options, ...COMMON_OPTIONS };
  const usage = `rooch ${row.name}${row.usage === undefined ? '' : ` ${row.usage}`}`;
  const given = named.slice(row.name.split(' ').length);
  const args = readArguments(given, { options, min: row.min ?? 0, max: row.max ?? row.min ?? 0 }, usage);
  const { json, text } = await row.run(new RoochSession(args, place), args, host);
  if (text !== undefined && (json === undefined || !args.flag('json'))) return `${text}\n`;
  return json === undefined ? '' : `${prettyJson(json)}\n`;
}

/** The row with the most words of what was typed. */
function rowOf(words: readonly string[]): RoochCommand {
  const typed = words.slice(0, 3).filter((word) => !word.startsWith('-'));
  for (let count = typed.length; count > 0; count--) {
    const name = typed.slice(0, count).join(' ');
    const found = ROWS.find((row) => row.name === name);
    if (found !== undefined) return found;
    const instead = ABSENT[name];
    if (instead !== undefined) {
      throw new EngineError('not-supported', `rooch ${name} is not answered here; use ${instead}`);
    }
  }
  const name = typed.join(' ');
  const nearest = nearestName(
    name,
    ROWS.map((row) => row.name),
  );
  const hint = nearest === undefined ? 'rooch help lists them' : `did you mean rooch ${nearest}?`;
  throw new UsageError(`there is no command rooch ${name}; ${hint}`);
}

function overview(first: string): string {
  const rows = ROWS.filter(({ name }) => name.split(' ')[0] === first);
  const listed = (rows.length > 0 ? rows : ROWS).map(({ name, usage = '', summary, options = {} }) => {
    const flags = Object.entries(options).map(
      ([flag, { value, short, help }]) =>
        `      ${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}: ${help}`,
    );
    return [`  ${`${name} ${usage}`.padEnd(42)} ${summary}`, ...(rows.length > 0 ? flags : [])].join('\n');
  });
  return `The commands of the rooch program that are answered here:\n\n${listed.join('\n')}\n`;
}
