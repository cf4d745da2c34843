/** The hosts of the matrix: how a user's project is run there, and what stands in its way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { checkSuite, writeSuite } from './suite.ts';

export interface Row {
  readonly host: string;
  /** What it is, if the name does not say so. */
  readonly note?: string;
  /** Packages that it needs: the name under which they are installed, and what is. */
  readonly tools: Readonly<Record<string, string>>;
  /** Run by `npm test` too: it takes the tools that the project has. */
  readonly isFast?: boolean;
  /** Builds and runs the program in a folder that has it; throws if a command fails. */
  run(place: Place): Promise<unknown>;
  /** Prints a version. By default it is that of the first tool. */
  version?(place: Place): Promise<string>;
  /** Uses that do not work there, by name: what the program says, and what to do. */
  readonly limits?: Readonly<Record<string, { readonly says: RegExp; readonly instead: string }>>;
}

const NODE = (version: string): string => `npm:node-${process.platform}-${process.arch}@${version}`;
const binary = (tool: string): string => `${tool}/bin/node`;

function nodeVersion(host: string, range: string, tool: string): Row {
  return {
    host,
    tools: { [tool]: NODE(range) },
    run: async (place) => {
      place.install();
      await place.command(place.tool(binary(tool)), 'main.mjs');
    },
    version: (place) => place.command(place.tool(binary(tool)), '--version'),
  };
}

const VITEST = "import { expect, it } from 'vitest';\nimport { run } from './program.mjs';\n";
const RESULTS = '[...new Set(Object.values(await run()))].join()';
const EACH_WORKS = `${RESULTS}).toBe('works')`;

/** The door for Vitest: fixtures and matchers. */
const VITEST_DOOR = `import { expect, test } from 'movelet/vitest';
for (const title of ['has a chain', 'has one of its own']) {
  test(title, async ({ engine, accounts: [alice, bob] }) => {
    expect(engine.status().head.order).toBe(0n);
    const [COIN, { address }] = ['0x3::gas_coin::RGas', bob];
    const call = { function: '0x3::transfer::transfer_coin', typeArguments: [COIN], arguments: [address, 7n] };
    expect(await engine.execute(alice.signTransaction(call))).toBeExecuted();
  }, 120_000);
}
`;

function vitest(pool: string): Row {
  return {
    host: `Vitest, pool ${pool}`,
    tools: { vitest: '4' },
    run: async (place) => {
      place.install();
      place.link('vitest', 'vite');
      place.write('main.test.mjs', `${VITEST}it('runs', async () => expect(${EACH_WORKS}, 120_000);\n`);
      place.write('door.test.mjs', VITEST_DOOR);
      await place.node(place.tool('vitest/vitest.mjs'), 'run', '--pool', pool, '--maxWorkers', '1');
    },
  };
}

const JEST = `const { run } = require('./program.cjs');\ntest('runs', async () => expect(${EACH_WORKS}, 120000);\n`;

function jest(tool: string, version: string): Row {
  return {
    host: `Jest ${version}, ES modules`,
    note: 'with `NODE_OPTIONS=--experimental-vm-modules`',
    tools: { [tool]: `npm:jest@${version}` },
    run: async (place) => {
      place.install();
      place.write(
        'jest.config.json',
        '{ "testMatch": ["**/*.test.mjs"], "transform": {}, "moduleFileExtensions": ["mjs", "js"] }',
      );
      place.write(
        'main.test.mjs',
        `import { run } from './program.mjs';\ntest('runs', async () => expect(${EACH_WORKS}, 120000);\n`,
      );
      writeSuite(place, '');
      place.environment = { NODE_OPTIONS: '--experimental-vm-modules' };
      await place.node(place.tool(`${tool}/bin/jest.js`), '--maxWorkers', '2');
      checkSuite(place);
    },
  };
}

