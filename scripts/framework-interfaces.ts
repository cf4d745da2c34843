/**
 * Writes what sources need of the framework in order to be compiled (src/execution/framework/compiled/interfaces.ts): its
 * sources without comments, tests, specifications and the bodies of functions, apart from inline ones.
 *
 *   npx tsx scripts/framework-interfaces.ts            writes the file
 *   npx tsx scripts/framework-interfaces.ts --check    compares instead, exit code 1 on a difference
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { frameworkInterfaces } from '../test/compile/move-compiler/framework-interface.ts';

const path = fileURLToPath(new URL('../src/execution/framework/compiled/interfaces.ts', import.meta.url));
const text = frameworkInterfaces();
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text) {
  console.error('interfaces.ts is not what the sources of the framework say: run scripts/framework-interfaces.ts');
  process.exitCode = 1;
}
