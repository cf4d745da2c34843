/**
 * movelet disassemble: a compiled module or script as text.
 * @module
 */
import { disassembleModule, disassembleScript } from '../vm/binary/disassemble.ts';
import { readModule, readScript } from '../vm/binary/read.ts';
import { type Arguments, type Command, command, readInput } from './arguments.ts';
import { binaryOf, namingFile } from './packages.ts';

async function run(args: Arguments): Promise<number> {
  const [file = ''] = args.positionals;
  const bytes = binaryOf(await readInput('FILE', file));
  const text = namingFile(file, () =>
    args.flag('script') ? disassembleScript(readScript(bytes)) : disassembleModule(readModule(bytes)),
  );
  process.stdout.write(`${text}\n`);
  return 0;
}

export const disassembleCommand: Command = command({
  name: 'disassemble',
  summary: 'show a compiled Move module as text',
  usage: 'FILE [--script]',
  min: 1,
  help: `FILE holds a module as bytes or hex digits.

  --script                the file is a script
`,
  options: { script: { type: 'boolean' } },
  completes: 'file',
  run,
});
