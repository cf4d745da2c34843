import { describe, expect, it } from 'vitest';
import { settledTypeText } from '../../../src/compile/check/type-text.ts';
import { visitExpressions } from '../../../src/compile/check/typed-rewriter.ts';
import type { TypedExpression, TypedPattern, TypedProgram } from '../../../src/compile/check/typed-tree.ts';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { ADDRESSES } from '../move-compiler/front-end.ts';
import { check, functionNamed, resultOf } from './marked-source.ts';

const moduleOf = (members: string): string => `module a::m {\n${members}\n}`;

/** The code of an inlined call, as text: names of locals as they are after inlining. */
function shown(expression: TypedExpression): string {
  switch (expression.kind) {
    case 'block': {
      const items = expression.block.items.map((item) => {
        if (item.kind === 'expression') return shown(item.expression);
        const patterns = `let (${item.patterns.patterns.map(shownPattern).join(', ')})`;
        return item.kind === 'bind' ? `${patterns} = ${shown(item.value)}` : patterns;
      });
      return `{ ${items.join('; ')} }`;
    }
    case 'literal':
      return expression.literal.kind === 'number' ? `${expression.literal.value}` : expression.literal.kind;
    case 'use':
    case 'move':
    case 'copy':
      return expression.kind === 'use' ? expression.local.name : `${expression.kind} ${expression.local.name}`;
    case 'binary':
      return `${shown(expression.left)} ${expression.operator} ${shown(expression.right)}`;
    case 'tuple':
      return `(${expression.items.map(shown).join(', ')})`;
    case 'unit':
      return '()';
    case 'assign':
      return `(${expression.targets.patterns.map(shownPattern).join(', ')}) = ${shown(expression.value)}`;
    case 'call':
      return `${expression.function.name.text}(${shown(expression.arguments)})`;
    default:
      return expression.kind;
  }
}

function shownPattern(pattern: TypedPattern): string {
  return pattern.kind === 'local' ? pattern.local.name : pattern.kind;
}

function expressionsOf(program: TypedProgram, name: string): TypedExpression[] {
  const found: TypedExpression[] = [];
  visitExpressions(functionNamed(program, name).body!, (expression) => found.push(expression));
  return found;
}

