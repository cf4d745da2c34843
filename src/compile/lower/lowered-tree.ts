/**
 * The lowered tree: bodies as statements whose expressions have no control flow inside, and no effect whose order
 * matters beside that of evaluation from left to right.
 *
 * Every expression lists its operands in the order of evaluation, so a walk needs no case distinctions. Expressions are
 * immutable; passes that change one make another.
 * @module
 */
import type {
  ConstantDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  StructDeclaration,
} from '../names/declaration.ts';
import type { ResolvedType } from '../names/type.ts';
import type { BinaryOperator } from '../syntax/tree.ts';
import type { Span } from '../text/source-text.ts';
import type { Value } from './value.ts';

export interface LoweredFunction {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly Variable[];
  /** `undefined` for a native function. */
  readonly body: LoweredBody | undefined;
}

export interface LoweredConstant {
  readonly declaration: ConstantDeclaration;
  readonly body: LoweredBody;
}

export interface LoweredBody {
  /** All variables, parameters too, sorted by name. */
  readonly variables: readonly Variable[];
  readonly statements: readonly Statement[];
}

/** A parameter, local or temporary of one function; the object is its identity and the name is unique there. */
export interface Variable {
  readonly name: string;
  readonly type: ResolvedType;
  /** Of the declaration. */
  readonly span: Span;
  /** As users know it; `undefined` for a temporary. */
  readonly shownName: string | undefined;
  readonly isParameter: boolean;
}

/** Where a unit comes from, which decides whether code after it that never runs is worth a warning. */
export type UnitOrigin = 'trailing' | 'implicit' | 'source';

/** Why a variable is moved: as written, since its type cannot be copied, or since it is not used afterwards. */
export type MoveReason = 'source' | 'noCopy' | 'lastUse';

interface Node {
  readonly span: Span;
  readonly type: ResolvedType;
  readonly operands: readonly Expression[];
}

export type Expression =
  | (Node & { readonly kind: 'unit'; readonly origin: UnitOrigin })
  | (Node & { readonly kind: 'value'; readonly value: Value })
  | (Node & { readonly kind: 'constant'; readonly constant: ConstantDeclaration })
  | (Node & { readonly kind: 'move'; readonly variable: Variable; readonly reason: MoveReason })
  | (Node & { readonly kind: 'copy'; readonly variable: Variable; readonly isWritten: boolean })
  | (Node & { readonly kind: 'borrowLocal'; readonly variable: Variable; readonly isMutable: boolean })
  | (Node & {
      readonly kind: 'call';
      readonly function: FunctionDeclaration;
      readonly typeArguments: readonly ResolvedType[];
    })
  | (Node & {
      readonly kind: 'global';
      readonly operation: GlobalOperation;
      readonly resource: ResolvedType;
      readonly nameSpan: Span;
    })
  | (Node & { readonly kind: 'vector'; readonly element: ResolvedType; readonly count: number })
  | (Node & { readonly kind: 'freeze' | 'dereference' | 'not' | 'cast' })
  | (Node & { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly operatorSpan: Span })
  /** The operands are the fields in declaration order. */
  | (Node & {
      readonly kind: 'pack';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
    })
  | (Node & {
      readonly kind: 'borrowField';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
      readonly field: FieldDeclaration;
      readonly isMutable: boolean;
    })
  /** The values of all operands, some of which may have several. */
  | (Node & { readonly kind: 'list' })
  | (Node & { readonly kind: 'spec'; readonly variables: readonly Variable[] })
  /** Stands where no value ever arrives. */
  | (Node & { readonly kind: 'unreachable' })
  | (Node & { readonly kind: 'error' });

export type GlobalOperation = 'move_to' | 'move_from' | 'borrow_global' | 'borrow_global_mut' | 'exists';

/** What a value is assigned to. */
export type Target =
  | { readonly kind: 'ignore'; readonly span: Span }
  | { readonly kind: 'variable'; readonly span: Span; readonly variable: Variable }
  | {
      readonly kind: 'unpack';
      readonly span: Span;
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
      /** In declaration order. */
      readonly fields: readonly Target[];
    };

/** A block's number. */
export type BlockLabel = number;

/** A command; `operands` are evaluated first, from left to right. */
export type LoweredCommand = { readonly span: Span; readonly operands: readonly Expression[] } & (
  | { readonly kind: 'assign'; readonly targets: readonly Target[] }
  /** Operands: the value and then the reference. */
  | { readonly kind: 'mutate' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'return'; readonly isWritten: boolean }
  /** Drops `count` values. */
  | { readonly kind: 'drop'; readonly count: number }
  | { readonly kind: 'jump'; readonly target: BlockLabel; readonly isWritten: boolean }
  | { readonly kind: 'branch'; readonly whenTrue: BlockLabel; readonly whenFalse: BlockLabel }
  /** Only in statements. */
  | { readonly kind: 'break' | 'continue' }
);

export type Statement =
  | LoweredCommand
  | {
      readonly kind: 'if';
      readonly span: Span;
      readonly condition: Expression;
      readonly consequent: Statement[];
      readonly alternate: Statement[];
    }
  | {
      readonly kind: 'while';
      readonly span: Span;
      readonly before: Statement[];
      readonly condition: Expression;
      readonly body: Statement[];
    }
  | { readonly kind: 'loop'; readonly span: Span; readonly body: Statement[]; readonly hasBreak: boolean };

export const NO_OPERANDS: readonly Expression[] = [];

/** The types of the values that an expression of this type has. */
export function singleTypes(type: ResolvedType): readonly ResolvedType[] {
  return type.kind === 'tuple' ? type.items : [type];
}

/** The type of an expression that has values of these types. */
export function typeOfAll(span: Span, types: readonly ResolvedType[]): ResolvedType {
  return types.length === 1 ? types[0]! : { kind: 'tuple', span, items: types };
}

export function unitExpression(span: Span, origin: UnitOrigin): Expression {
  return { kind: 'unit', span, type: { kind: 'tuple', span, items: [] }, operands: NO_OPERANDS, origin };
}

/** The same node with other operands, or itself if they are the same. */
export function withOperands<T extends { readonly operands: readonly Expression[] }>(
  node: T,
  change: (operand: Expression) => Expression,
): T {
  if (node.operands.length === 0) return node;
  const operands = node.operands.map(change);
  return operands.every((operand, at) => operand === node.operands[at]) ? node : { ...node, operands };
}
