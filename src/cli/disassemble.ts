/**
 * movelet disassemble: a compiled module or script as text.
 * @module
 */
import { readFile } from 'node:fs/promises';
import { fromHex } from '../bytes/hex.ts';
import { disassembleModule, disassembleScript } from '../vm/binary/disassemble.ts';
import { readModule, readScript } from '../vm/binary/read.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';

async function run(rest: readonly string[]): Promise<number> {
  const options = { script: { type: 'boolean' } } as const;
  const args = readArguments(rest, options, { min: 1, max: 1, usage: 'disassemble FILE [--script]' });
  const [file = ''] = args.positionals;
  const bytes = binaryOf(await readFile(file));
  process.stdout.write(
    `${args.flag('script') ? disassembleScript(readScript(bytes)) : disassembleModule(readModule(bytes))}\n`,
  );
  return 0;
}

const HEX_TEXT = /^(0x)?[0-9a-fA-F]+\s*$/;

/** A file of hex digits, as getStates shows modules, is read as what the digits say. */
function binaryOf(content: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(content);
  return HEX_TEXT.test(text) ? fromHex(text.trim()) : content;
}

export const disassembleCommand: Command = {
  name: 'disassemble',
  summary: 'show a compiled Move module as text',
  help: `usage: movelet disassemble FILE [--script]

FILE holds a module's bytes, or its hex digits.

  --script                the file is a script
`,
  run,
};
