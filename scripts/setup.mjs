// Brings a fresh checkout to the point where `npm start` and `npm test` can run: installs the packages of the lock
// file and compiles src to dist, each only when it is missing or older than what it is made from.
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
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

const installed = join(root, 'node_modules', '.package-lock.json');
if (changed(installed) < changed(join(root, 'package-lock.json'))) {
  run('npm ci --no-fund --no-audit', 'installing packages');
}
const built = join(root, 'dist', '.built');
if (changed(built) < Math.max(newest(join(root, 'src')), changed(join(root, 'tsconfig.build.json')))) {
  run('npx tsc -p tsconfig.build.json', 'compiling');
  writeFileSync(built, '');
}
