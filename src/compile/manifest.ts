/**
 * `Move.toml`: the name of a package, its named addresses, its dependencies. Reads the subset of TOML that such files
 * use.
 * @module
 */
import { EngineError } from '../base/error.ts';

/** What a manifest says. */
export interface Manifest {
  readonly name: string;
  /** By name; `_` for an address that must be given when building. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Those that replace `_` in tests. */
  readonly devAddresses: ReadonlyMap<string, string>;
  /** By package name: where it is. */
  readonly dependencies: ReadonlyMap<string, Dependency>;
  /** Those that only tests need. */
  readonly devDependencies: ReadonlyMap<string, Dependency>;
}

/** Where a package comes from: a directory, or something else, such as a Git repository, which is not fetched here. */
export interface Dependency {
  readonly local: string | undefined;
  /** The address of a repository, with its commit and the folder in it. */
  readonly git: string | undefined;
  readonly rev: string | undefined;
  readonly subdir: string | undefined;
}

/**
 * Reads a manifest.
 * @param path its name in messages
 * @throws {EngineError} `malformed-source`
 */
export function readManifest(text: string, path: string): Manifest {
  const sections = readToml(text, path);
  const name = sections.get('package')?.get('name');
  if (typeof name !== 'string' || !/^\w[\w-]*$/.test(name)) {
    throw new EngineError('malformed-source', `${path}: expected a name of letters and digits under [package]`);
  }
  return {
    name,
    addresses: texts(sections.get('addresses')),
    devAddresses: texts(sections.get('dev-addresses')),
    dependencies: dependenciesIn(sections, 'dependencies'),
    devDependencies: dependenciesIn(sections, 'dev-dependencies'),
  };
}

/** Those of a section, and those with a section of their own, `[dependencies.Other]`. */
function dependenciesIn(
  sections: ReadonlyMap<string, ReadonlyMap<string, Value>>,
  kind: string,
): Map<string, Dependency> {
  const found = new Map<string, Dependency>();
  for (const [key, given] of sections.get(kind) ?? []) {
    found.set(key, dependencyOf(typeof given === 'string' ? new Map() : given));
  }
  for (const [section, entries] of sections) {
    if (!section.startsWith(`${kind}.`)) continue;
    found.set(section.slice(kind.length + 1), dependencyOf(texts(entries)));
  }
  return found;
}

function dependencyOf(given: ReadonlyMap<string, string>): Dependency {
  const [local, git, rev, subdir] = ['local', 'git', 'rev', 'subdir'].map((key) => given.get(key));
  return { local, git, rev, subdir };
}

type Value = string | ReadonlyMap<string, string>;

function texts(section: ReadonlyMap<string, Value> | undefined): Map<string, string> {
  return new Map([...(section ?? [])].flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

/** The sections of a file; values that are neither text nor tables of text are kept as written. */
function readToml(text: string, path: string): Map<string, Map<string, Value>> {
  const sections = new Map<string, Map<string, Value>>();
  let section = new Map<string, Value>();
  let title = '';
  for (const [index, line] of statementsOf(text).entries()) {
    const heading = /^\[\s*([^\]]+?)\s*\]$/.exec(line)?.[1];
    if (heading !== undefined) {
      section = sections.get(heading) ?? new Map();
      sections.set(heading, section);
      title = heading;
      continue;
    }
    const pair = /^"?([\w-]+)"?\s*=\s*([\s\S]+)$/.exec(line);
    if (pair === null)
      throw new EngineError('malformed-source', `${path}: statement ${index + 1} cannot be read: ${line}`);
    const [, key = '', value = ''] = pair;
    if (section.has(key)) throw new EngineError('malformed-source', `${path}: ${key} is given twice under [${title}]`);
    section.set(key, readValue(value));
  }
  return sections;
}

/** Text of several lines, in three quotes, is left out: no value that is used here is written so. */
function withoutLongTexts(text: string): string {
  const piece = /("{3}[\s\S]*?"{3}|'{3}[\s\S]*?'{3})|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#.*/g;
  return text.replace(piece, (whole, long?: string) => (long === undefined ? whole : '""'));
}

/** Statements without comments and empty lines; an array may span several lines. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let pending = '';
  for (const line of withoutLongTexts(text).split(/\r?\n/)) {
    const bare = line.replace(/("(?:\\.|[^"\\])*"|'[^']*')|#.*/g, (_whole, quoted?: string) => quoted ?? '').trim();
    pending = pending === '' ? bare : `${pending} ${bare}`;
    const unquoted = pending.replace(/"(?:\\.|[^"\\])*"|'[^']*'/g, '');
    const isOpen = unquoted.split(/[[{]/).length > unquoted.split(/[\]}]/).length;
    if (pending === '' || isOpen) continue;
    statements.push(pending);
    pending = '';
  }
  return pending === '' ? statements : [...statements, pending];
}

function readValue(text: string): Value {
  const quoted = /^"((?:\\.|[^"\\])*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted !== null) return quoted[1]!.replace(/\\(["\\])/g, '$1');
  if (!/^\{.*\}$/.test(text)) return text;
  const pairs = text.matchAll(/([\w-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)')/g);
  return new Map(
    [...pairs].map(([, key, double, single]) => [key!, (double ?? single ?? '').replace(/\\(["\\])/g, '$1')]),
  );
}
