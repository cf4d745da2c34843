/**
 * The syntax tree: what the parser makes of a file. Names are as written and mean nothing yet; literals are text.
 *
 * Specifications are skipped, except that a block inside of code stays, since it keeps locals in use.
 * @module
 */
import type { AbilityName } from '../../move/ability.ts';
import type { Name, SourceText, Span } from '../text/source-text.ts';

/** What has attributes. */
interface Item {
  readonly span: Span;
  readonly attributes: readonly SyntaxAttribute[];
}

/** A file. */
export interface SyntaxFile {
  readonly source: SourceText;
  /** Whether all of it could be read; then no error about it follows from what is left out. */
  readonly isComplete: boolean;
  readonly definitions: readonly SyntaxDefinition[];
}

export type SyntaxDefinition = SyntaxModule | SyntaxScript | SyntaxAddressBlock;

export interface SyntaxAddressBlock extends Item {
  readonly kind: 'addressBlock';
  readonly address: SyntaxAddress;
  readonly modules: readonly SyntaxModule[];
}

/** The address in front of a module or after `@`: a number as written, or a name. */
export type SyntaxAddress =
  | { readonly kind: 'number'; readonly text: string; readonly span: Span }
  | { readonly kind: 'name'; readonly text: string; readonly span: Span };

export interface SyntaxModule extends Item {
  readonly kind: 'module';
  /** `undefined` in an address block, or where it is missing. */
  readonly address: SyntaxAddress | undefined;
  readonly name: Name;
  /** `spec module`, which is parsed and then ignored. */
  readonly isSpec: boolean;
  /** In the order of the source. */
  readonly members: readonly SyntaxMember[];
}

export interface SyntaxScript extends Item {
  readonly kind: 'script';
  readonly uses: readonly SyntaxUse[];
  readonly constants: readonly SyntaxConstant[];
  readonly function: SyntaxFunction;
}

export type SyntaxMember = SyntaxUse | SyntaxFriend | SyntaxConstant | SyntaxStruct | SyntaxFunction | SyntaxSpec;

/** One attribute: `a`, `a = 1`, `a(b, c = d)`. All groups `#[..]` of an item are in one list. */
export type SyntaxAttribute = { readonly span: Span } & (
  | { readonly kind: 'word'; readonly name: Name }
  | { readonly kind: 'assigned'; readonly name: Name; readonly value: SyntaxAttributeValue }
  | { readonly kind: 'list'; readonly name: Name; readonly items: readonly SyntaxAttribute[] }
);

export type SyntaxAttributeValue = { readonly span: Span } & (
  | { readonly kind: 'literal'; readonly literal: SyntaxLiteral }
  | { readonly kind: 'path'; readonly path: SyntaxPath }
);

/** `use a::m as n;`, `use a::m::{Self, f as g};` */
export interface SyntaxUse extends Item {
  readonly kind: 'use';
  readonly module: SyntaxModuleName;
  /** `undefined` for a use of the module itself. */
  readonly members: readonly { readonly name: Name; readonly alias: Name | undefined }[] | undefined;
  /** Of the module, if `members` is undefined. */
  readonly alias: Name | undefined;
}

export interface SyntaxModuleName {
  readonly span: Span;
  readonly address: SyntaxAddress;
  readonly name: Name;
}

export interface SyntaxFriend extends Item {
  readonly kind: 'friend';
  readonly module: SyntaxPath;
}

export interface SyntaxConstant extends Item {
  readonly kind: 'constant';
  readonly name: Name;
  readonly type: SyntaxType;
  readonly value: SyntaxExpression;
}

export interface SyntaxAbility {
  readonly name: AbilityName;
  readonly span: Span;
}

export interface SyntaxTypeParameter {
  readonly name: Name;
  readonly constraints: readonly SyntaxAbility[];
  readonly isPhantom: boolean;
}

