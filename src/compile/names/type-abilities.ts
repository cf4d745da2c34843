/**
 * The abilities of types. Source: the reference's `infer_abilities` (`move-compiler/src/typing/core.rs`).
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import type { StructDeclaration } from './declaration.ts';
import type { Type } from './type.ts';

const ALL: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE | ABILITY_KEY;
/** Of vectors and tuples whose parts have them too. */
const COLLECTION: AbilitySet = ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;

/** What a part must have for the whole to keep an ability: the same, but `store` for `key`. */
const REQUIRED: readonly (readonly [ability: AbilitySet, ofParts: AbilitySet])[] = [
  [ABILITY_COPY, ABILITY_COPY],
  [ABILITY_DROP, ABILITY_DROP],
  [ABILITY_STORE, ABILITY_STORE],
  [ABILITY_KEY, ABILITY_STORE],
];

/** The abilities of a type without variables; what has an error or never a value has all. */
export function abilitiesOf(type: Type): AbilitySet {
  switch (type.kind) {
    case 'primitive':
      return type.name === 'signer' ? ABILITY_DROP : COLLECTION;
    case 'vector':
      return narrowed(COLLECTION, [type.element]);
    case 'struct':
      return abilitiesOfStruct(type.struct, type.arguments);
    case 'parameter':
      return type.parameter.constraints;
    case 'reference':
      return ABILITY_COPY | ABILITY_DROP;
    case 'tuple':
      return type.items.length === 0 ? COLLECTION : narrowed(COLLECTION, type.items);
    case 'function':
    case 'variable':
    case 'any':
    case 'error':
      return ALL;
  }
}

/** Those that a struct declares and its arguments, phantoms aside, leave it. */
export function abilitiesOfStruct(struct: StructDeclaration, typeArguments: readonly Type[]): AbilitySet {
  return narrowed(
    struct.abilities,
    typeArguments.filter((_, index) => struct.typeParameters[index]?.isPhantom !== true),
  );
}

function narrowed(declared: AbilitySet, parts: readonly Type[]): AbilitySet {
  const ofParts = parts.reduce((all, part) => all & abilitiesOf(part), ALL);
  return REQUIRED.reduce((kept, [ability, needed]) => ((ofParts & needed) === 0 ? kept & ~ability : kept), declared);
}
