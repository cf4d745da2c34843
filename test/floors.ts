/**
 * The floors of `src` and the check that its imports only point down.
 *
 * The table is section 2 of the architecture: a file belongs to its first folder (or is itself a unit, at the root of
 * `src`), a unit has a floor, and a file imports only from its own unit and from lower floors, but for the sideways
 * steps listed here. Imports are found by line: each starts one, as the formatter leaves them.
 */

/** Every unit of src and its floor. `error.ts`, `config.ts`, `log.ts` and `argument.ts` lie under all others. */
export const FLOORS: Readonly<Record<string, number>> = {
  'json-rpc.ts': 0,
  'http-address.ts': 0,
  'closing.ts': 0,
  bytes: 0,
  hash: 0,
  bcs: 1,
  move: 2,
  object: 2,
  transaction: 2,
  bitcoin: 2,
  value: 3,
  store: 3,
  tree: 3,
  accumulator: 3,
  signature: 3,
  vm: 4,
  state: 4,
  ledger: 4,
  index: 4,
  proof: 4,
  'module-sources.ts': 4,
  runtime: 5,
  'bitcoin-move': 5,
  native: 5,
  bindings: 5,
  compile: 5,
  framework: 5,
  intrinsic: 5,
  genesis: 5,
  trace: 6,
  pipeline: 6,
  ingest: 6,
  'commit-log': 6,
  archive: 6,
  recording: 6,
  verify: 6,
  query: 6,
  'engine-options.ts': 7,
  'engine-bitcoin.ts': 7,
  'execution.ts': 7,
  'open.ts': 7,
  'submission.ts': 7,
  'tracing.ts': 7,
  'listener.ts': 7,
  'brief-clock.ts': 7,
  'long-steps.ts': 7,
  'chain-time.ts': 7,
  'controls.ts': 7,
  'snapshots.ts': 7,
  'present.ts': 7,
  'fixtures.ts': 7,
  'prune.ts': 7,
  'order-waits.ts': 7,
  'recordings.ts': 7,
  'engine-core.ts': 7,
  'engine.ts': 7,
  'replay.ts': 7,
  workers: 7,
  rpc: 8,
  follower: 8,
  'unit-test': 8,
  chaos: 8,
  transport: 9,
  'rooch.ts': 9,
  testing: 10,
  'test.ts': 10,
  'vitest.ts': 10,
  'transaction-builder.ts': 10,
  'codecs.ts': 10,
  'index.ts': 10,
  cli: 10,
  'cli.ts': 10,
};

/** Units that any other may read. They read none, except those listed before them here. */
const GROUND: readonly string[] = ['error.ts', 'config.ts', 'log.ts', 'argument.ts'];

/**
 * Steps between units of one floor. `bitcoin` says under which object ids the chain keeps UTXOs and inscriptions, which
 * are hashes of Move types; the command line is a file for the program and a folder of commands, which build
 * transactions as any program does.
 */
