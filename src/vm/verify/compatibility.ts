/**
 * What the next version of a module may change.
 *
 * Others link against its public functions and its structs' abilities and type parameters, so these may only grow.
 * Fields may change: the reference has that check switched off, and stored values then fail to decode.
 * Source: the reference's `move-binary-format/src/compatibility.rs`, `check_metadata_compatibility` in
 * `moveos-verifier/src/verifier.rs`.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import {
  type FunctionDefinition,
  type FunctionHandle,
  type Module,
  type StructHandle,
  Visibility,
} from '../binary/module.ts';
import { moduleKey } from '../module-id.ts';
import { StatusCode } from '../status.ts';
import { ACCEPTED, Rejection, type VerifyResult, verdictOf } from '../verdict.ts';
import { hasAbilities } from './ability.ts';
import { areSameTypes } from './dependencies.ts';
import { friendsOf, selfIdOf } from './module-lookup.ts';

export interface CompatibilityOptions {
  /**
   * Whether friend functions and friend declarations must be preserved too; the chain's feature
   * COMPATIBILITY_CHECKER_V2.
   */
  readonly checksFriends: boolean;
}

/**
 * Checks that `next` may replace `old`. The status is BACKWARD_INCOMPATIBLE_MODULE_UPDATE, and the message names every
 * violation.
 */
export function checkCompatibility(old: Module, next: Module, options: CompatibilityOptions): VerifyResult {
  const faults = [...nameFaults(old, next), ...structFaults(old, next), ...functionFaults(old, next, options)];
  if (options.checksFriends) faults.push(...friendFaults(old, next));
  if (faults.length === 0) return ACCEPTED;
  return verdictOf(() => {
    throw new Rejection(StatusCode.BACKWARD_INCOMPATIBLE_MODULE_UPDATE, faults.join(', '));
  });
}

function nameFaults(old: Module, next: Module): string[] {
  const before = selfIdOf(old);
  const after = selfIdOf(next);
  const faults: string[] = [];
  if (!equalBytes(before.address, after.address)) faults.push('the address changed');
  if (before.name !== after.name) faults.push(`the name changed from ${before.name} to ${after.name}`);
  return faults;
}

function structFaults(old: Module, next: Module): string[] {
  const faults: string[] = [];
  const structs = structsByName(next);
  for (const [name, before] of structsByName(old)) {
    const after = structs.get(name);
    if (after === undefined) {
      faults.push(`struct ${name} is missing`);
      continue;
    }
    if (!hasAbilities(after.abilities, before.abilities)) faults.push(`struct ${name} lost an ability`);
    if (!areStructParametersCompatible(before, after)) faults.push(`struct ${name} has other type parameters`);
  }
  return faults;
}

function structsByName(module: Module): Map<string, StructHandle> {
  return new Map(
    module.structDefinitions.map(({ handle }) => {
      const struct = module.structHandles[handle]!;
      return [module.identifiers[struct.name]!, struct];
    }),
  );
}

function areStructParametersCompatible(before: StructHandle, after: StructHandle): boolean {
  if (before.typeParameters.length !== after.typeParameters.length) return false;
  return before.typeParameters.every(({ constraints, isPhantom }, index) => {
    const parameter = after.typeParameters[index]!;
    return (!isPhantom || parameter.isPhantom) && hasAbilities(constraints, parameter.constraints);
  });
}

interface NamedFunction {
  readonly definition: FunctionDefinition;
  readonly handle: FunctionHandle;
}

function functionFaults(old: Module, next: Module, { checksFriends }: CompatibilityOptions): string[] {
  const faults: string[] = [];
  const functions = functionsByName(next);
  for (const [name, before] of functionsByName(old)) {
    const { visibility, isEntry } = before.definition;
    const isPrivate = visibility === Visibility.Private || (visibility === Visibility.Friend && !checksFriends);
    if (isPrivate && !isEntry) continue;
    const after = functions.get(name);
    const fault = after === undefined ? 'is missing' : functionFault(old, before, next, after);
    if (fault !== undefined) faults.push(`function ${name} ${fault}`);
  }
  return faults;
}

function functionsByName(module: Module): Map<string, NamedFunction> {
  return new Map(
    module.functionDefinitions.map((definition) => {
      const handle = module.functionHandles[definition.handle]!;
      return [module.identifiers[handle.name]!, { definition, handle }];
    }),
  );
}

function functionFault(old: Module, before: NamedFunction, next: Module, after: NamedFunction): string | undefined {
  if (!isVisibilityCompatible(before.definition.visibility, after.definition.visibility)) return 'is less visible';
  // Before version 5, `entry` was a separate visibility, which could not be gained either.
  const isOld = old.version < 5 && next.version < 5;
  const mustMatch = isOld || before.definition.isEntry;
  if (mustMatch && before.definition.isEntry !== after.definition.isEntry) return 'is no longer, or newly, entry';
  if (!sameSignature(old, before.handle.parameters, next, after.handle.parameters)) return 'has other parameters';
  if (!sameSignature(old, before.handle.returns, next, after.handle.returns)) return 'returns other types';
  if (!areConstraintsCompatible(before.handle, after.handle)) return 'has other type parameters';
  return undefined;
}

function isVisibilityCompatible(before: Visibility, after: Visibility): boolean {
  if (before === Visibility.Public) return after === Visibility.Public;
  return before === Visibility.Private || after !== Visibility.Private;
}

function sameSignature(old: Module, before: number, next: Module, after: number): boolean {
  return areSameTypes(old, old.signatures[before]!, next, next.signatures[after]!);
}

function areConstraintsCompatible(before: FunctionHandle, after: FunctionHandle): boolean {
  if (before.typeParameters.length !== after.typeParameters.length) return false;
  return before.typeParameters.every((constraints, index) => hasAbilities(constraints, after.typeParameters[index]!));
}

function friendFaults(old: Module, next: Module): string[] {
  const after = new Set(friendsOf(next).map(moduleKey));
  return friendsOf(old)
    .filter((friend) => !after.has(moduleKey(friend)))
    .map((friend) => `friend ${friend.name} is missing`);
}
