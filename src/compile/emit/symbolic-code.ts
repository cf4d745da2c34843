/**
 * Code as instructions that name what they mean: variables, labels, structs and functions instead of indexes.
 *
 * Source: the reference's `move-compiler/src/to_bytecode/translate.rs`.
 * @module
 */
import { assert } from '../../base/error.ts';
import { Op } from '../../vm/binary/opcode.ts';
import type { IntegerKind } from '../../vm/value/integer.ts';
import type { FlowBlock } from '../flow/flow.ts';
import type {
  BlockLabel,
  Expression,
  GlobalOperation,
  LoweredCommand,
  Target,
  Variable,
} from '../lower/lowered-tree.ts';
import { encodeConstant, type Value } from '../lower/value.ts';
import type {
  ConstantDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  StructDeclaration,
} from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import type { BinaryOperator } from '../syntax/tree.ts';
import type { Span } from '../text/source-text.ts';

export type SymbolicInstruction = { readonly span: Span; readonly op: Op } & (
  | { readonly kind: 'plain'; readonly operand: number; readonly literal: bigint }
  | { readonly kind: 'local'; readonly variable: Variable }
  | { readonly kind: 'jump'; readonly target: BlockLabel }
  /** `op` is that of a struct without type arguments. */
  | { readonly kind: 'struct'; readonly struct: StructDeclaration; readonly typeArguments: readonly ResolvedType[] }
  | {
      readonly kind: 'field';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
      readonly field: FieldDeclaration;
    }
  | { readonly kind: 'call'; readonly function: FunctionDeclaration; readonly typeArguments: readonly ResolvedType[] }
  /** `count` is that of the elements of a vector that is packed or unpacked. */
  | { readonly kind: 'vector'; readonly element: ResolvedType; readonly count: bigint }
  | { readonly kind: 'literal'; readonly type: ResolvedType; readonly data: Uint8Array }
  | { readonly kind: 'constant'; readonly constant: ConstantDeclaration }
);

export interface SymbolicBlock {
  readonly label: BlockLabel;
  readonly isLoopStart: boolean;
  instructions: SymbolicInstruction[];
}

export function symbolicBlock({ label, isLoopStart, commands }: FlowBlock): SymbolicBlock {
  const writer = new CodeWriter();
  for (const command of commands) writer.command(command);
  return { label, isLoopStart, instructions: writer.instructions };
}

const BINARY: Readonly<Record<BinaryOperator, Op>> = {
  '+': Op.Add,
  '-': Op.Sub,
  '*': Op.Mul,
  '%': Op.Mod,
  '/': Op.Div,
  '|': Op.BitOr,
  '&': Op.BitAnd,
  '^': Op.Xor,
  '<<': Op.Shl,
  '>>': Op.Shr,
  '&&': Op.And,
  '||': Op.Or,
  '==': Op.Eq,
  '!=': Op.Neq,
  '<': Op.Lt,
  '>': Op.Gt,
  '<=': Op.Le,
  '>=': Op.Ge,
};

const GLOBAL: Readonly<Record<GlobalOperation, Op>> = {
  move_to: Op.MoveTo,
  move_from: Op.MoveFrom,
  borrow_global: Op.ImmBorrowGlobal,
  borrow_global_mut: Op.MutBorrowGlobal,
  exists: Op.Exists,
};

const CAST: Readonly<Record<IntegerKind, Op>> = {
  u8: Op.CastU8,
  u16: Op.CastU16,
  u32: Op.CastU32,
  u64: Op.CastU64,
  u128: Op.CastU128,
  u256: Op.CastU256,
};

const LOAD: Readonly<Record<IntegerKind, Op>> = {
  u8: Op.LdU8,
  u16: Op.LdU16,
  u32: Op.LdU32,
  u64: Op.LdU64,
  u128: Op.LdU128,
  u256: Op.LdU256,
};

/** Functions of `std::vector` whose calls are instructions. */
const VECTOR_FUNCTIONS: ReadonlyMap<string, Op> = new Map([
  ['empty', Op.VecPack],
  ['length', Op.VecLen],
  ['borrow', Op.VecImmBorrow],
  ['push_back', Op.VecPushBack],
  ['borrow_mut', Op.VecMutBorrow],
  ['pop_back', Op.VecPopBack],
  ['destroy_empty', Op.VecUnpack],
  ['swap', Op.VecSwap],
]);

const STANDARD_VECTOR = `${'1'.padStart(64, '0')}::vector`;

/** The instruction that a call of the function is, if it is one. */
function vectorInstruction({ module, name }: FunctionDeclaration): Op | undefined {
  const identity = module?.identity;
  if (identity === undefined) return undefined;
  const isStandard = identity.key === STANDARD_VECTOR || (identity.addressName === 'std' && identity.name === 'vector');
  return isStandard ? VECTOR_FUNCTIONS.get(name.text) : undefined;
}

class CodeWriter {
  readonly instructions: SymbolicInstruction[] = [];