export const SIDEWAYS: Readonly<Record<string, readonly string[]>> = {
  hash: ['bytes'],
  object: ['move'],
  transaction: ['move', 'object'],
  bitcoin: ['move'],
  'open.ts': ['engine-options.ts', 'execution.ts'],
  'submission.ts': ['open.ts', 'tracing.ts'],
  'tracing.ts': ['open.ts'],
  'chain-time.ts': ['open.ts', 'submission.ts'],
  'engine-bitcoin.ts': ['open.ts'],
  'controls.ts': ['open.ts', 'submission.ts'],
  'present.ts': ['open.ts'],
  'snapshots.ts': ['chain-time.ts'],
  'long-steps.ts': ['brief-clock.ts', 'open.ts'],
  workers: ['long-steps.ts', 'open.ts', 'present.ts', 'submission.ts', 'tracing.ts'],
  'recordings.ts': ['open.ts'],
  'engine-core.ts': [
    'brief-clock.ts',
    'chain-time.ts',
    'controls.ts',
    'engine-bitcoin.ts',
    'long-steps.ts',
    'open.ts',
    'order-waits.ts',
    'present.ts',
    'prune.ts',
    'recordings.ts',
    'snapshots.ts',
    'submission.ts',
    'tracing.ts',
  ],
  'engine.ts': [
    'chain-time.ts',
    'controls.ts',
    'engine-bitcoin.ts',
    'engine-core.ts',
    'engine-options.ts',
    'fixtures.ts',
    'listener.ts',
    'long-steps.ts',
    'open.ts',
    'prune.ts',
    'snapshots.ts',
    'submission.ts',
    'tracing.ts',
  ],
  signature: ['value'],
  index: ['ledger'],
  native: ['runtime'],
  'bitcoin-move': ['runtime'],
  intrinsic: ['bitcoin-move', 'framework', 'runtime'],
  genesis: ['framework', 'runtime', 'bitcoin-move'],
  pipeline: ['trace'],
  query: ['trace'],
  ingest: ['pipeline'],
  'commit-log': ['pipeline', 'query', 'verify'],
  archive: ['commit-log', 'pipeline'],
  recording: ['pipeline'],
  'replay.ts': ['engine.ts', 'engine-options.ts', 'open.ts', 'snapshots.ts'],
  verify: ['pipeline'],
  cli: ['transaction-builder.ts'],
  'test.ts': ['testing'],
  'vitest.ts': ['testing'],
  'cli.ts': ['cli'],
};

/**
 * All arrows between units: whose files import whose, by type or by value; the ground is left out. The table allows
 * nothing that the floors forbid. An arrow that is missing is added here on purpose, and one that nobody needs is removed.
 */
