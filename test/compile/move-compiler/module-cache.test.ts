/** A package that is compiled again must come out as if it were compiled for the first time. */
import { describe, expect, it } from 'vitest';
import { EmittedModuleCache } from '../../../src/compile/module-cache.ts';
import { type CompilerOutput, compileMove } from '../../../src/compile/move-compiler.ts';
import { ADDRESSES, codesOf } from './front-end.ts';

const FILES: Readonly<Record<string, string>> = {
  'one.move': `module a::one {
  const LIMIT: u64 = 7;
  struct S has copy, drop { value: u64 }
  public fun make(value: u64): S { assert!(value < LIMIT, 1); S { value } }
  public inline fun apply(f: |u64| u64): u64 { f(1) }
}`,
  'two.move': `module a::two {
  public fun get(x: u64): a::one::S { let unused = 1; a::one::make(x) }
}`,
  'three.move': `module a::three {
  public fun both(): u64 { let x = a::one::apply(|y| y + 1); let _s = a::two::get(x); a::one::apply(|x| x * 2) + x }
}`,
  'four.move': 'module a::four { public fun four(): u64 { let x = 2; x * x } }',
};

function compile(files: Readonly<Record<string, string>>, cache?: EmittedModuleCache): CompilerOutput {
  const targets = [{ files: new Map(Object.entries(files)), addresses: ADDRESSES }];
  return compileMove({
    targets,
    dependencies: [],
    mode: { hasTests: false, hasVerification: false },
    cache,
  });
}

const seen = ({ modules, diagnostics, isComplete }: CompilerOutput): unknown => ({
  isComplete,
  codes: codesOf(diagnostics),
  modules: modules.map(({ declaration: { identity }, bytes }) => [identity.name, Buffer.from(bytes).toString('hex')]),
});

const CHANGES: readonly (readonly [what: string, file: string, from: string | RegExp, to: string])[] = [
  ['nothing', 'one.move', 'zzz', ''],
  ['a body', 'two.move', 'a::one::make(x)', 'a::one::make(x + 1)'],
  ['a constant', 'one.move', '= 7', '= 8'],
  ['the body of an inline function', 'one.move', '{ f(1) }', '{ let z = f(2); f(z) }'],
  ['abilities', 'one.move', 'copy, drop', 'drop'],
  ['a signature', 'two.move', 'x: u64', 'x: u8'],
  ['the order of fields', 'one.move', '{ value: u64 }', '{ other: u8, value: u64 }'],
  ['what is not allowed', 'four.move', 'x * x', 'y'],
  ['a warning', 'four.move', 'let x = 2;', 'let x = 2; let z = 3;'],
  ['inlined locals of a module before', 'four.move', 'let x = 2;', 'let x = a::one::apply(|q| q + 2);'],
];

describe('a package that is compiled again', () => {
  it.each(CHANGES)('comes out as if for the first time after a change of %s', (_what, file, from, to) => {
    const cache = new EmittedModuleCache();
    const changed = { ...FILES, [file]: FILES[file]!.replace(from, to) };
    for (const files of [FILES, changed, FILES]) expect(seen(compile(files, cache))).toEqual(seen(compile(files)));
  });

  it('takes over the code of what did not change', () => {
    const cache = new EmittedModuleCache();
    const first = compile(FILES, cache).modules;
    const second = compile({ ...FILES, 'two.move': FILES['two.move']!.replace('(x) }', '(x + 1) }') }, cache).modules;
    const isSame = second.map(({ module, declaration }) => [
      declaration.identity.name,
      first.some((each) => each.module === module),
    ]);
    expect(Object.fromEntries(isSame)).toEqual({ one: true, two: false, three: true, four: true });
  });

  it('forgets what was compiled with other addresses', () => {
    const cache = new EmittedModuleCache();
    compile(FILES, cache);
    const targets = [
      { files: new Map(Object.entries(FILES)), addresses: new Map([['a', new Uint8Array(32).fill(9)]]) },
    ];
    const input = { targets, dependencies: [], mode: { hasTests: false, hasVerification: false } };
    expect(seen(compileMove({ ...input, cache }))).toEqual(seen(compileMove(input)));
  });
});
