import { describe, expect, it } from 'vitest';
import type { SyntaxExpression, SyntaxFunction, SyntaxModule } from '../../../src/compile/syntax/tree.ts';
import { FRAMEWORK_PACKAGES, frameworkSources, parse } from './front-end.ts';

/** The code of a module `m` of the address 0x1. */
const moduleOf = (members: string): string => `module 0x1::m {\n${members}\n}`;
const functionOf = (body: string): string => moduleOf(`fun f() {\n${body}\n}`);

function onlyModule(text: string): SyntaxModule {
  const { file, codes } = parse(text);
  expect(codes).toEqual([]);
  const [definition] = file.definitions;
  if (definition?.kind !== 'module') throw new Error('the source has no module');
  return definition;
}

/** The value of a function with this value, written with all parentheses. */
function read(expression: string): string {
  const found = onlyModule(functionOf(expression)).members[0] as SyntaxFunction;
  return shown(found.body!.value!);
}

function shown(expression: SyntaxExpression): string {
  switch (expression.kind) {
    case 'literal':
      return 'text' in expression.literal ? expression.literal.text : expression.literal.kind;
    case 'path':
      return expression.path.names.map(({ text }) => text).join('::');
    case 'binary':
      return `(${shown(expression.left)} ${expression.operator} ${shown(expression.right)})`;
    case 'not':
      return `(!${shown(expression.operand)})`;
    case 'dereference':
      return `(*${shown(expression.operand)})`;
    case 'borrow':
      return `(&${expression.isMutable ? 'mut ' : ''}${shown(expression.operand)})`;
    case 'field':
      return `${shown(expression.operand)}.${expression.name.text}`;
    case 'if':
      return `if ${shown(expression.condition)} then ${shown(expression.consequent)} else ${shown(expression.alternate!)}`;
    case 'block':
      return `{${shown(expression.block.value!)}}`;
    case 'return':
      return `return ${expression.value === undefined ? '' : shown(expression.value)}`;
    case 'call':
      return `${expression.path.names.at(-1)!.text}(${expression.arguments.items.map(shown).join(', ')})`;
    default:
      return expression.kind;
  }
}

