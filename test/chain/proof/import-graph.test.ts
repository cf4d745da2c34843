/** The door `movelet/proof` for those who only verify: what it loads, and how much that is. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Hashes, and the codecs of what is shown. */
const PLACES =
  /^src\/(?:base|move|chain\/(?:object|transaction|value|proof)|store\/(?:tree|accumulator))\/|^src\/bitcoin\/[^/]*$/;
const PACKAGES = ['@noble/hashes', '@scure/base'];

/** Files of the tree unit that hold no tree: the form of nodes and keys, and the check. */
const TREE = ['nibble.ts', 'node.ts', 'proof.ts'];

const BYTES_MAX = 80 * 1024;

describe('the verifier', () => {
  it('imports hashes and codecs, and nothing of an engine', async () => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['src/chain/proof/index.ts'],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
    });
    const inputs = Object.entries(metafile.inputs)
      .filter(([path]) => !path.startsWith('(disabled)'))
      .map(([path]) => path);
    const strangers = inputs.filter((path) => {
      if (!path.startsWith('node_modules/')) return !PLACES.test(path);
      return !PACKAGES.some((name) => path.startsWith(`node_modules/${name}/`));
    });
    expect(inputs.length).toBeGreaterThan(10);
    expect(strangers).toEqual([]);
    const ofTree = inputs
      .filter((path) => path.startsWith('src/store/tree/'))
      .map((path) => path.slice('src/store/tree/'.length));
    expect(ofTree.sort()).toEqual(TREE);
    expect(outputFiles[0]!.contents.length).toBeLessThan(BYTES_MAX);
  });

  const built = `${root}dist/chain/proof/index.js`;
  const note = existsSync(built) ? '' : ' (skipped: dist is not built; npm test builds it)';
  it.skipIf(!existsSync(built))(`is one file that imports packages alone${note}`, () => {
    const text = readFileSync(built, 'utf8');
    const imported = [...text.matchAll(/^import .*?"(.*?)";$/gm)].map(([, name]) => name!);
    expect(
      imported.filter((name) => !PACKAGES.some((known) => name.startsWith(`${known}/`) || name === known)),
    ).toEqual([]);
    expect(text).not.toMatch(/\bimport\(|\brequire\(/m);
  });
});
