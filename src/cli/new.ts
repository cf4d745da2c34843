/**
 * movelet new: a Move package and its tests, to begin with.
 * @module
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { FRAMEWORK_ADDRESSES } from '../compile/framework.ts';
import { isKeyword } from '../compile/syntax/lexer.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import { type Arguments, type Command, command, UsageError } from './arguments.ts';

const NAME_CHARACTERS_MAX = 64;
/** Names that the sources below use for modules. */
const USED = ['signer', 'string', 'event'];

/** Not written out below: tools that look for the imports of this file read lines that begin with it. */
const IMPORT = 'import';

/** The files of a new package, by their paths in its folder. */
function filesOf(name: string): Readonly<Record<string, string>> {
  return {
    'Move.toml': `[package]
name = "${name}"

[addresses]
# The first of the funded accounts: movelet account list.
${name} = "${DEV_ACCOUNTS[0]!.address}"

[dependencies]
# Comes with movelet; nothing is fetched.
MoveosStdlib = { git = "https://github.com/rooch-network/rooch.git", subdir = "frameworks/moveos-stdlib", rev = "main" }
# For coins, accounts and all else of rooch_framework:
# RoochFramework = {}
`,
    [`sources/${name}.move`]: `module ${name}::${name} {
    use std::signer;
    use std::string::{Self, String};
    use moveos_std::event;

    /// A greeting needs a text.
    const ErrorEmpty: u64 = 1;

    struct Greeted has copy, drop {
        by: address,
        text: String,
    }

    public entry fun greet(account: &signer, text: String) {
        assert!(string::length(&text) > 0, ErrorEmpty);
        event::emit(Greeted { by: signer::address_of(account), text });
    }
}
`,
    [`tests/${name}_tests.move`]: `#[test_only]
module ${name}::${name}_tests {
    use std::string;
    use ${name}::${name};

    #[test(account = @0x42)]
    fun takes_a_greeting(account: signer) {
        ${name}::greet(&account, string::utf8(b"hello"));
    }

    #[test(account = @0x42)]
    #[expected_failure(abort_code = ${name}::${name}::ErrorEmpty)]
    fun takes_no_empty_greeting(account: signer) {
        ${name}::greet(&account, string::utf8(b""));
    }
}
`,
    [`${name}.test.ts`]: `${IMPORT} { expect, testOn } from 'movelet/vitest';
${IMPORT} built from './Move.toml';

const owner = built.modules[0]!.address;
const greet = (text: string) => ({ function: \`\${owner}::${name}::greet\`, arguments: [text] }) as const;

// Each test has a chain of its own, on which the package is published.
const test = testOn({ prepare: (engine) => engine.publish(owner, built) });

test('a greeting is an event', async ({ engine, accounts: [, bob] }) => {
  const receipt = await engine.execute(bob!.signTransaction(greet('hello')));
  expect(receipt).toBeExecuted();
  expect(receipt).toEmit('${name}::Greeted', { by: bob!.address, text: 'hello' });
});

test('an empty greeting is refused', async ({ engine, accounts: [, bob] }) => {
  expect(await engine.executeAs(bob!, greet(''))).toAbortWith('ErrorEmpty');
});
`,
    'vitest.config.mts': `${IMPORT} { movelet } from 'movelet/vitest-plugin';
${IMPORT} { defineConfig } from 'vitest/config';

export default defineConfig({ plugins: [movelet()] });
`,
  };
}

async function run({ positionals: [folder = ''] }: Arguments): Promise<number> {
  const name = basename(resolve(folder)).replaceAll('-', '_');
  assertName(name);
  if (existsSync(folder)) throw new UsageError(`${folder} exists already; choose another name`);
  for (const [path, text] of Object.entries(filesOf(name))) {
    const file = join(folder, ...path.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    process.stdout.write(`${file}\n`);
  }
  const shown = folder.split(sep).join('/');
  process.stdout.write(`
npx movelet test ${shown}
npx vitest run --root ${shown}
`);
  return 0;
}

/** The name becomes that of a module and of an address. */
function assertName(name: string): void {
  const isName = /^[a-z]\w*$/.test(name) && name.length <= NAME_CHARACTERS_MAX;
  if (isName && !isKeyword(name) && !FRAMEWORK_ADDRESSES.has(name) && !USED.includes(name)) return;
  const expected = `a lower-case letter and then letters, digits, _ or -, at most ${NAME_CHARACTERS_MAX}, and no word of Move or of its library`;
  throw new UsageError(`NAME: expected ${expected}, got ${name}`);
}

export const newCommand: Command = command({
  name: 'new',
  summary: 'write a Move package with tests, to begin with',
  usage: 'NAME',
  example: 'hello',
  min: 1,
  help: `Makes the folder NAME: a Move package of one module, a test in Move, and one in TypeScript for Vitest. Prints the paths
of the files, and the commands that run the tests. A folder that exists is refused.
`,
  options: {},
  run,
});
