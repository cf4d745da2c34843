/**
 * Verifying several modules that are published together.
 *
 * A bundle is sorted so that each module comes after its dependencies; the order is the reference's, since it reaches
 * the chain. Then each module is verified by itself, linked with the modules before it and the published ones, and
 * checked for cycles. Sources: the reference's `moveos-compiler/src/dependency_order.rs` and
 * `verify_module_bundle_for_publication` of `move-vm/runtime/src/loader.rs`.
 *
 * Dependencies and friendships may have no cycles, and no module may depend on its friends. Source: the reference's
 * `move-bytecode-verifier/src/cyclic_dependencies.rs`.
 * @module
 */
import {
  compareModuleIds,
  dependenciesOf,
  friendsOf,
  type Module,
  type ModuleId,
  type ModuleLookup,
  moduleIdText,
  moduleKey,
  selfIdOf,
} from '../binary/module.ts';
import { StatusCode } from '../status.ts';
import { ACCEPTED, Rejection, rejectEntry, type VerifyResult, verdictOf } from '../verdict.ts';
import { byHandle, verifyDependencies, verifyPublishedLinks } from './dependencies.ts';
import { verifyModuleOnce } from './verify.ts';

/** Returns the modules that a module names, or `undefined` if it does not exist. */
type Neighbours = (id: ModuleId) => readonly ModuleId[] | undefined;

/**
 * Checks the module's place among the others. Statuses: CYCLIC_MODULE_DEPENDENCY, CYCLIC_MODULE_FRIENDSHIP,
 * INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES, MISSING_DEPENDENCY.
 */
function verifyAcyclic(module: Module, dependencies: Neighbours, friends: Neighbours): VerifyResult {
  return verdictOf(() => {
    const self = selfIdOf(module);
    const below = collect(self, dependenciesOf(module), dependencies, StatusCode.CYCLIC_MODULE_DEPENDENCY);
    const above = collect(self, friendsOf(module), friends, StatusCode.CYCLIC_MODULE_FRIENDSHIP);
    for (const [key, id] of below) {
      if (!above.has(key)) continue;
      throw new Rejection(
        StatusCode.INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES,
        `module ${moduleIdText(id)} is both a dependency and a friend`,
      );
    }
  });
}

/** All modules that can be reached, by key; reaching `self` is refused. */
function collect(
  self: ModuleId,
  start: readonly ModuleId[],
  next: Neighbours,
  onCycle: StatusCode,
): Map<string, ModuleId> {
  const seen = new Map<string, ModuleId>();
  const target = moduleKey(self);
  // Depth first, in order: the last one pushed is walked first.
  const stack = [...start].reverse();
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const key = moduleKey(id);
    if (key === target) throw new Rejection(onCycle, `module ${moduleIdText(id)} reaches itself`);
    if (seen.has(key)) continue;
    seen.set(key, id);
    const neighbours = next(id);
    if (neighbours === undefined) {
      throw new Rejection(StatusCode.MISSING_DEPENDENCY, `module ${moduleIdText(id)} does not exist`);
    }
    stack.push(...[...neighbours].reverse());
  }
  return seen;
}

/** The order in which to publish: positions in `modules`; `undefined` for a repeated name or a cycle. */
export function dependencyOrder(modules: readonly Module[]): number[] | undefined {
  const positions = new Map(modules.map((module, position) => [moduleKey(selfIdOf(module)), position]));
  if (positions.size !== modules.length) return undefined;
  const { nodes, successors } = dependencyGraph(modules, positions);
  return topologicalOrder(nodes, successors);
}

/** Nodes in the order of first mention; an edge leads from a dependency to its user. */
function dependencyGraph(
  modules: readonly Module[],
  positions: ReadonlyMap<string, number>,
): { nodes: Set<number>; successors: Set<number>[] } {
  const nodes = new Set<number>();
  const successors: Set<number>[] = modules.map(() => new Set());
  for (const [position, module] of modules.entries()) {
    nodes.add(position);
    for (const id of dependenciesOf(module).sort(compareModuleIds)) {
      const dependency = positions.get(moduleKey(id));
      if (dependency === undefined) continue;
      nodes.add(dependency);
      successors[dependency]!.add(position);
    }
  }
  return { nodes, successors };
}