export const ARROWS: Readonly<Record<string, string>> = {
  hash: 'bytes',
  bcs: 'bytes',
  move: 'bcs bytes',
  object: 'bcs bytes hash move',
  transaction: 'bcs bytes hash move object',
  bitcoin: 'bcs bytes hash move',
  value: 'bitcoin bytes move object transaction',
  store: 'bcs bytes hash object',
  tree: 'bcs bytes hash',
  accumulator: 'bcs bytes hash',
  signature: 'bcs bitcoin bytes hash move transaction value',
  vm: 'bcs bytes move',
  state: 'bcs bytes move object store tree value',
  ledger: 'accumulator bcs bytes object store transaction tree',
  index: 'bcs bytes hash ledger move object store transaction',
  proof: 'accumulator bcs bytes hash object transaction tree value',
  runtime: 'bcs bytes hash move object state transaction tree vm',
  'bitcoin-move': 'bcs bitcoin bytes hash index move object runtime state transaction',
  bindings: 'move vm',
  'module-sources.ts': 'bytes hash',
  compile: 'bcs module-sources.ts move vm',
  native: 'bcs bitcoin bytes hash move object runtime vm',
  framework: 'bcs bytes move object state transaction',
  intrinsic: 'bcs bitcoin bitcoin-move bytes framework hash move object runtime signature state transaction',
  genesis: 'bcs bitcoin bitcoin-move bytes framework hash move object runtime transaction tree',
  trace: 'framework module-sources.ts move object runtime state value vm',
  pipeline:
    'accumulator bcs bitcoin bitcoin-move bytes framework genesis hash index intrinsic ledger move native object runtime state store trace transaction tree value vm',
  ingest: 'bcs bitcoin bitcoin-move bytes ledger move object pipeline runtime state transaction tree value',
  'commit-log':
    'accumulator bcs bitcoin bytes hash index ledger move object pipeline query state store transaction tree verify',
  archive: 'bcs bytes commit-log hash http-address.ts ledger pipeline store tree',
  recording: 'bcs bitcoin-move bytes framework ledger move pipeline state store',
  verify:
    'accumulator bcs bitcoin-move bytes framework genesis index ledger move object pipeline state store transaction tree',
  query:
    'accumulator bcs bitcoin bitcoin-move bytes framework hash index ledger move object proof runtime signature state store trace transaction tree value vm',
  'execution.ts': 'bitcoin genesis hash ingest pipeline query recording runtime signature trace vm',
  'engine-options.ts': 'bitcoin bytes commit-log genesis ingest ledger store tree value',
  'listener.ts': 'ledger pipeline query',
  'present.ts': 'ledger open.ts query state store tree',
  'submission.ts': 'bcs object open.ts pipeline query signature state trace tracing.ts transaction tree value vm',
  'tracing.ts': 'bytes ledger open.ts query trace value vm',
  'open.ts':
    'archive bitcoin-move bytes commit-log engine-options.ts execution.ts framework hash ingest ledger pipeline state store tree',
  'engine-bitcoin.ts': 'bitcoin bitcoin-move ingest open.ts pipeline query value',
  'brief-clock.ts': 'vm',
  'long-steps.ts': 'brief-clock.ts open.ts pipeline query',
  'chain-time.ts': 'ledger open.ts pipeline query state submission.ts',
  'controls.ts': 'object open.ts pipeline query submission.ts transaction value',
  'snapshots.ts': 'chain-time.ts ledger pipeline store',
  'fixtures.ts': 'bytes closing.ts ledger',
  'prune.ts': 'pipeline',
  'order-waits.ts': 'pipeline',
  'recordings.ts': 'closing.ts ledger open.ts pipeline query recording',
  'engine-core.ts':
    'bitcoin-move brief-clock.ts chain-time.ts closing.ts commit-log controls.ts engine-bitcoin.ts ledger long-steps.ts open.ts order-waits.ts pipeline present.ts prune.ts query recordings.ts snapshots.ts submission.ts tracing.ts',
  'engine.ts':
    'chain-time.ts controls.ts engine-bitcoin.ts engine-core.ts engine-options.ts fixtures.ts ledger listener.ts long-steps.ts open.ts pipeline prune.ts query recording snapshots.ts store submission.ts trace tracing.ts value',
  'replay.ts':
    'bitcoin bytes engine-options.ts engine.ts framework ledger open.ts pipeline recording snapshots.ts store transaction',
  workers:
    'bytes ledger long-steps.ts module-sources.ts open.ts pipeline present.ts query state store submission.ts trace tracing.ts tree vm',
  rpc: 'bcs bitcoin bitcoin-move bytes chain-time.ts controls.ts engine-bitcoin.ts json-rpc.ts ledger long-steps.ts move object pipeline proof query snapshots.ts state store trace transaction value vm workers',
  chaos: 'bitcoin engine.ts framework ledger store',
  follower: 'bitcoin bytes engine.ts hash http-address.ts query',
  'unit-test': 'compile engine.ts framework module-sources.ts move runtime trace vm',
  transport: 'http-address.ts json-rpc.ts rpc',
  'rooch.ts': 'rpc',
  testing:
    'bytes engine-options.ts engine.ts framework hash move pipeline query recording rooch.ts rpc trace transaction transport value',
  'test.ts': 'testing',
  'vitest.ts': 'engine.ts query rooch.ts testing value',
  'transaction-builder.ts': 'bcs move query signature transaction value',
  'codecs.ts': 'accumulator bcs bytes move object transaction tree',
  'index.ts':
    'bitcoin-move chain-time.ts commit-log controls.ts engine-options.ts engine.ts framework ingest ledger listener.ts module-sources.ts pipeline proof prune.ts query recording replay.ts snapshots.ts state store submission.ts trace tracing.ts value',
  cli: 'archive bcs bindings bitcoin bytes closing.ts commit-log compile engine-options.ts engine.ts follower framework http-address.ts json-rpc.ts ledger module-sources.ts move pipeline query replay.ts rpc runtime store transaction transaction-builder.ts transport unit-test value verify vm',
  'cli.ts': 'cli',
};

/**
 * Circles of files whose types name each other, each with its reason. None of them loads in a circle: what a file runs
 * when it is imported never depends on which came first.
 */
