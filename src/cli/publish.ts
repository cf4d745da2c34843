/**
 * movelet publish: puts compiled modules on a chain, or upgrades them.
 * @module
 */
import { publishAction } from '../pipeline/publish.ts';
import { selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { type Arguments, type Command, command, ENGINE_HELP, understood } from './arguments.ts';
import { COMPILE_HELP, COMPILE_OPTIONS, compiledBy, modulesAt } from './packages.ts';
import { SUBMIT_HELP, SUBMIT_OPTIONS, senderOf, submit } from './submit.ts';

const FILES_MAX = 1_000;

async function run(args: Arguments): Promise<number> {
  const modules = (
    await Promise.all(args.positionals.map((path) => modulesAt(path, (folder) => compiledBy(args, folder))))
  ).flat();
  const action = understood('FILE', () => publishAction(modules));
  const sender = senderOf(args, selfIdOf(readModule(modules[0]!)).address);
  return submit(args, async () => ({ sender, action }));
}

export const publishCommand: Command = command({
  name: 'publish',
  summary: 'publish or upgrade compiled Move modules',
  usage: 'FILE|DIRECTORY... --url URL | --data DIR',
  min: 1,
  max: FILES_MAX,
  help: `FILE is a compiled module (.mv), or a package (.rpd) as the reference's build writes it; DIRECTORY stands for the .mv files
in it or, where there are none, for the Move package in it, which is compiled. Together they are one package, in any
order. Modules that exist already are upgraded. Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.

  --sender WHO            an address, or a number of movelet account list (default: the address of the modules)
${SUBMIT_HELP}${COMPILE_HELP}${ENGINE_HELP}`,
  options: { ...SUBMIT_OPTIONS, ...COMPILE_OPTIONS },
  completes: 'file',
  run,
});
