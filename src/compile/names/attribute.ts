/**
 * Attributes of declarations, with the names in them resolved.
 * @module
 */
import type { Name, Span } from '../text/source-text.ts';
import type { ModuleIdentity } from './declaration.ts';
import type { ResolvedLiteral } from './resolved-tree.ts';

export type ResolvedAttribute = { readonly span: Span; readonly name: Name } & (
  | { readonly kind: 'word' }
  | { readonly kind: 'assigned'; readonly value: AttributeValue }
  | { readonly kind: 'list'; readonly items: readonly ResolvedAttribute[] }
);

export type AttributeValue = { readonly span: Span } & (
  | ResolvedLiteral
  | { readonly kind: 'module'; readonly module: ModuleIdentity }
  /** A member of a module; a single name if `module` is undefined. */
  | { readonly kind: 'member'; readonly module: ModuleIdentity | undefined; readonly name: Name }
);
