/**
 * The abilities that types have.
 * Source: `infer_abilities` of the reference's `move-compiler/src/typing/core.rs`.
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import type { ResolvedType } from './type.ts';

const NONE: AbilitySet = 0;
const ALL: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE | ABILITY_KEY;
const VALUES: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;
const REFERENCES: AbilitySet = ABILITY_COPY | ABILITY_DROP;

/** The ability that the parts of a value need for the value to have this one. */
export function abilityOfParts(ability: AbilitySet): AbilitySet {
  return ability === ABILITY_KEY ? ABILITY_STORE : ability;
}

/** What a type would have if its arguments had everything. */
export function declaredAbilities(type: ResolvedType): AbilitySet {
  switch (type.kind) {
    case 'primitive':
      return type.name === 'signer' ? ABILITY_DROP : VALUES;
    case 'vector':
    case 'tuple':
      return VALUES;
    case 'reference':
      return REFERENCES;
    case 'struct':
      return type.struct.abilities;
    case 'parameter':
      return type.parameter.constraints;
    case 'function':
      return NONE;
    default:
      return ALL;
  }
}

/** The types inside of a type on whose abilities its own depend; not those in phantom positions. */
export function partsOfType(type: ResolvedType): readonly ResolvedType[] {
  switch (type.kind) {
    case 'vector':
      return [type.element];
    case 'tuple':
      return type.items;
    case 'struct':
      return type.arguments.filter((_, index) => type.struct.typeParameters[index]?.isPhantom !== true);
    default:
      return [];
  }
}

/** `resolve` gives what a type variable stands for; what is not inferred has all abilities. */
export function abilitiesOf(
  type: ResolvedType,
  resolve: (type: ResolvedType) => ResolvedType = (same) => same,
): AbilitySet {
  const resolved = resolve(type);
  let abilities = declaredAbilities(resolved);
  for (const part of partsOfType(resolved)) {
    if (abilities === NONE) return NONE;
    const ofPart = abilitiesOf(part, resolve);
    for (const ability of [ABILITY_COPY, ABILITY_DROP, ABILITY_STORE, ABILITY_KEY]) {
      if ((ofPart & abilityOfParts(ability)) === 0) abilities &= ~ability;
    }
  }
  return abilities;
}
