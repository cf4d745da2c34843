/**
 * What the values of constants may be made of.
 * Source: `check_valid_constant` of the reference's `move-compiler/src/typing/translate.rs`.
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { Types } from '../text/diagnostic-kind.ts';
import { visitExpressions } from './typed-rewriter.ts';
import type { TypedExpression, TypedItem } from './typed-tree.ts';

/** In the words of an error; kinds that are not here are allowed, or are refused elsewhere. */
const REFUSED: Readonly<Partial<Record<TypedExpression['kind'], string>>> = {
  spec: 'specifications',
  borrowLocal: 'references',
  dereference: 'references',
  borrowField: 'references',
  borrowTemporary: 'references',
  mutate: 'references',
  call: 'calls',
  callLocal: 'calls',
  builtin: 'calls',
  lambda: 'lambdas',
  if: "'if'",
  while: "'while'",
  loop: "'loop'",
  assign: 'assignments',
  return: "'return'",
  abort: "'abort'",
  pack: 'structs',
  constant: 'other constants',
};

/** Reports each part of the value that constants cannot have. */
export function checkConstantExpression(value: TypedExpression, diagnostics: Diagnostics): void {
  const refuse = ({ span }: TypedExpression | TypedItem, what: string): void =>
    diagnostics.add(Types.constantExpression, span, `the value of a constant cannot have ${what}`);
  visitExpressions(value, (part) => {
    const what = REFUSED[part.kind];
    if (what !== undefined) refuse(part, what);
    if (part.kind !== 'block') return;
    for (const item of part.block.items) if (item.kind !== 'expression') refuse(item, "'let'");
  });
}
