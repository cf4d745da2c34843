/**
 * The typed tree: what inference, and after it inlining, make of the resolved tree. Each expression has its type,
 * borrows and dereferences are explicit, calls have all type arguments. Whether a `use` moves or copies is open.
 *
 * Inlining goes from typed tree to typed tree: after it there are no lambdas, no function types and no `callLocal`, and
 * inline functions are gone. Types have no variables.
 * @module
 */
import type {
  ConstantDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  Local,
  ModuleDeclaration,
  StructDeclaration,
} from '../names/declaration.ts';
import type { BuiltinFunction, ResolvedLiteral } from '../names/resolved-tree.ts';
import type { ResolvedType } from '../names/type.ts';
import type { BinaryOperator } from '../syntax/tree.ts';
import type { Span } from '../text/source-text.ts';

export interface TypedProgram {
  /** As in the resolved program: dependencies first. */
  readonly modules: readonly TypedModule[];
  readonly scripts: readonly TypedScript[];
  /** All modules by key. */
  readonly declarations: ReadonlyMap<string, ModuleDeclaration>;
}

export interface TypedModule {
  readonly declaration: ModuleDeclaration;
  /** In the order of the source. Of a module that is only used, its inline functions alone have bodies. */
  readonly functions: readonly TypedFunction[];
  readonly constants: readonly TypedConstant[];
}

export interface TypedScript {
  readonly span: Span;
  readonly constants: readonly TypedConstant[];
  readonly function: TypedFunction;
}

export interface TypedFunction {
  readonly declaration: FunctionDeclaration;
  /** `undefined` for a native function. */
  readonly body: TypedBlock | undefined;
}

export interface TypedConstant {
  readonly declaration: ConstantDeclaration;
  readonly value: TypedExpression;
}

/** Items, the last of which is an expression, the value. */
export interface TypedBlock {
  readonly span: Span;
  readonly items: readonly TypedItem[];
}

export type TypedItem = { readonly span: Span } & (
  | { readonly kind: 'expression'; readonly expression: TypedExpression }
  | { readonly kind: 'bind'; readonly patterns: TypedPatternList; readonly value: TypedExpression }
  | { readonly kind: 'declare'; readonly patterns: TypedPatternList }
);

export interface TypedPatternList {
  readonly span: Span;
  readonly patterns: readonly TypedPattern[];
  /** The type that each pattern expects of its value, which may be a subtype of it. */
  readonly types: readonly ResolvedType[];
}

export type TypedPattern = { readonly span: Span } & (
  | { readonly kind: 'ignore' }
  /** `type` is that of the local. */
  | { readonly kind: 'local'; readonly local: Local; readonly type: ResolvedType }
  | {
      readonly kind: 'unpack';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
      /** Set if a reference is taken apart: the fields are then references too. */
      readonly borrow: { readonly isMutable: boolean } | undefined;
      /** Each field of the struct once, in the order in which they are written. */
      readonly fields: readonly TypedFieldPattern[];
    }
);

export interface TypedFieldPattern {
  readonly field: FieldDeclaration;
  /** Of the field in this instance, without a reference. */
  readonly type: ResolvedType;
  readonly pattern: TypedPattern;
}

interface Node {
  readonly span: Span;
  readonly type: ResolvedType;
}

