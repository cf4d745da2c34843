/**
 * The modules that a module or script names: those of the structs and functions that its declarations and code mention,
 * even where the last pass over code leaves nothing of them.
 *
 * Source: the reference's `move-compiler/src/to_bytecode/context.rs`.
 * @module
 */
import { singleTypes } from '../lower/lowered-tree.ts';
import type { FunctionDeclaration, ModuleDeclaration, ModuleIdentity } from '../names/declaration.ts';
import { innerTypes, type ResolvedType } from '../names/type.ts';
import type { SymbolicInstruction } from './symbolic-code.ts';

export class Imports {
  readonly #self: ModuleDeclaration | undefined;
  readonly #found = new Map<string, ModuleIdentity>();

  /** @param self the module that needs no import */
  constructor(self: ModuleDeclaration | undefined) {
    this.#self = self;
  }

  /** In the order in which they are declared. */
  sorted(): ModuleIdentity[] {
    return [...this.#found.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  #module(module: ModuleDeclaration): void {
    if (module !== this.#self) this.#found.set(module.identity.key, module.identity);
  }

  type(type: ResolvedType): void {
    if (type.kind === 'struct') this.#module(type.struct.module);
    this.types(innerTypes(type));
  }

  types(types: readonly ResolvedType[]): void {
    for (const type of types) this.type(type);
  }

  signature({ parameters, result }: FunctionDeclaration): void {
    this.types(singleTypes(result));
    for (const { type } of parameters) this.type(type);
  }

  instruction(instruction: SymbolicInstruction): void {
    switch (instruction.kind) {
      case 'struct':
      case 'field':
        this.types(instruction.typeArguments);
        break;
      case 'call':
        this.types(instruction.typeArguments);
        if (instruction.function.module === undefined || instruction.function.module === this.#self) break;
        this.#module(instruction.function.module);
        this.signature(instruction.function);
        break;
      case 'vector':
        this.type(instruction.element);
        break;
      default:
    }
  }
}
