/**
 * Abilities of Move types as a bit set; the numbers are those of the module format and of decoded values.
 * @module
 */
export const ABILITY_COPY = 1;
export const ABILITY_DROP = 2;
export const ABILITY_STORE = 4;
export const ABILITY_KEY = 8;

/** Bits of `ABILITY_*`. */
export type AbilitySet = number;

const NAMES = ['copy', 'drop', 'store', 'key'] as const;
export type AbilityName = (typeof NAMES)[number];

/** The names in the set, in the order copy, drop, store, key. */
export function abilityNames(set: AbilitySet): AbilityName[] {
  return NAMES.filter((_, bit) => (set & (1 << bit)) !== 0);
}
