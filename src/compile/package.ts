/**
 * A Move package and what it depends on, as sources in memory.
 *
 * The framework's packages are those that the engine ships with, wherever a manifest points: what is compiled then fits
 * the chain that it runs on, and nothing is fetched.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EngineError } from '../base/error.ts';
import { type Address, formatAddressShort } from '../move/address.ts';
import { namedAddress } from './compile-sources.ts';
import { FRAMEWORK_ADDRESSES, FRAMEWORK_PACKAGE_NAMES, type FrameworkPackageName } from './framework.ts';
import { type Dependency, type Manifest, readManifest } from './manifest.ts';

/** Move sources of one package. */
const SOURCE_FILES_MAX = 10_000;
/** Characters of all Move sources of one package: the framework's largest has less than one hundredth of it. */
const SOURCE_BYTES_MAX = 64 * 2 ** 20;

/** A source file of a package. */
export interface SourceFile {
  /** From the package's folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A package as it is on disk. */
export interface SourcePackage {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
}

/** A package with all that it depends on. */
export interface PackageTree {
  readonly root: SourcePackage;
  /** By name, without the root and without the framework. */
  readonly dependencies: ReadonlyMap<string, SourcePackage>;
  /** The framework's packages among them, each after those that it needs. */
  readonly framework: readonly FrameworkPackageName[];
  /** Every named address of the tree. */
  readonly addresses: ReadonlyMap<string, Address>;
}

/** How a tree is read, besides its root. */
export interface TreeOptions {
  /** Whether `[dev-addresses]` and `[dev-dependencies]` count, and sources in `tests`. */
  readonly test: boolean;
  /** Named addresses, which take precedence over those of manifests. */
  readonly addresses: Readonly<Record<string, string>>;
}

/**
 * Reads a package and, once each, the packages that it depends on.
 * @throws {EngineError} `not-found` for a folder without `Move.toml`, `malformed-source`, `not-supported` for a dependency
 * that would have to be fetched, `invalid-argument` for an address, `limit-exceeded`
 */
export async function readTree(directory: string, options: TreeOptions): Promise<PackageTree> {
  const packages = await readPackages(directory, options.test);
  return { ...packages, addresses: addressesOf([packages.root, ...packages.dependencies.values()], options) };
}

async function readPackages(directory: string, test: boolean): Promise<Omit<PackageTree, 'addresses'>> {
  const root = await readPackage(resolve(directory), test);
  const dependencies = new Map<string, SourcePackage>();
  const byName = new Map([[root.manifest.name, root]]);
  const framework = new Set<FrameworkPackageName>();
  const follow = async (way: readonly SourcePackage[]): Promise<void> => {
    const { directory: from, manifest } = way.at(-1)!;
    for (const [name, dependency] of manifest.dependencies) {
      const shipped = (FRAMEWORK_PACKAGE_NAMES as readonly string[]).indexOf(name);
      if (shipped !== -1) {
        for (const each of FRAMEWORK_PACKAGE_NAMES.slice(0, shipped + 1)) framework.add(each);
        continue;
      }
      const folder = folderOf(name, dependency, from);
      assertNoCircle(way, folder);
      const known = dependencies.get(name);
      if (known !== undefined) {
        assertOne(name, known.directory, folder);
        continue;
      }
      const found = await readPackage(folder, false);
      const namesake = byName.get(found.manifest.name);
      if (namesake !== undefined) assertOne(found.manifest.name, namesake.directory, found.directory);
      byName.set(found.manifest.name, found);
      dependencies.set(name, found);
      await follow([...way, found]);
    }
  };
  await follow([root]);
  return { root, dependencies, framework: FRAMEWORK_PACKAGE_NAMES.filter((name) => framework.has(name)) };
}

/**
 * A package and the local packages that it depends on, to watch their sources, even if these do not compile. If the
 * dependencies cannot be found, only the folder of the package.
 */
export async function watchedPackages(
  directory: string,
  test: boolean,
): Promise<readonly Pick<SourcePackage, 'directory' | 'sources'>[]> {
  try {
    const { root, dependencies } = await readPackages(directory, test);
    return [root, ...dependencies.values()];
  } catch (error) {
    if (error instanceof EngineError) return [{ directory: resolve(directory), sources: [] }];
    throw error;
  }
}

/**
 * A package is named by its name alone, so there is one of each.
 * @throws {EngineError} `malformed-source`
 */
function assertOne(name: string, one: string, other: string): void {
  if (isSameFolder(one, other)) return;
  throw new EngineError('malformed-source', `two packages are called ${name}: ${one} and ${other}`);
}

/**
 * Modules of packages that need each other could not be published one after another.
 * @param way the packages from the root to the one that needs what is in `folder`
 * @throws {EngineError} `malformed-source`
 */
function assertNoCircle(way: readonly SourcePackage[], folder: string): void {
  const first = way.findIndex(({ directory }) => isSameFolder(directory, folder));
  if (first === -1) return;
  const names = [...way.slice(first), way[first]!].map(({ manifest }) => manifest.name).join(' -> ');
  const hint = `take one of them out of a Move.toml, such as ${join(way.at(-1)!.directory, 'Move.toml')}`;
  throw new EngineError('malformed-source', `the dependencies form a circle, ${names}: ${hint}`);
}

/** Whether two paths, the first of a folder that exists, lead to one folder. */
function isSameFolder(one: string, other: string): boolean {
  return one === other || (existsSync(other) && realpathSync(one) === realpathSync(other));
}

function folderOf(name: string, { local, git, rev, subdir }: Dependency, from: string): string {
  if (local !== undefined) return resolve(from, local);
  const source = git === undefined ? 'get it' : `clone ${git}${rev === undefined ? '' : ` at ${rev}`}`;
  const place = join('PATH', subdir ?? '').replaceAll('\\', '/');
  const hint = `${source}, and write { local = "${place}" } in Move.toml; only the framework comes with the engine`;
  throw new EngineError('not-supported', `the dependency ${name} would have to be fetched: ${hint}`);
}

async function readPackage(directory: string, test: boolean): Promise<SourcePackage> {
  if (!existsSync(directory)) throw new EngineError('not-found', `directory: there is no folder ${directory}`);
  const path = join(directory, 'Move.toml');
  if (!existsSync(path))
    throw new EngineError('not-found', `directory: ${directory} is no Move package: it has no Move.toml`);
  const read = readManifest(await readFile(path, 'utf8'), path);
  const manifest = test ? { ...read, dependencies: new Map([...read.devDependencies, ...read.dependencies]) } : read;
  const paths = [...(await movesIn(directory, 'sources')), ...(test ? await movesIn(directory, 'tests') : [])];
  if (paths.length > SOURCE_FILES_MAX) {
    throw new EngineError('limit-exceeded', `${directory} has ${paths.length} sources (SOURCE_FILES_MAX)`);
  }
  const sources: SourceFile[] = [];
  let size = 0;
  for (const each of paths) {
    const text = await readFile(join(directory, each), 'utf8');
    size += text.length;
    if (size > SOURCE_BYTES_MAX)
      throw new EngineError('limit-exceeded', `${directory} is too large (SOURCE_BYTES_MAX)`);
    sources.push({ path: each.replaceAll('\\', '/'), text });
  }
  return { directory, manifest, sources };
}

async function movesIn(directory: string, folder: string): Promise<string[]> {
  if (!existsSync(join(directory, folder))) return [];
  const names = await readdir(join(directory, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.move'))
    .sort()
    .map((name) => join(folder, name));
}

function addressesOf(packages: readonly SourcePackage[], { test, addresses }: TreeOptions): Map<string, Address> {
  const found = new Map([...FRAMEWORK_ADDRESSES, ...assignedIn(packages, addresses)]);
  for (const [name, text] of Object.entries(addresses)) found.set(name, namedAddress(name, text));
  for (const name of packages.flatMap(({ manifest }) => [...manifest.addresses.keys()])) {
    if (found.has(name)) continue;
    const given = test ? packages.find(({ manifest }) => manifest.devAddresses.has(name)) : undefined;
    if (given === undefined) {
      const message = `addresses: expected an address for ${name}, which Move.toml leaves open`;
      throw new EngineError('invalid-argument', message);
    }
    found.set(name, namedAddress(name, given.manifest.devAddresses.get(name)!));
  }
  return found;
}

/** The addresses that manifests assign, except those in `given`; each must have one value in all of them. */
function assignedIn(packages: readonly SourcePackage[], given: TreeOptions['addresses']): Map<string, Address> {
  const found = new Map<string, Address>();
  const owners = new Map<string, string>();
  for (const { manifest } of packages) {
    for (const [name, text] of manifest.addresses) {
      if (text === '_' || given[name] !== undefined) continue;
      const own = namedAddress(name, text);
      const known = found.get(name);
      const [one, other] = [known ?? own, own].map(formatAddressShort);
      if (one !== other) {
        const said = `${name} is ${one} in ${owners.get(name)} and ${other} in ${manifest.name}`;
        throw new EngineError('invalid-argument', `addresses: ${said}; give one here, or change a manifest`);
      }
      if (known === undefined) owners.set(name, manifest.name);
      found.set(name, own);
    }
  }
  return found;
}