/** Depth first from each node in turn, last successor first; the order is the reverse of finishing. */
function topologicalOrder(nodes: ReadonlySet<number>, successors: readonly Set<number>[]): number[] | undefined {
  const isDiscovered = new Set<number>();
  const isFinished = new Set<number>();
  const finished: number[] = [];
  for (const start of nodes) {
    const stack = [start];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      if (!isDiscovered.has(node)) {
        isDiscovered.add(node);
        stack.push(...successors[node]!);
        continue;
      }
      stack.pop();
      if (isFinished.has(node)) continue;
      isFinished.add(node);
      finished.push(node);
    }
  }
  const order = finished.reverse();
  const place = new Map(order.map((node, index) => [node, index]));
  const isSorted = order.every((node) => [...successors[node]!].every((next) => place.get(next)! > place.get(node)!));
  return isSorted ? order : undefined;
}

/**
 * Verifies modules in dependency order against each other and against the published ones; modules of the bundle count
 * as new versions of those.
 * @param onLinks called with the number of modules that each visited module names, before these are looked up: there
 *   may be hundreds of thousands, whatever the size of the bundle
 */
export function verifyBundle(
  modules: readonly Module[],
  stored: ModuleLookup,
  onLinks: (count: number) => void = () => {},
): VerifyResult {
  const verified = new Map<string, Module>();
  const lookup = lookupIn(verified, stored);
  const pending = new Set(modules.map((module) => moduleKey(selfIdOf(module))));
  for (const module of modules) {
    const key = moduleKey(selfIdOf(module));
    pending.delete(key);
    const verdict = verifyInBundle(module, { lookup, verified, pending, onLinks });
    if (!verdict.ok) return verdict;
    verified.set(key, module);
  }
  return ACCEPTED;
}

/** Looks in the bundle first. Each published module is looked up once, which is the longest part of checking a link. */
function lookupIn(verified: ReadonlyMap<string, Module>, stored: ModuleLookup): ModuleLookup {
  const known = new Map<string, Module | undefined>();
  return (id) => {
    const key = moduleKey(id);
    const module = verified.get(key) ?? known.get(key);
    if (module !== undefined || known.has(key)) return module;
    const found = stored(id);
    known.set(key, found);
    return found;
  };
}

interface Surroundings {
  readonly lookup: ModuleLookup;
  /** The modules of the bundle so far, and the keys of later ones. */
  readonly verified: ReadonlyMap<string, Module>;
  readonly pending: ReadonlySet<string>;
  readonly onLinks: (count: number) => void;
}

function verifyInBundle(module: Module, { lookup, verified, pending, onLinks }: Surroundings): VerifyResult {
  const friendsOfPublished = (id: ModuleId): ModuleId[] | undefined => {
    // A friend later in the bundle is checked when its turn comes.
    if (pending.has(moduleKey(id))) return [];
    const friend = lookup(id);
    if (friend === undefined) return undefined;
    onLinks(friend.friends.length);
    return friendsOf(friend);
  };
  /** The modules that a dependency names. The links of a published one must hold, or no machine would load this one. */
  const namesBelow = (id: ModuleId): ModuleId[] | undefined => {
    const below = lookup(id);
    if (below === undefined) return undefined;
    onLinks(below.moduleHandles.length);
    const links = verified.has(moduleKey(id)) ? ACCEPTED : verifyPublishedLinks(below, byHandle(below, lookup));
    if (!links.ok)
      throw new Rejection(links.statusCode, `module ${moduleIdText(id)} no longer links: ${links.message}`);
    return dependenciesOf(below);
  };
  const checks: (() => VerifyResult)[] = [
    () => verifyModuleOnce(module),
    () => refuseNativeStructs(module),
    () => refuseMissing(module, lookup, pending),
    () => verifyDependencies(module, lookup),
    () => verifyAcyclic(module, namesBelow, friendsOfPublished),
  ];
  for (const check of checks) {
    const verdict = check();
    if (!verdict.ok) return verdict;
  }
  return ACCEPTED;
}

/** Native structs exist in the format, but no machine supports them. */
function refuseNativeStructs(module: Module): VerifyResult {
  const native = module.structDefinitions.findIndex(({ fields }) => fields === undefined);
  return verdictOf(() => {
    if (native < 0) return;
    const message = `struct definition ${native} is native`;
    throw rejectEntry(StatusCode.MISSING_DEPENDENCY, 'structDefinition', native, message);
  });
}

/** Dependencies and friends must exist; a friend may also come later in the bundle. */
function refuseMissing(module: Module, lookup: ModuleLookup, pending: ReadonlySet<string>): VerifyResult {
  return verdictOf(() => {
    const friends = friendsOf(module).filter((id) => !pending.has(moduleKey(id)));
    for (const id of [...dependenciesOf(module), ...friends]) {
      if (lookup(id) !== undefined) continue;
      throw new Rejection(StatusCode.LINKER_ERROR, `module ${moduleIdText(id)} does not exist`);
    }
  });
}
