/**
 * The commands, by name.
 * @module
 */
import { accountCommand } from './account.ts';
import { archiveCommand } from './archive.ts';
import { typesCommand } from './bindings.ts';
import { buildCommand } from './build.ts';
import { callCommand, statusCommand } from './call.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { diffCommand } from './diff.ts';
import { disassembleCommand } from './disassemble.ts';
import { dumpCommand, loadCommand } from './dump.ts';
import { historyCommand } from './history.ts';
import { ingestCommand } from './ingest.ts';
import { pruneCommand } from './prune.ts';
import { publishCommand } from './publish.ts';
import { replayCommand } from './replay.ts';
import { rescanCommand } from './rescan.ts';
import { restoreCommand } from './restore.ts';
import { runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { stdioCommand } from './stdio.ts';
import { testCommand } from './test.ts';
import { verifyCommand } from './verify.ts';

const OWN: readonly Command[] = [
  serveCommand,
  stdioCommand,
  callCommand,
  statusCommand,
  buildCommand,
  testCommand,
  publishCommand,
  runCommand,
  accountCommand,
  historyCommand,
  diffCommand,
  ingestCommand,
  rescanCommand,
  dumpCommand,
  loadCommand,
  archiveCommand,
  restoreCommand,
  replayCommand,
  verifyCommand,
  pruneCommand,
  disassembleCommand,
  typesCommand,
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [...OWN, completionCommand(OWN)].map((command) => [command.name, command]),
);

/** What `movelet --help` prints. */
export function overview(): string {
  const lines = [...COMMANDS.values()].map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`);
  return `movelet: a Move and Bitcoin chain node that is imported, not started

usage: movelet COMMAND [ARGUMENTS]

${lines.join('\n')}

movelet help COMMAND explains the rest. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`;
}
