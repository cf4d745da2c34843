/**
 * The program: which command, which exit code.
 *
 * Answers go to stdout, everything else to stderr. An error is one line that says what to do. Exit codes: 0 done,
 * 1 failed, 2 wrong usage, 130 interrupted.
 * @module
 */
import { PACKAGE_VERSION } from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { type Command, UsageError } from './arguments.ts';
import { Interrupted } from './progress.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** What shells report for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

async function main([name, ...rest]: readonly string[]): Promise<number> {
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  if (name === undefined || (isHelp && rest.every((word) => word.startsWith('-')))) {
    const { overview } = await import('./commands.ts');
    process.stdout.write(overview());
    return name === undefined ? EXIT_USAGE : 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${PACKAGE_VERSION}\n`);
    return 0;
  }
  const command = await commandOf(isHelp ? rest.find((word) => !word.startsWith('-'))! : name);
  // All that follows -- is an argument, even if it begins with a dash.
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length);
  if (isHelp || options.includes('--help') || options.includes('-h')) {
    process.stdout.write(command.help(options.includes('--all')));
    return 0;
  }
  return command.run(rest);
}

/** Commands that only compile need neither a chain nor a server, and start faster without them. */
const COMPILING: Readonly<Record<string, () => Promise<Command>>> = {
  new: async () => (await import('./new.ts')).newCommand,
  build: async () => (await import('./packages.ts')).buildCommand,
  test: async () => (await import('./test.ts')).testCommand,
};

/** @throws {UsageError} for an unknown name */
async function commandOf(name: string): Promise<Command> {
  if (name.startsWith('-')) throw new UsageError(`options come after the command: movelet COMMAND ${name} ...`);
  if (Object.hasOwn(COMPILING, name)) return COMPILING[name]!();
  return (await import('./commands.ts')).commandNamed(name);
}

async function reportError(error: unknown): Promise<number> {
  if (!(error instanceof EngineError) || error.code !== 'compile-failed') return report(error);
  // A compiler's diagnostics take several lines, with source positions.
  const { forTerminal } = await import('./terminal.ts');
  process.stderr.write(`movelet: ${forTerminal(error.message)}\n`);
  return EXIT_FAILED;
}

function report(error: unknown): number {
  process.stderr.write(`movelet: ${messageOf(error).split('\n')[0]}\n`);
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
  const code = await main(args).catch(reportError);
  process.exitCode = code;
  // The last of the output may fail long after the command has ended.
  process.on('exit', () => {
    if (code === 0 && outputFailure !== undefined) process.exitCode = report(outputFailure);
  });
}
