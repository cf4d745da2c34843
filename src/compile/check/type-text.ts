/**
 * Types in the words of diagnostics.
 * @module
 */
import type { StructDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';

/** What is longer says no more. */
const TEXT_LENGTH_MAX = 200;

/** `address::module::Name`, with the address as the source names it. */
export function structNameText(struct: StructDeclaration): string {
  const { addressName, key, name } = struct.module.identity;
  const address = addressName ?? `0x${key.slice(0, key.indexOf('::')).replace(/^(?:0x)?0*(?=.)/, '')}`;
  return `${address}::${name}::${struct.name.text}`;
}

/** `resolve` gives what a type variable stands for. What is not inferred is `_`, or `integer`. */
export function resolvedTypeText(
  type: ResolvedType,
  resolve: (type: ResolvedType) => ResolvedType,
  isNumber: (type: ResolvedType) => boolean,
): string {
  const list = (types: readonly ResolvedType[]): string => types.map(text).join(', ');
  const text = (part: ResolvedType): string => {
    const resolved = resolve(part);
    switch (resolved.kind) {
      case 'primitive':
        return resolved.name;
      case 'vector':
        return `vector<${text(resolved.element)}>`;
      case 'struct': {
        const given = resolved.arguments.length === 0 ? '' : `<${list(resolved.arguments)}>`;
        return structNameText(resolved.struct) + given;
      }
      case 'parameter':
        return resolved.parameter.name.text;
      case 'reference':
        return `&${resolved.isMutable ? 'mut ' : ''}${text(resolved.target)}`;
      case 'tuple':
        return `(${list(resolved.items)})`;
      case 'function': {
        const isUnit = resolved.result.kind === 'tuple' && resolved.result.items.length === 0;
        return `|${list(resolved.parameters)}|${isUnit ? '' : text(resolved.result)}`;
      }
      case 'variable':
        return isNumber(resolved) ? 'integer' : '_';
      default:
        return '_';
    }
  };
  const whole = text(type);
  return whole.length > TEXT_LENGTH_MAX ? `${whole.slice(0, TEXT_LENGTH_MAX)}...` : whole;
}

/** Of a type without variables. */
export function settledTypeText(type: ResolvedType): string {
  return resolvedTypeText(
    type,
    (same) => same,
    () => false,
  );
}
