/**
 * Which abilities a type has.
 *
 * A struct applied to type arguments has a declared ability if every argument that is not phantom has what that ability
 * requires of parts: itself, except that `key` requires `store`.
 * Source: the reference's `AbilitySet` (`move-binary-format/src/file_format.rs`).
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';

export const NO_ABILITIES: AbilitySet = 0;
export const ALL_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE | ABILITY_KEY;
/** bool, integers, address; also a vector, before its elements are considered. */
export const PRIMITIVE_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;
export const REFERENCE_ABILITIES: AbilitySet = ABILITY_COPY | ABILITY_DROP;
export const SIGNER_ABILITIES: AbilitySet = ABILITY_DROP;

const COPY_AND_DROP = ABILITY_COPY | ABILITY_DROP;

/** The abilities that the parts of a value need for the whole to have `abilities`. */
export function requiredOfParts(abilities: AbilitySet): AbilitySet {
  const needsStore = (abilities & (ABILITY_STORE | ABILITY_KEY)) !== 0;
  return (abilities & COPY_AND_DROP) | (needsStore ? ABILITY_STORE : 0);
}

/** The most abilities that a whole can have if a part has `abilities`. */
export function allowedByPart(abilities: AbilitySet): AbilitySet {
  const hasStore = (abilities & ABILITY_STORE) !== 0;
  return (abilities & COPY_AND_DROP) | (hasStore ? ABILITY_STORE | ABILITY_KEY : 0);
}

/** Whether every ability of `required` is in `abilities`. */
export function hasAbilities(abilities: AbilitySet, required: AbilitySet): boolean {
  return (required & ~abilities) === 0;
}