export interface SyntaxStruct extends Item {
  readonly kind: 'struct';
  readonly name: Name;
  readonly abilities: readonly SyntaxAbility[];
  readonly typeParameters: readonly SyntaxTypeParameter[];
  /** `undefined` for a native struct. */
  readonly fields: readonly { readonly name: Name; readonly type: SyntaxType }[] | undefined;
}

/** `undefined` in place of it means private. `public(script)` is public and entry. */
export interface SyntaxVisibility {
  readonly kind: 'public' | 'friend' | 'script';
  readonly span: Span;
}

export interface SyntaxFunction extends Item {
  readonly kind: 'function';
  readonly name: Name;
  readonly visibility: SyntaxVisibility | undefined;
  /** Of the word. */
  readonly entry: Span | undefined;
  readonly isInline: boolean;
  /** Of the word. */
  readonly native: Span | undefined;
  readonly typeParameters: readonly SyntaxTypeParameter[];
  readonly parameters: readonly { readonly name: Name; readonly type: SyntaxType }[];
  readonly result: SyntaxType;
  readonly acquires: readonly SyntaxPath[];
  /** `undefined` if it is native. */
  readonly body: SyntaxBlock | undefined;
}

/** A specification: `spec { .. }` and what else begins with the word. */
export interface SyntaxSpec extends Item {
  readonly kind: 'spec';
  readonly uses: readonly SyntaxUse[];
  /** The single names in it that it does not bind itself, each once; some are locals of the code around. */
  readonly names: readonly Name[];
  /** All paths in it, which use modules and their members as code does. */
  readonly paths: readonly SyntaxPath[];
  /** Schemas and functions that are members of the module, for specifications alone. */
  readonly declared: readonly { readonly kind: 'schema' | 'function'; readonly name: Name }[];
}

/** `n`, `a::b`, `a::b::c`, `0x1::b`, `0x1::b::c`. */
export interface SyntaxPath {
  readonly span: Span;
  /** If the path begins with a number; then there are one or two names. */
  readonly number: { readonly text: string; readonly span: Span } | undefined;
  /** One to three. */
  readonly names: readonly Name[];
}

/** A type. The list of a path without type arguments is empty. */
export type SyntaxType = { readonly span: Span } & (
  | { readonly kind: 'path'; readonly path: SyntaxPath; readonly arguments: readonly SyntaxType[] }
  | { readonly kind: 'reference'; readonly isMutable: boolean; readonly target: SyntaxType }
  | { readonly kind: 'function'; readonly parameters: readonly SyntaxType[]; readonly result: SyntaxType }
  /** `()`, or two and more. */
  | { readonly kind: 'tuple'; readonly items: readonly SyntaxType[] }
);

export type SyntaxLiteral = { readonly span: Span } & (
  | { readonly kind: 'address'; readonly address: SyntaxAddress }
  /** With its suffix and underscores. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** What is between the quotes. */
  | { readonly kind: 'hexString' | 'byteString'; readonly text: string }
);

/** What `let` and lambdas bind: `x`, `_`, `S { a, b: c }`, `S<T> { a }`. */
export type SyntaxPattern = { readonly span: Span } & (
  | { readonly kind: 'name'; readonly name: Name }
  | {
      readonly kind: 'unpack';
      readonly path: SyntaxPath;
      readonly typeArguments: readonly SyntaxType[] | undefined;
      readonly fields: readonly { readonly name: Name; readonly pattern: SyntaxPattern }[];
    }
);

/** `a` or `(a, b)`; `span` includes the brackets. */
export interface SyntaxPatternList {
  readonly span: Span;
  readonly patterns: readonly SyntaxPattern[];
}

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '%'
  | '/'
  | '|'
  | '&'
  | '^'
  | '<<'
  | '>>'
  | '&&'
  | '||'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>=';

/** Operators that only specifications have. */
export type SpecOperator = '==>' | '<==>' | '..';

