/**
 * From symbolic code to the instructions of the binary form, whose operands are indexes.
 * @module
 */
import { assert } from '../../base/error.ts';
import { instruction } from '../../vm/binary/code.ts';
import type { Code, Instruction } from '../../vm/binary/module.ts';
import { Op, plainOp } from '../../vm/binary/opcode.ts';
import type { BlockLabel, Variable } from '../lower/lowered-tree.ts';
import type { ConstantDeclaration, StructDeclaration } from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import type { Span } from '../text/source-text.ts';
import type { Pools } from './pools.ts';
import type { SymbolicInstruction } from './symbolic-code.ts';
import type { SymbolicBody } from './tidy.ts';

/** What code refers to beside the pools. */
export interface Definitions {
  readonly pools: Pools;
  /** Positions among the struct definitions of the module. */
  readonly structs: ReadonlyMap<StructDeclaration, number>;
  /** Indexes of named constants. */
  readonly constants: ReadonlyMap<ConstantDeclaration, number>;
}

export interface AssembledCode {
  readonly code: Code;
  /** By code offset, the place that an instruction comes from. */
  readonly spans: readonly Span[];
}

/** By opcode of an instruction without type arguments, the one with them. */
const GENERIC: ReadonlyMap<Op, Op> = new Map(
  Object.values(Op)
    .filter((op) => plainOp(op) !== op)
    .map((op) => [plainOp(op), op]),
);

export function assembleCode(
  { locals, blocks }: SymbolicBody,
  parameters: readonly Variable[],
  definitions: Definitions,
): AssembledCode {
  const localTypes = locals.map(({ type }) => type);
  const localsSignature = definitions.pools.signatureOf(localTypes);
  const assembler = new CodeAssembler(definitions, [...parameters, ...locals]);
  const offsets = new Map<BlockLabel, number>();
  let offset = 0;
  for (const { label, instructions } of blocks) {
    offsets.set(label, offset);
    offset += instructions.length;
  }
  const flat = blocks.flatMap(({ instructions }) => instructions);
  return {
    code: { locals: localsSignature, instructions: flat.map((item) => assembler.instruction(item, offsets)) },
    spans: flat.map(({ span }) => span),
  };
}

class CodeAssembler {
  readonly #definitions: Definitions;
  readonly #pools: Pools;
  readonly #variables: ReadonlyMap<Variable, number>;

  constructor(definitions: Definitions, variables: readonly Variable[]) {
    this.#definitions = definitions;
    this.#pools = definitions.pools;
    this.#variables = new Map(variables.map((variable, index) => [variable, index]));
  }

  instruction(item: SymbolicInstruction, offsets: ReadonlyMap<BlockLabel, number>): Instruction {
    const { op } = item;
    switch (item.kind) {
      case 'plain':
        return instruction(op, item.operand, item.literal);
      case 'local':
        return instruction(op, known(this.#variables.get(item.variable)));
      case 'jump':
        return instruction(op, known(offsets.get(item.target)));
      case 'struct':
        return this.#struct(op, item.struct, item.typeArguments);
      case 'field': {
        const field = this.#pools.field(this.#definition(item.struct), item.field.index);
        if (item.typeArguments.length === 0) return instruction(op, field);
        const signature = this.#pools.signatureOf(item.typeArguments);
        return instruction(generic(op), this.#pools.fieldInstantiation(field, signature));
      }
      case 'call': {
        // Even of a function without type parameters, the signature of none is entered.
        const signature = this.#pools.signatureOf(item.typeArguments);
        const handle = this.#pools.function(item.function);
        if (item.typeArguments.length === 0) return instruction(op, handle);
        return instruction(generic(op), this.#pools.functionInstantiation(handle, signature));
      }
      case 'vector':
        return instruction(op, this.#pools.signatureOf([item.element]), item.count);
      case 'literal':
        return instruction(op, this.#pools.constant(item.type, item.data));
      case 'constant':
        return instruction(op, known(this.#definitions.constants.get(item.constant)));
    }
  }

  #struct(op: Op, struct: StructDeclaration, typeArguments: readonly ResolvedType[]): Instruction {
    const signature = this.#pools.signatureOf(typeArguments);
    const definition = this.#definition(struct);
    if (typeArguments.length === 0) return instruction(op, definition);
    return instruction(generic(op), this.#pools.structInstantiation(definition, signature));
  }

  #definition(struct: StructDeclaration): number {
    return known(this.#definitions.structs.get(struct));
  }
}

function generic(op: Op): Op {
  return known(GENERIC.get(op));
}

function known<T>(found: T | undefined): T {
  assert(found !== undefined, 'code refers to what is declared');
  return found;
}
