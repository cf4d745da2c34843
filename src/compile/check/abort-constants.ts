/**
 * Which constants of a module stand for the failures of its code.
 * @module
 */
import { visitExpressions } from './typed-rewriter.ts';
import type { TypedExpression, TypedModule } from './typed-tree.ts';

/** The names of the module's constants in what its functions give to `abort` and, as the code, to `assert!`. */
export function abortConstantsOf({ declaration, functions }: TypedModule): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { body } of functions) {
    if (body === undefined) continue;
    visitExpressions(body, (expression) => {
      const code = abortCodeOf(expression);
      if (code === undefined) return;
      visitExpressions(code, (part) => {
        if (part.kind === 'constant' && part.constant.module === declaration) names.add(part.constant.name.text);
      });
    });
  }
  return names;
}

/** What an expression aborts with, if it is one that aborts. */
function abortCodeOf(expression: TypedExpression): TypedExpression | undefined {
  if (expression.kind === 'abort') return expression.code;
  if (expression.kind !== 'builtin' || expression.function !== 'assert') return undefined;
  const { arguments: given } = expression;
  return given.kind === 'tuple' ? given.items[1] : undefined;
}
