/**
 * Which functions of a package its tests call.
 * @module
 */
import { readModule } from '../vm/binary/read.ts';
import type { UnitTestResult } from './run.ts';
import type { TestedPackage } from './tested-package.ts';

/** Lines for people: each module with how many of its functions were called, and those that were not. */
export function coverageText({ modules, tests }: TestedPackage, results: readonly UnitTestResult[]): string[] {
  const called = new Set(results.flatMap((result) => result.called));
  const isTest = new Set(tests.map(({ module, name }) => `${module}::${name}`));
  return modules.flatMap(({ address, name, bytes }) => {
    const { functionDefinitions, functionHandles, identifiers } = readModule(bytes);
    const all = functionDefinitions
      .filter(({ code }) => code !== undefined)
      .map(({ handle }) => identifiers[functionHandles[handle]!.name]!)
      .filter((each) => !isTest.has(`${address}::${name}::${each}`));
    if (all.length === 0) return [];
    // Publishing the package ran its `init`.
    const missing = all.filter((each) => each !== 'init' && !called.has(`${address}::${name}::${each}`));
    const count = `${address}::${name}  ${all.length - missing.length} of ${all.length} functions`;
    return [missing.length === 0 ? count : `${count}; never called: ${missing.join(', ')}`];
  });
}
