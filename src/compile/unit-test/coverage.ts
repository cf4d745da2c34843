/**
 * What the tests of a package ran: its functions and, if there is a source map, its lines.
 *
 * Functions with `#[test]` do not count.
 * @module
 */

import type { CoveredCode } from '../../execution/trace/covered-code.ts';
import { readModule } from '../../vm/binary/read.ts';
import type { TestedModule, TestedPackage } from './tested-package.ts';

/** What was run of one module. */
export interface ModuleCoverage {
  readonly module: TestedModule;
  readonly functions: readonly FunctionCoverage[];
  /** Lines that have code, ascending, with how often they ran; empty without a source map. */
  readonly lines: readonly (readonly [line: number, count: number])[];
}

/** What was run of one function. */
export interface FunctionCoverage {
  readonly name: string;
  readonly calls: number;
  /** Line of its first instruction; undefined without a source map. */
  readonly line: number | undefined;
}

/** The coverage of each module that has code to cover. */
export function coverageOf({ modules, tests }: TestedPackage, covered: CoveredCode): ModuleCoverage[] {
  const isTest = new Set(tests.map(({ module, name }) => `${module}::${name}`));
  return modules
    .map((module) =>
      moduleCoverage(module, covered, (name) => isTest.has(`${module.address}::${module.name}::${name}`)),
    )
    .filter(({ functions }) => functions.length > 0);
}

function moduleCoverage(module: TestedModule, covered: CoveredCode, isTest: (name: string) => boolean): ModuleCoverage {
  const { functionDefinitions, functionHandles, identifiers } = readModule(module.bytes);
  const functions: FunctionCoverage[] = [];
  const lines = new Map<number, number>();
  for (const [index, { handle, code }] of functionDefinitions.entries()) {
    const name = identifiers[functionHandles[handle]!.name]!;
    if (code === undefined || isTest(name)) continue;
    const ran = covered.of(module.address, module.name, name, code.instructions.length);
    const places = module.lines?.functions[index] ?? [];
    functions.push({ name, calls: ran?.calls ?? 0, line: places[0]?.[1] });
    for (const [at, [offset, line]] of places.entries()) {
      const end = places[at + 1]?.[0] ?? code.instructions.length;
      const count =
        ran === undefined ? 0 : ran.counts.subarray(offset, end).reduce((most, each) => Math.max(most, each), 0);
      lines.set(line, Math.max(lines.get(line) ?? 0, count));
    }
  }
  return { module, functions, lines: [...lines].sort(([left], [right]) => left - right) };
}

/** The coverage as text: how much of each module ran, the functions never called, and the lines that did not run. */
export function coverageText(coverage: readonly ModuleCoverage[]): string[] {
  return coverage.flatMap(({ module: { address, name, lines: source }, functions, lines }) => {
    const missing = functions.filter(({ calls }) => calls === 0).map((each) => each.name);
    const ran = lines.filter(([, count]) => count > 0).length;
    const counts = [
      `${functions.length - missing.length} of ${functions.length} functions`,
      ...(lines.length === 0 ? [] : [`${ran} of ${lines.length} lines`]),
    ];
    const never = missing.length === 0 ? '' : `; never called: ${missing.join(', ')}`;
    const summary = `${address}::${name}  ${counts.join(', ')}${never}`;
    return ran === lines.length ? [summary] : [summary, `      not run: ${source!.path}:${missingRanges(lines)}`];
  });
}

/** `12, 14-17`: lines that did not run; a range extends over lines without code. */
function missingRanges(lines: ModuleCoverage['lines']): string {
  const ranges: { first: number; last: number }[] = [];
  let range: { first: number; last: number } | undefined;
  for (const [line, count] of lines) {
    if (count > 0) {
      range = undefined;
    } else if (range === undefined) {
      range = { first: line, last: line };
      ranges.push(range);
    } else {
      range.last = line;
    }
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}

/**
 * The coverage as an LCOV tracefile, which editors and coverage services read; modules without a source map are left
 * out. Source of the format: the manual page geninfo(1).
 * @param placeOf where a source of the package is, as seen by the reader of the file
 */
export function coverageLcov(coverage: readonly ModuleCoverage[], placeOf: (path: string) => string): string {
  const records = coverage.flatMap(({ module, functions, lines }) => {
    if (module.lines === undefined) return [];
    const placed = functions.filter(({ line }) => line !== undefined);
    return [
      'TN:',
      `SF:${placeOf(module.lines.path)}`,
      ...placed.map(({ name, line }) => `FN:${line},${name}`),
      ...placed.map(({ name, calls }) => `FNDA:${calls},${name}`),
      `FNF:${placed.length}`,
      `FNH:${placed.filter(({ calls }) => calls > 0).length}`,
      ...lines.map(([line, count]) => `DA:${line},${count}`),
      `LF:${lines.length}`,
      `LH:${lines.filter(([, count]) => count > 0).length}`,
      'end_of_record',
    ];
  });
  return records.map((line) => `${line}\n`).join('');
}