export type TypedExpression =
  /** The type of a number is that of the expression. */
  | (Node & { readonly kind: 'literal'; readonly literal: ResolvedLiteral })
  | (Node & { readonly kind: 'move' | 'copy' | 'use'; readonly local: Local })
  | (Node & { readonly kind: 'constant'; readonly constant: ConstantDeclaration })
  | (Node & {
      readonly kind: 'call';
      readonly function: FunctionDeclaration;
      /** Whether the code was written in the function's module, though it may have been inlined in another. */
      readonly isOwn: boolean;
      readonly typeArguments: readonly ResolvedType[];
      /** With type arguments in place. */
      readonly parameterTypes: readonly ResolvedType[];
      readonly arguments: TypedArguments;
    })
  | (Node & { readonly kind: 'callLocal'; readonly local: Local; readonly arguments: TypedArguments })
  | (Node & {
      readonly kind: 'builtin';
      readonly function: BuiltinFunction;
      readonly nameSpan: Span;
      readonly isMacro: boolean;
      /** `undefined` for `assert` alone. */
      readonly typeArgument: ResolvedType | undefined;
      readonly arguments: TypedArguments;
    })
  | (Node & {
      readonly kind: 'vector';
      readonly nameSpan: Span;
      readonly element: ResolvedType;
      readonly items: TypedArguments;
    })
  | (Node & {
      readonly kind: 'if';
      readonly condition: TypedExpression;
      readonly consequent: TypedExpression;
      readonly alternate: TypedExpression;
    })
  | (Node & { readonly kind: 'while'; readonly condition: TypedExpression; readonly body: TypedExpression })
  | (Node & { readonly kind: 'loop'; readonly hasBreak: boolean; readonly body: TypedExpression })
  | (Node & { readonly kind: 'block'; readonly block: TypedBlock })
  | (Node & { readonly kind: 'lambda'; readonly parameters: TypedPatternList; readonly body: TypedExpression })
  | (Node & { readonly kind: 'assign'; readonly targets: TypedPatternList; readonly value: TypedExpression })
  /** `reference` is a mutable reference: a field's borrow, or what `*` was applied to. */
  | (Node & { readonly kind: 'mutate'; readonly reference: TypedExpression; readonly value: TypedExpression })
  | (Node & { readonly kind: 'return'; readonly value: TypedExpression })
  | (Node & { readonly kind: 'abort'; readonly code: TypedExpression })
  | (Node & { readonly kind: 'break' | 'continue' })
  | (Node & { readonly kind: 'dereference' | 'not'; readonly operand: TypedExpression })
  | (Node & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly operatorSpan: Span;
      /** Of both operands, without the shift's right one. */
      readonly operandType: ResolvedType;
      readonly left: TypedExpression;
      readonly right: TypedExpression;
    })
  | (Node & {
      readonly kind: 'pack';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[];
      /** Each field of the struct once, in the order in which they are written, which is that of evaluation. */
      readonly fields: readonly TypedFieldValue[];
    })
  /** Two and more; or the arguments of a call that are several. */
  | (Node & { readonly kind: 'tuple'; readonly items: readonly TypedExpression[] })
  | (Node & { readonly kind: 'unit'; readonly isTrailing: boolean })
  /** `&e.f` or `&mut e.f`, where `operand` is a reference. */
  | (Node & {
      readonly kind: 'borrowField';
      readonly isMutable: boolean;
      readonly operand: TypedExpression;
      readonly field: FieldDeclaration;
      readonly struct: StructDeclaration;
    })
  | (Node & { readonly kind: 'borrowLocal'; readonly isMutable: boolean; readonly local: Local })
  /** A value that is put into a temporary, and a reference to that. */
  | (Node & { readonly kind: 'borrowTemporary'; readonly isMutable: boolean; readonly operand: TypedExpression })
  /** `type` is the type that is written. */
  | (Node & { readonly kind: 'cast' | 'annotate'; readonly operand: TypedExpression })
  | (Node & {
      readonly kind: 'spec';
      readonly locals: readonly { readonly local: Local; readonly type: ResolvedType }[];
    })
  | (Node & { readonly kind: 'error' });

/**
 * What a call takes: one expression, as the language has it: a unit for no argument, a single expression, or a tuple.
 * A single expression may itself be a tuple's call, which gives several arguments.
 */
export type TypedArguments = TypedExpression;

export interface TypedFieldValue {
  readonly field: FieldDeclaration;
  /** Of the field in this instance. */
  readonly type: ResolvedType;
  readonly value: TypedExpression;
}
