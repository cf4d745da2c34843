import { describe, expect, it } from 'vitest';
import type { Diagnostic, Label } from '../../../src/compile/text/diagnostic.ts';
import { colouredDiagnostics, diagnosticText } from '../../../src/compile/text/diagnostic-text.ts';
import type { SourceText } from '../../../src/compile/text/source-text.ts';

const file = (path: string, ...lines: string[]): SourceText => ({ path, text: lines.join('\n'), index: 0 });

/** The label of the first place of a text in a source. */
function label(source: SourceText, marked: string, message: string): Label {
  const start = source.text.indexOf(marked);
  return { span: { source, start, end: start + marked.length }, message };
}

function told(primary: Label, ...secondary: Label[]): string[] {
  const kind = { code: 'E04007', severity: 'error', title: 'types that do not fit' } as const;
  const diagnostic: Diagnostic = { kind, primary, secondary, notes: ['think of it'], isFollowUp: false };
  return diagnosticText(diagnostic).split('\n');
}

describe('a diagnostic in text', () => {
  it('has the labels of one line in one picture, those on the left below', () => {
    const source = file('m.move', 'module 0x1::m {', '  fun f(a: u64, b: u8): bool { a > b }', '}');
    const left = label(source, 'u64', "'u64'");
    const right = label(source, 'u8', "'u8'");
    expect(told(label(source, '>', 'no operands of one type'), left, right)).toEqual([
      'error[E04007]: types that do not fit',
      '  m.move:2:34',
      '  2 |   fun f(a: u64, b: u8): bool { a > b }',
      '    |            ---     --            ^ no operands of one type',
      '    |            |       |',
      "    |            |       'u8'",
      '    |            |',
      "    |            'u64'",
      '  note: think of it',
    ]);
  });

  it('has what overlaps below each other, and lines in their order with what is between left out', () => {
    const lines = ['fun g(x: u64) {}', ...Array.from({ length: 9 }, () => ''), '\tg(true, x)'];
    const source = file('m.move', ...lines);
    const other = file('n.move', 'struct S {}');
    const labels = [label(source, 'true', 'this'), label(other, 'S', 'declared'), label(source, 'u64', 'expected')];
    expect(told(label(source, 'g(true, x)', 'all of it'), ...labels).slice(1, -1)).toEqual([
      '  m.move:11:2',
      '   1 | fun g(x: u64) {}',
      '     |          --- expected',
      '  ..',
      '  11 | \tg(true, x)',
      '     | \t^^^^^^^^^^ all of it',
      '     | \t  ---- this',
      '  n.move:1:8',
      '   1 | struct S {}',
      '     |        - declared',
    ]);
  });

  it('marks what goes on to another line up to the end of the first, and the end of a file', () => {
    const source = file('m.move', 'f(1,', '  2)');
    expect(told(label(source, '1,\n  2', 'these'))[3]).toBe('    |   ^^ these');
    const end = { span: { source, start: source.text.length, end: source.text.length }, message: 'the end' };
    expect(told(end).slice(1, 4)).toEqual(['  m.move:2:5', '  2 |   2)', '    |     ^ the end']);
  });

  it('leaves out a label that says of the same place what is said already', () => {
    const source = file('m.move', 'if (1) x');
    const [primary, given, more] = ["must be 'bool', is 'u64'", "given: 'u64'", "from 'f'"].map((text) =>
      label(source, '1', text),
    );
    expect(told(primary!, given!, more!).slice(3, -1)).toEqual([
      "    |     ^ must be 'bool', is 'u64'",
      "    |     - from 'f'",
    ]);
  });

  it('in colour is the same text', () => {
    const source = file('m.move', 'a > b');
    const text = told(label(source, '>', 'a - b ^ c'), label(source, 'a', 'left')).join('\n');
    const coloured = colouredDiagnostics(`P does not compile:\n\n${text}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with one
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(`P does not compile:\n\n${text}`);
    expect(coloured).toContain('\u001b[31m^\u001b[39m \u001b[31ma - b ^ c\u001b[39m');
    expect(coloured).toContain('\u001b[34mleft\u001b[39m');
  });
});
