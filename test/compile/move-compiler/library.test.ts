/** Dependencies are prepared once for many compilations, which must not show. */
import { describe, expect, it } from 'vitest';
import { type CompilerDependency, type CompilerOutput, compileMove } from '../../../src/compile/move-compiler.ts';
import { ADDRESSES, codesOf } from './front-end.ts';

const ONE = `module b::one {
  struct S has copy, drop { a: u64 }
  public fun make(a: u64): S { S { a } }
  public inline fun twice(f: |u64| u64): u64 { f(1) + f(2) }
}`;
const TWO = 'module b::two { use b::one; public fun two(): one::S { one::make(2) } }';
const THREE = 'module b::three { public fun three(): u64 { 3 } }';

function dependency(texts: readonly string[], uses?: CompilerDependency['uses']): CompilerDependency {
  return { files: new Map(texts.map((text, index) => [`${index}.move`, text])), addresses: ADDRESSES, uses };
}

function compile(text: string, dependencies: readonly CompilerDependency[]): CompilerOutput {
  const targets = [{ files: new Map([['target.move', text]]), addresses: ADDRESSES }];
  return compileMove({ targets, dependencies, mode: { hasTests: false, hasVerification: false } });
}

const users = [
  'module a::m { public fun f(): b::one::S { b::one::make(b::one::twice(|x| x * 2)) } }',
  'module a::m { public fun f(): b::one::S { b::two::two() } }',
  'module a::m { use b::three; public fun f(): u64 { three::three() } }',
];

describe('dependencies', () => {
  const bytesOf = ({ modules }: CompilerOutput): Uint8Array[] => modules.map(({ bytes }) => bytes);

  it.each([
    ['as a whole', undefined],
    ['as much as is needed', new Map([[`${'0'.repeat(63)}b::two`, [`${'0'.repeat(63)}b::one`]]])],
  ])('give the same code when they are used again, %s', (_how, uses) => {
    const shared = dependency([ONE, TWO, THREE], uses);
    for (const user of [...users, ...users]) {
      const fresh = compile(user, [dependency([ONE, TWO, THREE], uses)]);
      expect(fresh.modules).toHaveLength(1);
      expect(bytesOf(compile(user, [shared]))).toEqual(bytesOf(fresh));
    }
  });

  it('suggest modules that are not needed otherwise', () => {
    const uses = new Map([['b::one', []]]);
    const { diagnostics } = compile('module a::m { fun f() { b::tree::three(); } }', [
      dependency([ONE, TWO, THREE], uses),
    ]);
    const [{ kind, notes } = { kind: undefined, notes: [] }] = diagnostics.sorted();
    expect(kind?.code).toBe('E03002');
    expect(notes.join()).toContain('three');
  });

  it('are found whatever stands between the parts of a name', () => {
    const uses = new Map([['b::one', []]]);
    const text = 'module a::m { fun f(): u64 { b /* there */ :: // here\n three::three() } }';
    expect(codesOf(compile(text, [dependency([ONE, TWO, THREE], uses)]).diagnostics)).toEqual([]);
  });

  it('are looked up together with those before them', () => {
    const [first, second] = [dependency([ONE]), dependency([TWO])];
    expect(compile(users[1]!, [first, second]).isComplete).toBe(true);
    expect(compile(users[1]!, [dependency([ONE.replaceAll('S', 'R')]), second]).isComplete).toBe(false);
    expect(compile(users[1]!, [first, second]).isComplete).toBe(true);
  });

  it('report what is wrong with them each time', () => {
    const broken = dependency([ONE, 'module b::two { public fun two(): b::none::T; }']);
    const first = codesOf(compile(users[0]!, [broken]).diagnostics);
    expect(first).not.toEqual([]);
    expect(codesOf(compile(users[0]!, [broken]).diagnostics)).toEqual(first);
  });

  it('are declared twice by a target of the same name', () => {
    const shared = dependency([ONE]);
    compile(users[0]!, [shared]);
    const same = 'module b::one { }';
    expect(codesOf(compile(same, [shared]).diagnostics)).toEqual(
      codesOf(compile(same, [dependency([ONE])]).diagnostics),
    );
  });

  it('stay apart from what a target makes of them', () => {
    const shared = dependency([ONE]);
    const wrong = compile('module a::m { fun f(): b::one::T { abort 1 } }', [shared]);
    expect(codesOf(wrong.diagnostics)).toEqual(['E03003 1:24']);
    expect(codesOf(compile(users[0]!, [shared]).diagnostics)).toEqual([]);
  });
});
