// Brings a fresh checkout to the point where `npm start` and `npm test` can run: installs the packages of the lock
// file and compiles src to dist, each only when it is missing or older than what it is made from.
import { execSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const changed = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const newest = (directory) =>
  readdirSync(directory, { withFileTypes: true, recursive: true }).reduce(
    (latest, entry) => Math.max(latest, changed(join(entry.parentPath, entry.name))),
    changed(directory),
  );
const run = (command, why) => {
  process.stderr.write(`${why}: ${command}\n`);
  execSync(command, { cwd: root, stdio: ['ignore', 2, 2] });
};

// A linked node_modules belongs to another checkout, and `npm ci` would empty it under those who use it.
const packages = join(root, 'node_modules');
const isLinked = lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink() === true;
const installed = join(packages, '.package-lock.json');
if (!isLinked && changed(installed) < changed(join(root, 'package-lock.json'))) {
  run('npm ci --no-fund --no-audit', 'installing packages');
}
const built = join(root, 'dist', 'local-genesis.rows');
const recipes = ['tsconfig.build.json', 'scripts/build.mjs'].map((file) => changed(join(root, file)));
if (changed(built) < Math.max(newest(join(root, 'src')), ...recipes)) run('node scripts/build.mjs', 'compiling');
