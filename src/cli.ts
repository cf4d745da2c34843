#!/usr/bin/env node
/**
 * The command line: `movelet COMMAND`.
 *
 * Answers go to stdout, everything else to stderr. An error is one line that says what to do. Exit codes: 0 done,
 * 1 failed, 2 the command line was not understood.
 * @module
 */
import { UsageError } from './cli/arguments.ts';
import { COMMANDS, overview } from './cli/commands.ts';
import { PACKAGE_VERSION } from './config.ts';
import { nearestName } from './rpc/nearest.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function main([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(overview());
    return name === undefined ? EXIT_USAGE : 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${PACKAGE_VERSION}\n`);
    return 0;
  }
  const command = COMMANDS.get(name);
  if (command === undefined) {
    const nearest = nearestName(name, COMMANDS.keys());
    throw new UsageError(
      `there is no command ${name}; ${nearest === undefined ? 'see movelet --help' : `did you mean ${nearest}?`}`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  return command.run(rest);
}

function report(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`movelet: ${message.split('\n')[0]}\n`);
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
}

// A reader that goes away (movelet call ... | head -1) ends the output, not the program with a stack trace. Any other
// failure of the output, such as a full disk, is told when the command has closed what it opened.
let outputFailure: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  outputFailure = error;
});

const code = await main(process.argv.slice(2)).catch(report);
process.exitCode = code;
// The last of the output may fail when the command has long ended.
process.on('exit', () => {
  if (code === 0 && outputFailure !== undefined) process.exitCode = report(outputFailure);
});
