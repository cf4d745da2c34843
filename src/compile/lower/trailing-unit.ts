/**
 * Semicolons after which nothing runs: `return x;` at the end of a block that should have a value.
 *
 * Source: the reference's `check_trailing_unit` (`move-compiler/src/hlir/translate.rs`).
 * @module
 */
import type { Diagnostics } from '../text/diagnostic.ts';
import { Unused } from '../text/diagnostic-kind.ts';
import type { Statement } from './lowered-tree.ts';

/** Removes the units that stand behind such semicolons, with a warning for each. */
export function dropTrailingUnits(block: Statement[], diagnostics: Diagnostics): void {
  for (const statement of block) {
    if (statement.kind === 'if') {
      dropTrailingUnits(statement.consequent, diagnostics);
      dropTrailingUnits(statement.alternate, diagnostics);
    } else if (statement.kind === 'while') {
      dropTrailingUnits(statement.before, diagnostics);
      dropTrailingUnits(statement.body, diagnostics);
    } else if (statement.kind === 'loop') {
      dropTrailingUnits(statement.body, diagnostics);
    }
  }
  const before = block.at(-2);
  const last = block.at(-1);
  if (before === undefined || last === undefined || (last.kind !== 'drop' && last.kind !== 'return')) return;
  const [value] = last.operands;
  if (value?.kind !== 'unit' || value.origin !== 'trailing' || !neverGoesOn(before)) return;
  diagnostics.add(Unused.semicolon, value.span, 'this semicolon adds a value () that is never reached; remove it', [
    { span: before.span, message: 'nothing after this runs' },
  ]);
  block.pop();
}

function neverGoesOn(statement: Statement): boolean {
  if (statement.kind === 'if') return endsByLeaving(statement.consequent) && endsByLeaving(statement.alternate);
  if (statement.kind === 'loop') return !statement.hasBreak;
  return leaves(statement);
}

function endsByLeaving(block: readonly Statement[]): boolean {
  const last = block.at(-1);
  return last !== undefined && leaves(last);
}

function leaves(statement: Statement): boolean {
  if (statement.kind === 'drop') return statement.operands[0]?.kind === 'unreachable';
  return ['break', 'continue', 'abort', 'return'].includes(statement.kind);
}