export const CIRCLES: readonly (readonly string[])[] = [
  // The interpreter runs the table of handlers; a handler acts on the interpreter's state.
  ['vm/interpret/handlers.ts', 'vm/interpret/interpreter.ts'],
  // A function instance has a body, whose calls are instances of functions, which keep their instances.
  ['vm/link/function-body.ts', 'vm/link/function-instance.ts', 'vm/link/loaded-module.ts'],
  // The writer of a block hands each family of instructions to a file of its own, which writes into that block.
  [
    'vm/translate/block.ts',
    'vm/translate/reference-block.ts',
    'vm/translate/value-block.ts',
    'vm/translate/vector-block.ts',
  ],
];

/** Units that may be seen as types only: an interface of the engine, never the engine. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  rpc: ['engine.ts', 'pipeline', 'ingest', 'verify', 'query', 'trace'],
  transport: ['rpc'],
};

/** All that a unit reads, if its floor alone would allow more. */
const READS_ONLY: Readonly<Record<string, readonly string[]>> = {
  transport: ['bytes', 'hash', 'http-address.ts', 'json-rpc.ts', 'rpc'],
};

/** What a unit does not reach through any chain of imports. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  vm: ['store', 'tree', 'object'],
  // Whoever bundles the package without `movelet/compile` gets nothing of it.
  'index.ts': ['compile', 'unit-test'],
  transport: ['compile', 'unit-test'],
  'test.ts': ['compile', 'unit-test'],
  'vitest.ts': ['compile', 'unit-test'],
};

/**
 * What is loaded late, by an awaited `import()`: the machine, by what opens an engine; the bytecode of the framework,
 * if a genesis is computed; LevelDB, if a store is a directory; the commit log and archives, if there are any.
 */
const LATE: Readonly<Record<string, readonly string[]>> = {
  'open.ts': ['execution.ts', 'hash/libsecp256k1.ts', 'commit-log/membership.ts', 'archive/bootstrap.ts'],
  'pipeline/local-chain.ts': ['genesis/framework-genesis.ts'],
  'verify/genesis-hash.ts': ['genesis/framework-genesis.ts'],
  'store/open.ts': ['store/directory.ts'],
  'cli.ts': ['cli/main.ts'],
  'cli/log-options.ts': ['commit-log/postgres.ts', 'commit-log/directory-log.ts'],
  'cli/archive.ts': ['archive/archive-writer.ts', 'archive/manifest.ts', 'archive/restore.ts'],
  'cli/restore.ts': ['archive/archive.ts', 'archive/restore.ts'],
  'cli/verify.ts': ['archive/archive.ts', 'archive/manifest.ts', 'archive/verification.ts'],
};

/** What the door of the package loads only late. */
const LATE_UNITS: readonly string[] = ['vm', 'native', 'runtime', 'trace', 'ingest', 'execution.ts'];

/** Who may import from Node. */
const NODE_UNITS: readonly string[] = [
  'hash',
  'store',
  'commit-log',
  'archive',
  'transport',
  'genesis',
  'compile',
  'workers',
  'testing',
  'follower',
  'chaos',
  'cli',
  'cli.ts',
];

/** Who may import a package: a unit, one file, or anyone. */
const PACKAGES: Readonly<Record<string, string>> = {
  'bigint-buffer': 'bytes/bigint.ts',
  '@noble/hashes': 'hash',
  '@bitauth/libauth': 'hash',
  '@noble/curves': '*',
  '@scure/base': '*',
  level: 'store',
  'abstract-level': 'store',
  'json-rpc-2.0': 'rpc',
  pg: 'commit-log',
  ws: 'transport',
  vitest: 'vitest.ts',
};

const SUBJECTLESS = /^(?:utils?|helpers?|common|misc|types)$/;

/** Source text by path under src, with `/` between folders. */
export type SourceFiles = ReadonlyMap<string, string>;

interface Import {
  readonly specifier: string;
  /** Erased by the compiler; `import { type A }` is not, under verbatimModuleSyntax. */
  readonly typeOnly: boolean;
  /** A call of `import()`. */
  readonly late: boolean;
}

