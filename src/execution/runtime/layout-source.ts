/**
 * Layouts from the modules of a state: the struct definitions that a type names, with its type arguments filled in.
 *
 * Modules change only together with the module store's root, so layouts are cached under that root: states with the
 * same modules share them, and publishing makes a new root.
 * @module
 */

import { toHex } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import { keepRecent } from '../../base/recent.ts';
import { MODULE_STORE_ID } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { type Address, formatAddress } from '../../move/address.ts';
import type { Layout, LayoutSource, StructLayout } from '../../move/layout.ts';
import { assertTypeTag, displayType, type StructTag, structType, type TypeTag, typeKey } from '../../move/type-tag.ts';
import { idOfModuleHandle, type Module, type StructDefinition } from '../../vm/binary/module.ts';
import { PRIMITIVE_KINDS, type SignatureToken, TokenTag } from '../../vm/binary/signature-token.ts';
import { readStoredModule } from '../../vm/binary/stored-module.ts';

/** Levels of a layout: the reference bounds the depth of a value at 128. */
export const LAYOUT_DEPTH_MAX = 128;

/** Parts of a layout: nested generic structs grow fast. */
const LAYOUT_NODES_MAX = 4096;

/**
 * Number of states of the module store whose layouts are kept: the current one, and some for reads of the past and of
 * forks.
 */
const LAYOUT_ROOTS_MAX = 16;

/** The layouts of all states of an engine and its forks. */
export class LayoutCache {
  readonly #roots = new Map<string, Map<string, Layout>>();

  /** Layouts by the modules of `state`. */
  at(state: State): LayoutSource {
    const store = state.object(MODULE_STORE_ID);
    const root = store?.meta.stateRoot === undefined ? '' : toHex(store.meta.stateRoot);
    const known = this.#roots.get(root) ?? new Map<string, Layout>();
    keepRecent(this.#roots, root, known, LAYOUT_ROOTS_MAX);
    return new StateLayouts(state, known);
  }
}

class StateLayouts implements LayoutSource {
  readonly #state: State;
  readonly #known: Map<string, Layout>;
  readonly #modules = new Map<string, Module>();

  constructor(state: State, known: Map<string, Layout>) {
    this.#state = state;
    this.#known = known;
  }

  layout(type: TypeTag): Layout {
    assertTypeTag(type, 'type');
    if (type.kind !== 'struct' && type.kind !== 'vector') return type;
    const builder = new LayoutBuilder((owner, name) => this.#module(owner, name));
    return getOrInsert(this.#known, typeKey(type), () => builder.build(type, 1));
  }

  #module(owner: Address, name: string): Module {
    const id = `${formatAddress(owner)}::${name}`;
    return getOrInsert(this.#modules, id, () => {
      const bytes = this.#state.module(owner, name);
      if (bytes === undefined) throw new EngineError('not-found', `Module does not exist: ${id}`);
      return readStoredModule(bytes);
    });
  }
}

class LayoutBuilder {
  readonly #modules: (owner: Address, name: string) => Module;
  #nodes = 0;

  constructor(modules: (owner: Address, name: string) => Module) {
    this.#modules = modules;
  }

  build(type: TypeTag, depth: number): Layout {
    this.#nodes++;
    if (depth > LAYOUT_DEPTH_MAX || this.#nodes > LAYOUT_NODES_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `expected a type whose layout has at most ${LAYOUT_DEPTH_MAX} levels and ${LAYOUT_NODES_MAX} parts, got ${displayType(type).slice(0, 120)}`,
      );
    }
    if (type.kind === 'vector') return { kind: 'vector', item: this.build(type.item, depth + 1) };
    return type.kind === 'struct' ? this.#struct(type.struct, depth) : type;
  }

  #struct(tag: StructTag, depth: number): StructLayout {
    const module = this.#modules(tag.address, tag.module);
    const definition = findStruct(module, tag.name);
    if (definition?.fields === undefined) {
      throw new EngineError('not-found', `the struct ${displayType({ kind: 'struct', struct: tag })} is not defined`);
    }
    const handle = module.structHandles[definition.handle]!;
    if (handle.typeParameters.length !== tag.typeArguments.length) {
      throw new EngineError(
        'invalid-argument',
        `expected ${handle.typeParameters.length} type arguments of ${tag.module}::${tag.name}, got ${tag.typeArguments.length}`,
      );
    }
    const fields = definition.fields.map(({ name, type }) => ({
      name: module.identifiers[name]!,
      layout: this.build(tokenType(module, type, tag.typeArguments), depth + 1),
    }));
    return { kind: 'struct', tag, abilities: handle.abilities, fields };
  }
}

function findStruct(module: Module, name: string): StructDefinition | undefined {
  return module.structDefinitions.find(({ handle }) => module.identifiers[module.structHandles[handle]!.name] === name);
}

/** The concrete type that a token of `module` stands for. References have none. */
function tokenType(module: Module, token: SignatureToken, typeArguments: readonly TypeTag[]): TypeTag {
  const primitive = PRIMITIVE_KINDS[token.tag];
  if (primitive !== undefined) return { kind: primitive };
  const inner = (): TypeTag[] => token.arguments.map((argument) => tokenType(module, argument, typeArguments));
  switch (token.tag) {
    case TokenTag.Vector:
      return { kind: 'vector', item: inner()[0]! };
    case TokenTag.TypeParameter: {
      const argument = typeArguments[token.index];
      if (argument === undefined) throw new EngineError('invalid-argument', `type argument ${token.index} is missing`);
      return argument;
    }
    case TokenTag.Struct:
    case TokenTag.StructInstantiation: {
      const handle = module.structHandles[token.index]!;
      const { address, name: owner } = idOfModuleHandle(module, module.moduleHandles[handle.module]!);
      return structType({ address, module: owner, name: module.identifiers[handle.name]!, typeArguments: inner() });
    }
    default:
      throw new EngineError('invalid-argument', 'a reference has no type tag');
  }
}
