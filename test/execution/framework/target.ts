/**
 * Functions that may be called, and how the types of values bind their type parameters.
 * @module
 */
import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { canonicalType, type TypeTag } from '../../../src/move/type-tag.ts';
import type { Module, ModuleId } from '../../../src/vm/binary/module.ts';
import {
  PRIMITIVE_KINDS,
  type Signature,
  type SignatureToken,
  TokenTag,
} from '../../../src/vm/binary/signature-token.ts';
import { idOfHandle } from '../../../src/vm/link/loaded-module.ts';

export interface Target {
  readonly module: ModuleId;
  readonly function: string;
  /** The number of type parameters. */
  readonly generics: number;
  readonly parameters: Signature;
  readonly returnsReference: readonly boolean[];
  /** The function's declaration is in it. */
  readonly source: Module;
  /** Byte strings that the module compares with or makes. */
  readonly constants: readonly Uint8Array[];
}

/** The functions of a module that have code. */
export function targetsOf(module: Module): Target[] {
  const constants = module.constants
    .filter(({ type }) => type.tag === TokenTag.Vector && type.arguments[0]!.tag === TokenTag.U8)
    .map(({ data }) => data.subarray(data.length > 128 ? 2 : 1));
  return module.functionDefinitions
    .filter(({ code }) => code !== undefined)
    .map(({ handle }) => {
      const { name, typeParameters, parameters, returns } = module.functionHandles[handle]!;
      return {
        module: idOfHandle(module, module.selfHandle),
        function: module.identifiers[name]!,
        generics: typeParameters.length,
        parameters: module.signatures[parameters]!,
        returnsReference: module.signatures[returns]!.map(isReference),
        source: module,
        constants,
      };
    });
}

function isReference({ tag }: SignatureToken): boolean {
  return tag === TokenTag.Reference || tag === TokenTag.MutableReference;
}

/**
 * The type arguments for which a parameter takes a value of type `tag`, or the handle of an object of that type; those
 * that the parameter does not name are left out. Undefined if there are none.
 */
export function bindTypes(
  module: Module,
  parameter: SignatureToken,
  tag: TypeTag,
): (TypeTag | undefined)[] | undefined {
  const token = isReference(parameter) ? parameter.arguments[0]! : parameter;
  const bound: (TypeTag | undefined)[] = [];
  if (bind(module, token, tag, bound)) return bound;
  const isHandle = token.tag === TokenTag.StructInstantiation && structName(module, token) === '2::object::Object';
  if (!isHandle) return undefined;
  const ofObject: (TypeTag | undefined)[] = [];
  return bind(module, token.arguments[0]!, tag, ofObject) ? ofObject : undefined;
}

function bind(module: Module, token: SignatureToken, tag: TypeTag, bound: (TypeTag | undefined)[]): boolean {
  switch (token.tag) {
    case TokenTag.TypeParameter: {
      const known = bound[token.index];
      bound[token.index] = tag;
      return known === undefined || canonicalType(known) === canonicalType(tag);
    }
    case TokenTag.Vector:
      return tag.kind === 'vector' && bind(module, token.arguments[0]!, tag.item, bound);
    case TokenTag.Struct:
    case TokenTag.StructInstantiation: {
      if (tag.kind !== 'struct') return false;
      const { address, module: name, name: own, typeArguments } = tag.struct;
      const handle = module.structHandles[token.index]!;
      const id = idOfHandle(module, handle.module);
      if (own !== module.identifiers[handle.name] || name !== id.name || !equalBytes(address, id.address)) return false;
      return token.arguments.every((argument, index) => bind(module, argument, typeArguments[index]!, bound));
    }
    default:
      return PRIMITIVE_KINDS[token.tag] === tag.kind;
  }
}

function structName(module: Module, token: SignatureToken): string {
  const handle = module.structHandles[token.index]!;
  const { address, name } = idOfHandle(module, handle.module);
  return `${address[31]}::${name}::${module.identifiers[handle.name]}`;
}
