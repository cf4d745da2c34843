/**
 * Sources in which the places of expected diagnostics are marked: `⟦..⟧` around each, from left to right.
 * @module
 */
import { checkTypes } from '../../../src/compile/check/check-types.ts';
import { inlineCalls } from '../../../src/compile/check/inline.ts';
import type { TypedExpression, TypedFunction, TypedProgram } from '../../../src/compile/check/typed-tree.ts';
import { resolve } from '../move-compiler/front-end.ts';

/** The marked texts, or what is found in their stead, each with the code of its diagnostic. */
export interface Found {
  readonly program: TypedProgram;
  /** `E04007 text`, in the order of the source; after a text that occurs more than once, its offset. */
  readonly diagnostics: string[];
  readonly marked: string[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The source without its marks, and where they are. */
function unmarked(source: string): { readonly text: string; readonly ranges: Range[] } {
  let text = '';
  const ranges: Range[] = [];
  const open: number[] = [];
  for (const character of source) {
    if (character === '⟦') open.push(text.length);
    else if (character === '⟧') ranges.push({ start: open.pop()!, end: text.length });
    else text += character;
  }
  return { text, ranges: ranges.sort((left, right) => left.start - right.start || left.end - right.end) };
}

/** Types the marked source, and inlines its calls if that finds no blocking error, as the compiler does. */
export function check(source: string, codes: readonly string[] = [], others: readonly string[] = []): Found {
  const { text, ranges } = unmarked(source);
  const { program, diagnostics } = resolve([text, ...others]);
  const typed = checkTypes(program, diagnostics);
  const inlined = diagnostics.has('blocking') ? typed : inlineCalls(typed, diagnostics);
  const shown = (code: string, { start, end }: Range): string => `${code} ${start}..${end} ${text.slice(start, end)}`;
  return {
    program: inlined,
    diagnostics: diagnostics.sorted().map(({ kind, primary }) => shown(kind.code, primary.span)),
    marked: ranges.map((range, index) => shown(codes[index] ?? 'no code', range)),
  };
}

export function functionNamed(program: TypedProgram, name: string): TypedFunction {
  const functions = [
    ...program.modules.flatMap((module) => module.functions),
    ...program.scripts.map((one) => one.function),
  ];
  return functions.find(({ declaration }) => declaration.name.text === name)!;
}

/** The value of the only item of a function's body. */
export function resultOf(program: TypedProgram, name: string): TypedExpression {
  const item = functionNamed(program, name).body!.items.at(-1)!;
  if (item.kind !== 'expression') throw new Error('the body does not end with a value');
  return item.expression;
}
