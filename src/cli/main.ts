/**
 * The program: which command, which exit code.
 *
 * Answers go to stdout, everything else to stderr. An error is one line that says what to do. Exit codes: 0 done,
 * 1 failed, 2 wrong usage, 130 interrupted.
 * @module
 */
import { PACKAGE_VERSION } from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { nearestName } from '../base/nearest-name.ts';
import { accountCommand } from './account.ts';
import { archiveCommand, restoreCommand } from './archive.ts';
import { type Command, UsageError } from './arguments.ts';
import { callCommand, statusCommand } from './call.ts';
import { completionCommand } from './completion.ts';
import { dumpCommand, loadCommand } from './dump.ts';
import { diffCommand, historyCommand } from './history.ts';
import { ingestCommand, rescanCommand } from './ingest.ts';
import { NODE_URL_DEFAULT } from './node.ts';
import { buildCommand, disassembleCommand, typesCommand } from './packages.ts';
import { Interrupted } from './progress.ts';
import { pruneCommand } from './prune.ts';
import { replayCommand } from './replay.ts';
import { serveCommand, stdioCommand } from './serve.ts';
import { publishCommand, runCommand } from './submit.ts';
import { forTerminal } from './terminal.ts';
import { testCommand } from './test.ts';
import { verifyCommand } from './verify.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** What shells report for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

async function main([name, ...rest]: readonly string[]): Promise<number> {
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  if (name === undefined || (isHelp && rest.every((word) => word.startsWith('-')))) {
    process.stdout.write(overview());
    return name === undefined ? EXIT_USAGE : 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${PACKAGE_VERSION}\n`);
    return 0;
  }
  const command = commandOf(isHelp ? rest.find((word) => !word.startsWith('-'))! : name);
  // All that follows -- is an argument, even if it begins with a dash.
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  if (isHelp || options.includes('--help') || options.includes('-h')) {
    process.stdout.write(command.help(options.includes('--all')));
    return 0;
  }
  return command.run(rest);
}

/** @throws {UsageError} for an unknown name */
function commandOf(name: string): Command {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command;
  const nearest = nearestName(name, COMMANDS.keys());
  throw new UsageError(
    `there is no command ${name}; ${nearest === undefined ? 'see movelet --help' : `did you mean ${nearest}?`}`,
  );
}

function report(error: unknown): number {
  const message = messageOf(error);
  // A compiler's diagnostics take several lines, with source positions.
  const isCompilers = error instanceof EngineError && error.code === 'compile-failed';
  process.stderr.write(`movelet: ${isCompilers ? forTerminal(message) : message.split('\n')[0]}\n`);
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
}

/** Runs a command and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  // A reader that goes away (movelet call ... | head -1) ends the output, not the program with a stack trace. Any other
  // failure of the output, such as a full disk, is reported once the command has closed what it opened.
  let outputFailure: Error | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    outputFailure = error;
  });
  const code = await main(args).catch(report);
  process.exitCode = code;
  // The last of the output may fail long after the command has ended.
  process.on('exit', () => {
    if (code === 0 && outputFailure !== undefined) process.exitCode = report(outputFailure);
  });
}

/** The commands by what they are for. */
const OWN: Readonly<Record<string, readonly Command[]>> = {
  'run a node': [serveCommand, stdioCommand, replayCommand],
  'write contracts': [buildCommand, testCommand, publishCommand, typesCommand, disassembleCommand],
  'use a chain': [runCommand, accountCommand, historyCommand, diffCommand, statusCommand, callCommand],
  'keep a chain': [dumpCommand, loadCommand, archiveCommand, restoreCommand, verifyCommand, pruneCommand],
  'Bitcoin blocks': [ingestCommand, rescanCommand],
};

const GROUPS: Readonly<Record<string, readonly Command[]>> = {
  ...OWN,
  'in a shell': [completionCommand(Object.values(OWN).flat())],
};

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.values(GROUPS)
    .flat()
    .map((command) => [command.name, command]),
);

/** What `movelet --help` prints. */
function overview(): string {
  const groups = Object.entries(GROUPS).map(([title, commands]) => {
    const lines = commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`);
    return [`${title}:`, ...lines].join('\n');
  });
  return `movelet: a Move and Bitcoin chain node that is imported, not started

usage: movelet COMMAND [ARGUMENTS]

${groups.join('\n\n')}

movelet help COMMAND says how to use one. Commands that ask a node ask ${NODE_URL_DEFAULT}, the node of
MOVELET_URL, or that of --url. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;
}
