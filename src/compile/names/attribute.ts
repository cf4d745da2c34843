/**
 * Attributes of declarations, with the names in them resolved.
 * @module
 */
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type { Name, Span } from '../text/source-text.ts';
import type { ModuleIdentity } from './declaration.ts';

export type ResolvedAttribute =
  | { readonly kind: 'word'; readonly span: Span; readonly name: Name }
  | { readonly kind: 'assigned'; readonly span: Span; readonly name: Name; readonly value: AttributeValue }
  | { readonly kind: 'list'; readonly span: Span; readonly name: Name; readonly items: readonly ResolvedAttribute[] };

export type AttributeValue =
  /** `type` is undefined without a suffix. */
  | {
      readonly kind: 'number';
      readonly span: Span;
      readonly value: bigint;
      readonly type: PrimitiveKind | undefined;
    }
  | { readonly kind: 'bool'; readonly span: Span; readonly value: boolean }
  | { readonly kind: 'address'; readonly span: Span; readonly value: Uint8Array }
  | { readonly kind: 'bytes'; readonly span: Span; readonly value: Uint8Array }
  | { readonly kind: 'module'; readonly span: Span; readonly module: ModuleIdentity }
  /** A member of a module; a single name if `module` is undefined. */
  | { readonly kind: 'member'; readonly span: Span; readonly module: ModuleIdentity | undefined; readonly name: Name };
