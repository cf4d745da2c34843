// Builds the playground, a static page with an engine inside, into build/playground: `npm run playground`. It takes what
// `npm run build` made of the package for pages, and the inspector's sources.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param folder where the page goes; what is there is replaced */
export async function buildPlayground(folder = join(root, 'build', 'playground')) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'scripts', 'playground', 'worker.js')],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'error',
  });
  const page = join(folder, 'page.mjs');
  await build({
    entryPoints: [join(root, 'src', 'inspector', 'playground.ts')],
    outfile: page,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const { playgroundHtml } = await import(pathToFileURL(page).href);
  rmSync(page);
  const counter = readFileSync(join(root, 'examples', 'counter', 'sources', 'counter.move'), 'utf8');
  writeFileSync(join(folder, 'index.html'), playgroundHtml(counter));
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await buildPlayground()}\n`);
