/**
 * Parameter types as an ABI writes them, for callers without a Move machine: `&signer`, `address`, `vector<T0>`, `&mut
 * 0x2::object::Object<0x42::game::Hero>`. The form is that of `rooch_getModuleABI`.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { ArgumentType } from '../execution/runtime/call-arguments.ts';
import { displayType, parseTypeTag, type TypeTag } from '../move/type-tag.ts';

/**
 * Reads a type as an ABI writes it.
 * @param typeArguments of the call, substituted for `T0`, `T1` and so on
 * @throws {EngineError} `invalid-argument` for text that is not a type, or a type parameter for which the call has no
 *   argument
 */
export function declaredType(text: string, typeArguments: readonly TypeTag[]): ArgumentType {
  const [, reference, target] = /^\s*(&mut\s|&)?(.*)$/s.exec(text) as unknown as [string, string?, string?];
  const concrete = target!.replace(/(?<![:\w])T(\d+)\b/g, (_, index: string) => {
    const argument = typeArguments[Number(index)];
    if (argument !== undefined) return displayType(argument);
    const message = `typeArguments: expected one for T${index} of ${text}, got ${typeArguments.length}`;
    throw new EngineError('invalid-argument', message);
  });
  const type = typeOf(parseTypeTag(concrete));
  if (reference === undefined) return type;
  return referenceTo(type, reference === '&' ? 'reference' : 'mutableReference');
}

function typeOf(tag: TypeTag): ArgumentType {
  return {
    kind: tag.kind,
    isReference: false,
    tag,
    get item(): ArgumentType {
      return typeOf((tag as TypeTag & { readonly kind: 'vector' }).item);
    },
    get struct(): ArgumentType['struct'] {
      const { address, module, name, typeArguments } = (tag as TypeTag & { readonly kind: 'struct' }).struct;
      return {
        address,
        module,
        name,
        typeArguments: typeArguments.map(typeOf),
        get fieldNames(): never {
          throw fieldsUnknown(tag);
        },
      };
    },
    get fields(): never {
      throw fieldsUnknown(tag);
    },
  };
}

function referenceTo(item: ArgumentType, kind: 'reference' | 'mutableReference'): ArgumentType {
  return {
    kind,
    isReference: true,
    tag: item.tag,
    item,
    get struct(): ArgumentType['struct'] {
      return item.struct;
    },
    get fields(): readonly ArgumentType[] {
      return item.fields;
    },
  };
}

function fieldsUnknown(tag: TypeTag): EngineError {
  return new EngineError(
    'invalid-argument',
    `the ABI does not name the fields of ${displayType(tag)}: give { bcs: bytes }`,
  );
}