/** One sentence for each departure from the rules; none for a sound tree. */
export function floorViolations(files: SourceFiles): string[] {
  const graph = new Map<string, readonly string[]>();
  const loading = new Map<string, readonly string[]>();
  const atOnce = new Map<string, readonly string[]>();
  const violations: string[] = [];
  for (const [path, source] of files) {
    violations.push(...nameViolations(path));
    const targets: string[] = [];
    const loaded: string[] = [];
    const loadedAtOnce: string[] = [];
    for (const { specifier, typeOnly, late } of importsOf(source)) {
      if (!specifier.startsWith('.')) {
        violations.push(...packageViolations(path, specifier));
        continue;
      }
      const target = resolve(path, specifier);
      if (!files.has(target)) violations.push(`${path} imports ${specifier}, which is no file of src`);
      targets.push(target);
      if (!typeOnly) loaded.push(target);
      if (!typeOnly && !late) loadedAtOnce.push(target);
      const arrows = arrowViolations(path, target, typeOnly);
      violations.push(...arrows);
      if (late && arrows.length === 0 && LATE[path]?.includes(target) !== true) {
        violations.push(`${path} loads ${target} late: LATE of test/floors.ts has it not`);
      }
    }
    graph.set(path, targets);
    loading.set(path, loaded);
    atOnce.set(path, loadedAtOnce);
    violations.push(...nodeViolations(path, source));
  }
  violations.push(...unknownViolations(graph), ...cycleViolations(loading), ...lateViolations(atOnce));
  return violations;
}

/** The arrows of a tree, in the form of `ARROWS`. */
export function arrowsOf(files: SourceFiles): Record<string, string> {
  const arrows: Record<string, string> = {};
  for (const unit of Object.keys(FLOORS)) {
    const targets = [...files].flatMap(([path, source]) => (unitOf(path) === unit ? targetsOf(path, source) : []));
    const units = new Set(targets.map(unitOf).filter((to) => to !== unit && !GROUND.includes(to)));
    if (units.size > 0) arrows[unit] = [...units].sort().join(' ');
  }
  return arrows;
}

/** The circles of a tree, in the form of `CIRCLES`, whether its imports load or name types only. */
export function circlesOf(files: SourceFiles): string[][] {
  const graph = new Map([...files].map(([path, source]) => [path, targetsOf(path, source)]));
  const reachable = new Map([...graph.keys()].map((path) => [path, reachedFrom(path, graph)]));
  const circles = new Map<string, string[]>();
  for (const [path, reached] of reachable) {
    if (!reached.has(path)) continue;
    const circle = [...reached].filter((other) => reachable.get(other)?.has(path)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.keys()].sort().map((key) => circles.get(key)!);
}

function reachedFrom(path: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(graph.get(path));
  for (const each of reached) for (const next of graph.get(each) ?? []) reached.add(next);
  return reached;
}

function targetsOf(path: string, source: string): string[] {
  return importsOf(source)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => resolve(path, specifier));
}

/** The statements `import .. from`, `export .. from`, `import '..'` at the start of a line, and calls of `import()`. */
function importsOf(source: string): Import[] {
  const statement =
    /^(?:import|export)\s+(type\s+)?(?:(?:[\w$]+\s*,?\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})?\s*from\s*)?['"]([^'"]+)['"]/gm;
  const call = /^(?!\s*(?:\*|\/\/)).*(?<!typeof )\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  return [
    ...[...source.matchAll(statement)].map(([, type, specifier]) => ({
      specifier: specifier!,
      typeOnly: type !== undefined,
      late: false,
    })),
    ...[...source.matchAll(call)].map(([, specifier]) => ({ specifier: specifier!, typeOnly: false, late: true })),
  ];
}

function unitOf(path: string): string {
  return path.split('/')[0]!;
}

