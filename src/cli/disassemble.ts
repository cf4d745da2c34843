/**
 * movelet disassemble: a compiled module or script as text.
 * @module
 */
import { disassembleModule, disassembleScript } from '../vm/binary/disassemble.ts';
import { readModule, readScript } from '../vm/binary/read.ts';
import { type Command, readArguments, readInput } from './arguments.ts';
import { binaryOf, namingFile } from './packages.ts';

const OPTIONS = { script: { type: 'boolean' } } as const;

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, OPTIONS, { min: 1, max: 1, usage: 'disassemble FILE [--script]' });
  const [file = ''] = args.positionals;
  const bytes = binaryOf(await readInput('FILE', file));
  const text = namingFile(file, () =>
    args.flag('script') ? disassembleScript(readScript(bytes)) : disassembleModule(readModule(bytes)),
  );
  process.stdout.write(`${text}\n`);
  return 0;
}

export const disassembleCommand: Command = {
  name: 'disassemble',
  summary: 'show a compiled Move module as text',
  help: `usage: movelet disassemble FILE [--script]

FILE holds a module as bytes or hex digits.

  --script                the file is a script
`,
  options: OPTIONS,
  completes: 'file',
  run,
};
