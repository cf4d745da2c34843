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
  const type = new DeclaredType(parseTypeTag(concrete));
  if (reference === undefined) return type;
  return new DeclaredReference(reference === '&' ? 'reference' : 'mutableReference', type);
}

class DeclaredType implements ArgumentType {
  readonly tag: TypeTag;
  readonly isReference = false;

  constructor(tag: TypeTag) {
    this.tag = tag;
  }

  get kind(): TypeTag['kind'] {
    return this.tag.kind;
  }

  get item(): ArgumentType {
    return new DeclaredType((this.tag as TypeTag & { readonly kind: 'vector' }).item);
  }

  get struct(): ArgumentType['struct'] {
    const { struct } = this.tag as TypeTag & { readonly kind: 'struct' };
    const typeArguments = struct.typeArguments.map((tag) => new DeclaredType(tag));
    return {
      address: struct.address,
      module: struct.module,
      name: struct.name,
      typeArguments,
      get fieldNames(): never {
        throw fieldsUnknown(displayType({ kind: 'struct', struct }));
      },
    };
  }

  get fields(): readonly ArgumentType[] {
    throw fieldsUnknown(displayType(this.tag));
  }
}

class DeclaredReference implements ArgumentType {
  readonly kind: 'reference' | 'mutableReference';
  readonly isReference = true;
  readonly item: DeclaredType;

  constructor(kind: 'reference' | 'mutableReference', item: DeclaredType) {
    this.kind = kind;
    this.item = item;
  }

  get tag(): TypeTag {
    return this.item.tag;
  }

  get struct(): ArgumentType['struct'] {
    return this.item.struct;
  }

  get fields(): readonly ArgumentType[] {
    return this.item.fields;
  }
}

function fieldsUnknown(type: string): EngineError {
  return new EngineError('invalid-argument', `the ABI does not name the fields of ${type}: give { bcs: bytes }`);
}