describe('a call of an inline function', () => {
  it('becomes its body, with parameters and locals of its own', () => {
    const { program, diagnostics } = check(
      moduleOf('inline fun f(x: u64, y: u64): u64 { let z = x; z + y } fun t(): u64 { f(1, 2) }'),
    );
    expect(diagnostics).toEqual([]);
    expect(shown(resultOf(program, 't'))).toBe('{ let (x#0, y#1) = (1, 2); let (z#2) = x#0; z#2 + y#1 }');
    expect(program.modules.flatMap((module) => module.functions.map((one) => one.declaration.name.text))).toEqual([
      't',
    ]);
  });

  it('has names that are numbered over all functions, sorted by name', () => {
    const { program } = check(
      moduleOf('inline fun f(x: u64): u64 { x } fun u(): u64 { f(1) } fun t(): u64 { f(f(2)) }'),
    );
    expect(shown(resultOf(program, 't'))).toBe('{ let (x#0) = { let (x#1) = 2; x#1 }; x#0 }');
    expect(shown(resultOf(program, 'u'))).toBe('{ let (x#2) = 1; x#2 }');
  });

  it('has a let even without parameters', () => {
    const { program } = check(moduleOf('inline fun f(): u64 { 3 } fun t(): u64 { f() }'));
    expect(shown(resultOf(program, 't'))).toBe('{ let () = (); 3 }');
  });

  it('puts in lambdas where they are called, each time with names of its own', () => {
    const { program } = check(
      moduleOf('inline fun f(g: |u64|u64): u64 { g(1) + g(2) } fun t(y: u64): u64 { f(|x| x + y) }'),
    );
    expect(shown(resultOf(program, 't'))).toBe(
      '{ let () = (); { let (x#1) = 1; x#1 + y } + { let (x#2) = 2; x#2 + y } }',
    );
  });

  it('keeps locals of the lambda and of the function apart', () => {
    const { program } = check(
      moduleOf('inline fun f(g: |u64|u64): u64 { let y = 5; g(y) } fun t(): u64 { let y = 1; f(|x| x + y) }'),
    );
    const { items } = functionNamed(program, 't').body!;
    const declared = items.flatMap((item) => (item.kind === 'bind' ? item.patterns.patterns : []));
    const uses = expressionsOf(program, 't').flatMap((one) => (one.kind === 'use' ? [one.local] : []));
    const [outer] = declared.map((pattern) => (pattern.kind === 'local' ? pattern.local : undefined));
    expect(uses.filter((local) => local === outer)).toHaveLength(1);
    expect(uses.map(({ name }) => name.replace(/#.*/, ''))).toEqual(['y', 'x', 'y']);
  });

  it('hands lambdas on to other inline functions', () => {
    const { program, diagnostics } = check(
      moduleOf(
        'inline fun f(g: |u64|u64): u64 { g(1) } inline fun h(k: |u64|u64): u64 { f(|x| k(x) + 1) } fun t(): u64 { h(|y| y * 2) }',
      ),
    );
    expect(diagnostics).toEqual([]);
    const kinds = new Set(expressionsOf(program, 't').map(({ kind }) => kind));
    expect([kinds.has('callLocal'), kinds.has('lambda'), kinds.has('call')]).toEqual([false, false, false]);
  });

  it('has type arguments in place of parameters', () => {
    const { program } = check(
      moduleOf('inline fun f<T: drop>(x: T): vector<T> { vector[x] } fun t(): vector<u8> { f(1u8) }'),
    );
    const types = expressionsOf(program, 't').map(({ type }) => settledTypeText(type));
    expect(new Set(types)).toEqual(new Set(['u8', 'vector<u8>']));
  });

  it('moves what its generic code could not copy', () => {
    const { program } = check(moduleOf('inline fun f<T>(x: T): T { x } fun t(): u64 { f(1) }'));
    expect(shown(resultOf(program, 't'))).toBe('{ let (x#0) = 1; move x#0 }');
  });

  it('acquires what its code acquires', () => {
    const k = 'struct K has key { f: u64 } inline fun f(): u64 acquires K { borrow_global<K>(@1).f }';
    expect(check(moduleOf(`${k} fun t(): u64 acquires K { f() }`)).diagnostics).toEqual([]);
    const codes = check(moduleOf(`${k} fun t(): u64 { f() }`)).diagnostics.map((text) => text.slice(0, 6));
    expect(codes).toEqual(['E04020']);
  });
});

describe('inline functions', () => {
  it.each([
    ['do not call themselves', 'inline fun f() { ⟦f()⟧ } fun t() { f() }', ['E14001']],
    [
      'do not call each other in a circle',
      'inline fun f() { g() } inline fun g() { ⟦f()⟧ } fun t() { f() }',
      ['E14001'],
    ],
    ['do not return early', 'inline fun f() { ⟦return ()⟧ } fun t() { f() }', ['E14003']],
    ['are not native', 'native inline fun ⟦f⟧(); ', ['E14003']],
    ['take functions for functions', 'inline fun f(g: |u64|u64) { g(1); } fun t(h: u64) { ⟦f(h)⟧ }', ['E04007']],
    ['are all that has functions as parameters', 'fun f(g: ⟦|u64|u64⟧) { g(1); }', ['E04024']],
    ['return no functions', 'inline fun f(): ⟦|u64|u64⟧ { abort 1 } ', ['E04024']],
    ['are not stored in variables', 'fun t() { let f = ⟦|x| x + 1⟧; }', ['E04024']],
    ['call functions', 'inline fun f(g: u64) { ⟦g⟧(1); }', ['E04007']],
  ])('%s', (_, members, codes) => {
    const { diagnostics, marked } = check(moduleOf(members), codes);
    const firstCodes = diagnostics.filter((text) => codes.some((code) => text.startsWith(code)));
    expect(firstCodes).toEqual(marked);
  });

  it.each([
    ['building structs', 'f1', 'E14002'],
    ['calling private functions', 'f2', 'E14002'],
    ['using fields', 'f3', 'E14002'],
    ['using storage', 'f4', 'E14002'],
  ])('cannot be used by other modules if they are %s', (_, name, code) => {
    const other =
      'module a::other { struct S has key, drop { f: u64 } fun private() {} public fun make(): S { S { f: 1 } }' +
      ' public inline fun f1() { S { f: 1 }; } public inline fun f2() { private() }' +
      ' public inline fun f3() { make().f; } public inline fun f4() { exists<S>(@1); } }';
    const { diagnostics } = check(moduleOf(`fun t() { a::other::${name}() }`), [], [other]);
    expect(new Set(diagnostics.map((text) => text.slice(0, 6)))).toEqual(new Set([code]));
  });

  it('that double are refused before they fill the memory', () => {
    const doubling = Array.from({ length: 40 }, (_, at) => `inline fun f${at + 1}() { f${at}(); f${at}() }`);
    const { diagnostics } = check(moduleOf(`inline fun f0() {} ${doubling.join(' ')} fun t() { f40() }`));
    expect(diagnostics.map((text) => text.slice(0, 6))).toEqual(['E14003']);
  });

  it('that nest are refused before they fill the stack', () => {
    const nested = Array.from({ length: 3_000 }, (_, at) => `inline fun f${at + 1}(): u64 { 1 + f${at}() }`);
    const { diagnostics } = check(moduleOf(`inline fun f0(): u64 { 1 } ${nested.join(' ')} fun t(): u64 { f3000() }`));
    expect(diagnostics.map((text) => text.slice(0, 6))).toEqual(['E14003']);
  });
});

it('numbered names of inlined locals do not meet those that lowering makes', () => {
  const calls = Array.from({ length: 10 }, () => 'f(x)').join(' + ');
  const shadows = Array.from({ length: 10 }, () => 'let x = x + 1;').join(' ');
  const source = moduleOf(
    `inline fun f(x: u64): u64 { x } public fun t(x: u64): u64 { let y = ${calls}; ${shadows} x + y }`,
  );
  const targets = [{ files: new Map([['m.move', source]]), addresses: ADDRESSES }];
  const mode = { hasTests: false, hasVerification: false };
  const { diagnostics, modules } = compileMove({ targets, dependencies: [], mode });
  expect(diagnostics.sorted()).toEqual([]);
  const [code] = modules[0]!.module.functionDefinitions.flatMap((definition) => definition.code ?? []);
  expect(code!.instructions.length).toBeGreaterThan(0);
});

it('a mutable reference that is given for an immutable one is frozen where it must be', () => {
  const members = `fun h(x: &u64): u64 { *x } inline fun f(x: &u64): u64 { h(x) + *x }
    public fun t(): u64 { let a = 1; f(&mut a) }`;
  const targets = [{ files: new Map([['m.move', moduleOf(members)]]), addresses: ADDRESSES }];
  const mode = { hasTests: false, hasVerification: false };
  const { diagnostics, modules } = compileMove({ targets, dependencies: [], mode });
  expect(diagnostics.sorted()).toEqual([]);
  expect(modules).toHaveLength(1);
});
