// `npm run api [-- --tools DIR]`: the API reference, from the doc comments of what the package exports, into build/api.
// Typedoc needs an older compiler than the project: both are installed into a temporary folder, or kept in DIR. Any warning
// is an error. That every exported name has a comment is tested without typedoc (test/declarations.test.ts).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const TOOLS = ['typedoc@0.28', 'typescript@6'];

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { tools: { type: 'string' } } });
const temporary = values.tools === undefined ? mkdtempSync(join(tmpdir(), 'movelet-api-')) : undefined;
const tools = temporary ?? values.tools;
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const doors = Object.values(exports).flatMap(
  (door) => door.default?.types.replace('/dist/', '/src/').replace('.d.ts', '.ts') ?? [],
);

const options = {
  entryPoints: doors.map((door) => join(root, door)),
  tsconfig: join(root, 'tsconfig.build.json'),
  out: join(root, 'build', 'api'),
  name: 'movelet',
  readme: 'none',
  excludePrivate: true,
  // There is no address to link to; the sources are in the package.
  disableSources: true,
  treatWarningsAsErrors: true,
  // What only the members of an exported type name is shown by its name.
  validation: { notExported: false, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: ['Variable', 'Class', 'Interface', 'TypeAlias'],
};

try {
  mkdirSync(tools, { recursive: true });
  if (!existsSync(join(tools, 'package.json'))) writeFileSync(join(tools, 'package.json'), '{ "private": true }');
  if (!existsSync(join(tools, 'node_modules', 'typedoc'))) {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...TOOLS], { cwd: tools, stdio: ['ignore', 2, 2] });
  }
  const file = join(tools, 'typedoc.json');
  writeFileSync(file, JSON.stringify(options));
  const typedoc = join(tools, 'node_modules', 'typedoc', 'bin', 'typedoc');
  execFileSync(process.execPath, [typedoc, '--options', file], { cwd: root, stdio: 'inherit' });
} finally {
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
}