/** Of a test file's own kind: what ts-jest does if it is told nothing. */
function tsJest(): Row {
  return {
    host: 'Jest 30 with ts-jest, CommonJS',
    note: 'the preset as it is',
    tools: { 'ts-jest': '29', jest30: 'npm:jest@30', typescript: '5' },
    run: async (place) => {
      place.install();
      place.link('typescript');
      place.write('package.json', '{ "private": true }');
      place.write(
        'tsconfig.json',
        '{ "compilerOptions": { "module": "commonjs", "esModuleInterop": true, "allowJs": true } }',
      );
      const transform = { '[.][jt]s$': [place.tool('ts-jest'), { diagnostics: false }] };
      place.write('jest.config.json', JSON.stringify({ testMatch: ['**/*.test.ts'], transform }));
      place.write('uses.ts', readFileSync(join(place.folder, 'program.mjs'), 'utf8'));
      place.write(
        'main.test.ts',
        `import { run } from './uses';\ntest('runs', async () => expect(${EACH_WORKS}, 120000);\n`,
      );
      await place.node(place.tool('jest30/bin/jest.js'));
    },
  };
}

function jestCommonJs(tool: string, version: string): Row {
  return {
    host: `Jest ${version}, CommonJS`,
    tools: { [tool]: `npm:jest@${version}` },
    run: async (place) => {
      place.install();
      place.writeCommonJs();
      place.write('jest.config.json', '{ "testMatch": ["**/*.test.cjs"], "transform": {} }');
      place.write('main.test.cjs', JEST);
      await place.node(place.tool(`${tool}/bin/jest.js`));
    },
  };
}

/** A bundle, built where the package is and run where it is not. */
function bundle(host: string, tools: Row['tools'], file: string, build: (place: Place) => Promise<unknown>): Row {
  return {
    host,
    note: '`level` left outside',
    tools,
    run: async (place) => {
      place.install();
      await build(place);
      place.move('out');
      await place.node(file);
    },
  };
}

const ESBUILD = ['--bundle', '--platform=node', '--log-level=error'];
const esbuild = (place: Place, ...args: readonly string[]): Promise<string> =>
  place.command(place.tool('esbuild/bin/esbuild'), ...ESBUILD, 'main.mjs', ...args);

function webpack(host: string, target: string): Row {
  return bundle(host, { webpack: '5' }, 'out/main.cjs', async (place) => {
    const config = {
      mode: 'production',
      target,
      context: place.folder,
      entry: './main.mjs',
      output: { path: `${place.folder}/out`, filename: 'main.cjs' },
      externals: { level: 'commonjs level' },
    };
    const build = `const { default: webpack } = await import(${JSON.stringify(`${place.tool('webpack')}/lib/index.js`)});
      webpack(${JSON.stringify(config)}, (error, stats) => {
        if (error ?? stats.hasErrors()) throw error ?? new Error(stats.toString('errors-only'));
      });`;
    place.write('build.mjs', build);
    await place.node('build.mjs');
  });
}

const STRICTEST = [
  'strict',
  'noUncheckedIndexedAccess',
  'exactOptionalPropertyTypes',
  'noImplicitOverride',
  'noPropertyAccessFromIndexSignature',
  'noFallthroughCasesInSwitch',
  'noImplicitReturns',
  'noUnusedLocals',
  'noUnusedParameters',
  'verbatimModuleSyntax',
].map((flag) => `--${flag}`);

/** A program of CommonJS that imports each door; not those of Vitest, whose own declarations do not pass there. */
function everyDoor(place: Place): string {
  const manifest = readFileSync(join(place.folder, 'node_modules', 'movelet', 'package.json'), 'utf8');
  const doors = Object.keys((JSON.parse(manifest) as { readonly exports: object }).exports);
  const imported = doors.filter((door) => !/vitest|package\.json/.test(door));
  const imports = imported.map((door, index) => `import door${index} = require('${door.replace('.', 'movelet')}');\n`);
  return `${imports.join('')}export = [${imported.map((_, index) => `door${index}`).join(', ')}];\n`;
}

