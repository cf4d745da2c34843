/** What a run of the matrix found, judged and written as docs/hosts.md. */
import type { Row } from './rows.ts';

export interface Reported {
  readonly row: Row;
  readonly version: string;
  /** What came of each use, or undefined if the program did not reach its end. */
  readonly results: Readonly<Record<string, string>> | undefined;
  /** What a failed command said. */
  readonly failure: string | undefined;
}

/** One sentence for each result that the row does not expect. */
export function problemsOf({ row, results, failure }: Reported): string[] {
  const problems = failure === undefined ? [] : [failure];
  if (results === undefined) return [...problems, 'the program did not come to its end'];
  for (const [use, result] of Object.entries(results)) {
    const limit = row.limits?.[use];
    if (limit === undefined ? result !== 'works' : !limit.says.test(result)) problems.push(`${use}: ${result}`);
  }
  return problems;
}

const HEAD = `# Hosts

Where the engine was tested, and which settings it needs there. \`npm run hosts\` writes this page: it packs the package, installs
it as a user would, runs one program in every host, and fails where a row is no longer true. The program opens an engine in memory
and in a directory, runs a view, executes a signed transaction, answers over HTTP, mines a Bitcoin block, follows a Bitcoin node,
tests on forks of a chain, checks a proof, follows a commit log in a directory, tries to open one in PostgreSQL (with the package
\`pg\`, without a server), catches an \`EngineError\`, finds its own line at the top of the stack of a mistake, and ends by
itself. In Vitest, tests also use the chains of \`movelet/vitest\`.

## Installing

The only package with an installation script is \`classic-level\`, LevelDB for Node. It brings prebuilt libraries for Linux,
macOS, Windows and Android; the script only checks that one fits, so it may be skipped (\`npm install --ignore-scripts\`).
pnpm asks first and fails until it has an answer: \`pnpm add --allow-build=classic-level movelet\`; npm 11 only warns.
Engines in memory load no native code.

## What was tested

| host | version | what works | settings, or alternatives |
| --- | --- | --- | --- |
`;

const FOOT = `
Jest and Vitest's vm pools run tests in their own context. Jest's \`require\` does not load ES modules; the package then
takes Node's, so the engine lives outside of that context. Its answers compare as usual, and \`error instanceof EngineError\`
holds; \`instanceof Array\` and \`instanceof Error\` of the test do not (\`Array.isArray\` does).

Each process compiles the code that it loads. From version 22.1 on, Node can cache the result: \`movelet\` commands make it do
so, and a test suite can with \`NODE_COMPILE_CACHE=node_modules/.cache/node\` in the environment of its runner. This takes a
sixth off the time to a first transaction.

Tools that copy the files of a program without bundling them must copy all of \`dist\`, and the packages.

\`npm test\` also passed in a checkout in such an awkward folder on 2026-11-22; it takes minutes, so \`npm run hosts\` leaves it out.

Electron itself was not run: its binary does not come from the npm registry. The bundle for \`electron-main\` ran in
Node.
`;

const worksOf = ({ limits }: Row): string =>
  limits === undefined ? 'all' : `all but: ${Object.keys(limits).join(', ')}`;

/** The versions with which a page says its rows were tried, by host. */
export function versionsOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    page
      .split('\n')
      .map((line) => line.split(' | ', 2) as [string, string])
      .map(([host, version]) => [host.replace('| ', ''), version]),
  );
}

/** The page of rows that hold. */
export function pageOf(reported: readonly Reported[]): string {
  const lines = reported.map((one) => {
    const { host, note, limits = {} } = one.row;
    const hints = [note, ...Object.values(limits).map(({ instead }) => instead)].filter((hint) => hint !== undefined);
    return `| ${host} | ${one.version} | ${worksOf(one.row)} | ${hints.join('; ')} |\n`;
  });
  return HEAD + lines.join('') + FOOT;
}
