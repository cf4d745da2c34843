/**
 * Compatibility of the next version of a module.
 *
 * Others link against its public functions and its structs' abilities and type parameters, so these may only grow.
 * Fields may change, after which stored values fail to decode: the reference has that check switched off. Source: the
 * reference's `move-binary-format/src/compatibility.rs`, `check_metadata_compatibility` in
 * `moveos-verifier/src/verifier.rs`.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { type FunctionDefinition, friendsOf, type Module, moduleKey, selfIdOf, Visibility } from '../binary/module.ts';
import { StatusCode } from '../status.ts';
import { ACCEPTED, Rejection, type VerifyResult, verdictOf } from '../verdict.ts';
import { areConstraintsCompatible, areParametersCompatible, areSameTypes, exportsOf } from './dependencies.ts';
import { hasAbilities } from './type-table.ts';

interface CompatibilityOptions {
  /**
   * Whether friend functions and friend declarations must be preserved too: the chain's feature
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
  const { structs } = exportsOf(next);
  for (const [name, before] of exportsOf(old).structs) {
    const after = structs.get(name);
    if (after === undefined) {
      faults.push(`struct ${name} is missing`);
      continue;
    }
    if (!hasAbilities(after.abilities, before.abilities)) faults.push(`struct ${name} lost an ability`);
    if (!areParametersCompatible(before, after)) faults.push(`struct ${name} changed its type parameters`);
  }
  return faults;
}

function functionFaults(old: Module, next: Module, { checksFriends }: CompatibilityOptions): string[] {
  const faults: string[] = [];
  const { functions } = exportsOf(next);
  for (const [name, before] of exportsOf(old).functions) {
    const { visibility, isEntry } = before;
    const isPrivate = visibility === Visibility.Private || (visibility === Visibility.Friend && !checksFriends);
    if (isPrivate && !isEntry) continue;
    const after = functions.get(name);
    const fault = after === undefined ? 'is missing' : functionFault(old, before, next, after);
    if (fault !== undefined) faults.push(`function ${name} ${fault}`);
  }
  return faults;
}

function functionFault(
  old: Module,
  before: FunctionDefinition,
  next: Module,
  after: FunctionDefinition,
): string | undefined {
  if (!isVisibilityCompatible(before.visibility, after.visibility)) return 'is less visible';
  // Before version 5, `entry` was a separate visibility, which could not be added either.
  const isOld = old.version < 5 && next.version < 5;
  if ((isOld || before.isEntry) && before.isEntry !== after.isEntry) return 'changed from or to entry';
  const [used, offered] = [old.functionHandles[before.handle]!, next.functionHandles[after.handle]!];
  if (!sameSignature(old, used.parameters, next, offered.parameters)) return 'changed its parameters';
  if (!sameSignature(old, used.returns, next, offered.returns)) return 'changed its return types';
  if (!areConstraintsCompatible(used.typeParameters, offered.typeParameters)) return 'changed its type parameters';
  return undefined;
}

function isVisibilityCompatible(before: Visibility, after: Visibility): boolean {
  if (before === Visibility.Public) return after === Visibility.Public;
  return before === Visibility.Private || after !== Visibility.Private;
}

function sameSignature(old: Module, before: number, next: Module, after: number): boolean {
  return areSameTypes(old, old.signatures[before]!, next, next.signatures[after]!);
}

function friendFaults(old: Module, next: Module): string[] {
  const after = new Set(friendsOf(next).map(moduleKey));
  return friendsOf(old)
    .filter((friend) => !after.has(moduleKey(friend)))
    .map((friend) => `friend ${friend.name} is missing`);
}
