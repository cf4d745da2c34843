/**
 * Writes what is made of the framework's sources besides its bytecode, into src/execution/framework/compiled:
 * `interfaces.ts`, which sources that use the framework are compiled against (its sources without comments, tests,
 * specifications and the bodies of functions, apart from inline ones), and `test-modules.ts`, the modules that have
 * functions for tests alone, with these.
 *
 *   npx tsx scripts/framework-interfaces.ts            writes the files
 *   npx tsx scripts/framework-interfaces.ts --check    compares instead, exit code 1 on a difference
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { frameworkInterfaces, frameworkTestModules } from '../test/compile/move-compiler/framework-interface.ts';

const FILES = { 'interfaces.ts': frameworkInterfaces(), 'test-modules.ts': frameworkTestModules() };

for (const [name, text] of Object.entries(FILES)) {
  const path = fileURLToPath(new URL(`../src/execution/framework/compiled/${name}`, import.meta.url));
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${name} is not what the sources of the framework say: run scripts/framework-interfaces.ts`);
    process.exitCode = 1;
  }
}
