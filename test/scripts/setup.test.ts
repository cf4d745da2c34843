import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../store/temporary.ts';

const SETUP = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url));
const directory = temporaryDirectories();

/** A checkout with its packages installed, whose build is one empty file. */
function checkout(name: string): string {
  const folder = join(directory(), name);
  for (const path of ['scripts', 'src', 'node_modules']) mkdirSync(join(folder, path), { recursive: true });
  const build =
    "import { mkdirSync, writeFileSync } from 'node:fs';\nmkdirSync('dist');\nwriteFileSync('dist/local-genesis.rows', '');\n";
  const files = {
    'package-lock.json': '{}',
    'tsconfig.build.json': '{}',
    'src/index.ts': '',
    'scripts/build.mjs': build,
    'node_modules/.package-lock.json': '{}',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const past = new Date(0);
  utimesSync(join(folder, 'package-lock.json'), past, past);
  cpSync(SETUP, join(folder, 'scripts', 'setup.mjs'));
  return folder;
}

function setUp(folder: string): void {
  execFileSync(process.execPath, [join(folder, 'scripts', 'setup.mjs')], { stdio: 'pipe' });
}

describe('setting a checkout up', () => {
  it.each(['plain', 'a space', 'größe 名', 'per%20cent#?'])('builds in a folder named %j', (name) => {
    const folder = checkout(name);
    setUp(folder);
    expect(existsSync(join(folder, 'dist', 'local-genesis.rows'))).toBe(true);
  });

  it('builds in a folder behind a symbolic link', () => {
    const folder = checkout('a folder');
    const link = join(directory(), 'a link');
    symlinkSync(folder, link);
    setUp(link);
    expect(existsSync(join(folder, 'dist', 'local-genesis.rows'))).toBe(true);
  });
});
