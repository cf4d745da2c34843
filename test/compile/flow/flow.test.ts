/**
 * Expected code is derived by hand from the rules of the reference (`cfgir`), codes are those of its tests
 * (`move_check/{borrows,locals,liveness,control_flow,folding}`), whose programs these resemble in what they show.
 */
import { describe, expect, it } from 'vitest';
import { codesOfMembers, instructionsOf } from '../emit/compiled.ts';

describe('the last use of a variable', () => {
  it('is a move, all others copies', () => {
    expect(instructionsOf('fun f(x: u64): u64 { x + x + x }')).toEqual([
      'CopyLoc 0',
      'CopyLoc 0',
      'Add',
      'MoveLoc 0',
      'Add',
      'Ret',
    ]);
  });

  it('stays a copy if that is written', () => {
    expect(instructionsOf('fun f(x: u64): u64 { copy x }')).toEqual(['CopyLoc 0', 'Ret']);
  });

  it('is no move in a loop that comes round to it', () => {
    expect(instructionsOf('fun g(_x: u64) {} fun f(x: u64) { loop { g(x) } }')).toEqual([
      'CopyLoc 0',
      'Call 1',
      'Branch 0',
    ]);
  });

  it('drops references where only one of two ways uses them', () => {
    expect(instructionsOf('fun f(c: bool, r: &u64): u64 { if (c) { *r } else { 0 } }')).toEqual([
      ...['MoveLoc 0', 'BrFalse 6', 'MoveLoc 1', 'ReadRef', 'StLoc 2', 'Branch 10'],
      ...['MoveLoc 1', 'Pop', 'LdU64 0', 'StLoc 2'],
      ...['MoveLoc 2', 'Ret'],
    ]);
  });
});

describe('values that are known', () => {
  it('are computed', () => {
    expect(instructionsOf('fun f(): u64 { (1 + 2) * (10 - 3) / 2 % 7 }')).toEqual(['LdU64 3', 'Ret']);
    expect(instructionsOf('fun f(): u8 { (255 as u8) & 15 | 64 ^ 1 << 7 }')).toEqual(['LdU8 207', 'Ret']);
    expect(instructionsOf('fun f(): bool { !(1 < 2) || 3 == 3 }')).toEqual(['LdTrue', 'Ret']);
    expect(instructionsOf('fun f(): u256 { 1 << 255 }')).toEqual([`LdU256 ${1n << 255n}`, 'Ret']);
  });

  it('are left to run time where that aborts', () => {
    expect(instructionsOf('fun f(): u8 { 255 + 1 }')).toEqual(['LdU8 255', 'LdU8 1', 'Add', 'Ret']);
    expect(instructionsOf('fun f(): u64 { 1 / 0 }')).toEqual(['LdU64 1', 'LdU64 0', 'Div', 'Ret']);
    expect(instructionsOf('fun f(): u8 { 1 << 8 }')).toEqual(['LdU8 1', 'LdU8 8', 'Shl', 'Ret']);
    expect(instructionsOf('fun f(): u8 { (256 as u8) }')).toEqual(['LdU64 256', 'CastU8', 'Ret']);
  });

  it('go where they are used, if a variable is assigned and used once', () => {
    expect(instructionsOf('fun f(x: u64): u64 { let y = 5; x + y }')).toEqual(['MoveLoc 0', 'LdU64 5', 'Add', 'Ret']);
    expect(instructionsOf('fun f(x: u64): u64 { let y = x; 1 + y }')).toEqual([
      'MoveLoc 0',
      'StLoc 1',
      'LdU64 1',
      'MoveLoc 1',
      'Add',
      'Ret',
    ]);
  });

  it('decide branches', () => {
    expect(instructionsOf('fun f(): u64 { if (1 == 1) { 2 } else { 3 } }')).toEqual(['LdU64 2', 'Ret']);
  });

  it('are the only ones that constants have', () => {
    expect(codesOfMembers('const C: u64 = 1 << 3;\nfun f(): u64 { C }')).toEqual([]);
    expect(codesOfMembers('const C: u64 = 1 / 0;')).toEqual(['E08001 2:16']);
    expect(codesOfMembers('const C: u8 = 1 - 2;\nconst D: u8 = 2 + 254;')).toEqual(['E08001 2:15', 'E08001 3:15']);
  });
});

