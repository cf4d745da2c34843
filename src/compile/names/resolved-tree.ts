/**
 * The resolved tree: what the resolution of names makes of the syntax tree. Each name is a reference to what it stands
 * for, literals are values, attributes have chosen what is compiled, and modules are in the order of their dependencies.
 * Types of expressions are not known yet.
 *
 * What could not be resolved is an `error` expression or type; there is a diagnostic for it.
 * @module
 */
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type { BinaryOperator } from '../syntax/tree.ts';
import type { Name, Span } from '../text/source-text.ts';
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  Local,
  ModuleDeclaration,
  StructDeclaration,
} from './declaration.ts';
import type { ModuleUses } from './module-order.ts';
import type { ResolvedType } from './type.ts';
import type { MemberKind } from './valid-name.ts';

export interface ResolvedProgram {
  /**
   * The modules of sources, targets and used ones, dependencies before their users.
   */
  readonly modules: readonly ResolvedModule[];
  readonly scripts: readonly ResolvedScript[];
  /** What each module uses. */
  readonly uses: readonly ModuleUses[];
  /** All modules by key. */
  readonly declarations: ReadonlyMap<string, ModuleDeclaration>;
  /** By key: the kinds of the members of modules, those for specifications too. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, MemberKind>>;
}

export interface ResolvedModule {
  readonly declaration: ModuleDeclaration;
  /** In the order of the source. */
  readonly functions: readonly ResolvedFunction[];
  readonly constants: readonly ResolvedConstant[];
}

export interface ResolvedScript {
  readonly span: Span;
  readonly constants: readonly ResolvedConstant[];
  readonly function: ResolvedFunction;
}

export interface ResolvedFunction {
  readonly declaration: FunctionDeclaration;
  /** `undefined` for a native function. */
  readonly body: ResolvedBlock | undefined;
}

export interface ResolvedConstant {
  readonly declaration: ConstantDeclaration;
  readonly value: ResolvedExpression;
}

/** Items, the last of which is the value; a block that ends with a semicolon has `()` there, with `isTrailing`. */
export interface ResolvedBlock {
  readonly span: Span;
  readonly items: readonly ResolvedItem[];
}

export type ResolvedItem = { readonly span: Span } & (
  | { readonly kind: 'expression'; readonly expression: ResolvedExpression }
  /** `let` with a value. The type that is written is an `annotate` around the value. */
  | { readonly kind: 'bind'; readonly patterns: PatternList; readonly value: ResolvedExpression }
  /** `let` without a value. */
  | { readonly kind: 'declare'; readonly patterns: PatternList; readonly type: ResolvedType | undefined }
);

export interface PatternList {
  readonly span: Span;
  readonly patterns: readonly ResolvedPattern[];
}

/** What is bound by `let` and lambdas, or assigned to. */
export type ResolvedPattern = { readonly span: Span } & (
  | { readonly kind: 'ignore' }
  /** `span` is that of the name here; in an assignment, the local was declared elsewhere. */
  | { readonly kind: 'local'; readonly local: Local }
  | {
      readonly kind: 'unpack';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[] | undefined;
      /** As written; that none is missing or unknown is not checked yet. */
      readonly fields: readonly { readonly name: Name; readonly pattern: ResolvedPattern }[];
    }
);

export type BuiltinFunction =
  | 'move_to'
  | 'move_from'
  | 'borrow_global'
  | 'borrow_global_mut'
  | 'exists'
  | 'freeze'
  | 'assert';

export type ResolvedLiteral =
  /** `type` is undefined without a suffix. */
  | { readonly kind: 'number'; readonly value: bigint; readonly type: PrimitiveKind | undefined }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** 32 bytes. */
  | { readonly kind: 'address'; readonly value: Uint8Array }
  | { readonly kind: 'bytes'; readonly value: Uint8Array };

/** The arguments of a call; `span` includes the brackets. */
export interface ResolvedArguments {
  readonly span: Span;
  readonly items: readonly ResolvedExpression[];
}

