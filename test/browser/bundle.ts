/** Programs bundled for a page, as a user's bundler does it: the package by its name, from what was built. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What only Node has: a use of one of these, as a global, is found by the name that it gets here. */
const NODE_ONLY = ['Buffer', 'process', 'setImmediate', 'clearImmediate', 'global', '__dirname', '__filename'];
const FOUND = 'NODE_ONLY_';

export interface Bundle {
  /** By name; the program's is `program.js`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What it uses that only Node has, with some code around it. */
  readonly nodeOnly: readonly string[];
  /**
   * Kilobytes, compressed, of what a page loads before the program runs.
   * @param late files that are counted too, by the names with which theirs begin: what it loads later
   */
  kilobytes(...late: readonly string[]): number;
}

/** @throws for an import that a page cannot have, such as `node:fs` */
export async function bundle(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, sourcefile: 'program.ts', loader: 'ts' },
    // A program that uses this package has it.
    external: ['@roochnetwork/rooch-sdk'],
    entryNames: 'program',
    chunkNames: '[name]-[hash]',
    outdir: root,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
    define: Object.fromEntries(NODE_ONLY.map((name) => [name, FOUND + name])),
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(root.length), contents]));
  const sizeOf = (name: string): number => gzipSync(files.get(name)!).length;
  return {
    files,
    nodeOnly: outputFiles.flatMap(({ text }) => text.match(new RegExp(`.{0,60}${FOUND}.{0,30}`, 'g')) ?? []),
    kilobytes: (...late) => {
      const named = [...files.keys()].filter((file) => late.some((name) => file.startsWith(`${name}-`)));
      return loaded(metafile, ['program.js', ...named]).reduce((sum, name) => sum + sizeOf(name), 0) / 1_000;
    },
  };
}

/** Files, and what they import other than by `import()`. */
function loaded({ outputs }: Metafile, files: readonly string[]): string[] {
  const names = [...files];
  for (const name of names) {
    const next = outputs[name]!.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
    for (const path of next) if (outputs[path] !== undefined && !names.includes(path)) names.push(path);
  }
  return names;
}