/** The arguments of a call; `span` includes the brackets. */
export interface SyntaxArguments {
  readonly span: Span;
  readonly items: readonly SyntaxExpression[];
}

export interface SyntaxBlock {
  readonly span: Span;
  readonly uses: readonly SyntaxUse[];
  readonly items: readonly SyntaxBlockItem[];
  /** Of the last semicolon, if the block ends with one. */
  readonly lastSemicolon: Span | undefined;
  /** The value of the block, if it does not end with a semicolon. */
  readonly value: SyntaxExpression | undefined;
}

export type SyntaxBlockItem = { readonly span: Span } & (
  | { readonly kind: 'expression'; readonly expression: SyntaxExpression }
  | {
      readonly kind: 'let';
      readonly patterns: SyntaxPatternList;
      readonly type: SyntaxType | undefined;
      readonly value: SyntaxExpression | undefined;
    }
);

export type SyntaxExpression = { readonly span: Span } & (
  | { readonly kind: 'literal'; readonly literal: SyntaxLiteral }
  | { readonly kind: 'move' | 'copy'; readonly name: Name }
  | { readonly kind: 'path'; readonly path: SyntaxPath; readonly typeArguments: readonly SyntaxType[] | undefined }
  | {
      readonly kind: 'call';
      readonly path: SyntaxPath;
      /** With `!` after the name. */
      readonly isMacro: boolean;
      readonly typeArguments: readonly SyntaxType[] | undefined;
      readonly arguments: SyntaxArguments;
    }
  | {
      readonly kind: 'pack';
      readonly path: SyntaxPath;
      readonly typeArguments: readonly SyntaxType[] | undefined;
      readonly fields: readonly { readonly name: Name; readonly value: SyntaxExpression }[];
    }
  | {
      readonly kind: 'vector';
      /** Of the word. */
      readonly nameSpan: Span;
      readonly typeArguments: readonly SyntaxType[] | undefined;
      readonly items: SyntaxArguments;
    }
  | {
      readonly kind: 'if';
      readonly condition: SyntaxExpression;
      readonly consequent: SyntaxExpression;
      readonly alternate: SyntaxExpression | undefined;
    }
  | { readonly kind: 'while'; readonly condition: SyntaxExpression; readonly body: SyntaxExpression }
  | { readonly kind: 'loop'; readonly body: SyntaxExpression }
  | { readonly kind: 'block'; readonly block: SyntaxBlock }
  | { readonly kind: 'lambda'; readonly parameters: SyntaxPatternList; readonly body: SyntaxExpression }
  /** `()`, or two and more. */
  | { readonly kind: 'tuple'; readonly items: readonly SyntaxExpression[] }
  | { readonly kind: 'assign'; readonly target: SyntaxExpression; readonly value: SyntaxExpression }
  | { readonly kind: 'return'; readonly value: SyntaxExpression | undefined }
  | { readonly kind: 'abort'; readonly code: SyntaxExpression }
  | { readonly kind: 'break' | 'continue' }
  | { readonly kind: 'dereference' | 'not'; readonly operand: SyntaxExpression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator | SpecOperator;
      readonly operatorSpan: Span;
      readonly left: SyntaxExpression;
      readonly right: SyntaxExpression;
    }
  | { readonly kind: 'borrow'; readonly isMutable: boolean; readonly operand: SyntaxExpression }
  | { readonly kind: 'field'; readonly operand: SyntaxExpression; readonly name: Name }
  /** `a[i]`, which only specifications have. */
  | { readonly kind: 'index'; readonly operand: SyntaxExpression; readonly index: SyntaxExpression }
  | { readonly kind: 'cast' | 'annotate'; readonly operand: SyntaxExpression; readonly type: SyntaxType }
  | { readonly kind: 'spec'; readonly spec: SyntaxSpec }
  /** `forall`, `exists`, `choose`: only specifications have them, and their parts are not kept. */
  | { readonly kind: 'quantifier' }
);
