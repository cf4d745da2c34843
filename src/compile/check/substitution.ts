/**
 * Type arguments in place of type parameters.
 * @module
 */
import type { ResolvedType, TypeParameter } from '../names/type.ts';

export type Substitution = ReadonlyMap<TypeParameter, ResolvedType>;

/** Pairs parameters with arguments, which are as many. */
export function substitution(parameters: readonly TypeParameter[], given: readonly ResolvedType[]): Substitution {
  const pairs = new Map<TypeParameter, ResolvedType>();
  for (const [index, parameter] of parameters.entries()) {
    const type = given[index];
    if (type !== undefined) pairs.set(parameter, type);
  }
  return pairs;
}

/** The type with what `change` makes of each type directly inside of it; the same object if nothing changes. */
export function mapType(type: ResolvedType, change: (part: ResolvedType) => ResolvedType): ResolvedType {
  const changeAll = (parts: readonly ResolvedType[]): readonly ResolvedType[] => {
    const changed = parts.map(change);
    return changed.every((part, index) => part === parts[index]) ? parts : changed;
  };
  switch (type.kind) {
    case 'vector': {
      const element = change(type.element);
      return element === type.element ? type : { ...type, element };
    }
    case 'reference': {
      const target = change(type.target);
      return target === type.target ? type : { ...type, target };
    }
    case 'struct': {
      const changed = changeAll(type.arguments);
      return changed === type.arguments ? type : { ...type, arguments: changed };
    }
    case 'tuple': {
      const items = changeAll(type.items);
      return items === type.items ? type : { ...type, items };
    }
    case 'function': {
      const parameters = changeAll(type.parameters);
      const result = change(type.result);
      return parameters === type.parameters && result === type.result ? type : { ...type, parameters, result };
    }
    default:
      return type;
  }
}

/** Parameters that the substitution does not have stay. */
export function substitute(type: ResolvedType, pairs: Substitution): ResolvedType {
  if (pairs.size === 0) return type;
  const change = (part: ResolvedType): ResolvedType =>
    part.kind === 'parameter' ? (pairs.get(part.parameter) ?? part) : mapType(part, change);
  return change(type);
}