/** The examples of the package as a user's project, declarations of packages included. */
function typescript(tool: string, range: string, hasUsing = true): Row {
  return {
    host: `TypeScript ${range}`,
    note: `compiles the examples under its strictest flags, \`skipLibCheck\` off, as node16, nodenext and bundler resolve modules; CommonJS as node16 and nodenext do${hasUsing ? '' : '; `await using` needs 5.2'}`,
    tools: { [tool]: `npm:typescript@${range}`, '@types/node': '20', '@types/ws': '8', ws: '8', 'fast-check': '4' },
    run: async (place) => {
      place.install();
      place.link('@types', 'ws', 'fast-check');
      const results: Record<string, string> = {};
      const files = place.examples(hasUsing);
      place.write('doors.cts', everyDoor(place));
      for (const [name, module, ...more] of [
        ['node16', 'node16'],
        ['nodenext', 'nodenext'],
        ['bundler', 'esnext', '--moduleResolution', 'bundler'],
      ]) {
        const flags = ['--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--types', 'node', ...STRICTEST];
        const scripts = name === 'bundler' ? [] : ['doors.cts'];
        await place.node(place.tool(`${tool}/bin/tsc`), ...flags, '--module', module!, ...more, ...files, ...scripts);
        results[name!] = 'works';
      }
      place.write('result.json', JSON.stringify(results));
    },
  };
}

const npmVersion = (place: Place): Promise<string> => place.command('npm', '--version');

/** The commands of the README, in a folder whose path has spaces and letters beyond ASCII, behind a symbolic link. */
const README_ROWS: readonly Row[] = [
  {
    host: '`npm install movelet` and `npx movelet serve`',
    note: 'in an empty folder whose path has spaces, letters beyond ASCII and a symbolic link; likewise the next row',
    tools: {},
    run: async (place) => {
      place.moveBehindLink();
      await place.command('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', place.tarball, 'pg');
      await place.node('main.mjs');
      await place.serve('npx', 'movelet', 'serve', '--port', '0');
    },
    version: npmVersion,
  },
  {
    host: '`npm start` in a checkout',
    tools: {},
    run: async (place) => {
      place.moveBehindLink();
      place.checkOut();
      await place.serve('npm', 'start', '--', '--port', '0');
    },
    version: npmVersion,
  },
];