  command(command: LoweredCommand): void {
    const { span } = command;
    for (const operand of command.operands) this.#expression(operand);
    switch (command.kind) {
      case 'assign':
        this.#targets(command.targets);
        break;
      case 'mutate':
        this.#plain(span, Op.WriteRef);
        break;
      case 'abort':
        this.#plain(span, Op.Abort);
        break;
      case 'return':
        this.#plain(span, Op.Ret);
        break;
      case 'drop':
        for (let left = command.count; left > 0; left--) this.#plain(span, Op.Pop);
        break;
      case 'jump':
        this.#jump(span, Op.Branch, command.target);
        break;
      case 'branch':
        this.#jump(span, Op.BrFalse, command.whenFalse);
        this.#jump(span, Op.Branch, command.whenTrue);
        break;
      default:
        throw new Error(`${command.kind} is a jump by now`);
    }
  }

  #plain(span: Span, op: Op, operand = 0, literal = 0n): void {
    this.instructions.push({ kind: 'plain', span, op, operand, literal });
  }

  #local(span: Span, op: Op, variable: Variable): void {
    this.instructions.push({ kind: 'local', span, op, variable });
  }

  #jump(span: Span, op: Op, target: BlockLabel): void {
    this.instructions.push({ kind: 'jump', span, op, target });
  }

  #struct(span: Span, op: Op, struct: StructDeclaration, typeArguments: readonly ResolvedType[]): void {
    this.instructions.push({ kind: 'struct', span, op, struct, typeArguments });
  }

  #targets(targets: readonly Target[]): void {
    for (const target of targets.toReversed()) this.#target(target);
  }

  #target(target: Target): void {
    const { span } = target;
    if (target.kind === 'ignore') this.#plain(span, Op.Pop);
    else if (target.kind === 'variable') this.#local(span, Op.StLoc, target.variable);
    else {
      this.#struct(span, Op.Unpack, target.struct, target.typeArguments);
      // A struct without fields has one in bytecode.
      if (target.fields.length === 0) this.#plain(span, Op.Pop);
      this.#targets(target.fields);
    }
  }

  #expression(expression: Expression): void {
    const { span } = expression;
    for (const operand of expression.operands) this.#expression(operand);
    switch (expression.kind) {
      case 'unit':
      case 'list':
        break;
      case 'value':
        this.#value(span, expression.value, expression.type);
        break;
      case 'constant':
        this.instructions.push({ kind: 'constant', span, op: Op.LdConst, constant: expression.constant });
        break;
      case 'move':
        this.#local(span, Op.MoveLoc, expression.variable);
        break;
      case 'copy':
        this.#local(span, Op.CopyLoc, expression.variable);
        break;
      case 'borrowLocal':
        this.#local(span, expression.isMutable ? Op.MutBorrowLoc : Op.ImmBorrowLoc, expression.variable);
        break;
      case 'call':
        this.#call(span, expression.function, expression.typeArguments);
        break;
      case 'global': {
        const { resource, operation, nameSpan } = expression;
        assert(resource.kind === 'struct', 'a resource is a struct');
        this.#struct(nameSpan, GLOBAL[operation], resource.struct, resource.arguments);
        break;
      }
      case 'vector':
        this.instructions.push({
          kind: 'vector',
          span,
          op: Op.VecPack,
          element: expression.element,
          count: BigInt(expression.count),
        });
        break;
      case 'freeze':
        this.#plain(span, Op.FreezeRef);
        break;
      case 'dereference':
        this.#plain(span, Op.ReadRef);
        break;
      case 'not':
        this.#plain({ ...span, end: span.start + 1 }, Op.Not);
        break;
      case 'binary':
        this.#plain(expression.operatorSpan, BINARY[expression.operator]);
        break;
      case 'cast': {
        const { type: target } = expression;
        assert(target.kind === 'primitive' && target.name in CAST, 'a cast is to an integer');
        this.#plain(span, CAST[target.name as IntegerKind]);
        break;
      }
      case 'pack':
        if (expression.operands.length === 0) this.#plain(span, Op.LdFalse);
        this.#struct(span, Op.Pack, expression.struct, expression.typeArguments);
        break;
      case 'borrowField': {
        const { struct, typeArguments, field, isMutable } = expression;
        const op = isMutable ? Op.MutBorrowField : Op.ImmBorrowField;
        this.instructions.push({ kind: 'field', span, op, struct, typeArguments, field });
        break;
      }
      case 'spec':
        this.#plain(span, Op.Nop);
        break;
      case 'unreachable':
      case 'error':
        throw new Error(`there is no code for ${expression.kind}`);
    }
  }

  #call(span: Span, called: FunctionDeclaration, typeArguments: readonly ResolvedType[]): void {
    const op = vectorInstruction(called);
    if (op === undefined) {
      this.instructions.push({ kind: 'call', span, op: Op.Call, function: called, typeArguments });
      return;
    }
    const [element] = typeArguments;
    assert(element !== undefined, 'functions of vectors have a type argument');
    this.instructions.push({ kind: 'vector', span, op, element, count: 0n });
  }

  #value(span: Span, value: Value, type: ResolvedType): void {
    if (value.kind === 'bool') this.#plain(span, value.value ? Op.LdTrue : Op.LdFalse);
    else if (value.kind !== 'number') {
      this.instructions.push({ kind: 'literal', span, op: Op.LdConst, type, data: encodeConstant(value) });
    } else {
      const isWide = value.type === 'u64' || value.type === 'u128' || value.type === 'u256';
      const op = LOAD[value.type];
      if (isWide) this.#plain(span, op, 0, value.value);
      else this.#plain(span, op, Number(value.value));
    }
  }
}