export type ResolvedExpression = { readonly span: Span } & (
  | { readonly kind: 'literal'; readonly literal: ResolvedLiteral }
  /** `use`: whether the value is moved or copied is inferred when code is lowered. */
  | { readonly kind: 'move' | 'copy' | 'use'; readonly local: Local }
  | { readonly kind: 'constant'; readonly constant: ConstantDeclaration }
  | {
      readonly kind: 'call';
      readonly function: FunctionDeclaration;
      readonly isMacro: boolean;
      readonly typeArguments: readonly ResolvedType[] | undefined;
      readonly arguments: ResolvedArguments;
    }
  /** A call of a parameter that is a function. */
  | {
      readonly kind: 'callLocal';
      readonly local: Local;
      readonly nameSpan: Span;
      readonly arguments: ResolvedArguments;
    }
  | {
      readonly kind: 'builtin';
      readonly function: BuiltinFunction;
      readonly nameSpan: Span;
      /** Of `assert!`, whose code is evaluated only if the condition is false. */
      readonly isMacro: boolean;
      readonly typeArgument: ResolvedType | undefined;
      readonly arguments: ResolvedArguments;
    }
  | {
      readonly kind: 'vector';
      readonly nameSpan: Span;
      readonly element: ResolvedType | undefined;
      readonly items: ResolvedArguments;
    }
  /** Without `else`, `alternate` is a unit. */
  | {
      readonly kind: 'if';
      readonly condition: ResolvedExpression;
      readonly consequent: ResolvedExpression;
      readonly alternate: ResolvedExpression;
    }
  | { readonly kind: 'while'; readonly condition: ResolvedExpression; readonly body: ResolvedExpression }
  | { readonly kind: 'loop'; readonly body: ResolvedExpression }
  | { readonly kind: 'block'; readonly block: ResolvedBlock }
  | { readonly kind: 'lambda'; readonly parameters: PatternList; readonly body: ResolvedExpression }
  | { readonly kind: 'assign'; readonly targets: PatternList; readonly value: ResolvedExpression }
  /** `a.b.c = e`; `target` is a field or what `*` is applied to. */
  | { readonly kind: 'mutateField'; readonly target: ResolvedPlace; readonly value: ResolvedExpression }
  /** `*r = e` */
  | { readonly kind: 'mutate'; readonly reference: ResolvedExpression; readonly value: ResolvedExpression }
  /** Without a value, it is a unit. */
  | { readonly kind: 'return'; readonly value: ResolvedExpression }
  | { readonly kind: 'abort'; readonly code: ResolvedExpression }
  | { readonly kind: 'break' | 'continue' }
  | { readonly kind: 'dereference' | 'not'; readonly operand: ResolvedExpression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly operatorSpan: Span;
      readonly left: ResolvedExpression;
      readonly right: ResolvedExpression;
    }
  | {
      readonly kind: 'pack';
      readonly struct: StructDeclaration;
      readonly typeArguments: readonly ResolvedType[] | undefined;
      /** As written; that none is missing or unknown is not checked yet. */
      readonly fields: readonly { readonly name: Name; readonly value: ResolvedExpression }[];
    }
  /** Two and more. */
  | { readonly kind: 'tuple'; readonly items: readonly ResolvedExpression[] }
  /** `isTrailing` if it stands for the value of a block that ends with a semicolon, at which `span` is then. */
  | { readonly kind: 'unit'; readonly isTrailing: boolean }
  /** `a.b.c` as a value: a field is borrowed and read. */
  | { readonly kind: 'readField'; readonly place: ResolvedPlace }
  | { readonly kind: 'borrow'; readonly isMutable: boolean; readonly place: ResolvedPlace }
  | { readonly kind: 'cast' | 'annotate'; readonly operand: ResolvedExpression; readonly type: ResolvedType }
  /** A specification inside of code, with the locals of the code around that it names, sorted by name. */
  | { readonly kind: 'spec'; readonly locals: readonly Local[] }
  | { readonly kind: 'error' }
);

/** What fields are taken of: `a.b.c` is c of (b of a). Only the innermost is an expression. */
export type ResolvedPlace = { readonly span: Span } & (
  | { readonly kind: 'expression'; readonly expression: ResolvedExpression }
  | { readonly kind: 'field'; readonly of: ResolvedPlace; readonly name: Name }
);
