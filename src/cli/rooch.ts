/**
 * movelet rooch: commands of the reference's `rooch` program, for scripts that are written for it.
 * @module
 */
import type { Command } from './arguments.ts';
import { onEndSignal } from './progress.ts';
import { runRooch } from './rooch/program.ts';

const HELP = `usage: movelet rooch COMMAND [OPTIONS]

Answers the commands of the reference's rooch program that suites call, with their flags and their JSON, on a node of this
package: movelet rooch help lists them. For a missing command, the error names what to use instead. Keys and the address of
the node are in --config-dir, or ROOCH_CONFIG_DIR; movelet rooch init makes it.

example: movelet rooch move run --function 0x3::empty::empty --config-dir ./rooch --json
`;

export const roochCommand: Command = {
  name: 'rooch',
  summary: "commands of the reference's rooch program",
  help: () => HELP,
  options: {},
  run: async (words) => {
    const host = {
      write: (text: string) => process.stdout.write(text),
      untilEnd: () => new Promise<void>(onEndSignal),
    };
    process.stdout.write(await runRooch(words, { cwd: process.cwd(), env: process.env }, host));
    return 0;
  },
};
