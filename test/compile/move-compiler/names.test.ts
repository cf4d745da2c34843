import { describe, expect, it } from 'vitest';
import type {
  ResolvedExpression,
  ResolvedFunction,
  ResolvedProgram,
} from '../../../src/compile/names/resolved-tree.ts';
import { FRAMEWORK_PACKAGES, frameworkSources, resolve } from './front-end.ts';

const moduleOf = (members: string, name = 'm'): string => `module a::${name} {\n${members}\n}`;
const functionOf = (body: string): string => moduleOf(`fun f(p: u64) {\n${body}\n}`);

function functionNamed(program: ResolvedProgram, name: string): ResolvedFunction {
  const functions = program.modules.flatMap((module) => module.functions);
  return functions.find(({ declaration }) => declaration.name.text === name)!;
}

/** The expressions of the statements of a function. */
function statements(program: ResolvedProgram, name = 'f'): ResolvedExpression[] {
  const { items } = functionNamed(program, name).body!;
  return items.flatMap((item) => (item.kind === 'expression' ? [item.expression] : []));
}

describe('names', () => {
  it('are all resolved in the framework', () => {
    const done: string[] = [];
    for (const name of FRAMEWORK_PACKAGES) {
      const sources = frameworkSources(name);
      expect(resolve(sources, done).codes).toEqual([]);
      done.push(...sources);
    }
  });

  it('of locals are the innermost that is declared before', () => {
    const { program, codes } = resolve([functionOf('let x = p; { let x = x; x; }; x; let x = 1; x;')]);
    expect(codes).toEqual([]);
    const { items } = functionNamed(program, 'f').body!;
    const declared = items.flatMap((item) => (item.kind === 'bind' ? item.patterns.patterns : []));
    const locals = declared.map((pattern) => (pattern.kind === 'local' ? pattern.local : undefined));
    const used = statements(program).flatMap((each) => (each.kind === 'use' ? [each.local] : []));
    expect(used).toEqual([locals[0], locals[1]]);
    expect(used[0]).toBe(locals[0]);
    expect(used[1]).toBe(locals[1]);
  });

  it('of other modules come from use, of modules and of members, and by full paths', () => {
    const other = moduleOf('public fun g() {}', 'other');
    const user = moduleOf(
      'use a::other; use a::other::g as h;\nfun f() { other::g(); h(); a::other::g(); 0xa::other::g() }',
    );
    const { program, codes } = resolve([user, other]);
    expect(codes).toEqual([]);
    const called = statements(program).map((each) => (each.kind === 'call' ? each.function : undefined));
    const g = functionNamed(program, 'g').declaration;
    expect(called).toEqual([g, g, g, g]);
  });

  it.each([
    ['a variable', functionOf('q'), ['E03009 3:1']],
    ['a variable after its block', functionOf('{ let x = 1; x }; x'), ['E03009 3:19']],
    ['a variable in its own value', functionOf('let x = x;'), ['E03009 3:9']],
    ['a function', functionOf('g()'), ['E03009 3:1']],
    ['a constant', functionOf('C'), ['E03005 3:1']],
    ['a type', moduleOf('struct S { a: T }'), ['E03004 2:15']],
    ['a module', functionOf('n::g()'), ['E03002 3:1']],
    ['a module of use', moduleOf('use a::n;'), ['E03002 2:5']],
    ['a member of use', moduleOf('use a::o::g;') + moduleOf('', 'o'), ['E03003 2:11']],
    ['a member', functionOf('Self::g()'), ['E03003 3:1']],
    ['an address', functionOf('@nobody'), ['E03001 3:2']],
    ['a struct', functionOf('T { }'), ['E03004 3:1']],
    ['a friend', moduleOf('friend a::n;'), ['E03002 2:8']],
  ])('that stand for nothing are refused: %s', (_, text, expected) => {
    expect(resolve([text]).codes).toEqual(expected);
  });

  it.each([
    ['a local with a capital', functionOf('let X = 1;'), ['E02010 3:5']],
    ['a function with an underscore', moduleOf('fun _f() {}'), ['E02010 2:5']],
    ['a struct without a capital', moduleOf('struct s {}'), ['E02010 2:8']],
    ['a schema without a capital', moduleOf('spec schema s {}'), ['E02010 2:13']],
    ['a function as one that is built in', moduleOf('fun freeze() {}'), ['E03011 2:5']],
    ['a module called Self', 'module a::Self {}', ['E03011 1:11']],
    ['two members of one name', moduleOf('fun f() {}\nfun f() {}'), ['E02001 3:5']],
    ['two modules of one name', moduleOf('') + moduleOf(''), ['E02001 3:12']],
    ['two fields of one name', moduleOf('struct S { a: u8, a: u8 }'), ['E02001 2:19']],
    ['two parameters of one name', moduleOf('fun f(a: u8, a: u8) {}'), ['E02001 2:14']],
    ['two locals of one name in a let', functionOf('let (x, x) = (1, 2);'), ['E02001 3:9']],
    ['a local that is assigned twice at once', functionOf('(p, p) = (1, 2);'), ['E02001 3:5']],
    ['a friend of another address', `${moduleOf('friend 0xb::n;')}module 0xb::n {}`, ['E02011 2:1']],
    ['a module that is its own friend', moduleOf('friend a::m;'), ['E02011 2:1']],
    ['a struct without key that is acquired', moduleOf('struct S {}\nfun f() acquires S {}'), ['E02012 3:18']],
    ['a module without an address', 'module m {}', ['E02004 1:8']],
    ['too many type arguments', moduleOf('struct S<T: drop> { a: T }\nstruct U { a: S<u8, u8> }'), ['E03007 3:15']],
    ['too few type arguments', moduleOf('struct S<T: drop> { a: T }\nstruct U { a: S }'), ['E03008 3:15']],
    ['an assignment to a call', functionOf('f(1) = 2;'), ['E01009 3:1']],
    ['an index', functionOf('p[0]'), ['E01010 3:1']],
    ['a quantifier', functionOf('forall x: u64: x == x'), ['E01010 3:1']],
    ['a number that is too large for its type', functionOf('256u8'), ['E01006 3:1']],
    ['an escape that there is not', functionOf('b"a\\q"'), ['E01007 3:4']],
    ['an odd number of hex digits', functionOf('x"abc"'), ['E01008 3:1']],
    ['an attribute at a wrong place', moduleOf('#[test] struct S {}'), []],
    ['an attribute of tests at a struct', moduleOf('#[expected_failure] struct S {}'), ['E02015 2:3']],
    ['an attribute twice', moduleOf('#[a, a] fun f() {}'), ['E02001 2:6']],
    ['an alias that nothing uses, a warning', moduleOf('use a::o;') + moduleOf('', 'o'), ['W09001 2:8']],
  ])('may not be: %s', (_, text, expected) => {
    expect(resolve([text]).codes).toEqual(expected);
  });

  it('are suggested where one is near', () => {
    const { diagnostics } = resolve([functionOf('let balance = p; balanse')]);
    expect(diagnostics.sorted().flatMap(({ notes }) => notes)).toEqual(["did you mean 'balance'?"]);
  });

  it('that only tests have are there in test mode, of the package itself and of dependencies', () => {
    const library = moduleOf('#[test_only] public fun only() {}\n#[test] fun t() { missing() }', 'lib');
    const text = moduleOf(
      '#[test] fun t() { a::lib::only() }\n#[test_only] use a::lib::only;\n#[test_only] fun g() { only() }',
    );
    expect(resolve([text], [library]).program.modules.flatMap(({ functions }) => functions)).toEqual([]);
    const { program, codes } = resolve([text], [library], true);
    expect(codes).toEqual([]);
    const names = program.modules.flatMap(({ functions }) => functions.map(({ declaration }) => declaration.name.text));
    expect(names).toEqual(['only', 't', 'g']);
  });

  it('of dependencies keep the bodies of inline functions alone', () => {
    const { program, codes } = resolve([], [moduleOf('public fun f() { missing() }\npublic inline fun g() { f() }')]);
    expect(codes).toEqual([]);
    expect(functionNamed(program, 'f').body).toBeUndefined();
    expect(functionNamed(program, 'g').body).toBeDefined();
  });
});

describe('modules', () => {
  it('come after those that they use, and before their friends', () => {
    const user = moduleOf('fun f() { a::used::g() }', 'aa');
    const used = moduleOf('friend a::friend_of_it;\npublic fun g() {}', 'used');
    const { program } = resolve([user, moduleOf('', 'friend_of_it'), used]);
    const [first, ...others] = program.modules.map(({ declaration }) => declaration.identity.name);
    expect(first).toBe('used');
    expect(others.sort()).toEqual(['aa', 'friend_of_it']);
  });

  it('that need each other in a circle are an error at one of the uses', () => {
    const one = moduleOf('public fun f() { a::two::g() }', 'one');
    const two = moduleOf('public fun g() { a::one::f() }', 'two');
    const { codes, diagnostics } = resolve([one, two]);
    expect(codes).toEqual(['E02004 2:18']);
    expect(diagnostics.sorted()[0]!.secondary).toHaveLength(1);
  });
});