describe('the parser', () => {
  it.each(FRAMEWORK_PACKAGES)('reads all sources of %s', (name) => {
    for (const text of frameworkSources(name)) expect(parse(text).codes).toEqual([]);
  });

  it.each([
    ['a + b * c - d', '((a + (b * c)) - d)'],
    ['a || b && c == d', '(a || (b && (c == d)))'],
    ['a | b ^ c & d << e + f', '(a | (b ^ (c & (d << (e + f)))))'],
    ['a - b - c', '((a - b) - c)'],
    ['!a && *b.c == &mut d', '((!a) && ((*b.c) == (&mut d)))'],
    ['f(a < b, c > d)', 'f((a < b), (c > d))'],
    ['(a + b) * c', '((a + b) * c)'],
  ])('binds operators: %s', (source, expected) => {
    expect(read(source)).toBe(expected);
  });

  it('ends an if with its last block, after which operators take all of it', () => {
    expect(read('if (a) b else { c } + d')).toBe('(if a then b else {c} + d)');
    expect(read('if (a) b else c + d')).toBe('if a then b else (c + d)');
  });

  it('takes `<` right after a name for type arguments, and after a space for a comparison', () => {
    expect(read('a < b')).toBe('(a < b)');
    expect(read('g<T<U<u8>>>(a)')).toBe('g(a)');
  });

  it('keeps the place of each part', () => {
    const text = moduleOf('public fun f<T: copy>(x: u64): u64 { x + 10 }');
    const found = onlyModule(text).members[0] as SyntaxFunction;
    const at = ({ start, end }: { readonly start: number; readonly end: number }): string => text.slice(start, end);
    expect(at(found.visibility!.span)).toBe('public');
    expect(at(found.name.span)).toBe('f');
    expect(at(found.typeParameters[0]!.constraints[0]!.span)).toBe('copy');
    expect(at(found.body!.span)).toBe('{ x + 10 }');
    expect(at(found.body!.value!.span)).toBe('x + 10');
  });

  it.each([
    ['an enum', moduleOf('enum E { A }'), ['E01002 2:1']],
    ['a positional struct', moduleOf('struct S(u64);'), ['E01002 2:9']],
    ['package visibility', moduleOf('public(package) fun f() {}'), ['E01002 2:1']],
    ['a compound assignment', functionOf('a += 1;'), ['E01002 3:4']],
    ['a receiver call', functionOf('a.f();'), ['E01002 3:4']],
    ['a mutable let', functionOf('let mut a = 1;'), ['E01002 3:9']],
    ['a loop label', functionOf("'a: loop {};"), ['E01001 3:1']],
    ['a rest pattern', functionOf('let S { a, .. } = b;'), ['E01002 3:12']],
    ['a value for break', functionOf('loop { break 1 }'), ['E01002 3:14']],
    ['an ability that there is not', moduleOf('struct S has clone {}'), ['E01002 2:14']],
    ['a letter outside of ASCII in a comment', moduleOf('// \u00e9'), ['E01001 2:4']],
    ['a comment without end', moduleOf('/* /* */'), ['W01004 2:1']],
    ['a string without end', functionOf('let a = b"c;'), ['E01007 3:9']],
    ['a hex string without end', functionOf('let a = x"0;'), ['E01008 3:9']],
    ['an address of 33 bytes', functionOf(`@0x1${'00'.repeat(32)}`), ['E01005 3:2']],
    ['a modifier given twice', moduleOf('public public fun f() {}'), ['E02001 2:8']],
    ['a public constant', moduleOf('public const A: u8 = 1;'), ['E01003 2:1']],
    ['an ability given twice', moduleOf('struct S has copy, copy {}'), ['E02001 2:20']],
    ['script visibility, a warning', moduleOf('public(script) fun f() {}'), ['W00001 2:1']],
    ['documentation of nothing, a warning', moduleOf('/// nothing'), ['W01004 2:1']],
    ['a member that is none of a module', moduleOf('let a = 1;'), ['E01002 2:1']],
    ['an address block without its brace', 'address 0x1 {', ['E01002 1:14']],
  ])('refuses %s', (_, text, expected) => {
    expect(parse(text).codes).toEqual(expected);
  });

  it('goes on with the next member after an error, and says that the file is not complete', () => {
    const { file, codes } = parse(moduleOf('fun f() { 1 + }\nfun g() {}\nstruct S { a }\nconst C: u8 = 1;'));
    expect(codes).toEqual(['E01002 2:15', 'E01002 4:14']);
    expect(file.isComplete).toBe(false);
    const [module] = file.definitions as [SyntaxModule];
    expect(module.members.map(({ kind }) => kind)).toEqual(['function', 'constant']);
  });

  it('does not miss a brace at the end, if an error before has cost it', () => {
    expect(parse('module a::m {\nfun f() {').codes).toEqual(['E01002 2:10']);
    expect(parse('module a::m {\nfun f() { 1 + }\nfun g() {}').codes).toEqual(['E01002 2:15']);
  });

  it.each([
    ['parentheses', `${'('.repeat(100_000)}1`],
    ['blocks', '{'.repeat(100_000)],
    ['negations', `${'!'.repeat(100_000)}a`],
    ['references', `let a: ${'&'.repeat(99_999)}u8 = 1`],
    ['types', `let a: ${'vector<'.repeat(100_000)}`],
    ['else branches', 'if (a) b else '.repeat(100_000)],
    ['operators', `1${' + 1'.repeat(100_000)}`],
    ['fields', `a${'.b'.repeat(100_000)}`],
    ['lambdas', `f(${'|x| '.repeat(100_000)}`],
    ['attributes', `#[${'a('.repeat(100_000)}`],
  ])('bounds the nesting of %s', (_, body) => {
    expect(parse(functionOf(body)).codes).toContainEqual(expect.stringMatching(/^E01002 3:/));
  });

  it('skips specifications, with what they name', () => {
    const text = moduleOf('spec module { pragma verify = true; }\nspec f { ensures exists<T>(a) ==> result == 1; }');
    const specs = onlyModule(text).members;
    expect(specs.map(({ kind }) => kind)).toEqual(['spec', 'spec']);
    expect(parse(moduleOf('spec f { ensures ; }')).codes).toEqual(['E01002 2:18']);
  });
});
