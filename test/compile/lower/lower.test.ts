/**
 * Expected code is derived by hand from the rules of the reference (`hlir/translate.rs`): operands from left to right,
 * temporaries where a later operand needs statements, locals in the order of their names.
 */
import { describe, expect, it } from 'vitest';
import { codesOfMembers, instructionsOf } from '../emit/compiled.ts';

describe('order of evaluation', () => {
  it('is that of the operands', () => {
    expect(instructionsOf('fun f(x: u64, y: u64): bool { x - 1 < y * 2 }')).toEqual([
      'MoveLoc 0',
      'LdU64 1',
      'Sub',
      'MoveLoc 1',
      'LdU64 2',
      'Mul',
      'Lt',
      'Ret',
    ]);
  });

  it('is the value first where a reference is written to', () => {
    expect(instructionsOf('fun f(r: &mut u64, x: u64) { *r = x; }')).toEqual([
      'MoveLoc 1',
      'MoveLoc 0',
      'WriteRef',
      'Ret',
    ]);
  });

  it('binds earlier arguments to temporaries if a later one is a branch', () => {
    // The branch's value is %#1, since arguments are lowered from the last to the first; the bound argument is %#2.
    expect(
      instructionsOf(
        'fun g(_x: u64, _y: u64) {} fun h(): u64 { 1 } fun f(c: bool) { g(h(), if (c) { 2 } else { 3 }) }',
      ),
    ).toEqual([
      ...['Call 2', 'StLoc 2', 'MoveLoc 0', 'BrFalse 7'],
      ...['LdU64 2', 'StLoc 1', 'Branch 9'],
      ...['LdU64 3', 'StLoc 1'],
      ...['MoveLoc 2', 'MoveLoc 1', 'Call 1', 'Ret'],
    ]);
  });

  it('is that of the text for fields that are not in the order of their declaration', () => {
    // Both are bound: %#1 is b, %#2 is a, which is not stored as it is moved at once.
    expect(
      instructionsOf('struct S has drop { a: u64, b: u64 } fun h(): u64 { 1 } fun f(): S { S { b: h(), a: h() } }'),
    ).toEqual(['Call 1', 'StLoc 0', 'Call 1', 'MoveLoc 0', 'Pack 0', 'Ret']);
  });
});

describe('control flow inside of expressions', () => {
  it('is made of && and || unless their right side is a plain value', () => {
    expect(instructionsOf('fun f(a: bool, b: bool): bool { a && b }')).toEqual([
      'MoveLoc 0',
      'MoveLoc 1',
      'And',
      'Ret',
    ]);
    expect(instructionsOf('fun f(a: bool, b: bool): bool { a && !b }')).toEqual([
      ...['MoveLoc 0', 'BrFalse 6', 'MoveLoc 1', 'Not', 'StLoc 2', 'Branch 8'],
      ...['LdFalse', 'StLoc 2', 'MoveLoc 2', 'Ret'],
    ]);
    expect(instructionsOf('fun f(a: bool, b: bool): bool { a || !b }').slice(0, 4)).toEqual([
      'MoveLoc 0',
      'BrFalse 5',
      'LdTrue',
      'StLoc 2',
    ]);
  });

  it('evaluates the code of assert! only if the condition is false', () => {
    expect(instructionsOf('fun h(): u64 { 1 } fun f(a: bool) { assert!(a, h()) }')).toEqual([
      ...['MoveLoc 0', 'BrFalse 3', 'Branch 5'],
      ...['Call 1', 'Abort'],
      'Ret',
    ]);
  });

  it('goes round a loop as long as its condition holds', () => {
    expect(instructionsOf('fun f(i: u64) { while (i > 0) { i = i - 1 } }')).toEqual([
      ...['CopyLoc 0', 'LdU64 0', 'Gt', 'BrFalse 10', 'Branch 5'],
      ...['MoveLoc 0', 'LdU64 1', 'Sub', 'StLoc 0', 'Branch 0'],
      'Ret',
    ]);
  });
});

describe('patterns', () => {
  it('take a struct apart from the last field to the first', () => {
    expect(instructionsOf('struct S { a: u64, b: u64 } fun f(s: S): u64 { let S { b, a: _ } = s; b }')).toEqual([
      'MoveLoc 0',
      'Unpack 0',
      'StLoc 1',
      'Pop',
      'MoveLoc 1',
      'Ret',
    ]);
  });

  it('borrow the fields of a reference, from a copy of it in a temporary', () => {
    expect(instructionsOf('struct S { a: u64, b: u64 } fun f(s: &S): u64 { let S { a, b } = s; *a + *b }')).toEqual([
      ...[
        'MoveLoc 0',
        'StLoc 1',
        'CopyLoc 1',
        'ImmBorrowField 0',
        'StLoc 2',
        'MoveLoc 1',
        'ImmBorrowField 1',
        'StLoc 3',
      ],
      ...['MoveLoc 2', 'ReadRef', 'MoveLoc 3', 'ReadRef', 'Add', 'Ret'],
    ]);
  });

  it('give locals of one name different places', () => {
    // The second is x#1, which comes before y.
    expect(instructionsOf('fun f(x: u64): u64 { let y = x + 1; let x = y * y; x * x }')).toEqual([
      ...['MoveLoc 0', 'LdU64 1', 'Add', 'StLoc 2'],
      ...['CopyLoc 2', 'MoveLoc 2', 'Mul', 'StLoc 1'],
      ...['CopyLoc 1', 'MoveLoc 1', 'Mul', 'Ret'],
    ]);
  });
});

describe('references', () => {
  it('are frozen where immutable ones are expected', () => {
    expect(instructionsOf('fun g(_r: &u64) {} fun f(r: &mut u64) { g(r) }')).toEqual([
      'MoveLoc 0',
      'FreezeRef',
      'Call 1',
      'Ret',
    ]);
    expect(instructionsOf('fun f(r: &mut u64, s: &u64): bool { r == s }')).toEqual([
      'MoveLoc 0',
      'FreezeRef',
      'MoveLoc 1',
      'Eq',
      'Ret',
    ]);
  });

  it('lead to a temporary if a value is borrowed that is in no variable', () => {
    expect(instructionsOf('fun g(_r: &u64) {} fun f() { g(&1) }')).toEqual([
      'LdU64 1',
      'StLoc 0',
      'ImmBorrowLoc 0',
      'Call 1',
      'Ret',
    ]);
  });
});

describe('warnings', () => {
  it('name parameters and variables that are never used', () => {
    expect(codesOfMembers('fun f(x: u64, _y: u64) {\n  let z: u64;\n}')).toEqual(['W09002 2:7', 'W09002 3:7']);
  });

  it('point at a semicolon behind which nothing runs', () => {
    expect(codesOfMembers('fun f() {\n  return;\n}')).toEqual(['W09004 3:9']);
    expect(codesOfMembers('fun f(c: bool) {\n  if (c) { abort 1 } else { return };\n}')).toEqual(['W09004 3:37']);
  });
});