describe('code that never runs', () => {
  it('is reported where it starts', () => {
    expect(codesOfMembers('fun f(): u64 {\n  return 1;\n  2\n}')).toEqual(['W09005 4:3']);
    expect(codesOfMembers('fun f() {\n  loop { };\n  f()\n}')).toEqual(['W09005 4:3']);
  });

  it('is reported at the operand that never gets a value', () => {
    expect(codesOfMembers('fun f(): u64 {\n  1 + return 2\n}')).toEqual(['W09005 3:7']);
  });
});

describe('variables', () => {
  it('have a value before they are used', () => {
    expect(codesOfMembers('fun f(): u64 {\n  let x: u64;\n  x\n}')).toEqual(['E06002 4:3']);
    expect(codesOfMembers('fun f(c: bool): u64 {\n  let x;\n  if (c) { x = 1 };\n  x\n}')).toEqual(['E06002 5:3']);
    expect(codesOfMembers('struct S {}\nfun g(S {}: S) {}').length).toBeGreaterThan(0);
  });

  it('are not used after they were moved', () => {
    expect(codesOfMembers('struct S {}\nfun g(s: S) { let S {} = s; }\nfun f(s: S) {\n  g(s);\n  g(s);\n}')).toEqual([
      'E06002 6:5',
    ]);
    expect(codesOfMembers('struct S {}\nfun g(s: S) { let S {} = s; }\nfun f(s: S) {\n  loop { g(s) }\n}')).toEqual([
      'E06002 5:12',
    ]);
  });

  it('do not keep what cannot be dropped', () => {
    expect(codesOfMembers('struct S {}\nfun f(_s: S) {\n}')).toEqual(['E06001 3:14']);
    expect(codesOfMembers('struct S {}\nfun f(a: S, b: S): S {\n  a = b;\n  a\n}')).toEqual(['E06001 4:3']);
  });

  it('get a warning for a value that nobody uses', () => {
    expect(codesOfMembers('fun f(): u64 {\n  let x = 1;\n  x = 2;\n  x\n}')).toEqual(['W09003 3:7']);
  });
});

describe('borrows', () => {
  const members = 'struct S has copy, drop { a: u64, b: u64 }\nfun use_it(_r: &mut u64) {}\n';
  const codes = (body: string): string[] => codesOfMembers(`${members}fun f(s: S, r: &mut S): u64 {\n${body}\n}`);

  it('of different fields do not get in the way of each other', () => {
    expect(codes('let a = &mut r.a;\nlet b = &mut r.b;\n*a = 1;\n*b = 2;\ns.a')).toEqual([]);
  });

  it('keep a variable from being moved, copied or assigned', () => {
    expect(codes('let a = &s.a;\nlet t = move s;\n*a + t.b + r.a')).toEqual(['E07003 6:9']);
    expect(codes('let a = &mut s.a;\nlet t = copy s;\n*a = 1;\nt.b + r.a')).toEqual(['E07002 6:9']);
    expect(codes('let a = &s.a;\ns = *r;\n*a + s.b')).toEqual(['E07003 6:1']);
  });

  it('make the last use of a variable ambiguous', () => {
    expect(codes('let a = &s;\nlet t = s;\na.a + t.b + r.a')).toEqual(['E07006 6:9']);
  });

  it('keep a reference from being written to or lent', () => {
    // A second mutable borrow of a field counts as what the first one borrows from.
    expect(codes('let a = &mut r.a;\n*r = copy s;\n*a + s.b')).toEqual(['E07003 6:1']);
    expect(codes('let a = &mut r.a;\nlet b = &mut r.a;\nuse_it(b);\n*a + s.b')).toEqual(['E07005 7:1']);
    expect(codes('let a = &mut r.a;\nlet c = freeze(a);\nuse_it(a);\n*c + s.b')).toEqual(['E07005 7:1']);
  });

  it('do not outlive the function', () => {
    expect(codesOfMembers('fun f(x: u64): &u64 {\n  &x\n}')).toEqual(['E07004 3:3']);
  });

  it('of resources last until the reference goes', () => {
    const resource = 'struct R has key { a: u64 }\nfun g() acquires R { borrow_global_mut<R>(@1).a = 1; }\n';
    expect(
      codesOfMembers(`${resource}fun f() acquires R {\n  let r = borrow_global_mut<R>(@1);\n  g();\n  r.a = 2;\n}`),
    ).toEqual(['E07003 6:3']);
  });
});