export const ROWS: readonly Row[] = [
  ...README_ROWS,
  nodeVersion('Node 20.19', '20.19', 'node20'),
  nodeVersion('Node 22', '22', 'node22'),
  nodeVersion('Node 24', '24', 'node24'),
  nodeVersion('Node, newest', 'latest', 'nodelatest'),
  {
    host: 'Node, `require` of CommonJS',
    tools: {},
    isFast: true,
    run: async (place) => {
      place.install();
      place.writeCommonJs();
      const isSame = "require('movelet').Engine === (await import('movelet')).Engine";
      place.write('same.cjs', `(async () => { if (!(${isSame})) throw new Error('there are two engines'); })();\n`);
      await place.node('same.cjs');
      await place.node('main.cjs');
    },
    version: async () => process.version,
  },
  {
    host: 'Node, worker thread',
    tools: {},
    isFast: true,
    run: async (place) => {
      place.install();
      place.write(
        'thread.mjs',
        "import { Worker } from 'node:worker_threads';\nnew Worker(new URL('./main.mjs', import.meta.url));\n",
      );
      await place.node('thread.mjs');
    },
    version: async () => process.version,
  },
  {
    host: 'Node, `--disallow-code-generation-from-strings`',
    note: 'Move code is interpreted, more slowly',
    tools: {},
    isFast: true,
    run: async (place) => {
      place.install();
      await place.node('--disallow-code-generation-from-strings', 'main.mjs');
    },
    version: async () => process.version,
  },
  {
    host: "Node's permission model",
    note: '`--permission --allow-fs-read=DIR --allow-fs-write=DIR`; for LevelDB `--allow-addons --allow-fs-read=/etc/alpine-release`, where its loader looks for the C library; from Node 25 `--allow-net` for HTTP',
    tools: { nodelatest: NODE('latest') },
    run: async (place) => {
      place.install();
      await place.command(
        place.tool(binary('nodelatest')),
        '--permission',
        `--allow-fs-read=${place.folder}`,
        // LevelDB's loader looks there for the C library of the machine.
        '--allow-fs-read=/etc/alpine-release',
        `--allow-fs-write=${place.folder}`,
        '--allow-addons',
        '--allow-net',
        'main.mjs',
      );
    },
    limits: {
      'movelet/log': {
        says: /^not-supported: Node's permission model denies what a log in a directory needs: fsync API is disabled/,
        instead: 'a commit log needs PostgreSQL there, since Node denies `fsync`',
      },
    },
  },
  {
    host: 'Bun',
    tools: { bun: 'latest' },
    run: async (place) => {
      place.install();
      await place.command(place.tool('.bin/bun'), 'main.mjs');
    },
    version: (place) => place.command(place.tool('.bin/bun'), '--version'),
  },
  {
    host: 'Deno',
    note: 'with `--allow-all`',
    tools: { deno: 'latest' },
    run: async (place) => {
      place.install();
      place.environment = { DENO_DIR: `${place.folder}/deno`, DENO_NO_UPDATE_CHECK: '1' };
      await place.command(place.tool('.bin/deno'), 'run', '--allow-all', 'main.mjs');
    },
  },
  {
    host: 'tsx',
    tools: { tsx: '4' },
    isFast: true,
    run: async (place) => {
      place.install();
      place.write('main.ts', "import { run } from './program.mjs';\nvoid run();\n");
      await place.node(place.tool('tsx/dist/cli.mjs'), 'main.ts');
    },
  },
  {
    host: 'node:test',
    tools: {},
    isFast: true,
    run: async (place) => {
      place.install();
      place.write(
        'main.test.mjs',
        `import { equal } from 'node:assert/strict';
        import { test } from 'node:test';
        import { run } from './program.mjs';
        test('runs', async () => equal(${RESULTS}, 'works'));`,
      );
      writeSuite(place, "import { after as afterAll, test } from 'node:test';");
      await place.node('--test', '--test-concurrency=2');
      checkSuite(place);
    },
    version: async () => process.version,
  },
  {
    host: 'Mocha',
    tools: { mocha: 'latest' },
    run: async (place) => {
      place.install();
      place.write(
        'test/main.mjs',
        `import { equal } from 'node:assert/strict';
        import { run } from '../program.mjs';
        it('runs', async () => equal(${RESULTS}, 'works')).timeout(120000);`,
      );
      await place.node(place.tool('mocha/bin/mocha.js'), 'test/main.mjs');
    },
  },
  ...['forks', 'threads', 'vmThreads', 'vmForks'].map(vitest),
  jest('jest29', '29'),
  jest('jest30', '30'),
  jestCommonJs('jest29', '29'),
  jestCommonJs('jest30', '30'),
  tsJest(),
  {
    host: 'Jest 30 with ts-jest, ES modules',
    note: 'with `NODE_OPTIONS=--experimental-vm-modules` and `useESM`',
    tools: { 'ts-jest': '29', jest30: 'npm:jest@30', typescript: '5' },
    run: async (place) => {
      place.install();
      place.link('typescript');
      const config = {
        testMatch: ['**/*.test.ts'],
        extensionsToTreatAsEsm: ['.ts'],
        transform: {
          '\\.ts$': [place.tool('ts-jest'), { useESM: true, tsconfig: 'tsconfig.json', diagnostics: false }],
        },
      };
      place.write('jest.config.json', JSON.stringify(config));
      place.write(
        'tsconfig.json',
        '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "isolatedModules": true, "allowJs": true } }',
      );
      place.write(
        'main.test.ts',
        `import { run } from './program.mjs';\ntest('runs', async () => expect(${EACH_WORKS}, 120000);\n`,
      );
      place.environment = { NODE_OPTIONS: '--experimental-vm-modules' };
      await place.node(place.tool('jest30/bin/jest.js'));
    },
  },
  {
    ...bundle('esbuild, ES module', { esbuild: 'latest' }, 'out/main.mjs', (place) =>
      esbuild(place, '--format=esm', '--external:level', '--external:pg', '--external:ws', '--outfile=out/main.mjs'),
    ),
    note: '`level` left outside, and `pg` and `ws` too: they are CommonJS, whose `require` such a bundle does not have',
  },
  {
    ...bundle('esbuild, CommonJS', { esbuild: 'latest' }, 'out/main.cjs', (place) =>
      esbuild(place, '--format=cjs', '--external:level', '--outfile=out/main.cjs'),
    ),
    isFast: true,
  },
  {
    ...bundle('esbuild, everything in one file', { esbuild: 'latest' }, 'out/main.cjs', (place) =>
      esbuild(place, '--format=cjs', '--outfile=out/main.cjs'),
    ),
    isFast: true,
    note: 'LevelDB’s library is no part of a bundle, and the error says so',
    limits: {
      directory: {
        says: /^store-failed: LevelDB, which has a native part, cannot be loaded .* leave the package level outside/,
        instead: '`--external:level`',
      },
    },
  },
  {
    ...bundle('rolldown', { rolldown: 'latest' }, 'out/main.js', (place) =>
      place.node(
        place.tool('rolldown/bin/cli.mjs'),
        'main.mjs',
        '--platform',
        'node',
        '--external',
        'level',
        '-d',
        'out',
      ),
    ),
  },
  {
    ...bundle('Bun, bundle for Node', { bun: 'latest' }, 'out/main.mjs', (place) => {
      const own = ['--external', 'level', '--external', 'pg', '--external', 'ws'];
      return place.command(
        place.tool('.bin/bun'),
        'build',
        '--target=node',
        ...own,
        'main.mjs',
        '--outfile=out/main.mjs',
      );
    }),
    note: '`level` left outside, and `pg` and `ws` too',
    version: (place) => place.command(place.tool('.bin/bun'), '--version'),
  },
  webpack('webpack, target node', 'node'),
  webpack('webpack, target electron-main', 'electron-main'),
  bundle('Vite, server build', { vite: 'latest' }, 'out/main.js', (place) => {
    place.write(
      'vite.config.mjs',
      "export default { ssr: { noExternal: true, external: ['level'] }, build: { ssr: 'main.mjs', outDir: 'out' } };\n",
    );
    return place.node(place.tool('vite/bin/vite.js'), 'build', '--logLevel', 'error');
  }),
  {
    host: 'Yarn, Plug’n’Play',
    tools: { yarn: 'npm:@yarnpkg/cli-dist@4' },
    run: async (place) => {
      place.write(
        'package.json',
        JSON.stringify({ type: 'module', dependencies: { movelet: `file:${place.tarball}`, pg: '8' } }),
      );
      place.write('yarn.lock', '');
      place.write('.yarnrc.yml', 'nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\n');
      place.environment = { YARN_NPM_REGISTRY_SERVER: place.registry, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };
      const yarn = place.tool('yarn/bin/yarn.js');
      await place.node(yarn, 'install');
      await place.node(yarn, 'node', 'main.mjs');
    },
  },
  {
    host: 'pnpm',
    note: 'with `--allow-build=classic-level`; `false` for it under `allowBuilds` does as well',
    tools: { pnpm: 'latest' },
    run: async (place) => {
      await place.node(place.tool('pnpm/bin/pnpm.mjs'), 'add', '--allow-build=classic-level', place.tarball, 'pg');
      await place.node('main.mjs');
    },
  },
  typescript('typescript50', '5.0', false),
  typescript('typescript59', '5.9'),
  typescript('typescript6', '6'),
  typescript('typescript7', '7'),
];
