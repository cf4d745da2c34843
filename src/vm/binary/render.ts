/**
 * Names and types of a binary as text, for listings and messages.
 * @module
 */
import { type Binary, idOfModuleHandle, moduleIdText } from './module.ts';
import { PRIMITIVE_KINDS, type SignatureToken, TokenTag } from './signature-token.ts';

/** Types in messages end after this many nodes: a substituted type can be astronomically large. */
const TYPE_NODES_MAX = 64;

/** `0x2::coin`, by module handle. */
export function moduleText(binary: Binary, handle: number): string {
  return moduleIdText(idOfModuleHandle(binary, binary.moduleHandles[handle]!));
}

/** `Coin` for a struct of the module itself, `0x2::coin::Coin` for others, by struct handle. */
export function structText(binary: Binary, handle: number): string {
  const { module, name } = binary.structHandles[handle]!;
  return memberText(binary, module, name);
}

/** `mint` for a function of the module itself, `0x2::coin::mint` for others, by function handle. */
export function functionText(binary: Binary, handle: number): string {
  const { module, name } = binary.functionHandles[handle]!;
  return memberText(binary, module, name);
}

/** `0x2::coin::Coin` for any struct, by struct handle. */
export function fullStructText(binary: Binary, handle: number): string {
  const { module, name } = binary.structHandles[handle]!;
  return `${moduleText(binary, module)}::${binary.identifiers[name]}`;
}

/** `0x2::coin::mint` for any function, by function handle. */
export function fullFunctionText(binary: Binary, handle: number): string {
  const { module, name } = binary.functionHandles[handle]!;
  return `${moduleText(binary, module)}::${binary.identifiers[name]}`;
}

function memberText(binary: Binary, module: number, name: number): string {
  const member = binary.identifiers[name]!;
  const isOwn = binary.kind === 'module' && module === binary.selfHandle;
  return isOwn ? member : `${moduleText(binary, module)}::${member}`;
}

/**
 * A type as Move writes it; type parameters are `T0`, `T1`. Nodes beyond `nodesMax` are shown as an ellipsis.
 * @param nameOf names a struct by its handle
 */
export function typeText(
  binary: Binary,
  token: SignatureToken,
  nodesMax: number = TYPE_NODES_MAX,
  nameOf: (binary: Binary, handle: number) => string = structText,
): string {
  let nodes = 0;
  const render = (type: SignatureToken): string => {
    if (++nodes > nodesMax) return '...';
    const primitive = PRIMITIVE_KINDS[type.tag];
    if (primitive !== undefined) return primitive;
    switch (type.tag) {
      case TokenTag.Reference:
        return `&${render(type.arguments[0]!)}`;
      case TokenTag.MutableReference:
        return `&mut ${render(type.arguments[0]!)}`;
      case TokenTag.Vector:
        return `vector<${render(type.arguments[0]!)}>`;
      case TokenTag.TypeParameter:
        return `T${type.index}`;
      default: {
        const name = nameOf(binary, type.index);
        if (type.arguments.length === 0) return name;
        return `${name}<${renderList(type.arguments, render, () => nodes > nodesMax)}>`;
      }
    }
  };
  return render(token);
}

function renderList(
  types: readonly SignatureToken[],
  render: (type: SignatureToken) => string,
  isFull: () => boolean,
): string {
  const parts: string[] = [];
  for (const type of types) {
    parts.push(render(type));
    if (isFull()) break;
  }
  return parts.join(', ');
}
