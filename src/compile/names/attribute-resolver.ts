/**
 * The resolution of attributes.
 * Source: the reference's `move-compiler/src/expansion/translate.rs`.
 * @module
 */
import type { SyntaxAttribute, SyntaxAttributeValue, SyntaxPath } from '../syntax/tree.ts';
import { Declarations, duplicate } from '../text/diagnostic-kind.ts';
import type { Name, Span } from '../text/source-text.ts';
import type { AttributeValue, ResolvedAttribute } from './attribute.ts';
import { literalOf } from './code-resolver.ts';
import type { ModuleIdentity } from './declaration.ts';
import { type AttributePosition, positionsOf } from './known-attribute.ts';
import type { NameContext } from './name-context.ts';
import { isCapitalized } from './valid-name.ts';

/** The attributes of an item; those with an error are left out. */
export function resolveAttributes(
  attributes: readonly SyntaxAttribute[],
  position: AttributePosition,
  names: NameContext,
): ResolvedAttribute[] {
  return unique(attributes, position, false, names);
}

function unique(
  attributes: readonly SyntaxAttribute[],
  position: AttributePosition,
  isNested: boolean,
  names: NameContext,
): ResolvedAttribute[] {
  const found = new Map<string, ResolvedAttribute>();
  for (const syntax of attributes) {
    const attribute = resolve(syntax, position, names);
    if (attribute === undefined || !mayStand(attribute.name, position, isNested, names)) continue;
    const before = found.get(attribute.name.text);
    if (before !== undefined) {
      const message = `the attribute '${attribute.name.text}' is given twice`;
      names.diagnostics.add(...duplicate(attribute.span, message, before.span, 'it is here already'));
    } else found.set(attribute.name.text, attribute);
  }
  return [...found.values()];
}

/** Whether an attribute may stand where it does; if not, it says so. */
function mayStand({ text, span }: Name, position: AttributePosition, isNested: boolean, names: NameContext): boolean {
  const positions = positionsOf(text);
  if (positions === undefined) return true;
  if (isNested) {
    names.diagnostics.add(Declarations.attribute, span, `'${text}' stands by itself, not in another attribute`);
    return false;
  }
  if (positions.includes(position)) return true;
  const message = `a ${position} does not have the attribute '${text}', which is for: ${positions.join(', ')}`;
  names.diagnostics.add(Declarations.attribute, span, message);
  return false;
}

function resolve(
  syntax: SyntaxAttribute,
  position: AttributePosition,
  names: NameContext,
): ResolvedAttribute | undefined {
  const { span, name } = syntax;
  if (syntax.kind === 'word') return { kind: 'word', span, name };
  if (syntax.kind === 'list') return { kind: 'list', span, name, items: unique(syntax.items, position, true, names) };
  const value = attributeValue(syntax.value, names);
  return value === undefined ? undefined : { kind: 'assigned', span, name, value };
}

function attributeValue(syntax: SyntaxAttributeValue, names: NameContext): AttributeValue | undefined {
  const { span } = syntax;
  if (syntax.kind === 'path') return pathValue(syntax.path, names);
  const literal = literalOf(syntax.literal, names);
  return literal && { span, ...literal };
}

function pathValue(path: SyntaxPath, names: NameContext): AttributeValue | undefined {
  const { number, names: parts, span } = path;
  const [first, second, third] = parts;
  if (number !== undefined && second === undefined) {
    return moduleValue(names.addresses.module({ kind: 'number', ...number }, first!.text), span, names);
  }
  if (number === undefined && second === undefined) {
    const alias = names.moduleAlias(first!.text);
    if (alias !== undefined) return moduleValue(alias.module, span, names);
  }
  if (number === undefined && second !== undefined && third === undefined && names.addresses.has(first!.text)) {
    return moduleValue(names.addresses.module({ kind: 'name', ...first! }, second.text), span, names);
  }
  const found = names.path(path, 'type');
  if (found === undefined) return undefined;
  return { kind: 'member', span, module: found.kind === 'member' ? found.module : undefined, name: found.name };
}

function moduleValue(module: ModuleIdentity, span: Span, names: NameContext): AttributeValue {
  // A name with a capital is that of a constant: between it and the address, the module is missing.
  const meant = isCapitalized(module.name) ? names.constantNotes(module.name) : [];
  if (!names.isKnown(module)) names.reportUnknownModule(span, module, meant);
  return { kind: 'module', span, module };
}
