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
 * A diagnostic in several lines. Places of one line share a picture:
 *
 *     error[E04007]: types that do not fit
 *       sources/counter.move:12:25
 *       12 |     if (flag) 1 else true
 *          |               -      ^^^^ 'bool' here, and 'integer' there
 *          |               |
 *          |               'integer' here
 *       note: ...
 */
export function diagnosticText({ kind, primary, secondary, notes }: Diagnostic): string {
  const { source, start } = primary.span;
  const { line, column } = textPlaceOf(source, start);
  const labels = [primary, ...secondary.filter((label) => !isTold(label, primary))].map((label) => {
    return { ...label, ...textPlaceOf(label.span.source, label.span.start), mark: label === primary ? '^' : '-' };
  });
  const sources = new Set(labels.map((label) => label.span.source));
  const margin = Math.max(...labels.map((label) => String(label.line).length));
  const pictures = [...sources].flatMap((each) => {
    const head = each === source ? [] : [placeText(each, labels.find((label) => label.span.source === each)!)];
    const own = labels.filter((label) => label.span.source === each);
    return [...head, ...fileText(own, margin)];
  });
  return [
    `${WORDS[kind.severity]}[${kind.code}]: ${kind.title}`,
    placeText(source, { line, column }),
    ...pictures,
    ...notes.map((note) => `  note: ${note}`),
  ].join('\n');
}

/** Whether the main label already says what another one says of the same place. */
function isTold({ span, message }: Label, { span: place, message: told }: Label): boolean {
  const isSame = span.source === place.source && span.start === place.start && span.end === place.end;
  return isSame && (message.match(/'[^']*'/g) ?? []).every((name) => told.includes(name));
}

function placeText({ path }: SourceText, { line, column }: TextPlace): string {
  return `  ${path}:${line}:${column}`;
}

interface PlacedLabel extends Label, TextPlace {
  readonly mark: string;
}

/** The lines of a file that have labels, in order; lines between them are left out. */
function fileText(labels: readonly PlacedLabel[], margin: number): string[] {
  const lines = [...new Set(labels.map(({ line }) => line))].sort((left, right) => left - right);
  return lines.flatMap((line, index) => {
    const own = labels.filter((label) => label.line === line).sort((left, right) => left.column - right.column);
    const text = lineText(own[0]!.span, line);
    const rows = rowsOf(own, text).map((row) => `  ${' '.repeat(margin)} | ${row}`);
    const gap = index > 0 && lines[index - 1]! + 1 < line ? [`  ${'.'.repeat(margin)}`] : [];
    return [...gap, `  ${String(line).padStart(margin)} | ${text}`, ...rows];
  });
}

/** The rows below a line: its marks, then what is said of them, the rightmost first, so that nothing crosses. */
function rowsOf(labels: readonly PlacedLabel[], text: string): string[] {
  const [first, ...others] = labels;
  const overlapping = others.filter((label, index) => label.column < endOf(labels[index]!, text));
  if (overlapping.length > 0) {
    const apart = labels.filter((label) => !overlapping.includes(label));
    return [...rowsOf(apart, text), ...rowsOf(overlapping, text)];
  }
  if (first === undefined) return [];
  const last = labels.at(-1)!;
  const marks = labels.map((label) => [label.column, label.mark.repeat(endOf(label, text) - label.column)] as const);
  const left = labels.slice(0, -1);
  const below = left.toReversed().flatMap((label, index) => {
    const still = left.slice(0, left.length - index);
    const bars = still.map(({ column }) => [column, '|'] as const);
    return [row(bars, text), row([...bars.slice(0, -1), [label.column, label.message]], text)];
  });
  return [`${row(marks, text)} ${last.message}`, ...below];
}

/** The column after the last that is marked: at most that after the line, and at least one column is. */
function endOf({ span, column }: PlacedLabel, text: string): number {
  return Math.max(column + 1, Math.min(column + span.end - span.start, text.length + 1));
}

/** Texts at columns below a line, whose tabs are kept so that both are shown alike. */
function row(texts: readonly (readonly [column: number, text: string])[], line: string): string {
  let made = '';
  for (const [column, text] of texts)
    made +=
      line
        .slice(made.length, column - 1)
        .replace(/[^\t]/g, ' ')
        .padEnd(column - 1 - made.length) + text;
  return made;
}

function lineText({ source }: Span, line: number): string {
  const starts = startsOf(source);
  const text = source.text.slice(starts[line - 1], starts[line]).replace(/\r?\n$/, '');
  return text.length <= LINE_CHARACTERS_MAX ? text : `${text.slice(0, LINE_CHARACTERS_MAX)}...`;
}

const RED = '31';
const YELLOW = '33';
const BLUE = '34';

/** Diagnostics as `diagnosticText` writes them, with the colours of a terminal. */
export function colouredDiagnostics(text: string): string {
  let colour = RED;
  const paint = (code: string, part: string): string => (part === '' ? '' : `\u001b[${code}m${part}\u001b[39m`);
  const lineOf = (line: string): string => {
    const head = /^(\S[^[]*\[\w+\]:)( .*)$/.exec(line);
    if (head !== null) {
      colour = line.startsWith('warning') ? YELLOW : RED;
      return `\u001b[1m${paint(colour, head[1]!)}${head[2]}\u001b[22m`;
    }
    const shown = /^( {2,}\d* \|)(.*)$/.exec(line);
    if (shown === null) return /^ {2}(?:\S+:\d+:\d+|\.+)$/.test(line) ? paint(BLUE, line) : line;
    const [, margin = '', content = ''] = shown;
    if (/\d/.test(margin)) return paint(BLUE, margin) + content;
    const [marks = ''] = /^[\s^|-]*/.exec(content)!;
    const last = /[\^|-]\s*$/.exec(marks)?.[0][0];
    const words = paint(last === '^' ? colour : BLUE, content.slice(marks.length));
    return (
      paint(BLUE, margin) +
      marks.replace(/\^+/g, (part) => paint(colour, part)).replace(/[|-]+/g, (part) => paint(BLUE, part)) +
      words
    );
  };
  return text.split('\n').map(lineOf).join('\n');
}

/** How many diagnostics there are: `2 errors`. */
export function countText(count: number, word: 'error' | 'warning'): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
