/**
 * Diagnostics as people read them: what is wrong, where, and the line itself with the place marked.
 * @module
 */
import type { Diagnostic, Label, Severity } from './diagnostic.ts';
import type { SourceText, Span } from './source-text.ts';

const WORDS: Readonly<Record<Severity, string>> = {
  warning: 'warning',
  error: 'error',
  blocking: 'error',
  defect: 'defect of the compiler',
};

/** Longer lines are cut, so that no text is endless. */
const LINE_CHARACTERS_MAX = 160;

/** A line and column of a source, both from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

const lineStarts = new WeakMap<SourceText, readonly number[]>();

function startsOf(source: SourceText): readonly number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}

/** Where an offset of a source is. */
export function textPlaceOf(source: SourceText, offset: number): TextPlace {
  const starts = startsOf(source);
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/**
 * A diagnostic in several lines:
 *
 *     error[E04007]: types that do not fit
 *       sources/counter.move:12:18
 *       12 |     if (flag) 1 else true
 *          |                      ^^^^ 'bool' here, and 'integer' there
 *       12 |     if (flag) 1 else true
 *          |               - 'integer' here
 *       note: ...
 */
export function diagnosticText({ kind, primary, secondary, notes }: Diagnostic): string {
  const { line, column } = textPlaceOf(primary.span.source, primary.span.start);
  const labels = [labelText(primary, '^', undefined)];
  for (const label of secondary) labels.push(labelText(label, '-', primary.span.source));
  return [
    `${WORDS[kind.severity]}[${kind.code}]: ${kind.title}`,
    `  ${primary.span.source.path}:${line}:${column}`,
    ...labels,
    ...notes.map((note) => `  note: ${note}`),
  ].join('\n');
}

/** The line of a label with the place marked; with the path first if it is of another file than `source`. */
function labelText({ span, message }: Label, mark: string, source: SourceText | undefined): string {
  const { line, column } = textPlaceOf(span.source, span.start);
  const number = String(line);
  const text = lineText(span, line);
  const shownEnd = Math.min(column - 1 + Math.max(1, span.end - span.start), Math.max(text.length, column));
  const marks = mark.repeat(Math.max(1, shownEnd - column + 1));
  const indent = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
  const margin = ' '.repeat(number.length);
  const lines = [`  ${number} | ${text}`, `  ${margin} | ${indent}${marks} ${message}`];
  if (source !== undefined && source !== span.source) lines.unshift(`  ${span.source.path}:${line}:${column}`);
  return lines.join('\n');
}

function lineText({ source }: Span, line: number): string {
  const starts = startsOf(source);
  const text = source.text.slice(starts[line - 1], starts[line]).replace(/\r?\n$/, '');
  return text.length <= LINE_CHARACTERS_MAX ? text : `${text.slice(0, LINE_CHARACTERS_MAX)}...`;
}
