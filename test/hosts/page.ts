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

Where the engine was tested, and what to set there. \`npm run hosts\` writes this page: it packs the package, installs it as a user
would, runs one program in every host, and fails where a row no longer holds. The program opens an engine in memory and in a
directory, runs a view, executes a signed transaction, answers over HTTP, mines a Bitcoin block, follows a Bitcoin node, tests on
forks of a chain, checks a proof, follows a commit log in a directory, asks for one in PostgreSQL (with the
package \`pg\`, without a server), catches an \`EngineError\`, finds its own line at the top of the stack of a mistake, and ends by itself. In Vitest, tests also use the chains of
\`movelet/vitest\`.

## Installing

The one package with an installation script is \`classic-level\`, LevelDB for Node. It brings prebuilt libraries for Linux,
macOS, Windows and Android; the script only looks whether one fits, so it may be left out (\`npm install --ignore-scripts\`).
pnpm asks first and fails until it has an answer: \`pnpm add --allow-build=classic-level movelet\`; npm 11 warns, and needs none.
Engines in memory load no native code.

## What was tried

| host | version | what works | to set, or to do instead |
| --- | --- | --- | --- |
`;

const FOOT = `
Jest and Vitest's vm pools run tests in a context of their own. Jest's \`require\` does not load ES modules; the package then
takes Node's, so the engine lives outside of that context. Its answers compare as usual, and \`error instanceof EngineError\`
holds; \`instanceof Array\` and \`instanceof Error\` of the test do not (\`Array.isArray\` does).

Each process compiles the code that it loads. From version 22.1 on, Node can keep what it compiled: \`movelet\` commands tell it
to, and so can a test suite, with \`NODE_COMPILE_CACHE=node_modules/.cache/node\` in the environment of its runner. A first
transaction then comes a sixth sooner.

What copies the files that a program needs, and bundles nothing, has to copy all of \`dist\`, and the packages.

\`npm test\` passed in a checkout in such an awkward folder, too, on 2026-11-22; it takes minutes, so \`npm run hosts\` leaves it out.

Electron itself was not run: its binary comes from elsewhere than the registry of npm. The bundle for \`electron-main\` ran in
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