function resolve(path: string, specifier: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function nameViolations(path: string): string[] {
  const found: string[] = [];
  const unit = unitOf(path);
  if (FLOORS[unit] === undefined && !GROUND.includes(unit)) {
    found.push(`${path} has no floor: add ${unit} to the table of test/floors.ts`);
  }
  for (const part of path.split('/')) {
    if (SUBJECTLESS.test(part.replace(/\..*$/, ''))) found.push(`${path}: "${part}" names no subject`);
  }
  return found;
}

function arrowViolations(path: string, target: string, typeOnly: boolean): string[] {
  const [from, to] = [unitOf(path), unitOf(target)];
  if (from === to || (GROUND.includes(to) && !GROUND.includes(from))) return [];
  if (GROUND.includes(from)) {
    const isBefore = GROUND.includes(to) && GROUND.indexOf(to) < GROUND.indexOf(from);
    return isBefore ? [] : [`${path} imports ${target}: ${from} lies under all others`];
  }
  const [floor, below] = [FLOORS[from], FLOORS[to]];
  if (floor === undefined || below === undefined) return [];
  const found: string[] = [];
  if (below > floor) found.push(`${path} imports ${target}: floor ${floor} imports floor ${below}, upwards`);
  if (below === floor && !(SIDEWAYS[from] ?? []).includes(to)) {
    found.push(`${path} imports ${target}: both are of floor ${floor}, sideways`);
  }
  if (!typeOnly && (TYPES_ONLY[from] ?? []).includes(to)) {
    found.push(`${path} imports ${target}: ${from} sees ${to} as an interface, by import type`);
  }
  if (!(READS_ONLY[from] ?? [to]).includes(to)) found.push(`${path} imports ${target}: ${from} does not read ${to}`);
  return found;
}

function packageViolations(path: string, specifier: string): string[] {
  if (specifier.startsWith('node:')) return [];
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const owner = PACKAGES[name];
  if (owner === undefined) return [`${path} imports the package ${name}, which src does not use`];
  return owner === '*' || owner === path || owner === unitOf(path)
    ? []
    : [`${path} imports the package ${name}, which stands behind ${owner}`];
}

/** Looks at every string that names a Node module, so that `require` and `getBuiltinModule` count too. */
function nodeViolations(path: string, source: string): string[] {
  if (NODE_UNITS.includes(unitOf(path))) return [];
  const lines = source.split('\n').filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line));
  const names = [...lines.join('\n').matchAll(/['"`](node:[\w/]+)['"`]/g)].map(([, name]) => name!);
  return [...new Set(names)].map((name) => `${path} names ${name}: only ${NODE_UNITS.join(', ')} do`);
}

function unknownViolations(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  for (const [unit, strangers] of Object.entries(UNKNOWN)) {
    const parents = new Map<string, string>();
    const waiting = [...graph.keys()].filter((path) => unitOf(path) === unit);
    for (const path of waiting) {
      for (const target of graph.get(path) ?? []) {
        if (parents.has(target) || unitOf(target) === unit) continue;
        parents.set(target, path);
        waiting.push(target);
        if (strangers.includes(unitOf(target))) {
          found.push(`${unit} must not know ${unitOf(target)}: ${chainTo(target, parents).join(' -> ')}`);
        }
      }
    }
  }
  return found;
}

/** The first chain of imports from the door of the package to what it loads late. */
function lateViolations(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const parents = new Map<string, string>();
  const waiting = ['index.ts'];
  for (const path of waiting) {
    for (const target of graph.get(path) ?? []) {
      if (target === 'index.ts' || parents.has(target)) continue;
      parents.set(target, path);
      waiting.push(target);
      if (LATE_UNITS.includes(unitOf(target)))
        return [`the package loads ${chainTo(target, parents).join(' -> ')} at once`];
    }
  }
  return [];
}

function chainTo(path: string, parents: ReadonlyMap<string, string>): string[] {
  const parent = parents.get(path);
  return parent === undefined ? [path] : [...chainTo(parent, parents), path];
}

/**
 * A depth-first walk; an arrow back to a file that is still being walked closes a cycle. Only imports that load a file
 * count; what types do is in `CIRCLES`.
 */
function cycleViolations(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push(`a cycle of imports: ${[...trail.slice(start), path].join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return found;
}
