/**
 * Checks that dependencies and friendships have no cycles, and that no module depends on its friends.
 * Source: the reference's `move-bytecode-verifier/src/cyclic_dependencies.rs`.
 * @module
 */
import type { Module } from '../binary/module.ts';
import { type ModuleId, moduleKey, moduleText } from '../module-id.ts';
import { StatusCode } from '../status.ts';
import { Rejection, type VerifyResult, verdictOf } from '../verdict.ts';
import { dependenciesOf, friendsOf, selfIdOf } from './module-lookup.ts';

/** The modules that a module names, or `undefined` if it does not exist. */
export type Neighbours = (id: ModuleId) => readonly ModuleId[] | undefined;

/**
 * Checks the module's place among the others. Statuses: CYCLIC_MODULE_DEPENDENCY, CYCLIC_MODULE_FRIENDSHIP,
 * INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES, MISSING_DEPENDENCY.
 */
export function verifyAcyclic(module: Module, dependencies: Neighbours, friends: Neighbours): VerifyResult {
  return verdictOf(() => {
    const self = selfIdOf(module);
    const below = collect(self, dependenciesOf(module), dependencies, StatusCode.CYCLIC_MODULE_DEPENDENCY);
    const above = collect(self, friendsOf(module), friends, StatusCode.CYCLIC_MODULE_FRIENDSHIP);
    for (const [key, id] of below) {
      if (!above.has(key)) continue;
      throw new Rejection(
        StatusCode.INVALID_FRIEND_DECL_WITH_MODULES_IN_DEPENDENCIES,
        `module ${moduleText(id)} is both a dependency and a friend`,
      );
    }
  });
}

/** Everything that can be reached, by key; reaching `self` is refused. */
function collect(
  self: ModuleId,
  start: readonly ModuleId[],
  next: Neighbours,
  onCycle: StatusCode,
): Map<string, ModuleId> {
  const seen = new Map<string, ModuleId>();
  const target = moduleKey(self);
  // Depth first, in order: what is pushed last is walked first.
  const stack = [...start].reverse();
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const key = moduleKey(id);
    if (key === target) throw new Rejection(onCycle, `module ${moduleText(id)} reaches itself`);
    if (seen.has(key)) continue;
    seen.set(key, id);
    const neighbours = next(id);
    if (neighbours === undefined) {
      throw new Rejection(StatusCode.MISSING_DEPENDENCY, `module ${moduleText(id)} does not exist`);
    }
    stack.push(...[...neighbours].reverse());
  }
  return seen;
}
