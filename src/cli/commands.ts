/**
 * All commands.
 * @module
 */
import { nearestName } from '../base/nearest-name.ts';
import { accountCommand } from './account.ts';
import { archiveCommand, restoreCommand } from './archive.ts';
import { type Command, UsageError } from './arguments.ts';
import { callCommand } from './call.ts';
import { completionCommand } from './completion.ts';
import { deployCommand } from './deploy.ts';
import { dumpCommand, loadCommand } from './dump.ts';
import { forkCommand } from './fork.ts';
import { diffCommand, historyCommand } from './history.ts';
import { ingestCommand, rescanCommand } from './ingest.ts';
import { mcpCommand } from './mcp.ts';
import { newCommand } from './new.ts';
import { NODE_URL_DEFAULT } from './node.ts';
import { buildCommand, disassembleCommand, typesCommand } from './packages.ts';
import { pruneCommand } from './prune.ts';
import { replayCommand } from './replay.ts';
import { roochCommand } from './rooch.ts';
import { serveCommand, stdioCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { publishCommand, runCommand } from './submit.ts';
import { testCommand } from './test.ts';
import { traceCommand } from './trace.ts';
import { verifyCommand } from './verify.ts';
import { objectCommand, viewCommand } from './view.ts';

/** The commands by what they are for. */
const OWN: Readonly<Record<string, readonly Command[]>> = {
  'run a node': [serveCommand, stdioCommand, mcpCommand, replayCommand],
  'write contracts': [
    newCommand,
    buildCommand,
    testCommand,
    publishCommand,
    deployCommand,
    typesCommand,
    disassembleCommand,
  ],
  'use a chain': [
    runCommand,
    traceCommand,
    viewCommand,
    objectCommand,
    accountCommand,
    historyCommand,
    diffCommand,
    statusCommand,
    callCommand,
    roochCommand,
  ],
  'keep a chain': [dumpCommand, loadCommand, forkCommand, archiveCommand, restoreCommand, verifyCommand, pruneCommand],
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
export function overview(): string {
  const groups = Object.entries(GROUPS).map(([title, commands]) => {
    const lines = commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`);
    return [`${title}:`, ...lines].join('\n');
  });
  return `movelet: a Move and Bitcoin chain node that is imported, not started

usage: movelet COMMAND [ARGUMENTS]

${groups.join('\n\n')}

movelet help COMMAND explains one. Commands that ask a node take its address from --url or the environment variable
MOVELET_URL; the default is ${NODE_URL_DEFAULT}. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;
}

/** @throws {UsageError} for an unknown name */
export function commandNamed(name: string): Command {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command;
  const nearest = nearestName(name, COMMANDS.keys());
  throw new UsageError(
    `there is no command ${name}; ${nearest === undefined ? 'see movelet --help' : `did you mean ${nearest}?`}`,
  );
}
