import { describe, expect, it } from 'vitest';
import { type StatusName, statusName } from '../../../src/vm/status.ts';
import { verifyModule, verifyScript } from '../../../src/vm/verify/verify.ts';
import { assembleModule, assembleScript } from '../assemble.ts';

/** What the reference's verifier answers, by its test-suites; `codeOffset` is that of the instruction at fault. */
type Case = readonly [status: StatusName | 'ok', title: string, text: string, codeOffset?: number];

const DECLARATIONS = `
  struct S has copy, drop, store { f: u64, g: u64 }
  struct Pair has drop { left: S, right: S }
  struct Hard { f: u64 }
  struct R has key { f: u64 }
  struct Box<T> has copy, drop, store { value: T }
  struct Tag<phantom T> has copy, drop { f: bool }
  native fun mutable(s: &mut S): &mut u64
  native fun both(a: &mut S, b: &mut S)
  native fun choose(a: &S, b: &S): &u64
  native fun same<T: copy>(t: T): T
`;

function check(cases: readonly Case[]): void {
  it.each(cases)('%s: %s', (status, _title, text, codeOffset) => {
    const verdict = verifyModule(assembleModule(`module 0x1::m ${DECLARATIONS} ${text}`));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
    if (codeOffset !== undefined && !verdict.ok) expect(verdict.location).toMatchObject({ codeOffset });
  });
}

describe('control flow', () => {
  check([
    ['EMPTY_CODE_UNIT', 'a body without instructions', 'fun f() {}'],
    ['INVALID_FALL_THROUGH', 'a body that falls off its end', 'fun f() { Nop }', 0],
    ['INVALID_FALL_THROUGH', 'a conditional branch at the end', 'fun f() { LdTrue; BrTrue 0 }', 1],
    ['ok', 'an endless loop', 'fun f() { head: Branch head }'],
    ['ok', 'a loop with two back edges', 'fun f() { a: LdTrue; BrTrue a; LdFalse; BrTrue a; Ret }'],
    ['ok', 'unreachable code', 'fun f() { Ret; LdU64 1; Abort }'],
    [
      'INVALID_LOOP_SPLIT',
      'a loop that is entered at two places',
      'fun f() { LdTrue; BrTrue b; a: Nop; b: LdTrue; BrTrue a; Ret }',
    ],
    [
      'INVALID_LOOP_SPLIT',
      'an inner loop entered from outside the outer one',
      'fun f() { LdTrue; BrTrue inner; outer: LdTrue; BrTrue end; inner: LdTrue; BrTrue inner; Branch outer; end: Ret }',
    ],
    ['ok', 'nested loops', 'fun f() { a: b: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }'],
  ]);
});

describe('control flow of format version 5', () => {
  const cases: readonly Case[] = [
    ['ok', 'a loop with a break right behind it', 'fun f() { a: LdTrue; BrTrue out; Branch a; out: Ret }'],
    ['INVALID_LOOP_BREAK', 'a break further on', 'fun f() { a: LdTrue; BrTrue out; Branch a; Nop; out: Ret }', 1],
    [
      'INVALID_LOOP_CONTINUE',
      'a jump back out of the inner loop',
      'fun f() { a: Nop; b: LdTrue; BrTrue a; LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }',
      2,
    ],
    [
      'INVALID_LOOP_SPLIT',
      'a jump into the middle',
      'fun f() { LdTrue; BrTrue in; a: Nop; in: LdTrue; BrTrue a; Ret }',
      1,
    ],
  ];
  it.each(cases)('%s: %s', (status, _title, text, codeOffset) => {
    const verdict = verifyModule(assembleModule(`version 5 module 0x1::m ${text}`));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
    if (codeOffset !== undefined) expect(verdict).toMatchObject({ location: { functionIndex: 0, codeOffset } });
  });
});

describe('stack usage', () => {
  check([
    ['NEGATIVE_STACK_SIZE_WITHIN_BLOCK', 'a pop of nothing', 'fun f() { Pop; Ret }', 0],
    [
      'POSITIVE_STACK_SIZE_AT_BLOCK_END',
      'a value for the next block',
      'fun f() { LdU64 1; LdTrue; BrTrue a; a: Pop; Ret }',
    ],
    ['POSITIVE_STACK_SIZE_AT_BLOCK_END', 'a value left behind', 'fun f() { LdU64 1; Ret }', 0],
    ['POSITIVE_STACK_SIZE_AT_BLOCK_END', 'too many returned values', 'fun f(): u64 { LdU64 1; LdU64 1; Ret }'],
    ['NEGATIVE_STACK_SIZE_WITHIN_BLOCK', 'too few returned values', 'fun f(): u64, u64 { LdU64 1; Ret }'],
    ['VALUE_STACK_OVERFLOW', '1025 values', `fun f() { ${'LdU8 1; '.repeat(1025)} VecPack u8 1025; Pop; Ret }`, 0],
    ['ok', '1024 values', `fun f() { ${'LdU8 1; '.repeat(1024)} VecPack u8 1024; Pop; Ret }`],
    [
      'VALUE_STACK_OVERFLOW',
      'an unpacked vector of 1025',
      'fun f(v: vector<u8>) { MoveLoc v; VecUnpack u8 1025; Ret }',
    ],
    ['NEGATIVE_STACK_SIZE_WITHIN_BLOCK', 'a pack without fields', 'fun f() { LdU64 1; Pack S; Pop; Ret }'],
  ]);
});

describe('type safety', () => {
  check([
    ['POP_WITHOUT_DROP_ABILITY', 'Pop of what cannot be dropped', 'fun f(h: Hard) { MoveLoc h; Pop; Ret }', 1],
    ['BR_TYPE_MISMATCH_ERROR', 'a branch on an integer', 'fun f() { LdU64 1; BrTrue a; a: Ret }', 1],
    ['ABORT_TYPE_MISMATCH_ERROR', 'an abort code of 8 bits', 'fun f() { LdU8 1; Abort }', 1],
    ['RET_TYPE_MISMATCH_ERROR', 'another type returned', 'fun f(): u64 { LdU8 1; Ret }', 1],
    ['STLOC_TYPE_MISMATCH_ERROR', 'another type stored', 'fun f() { let x: u64 LdU8 1; StLoc x; Ret }', 1],
    ['COPYLOC_WITHOUT_COPY_ABILITY', 'a copy of what cannot be copied', 'fun f(h: Hard): Hard { CopyLoc h; Ret }', 0],
    ['COPYLOC_WITHOUT_COPY_ABILITY', 'a copy of an unconstrained parameter', 'fun f<T>(t: T): T { CopyLoc t; Ret }'],
    ['ok', 'a copy of a parameter that can be copied', 'fun f<T: copy drop>(t: T): T { CopyLoc t; Ret }'],
    ['BORROWLOC_REFERENCE_ERROR', 'a reference to a reference', 'fun f(r: &u64) { ImmBorrowLoc r; Pop; Ret }', 0],
    [
      'FREEZEREF_TYPE_MISMATCH_ERROR',
      'an immutable reference frozen',
      'fun f(r: &u64) { MoveLoc r; FreezeRef; Pop; Ret }',
      1,
    ],
    ['READREF_TYPE_MISMATCH_ERROR', 'a value read through', 'fun f() { LdU64 1; ReadRef; Pop; Ret }', 1],
    [
      'READREF_WITHOUT_COPY_ABILITY',
      'what cannot be copied read',
      'fun f(r: &Hard): Hard { MoveLoc r; ReadRef; Ret }',
      1,
    ],
    [
      'WRITEREF_NO_MUTABLE_REFERENCE_ERROR',
      'a write through &',
      'fun f(r: &u64) { LdU64 1; MoveLoc r; WriteRef; Ret }',
      2,
    ],
    [
      'WRITEREF_WITHOUT_DROP_ABILITY',
      'what cannot be dropped overwritten',
      'fun f(h: Hard, r: &mut Hard) { MoveLoc h; MoveLoc r; WriteRef; Ret }',
      2,
    ],
    [
      'WRITEREF_TYPE_MISMATCH_ERROR',
      'another type written',
      'fun f(r: &mut u64) { LdU8 1; MoveLoc r; WriteRef; Ret }',
      2,
    ],
    [
      'BORROWFIELD_TYPE_MISMATCH_ERROR',
      'a mutable field of &',
      'fun f(s: &S) { MoveLoc s; MutBorrowField S.f; Pop; Ret }',
      1,
    ],
    [
      'BORROWFIELD_TYPE_MISMATCH_ERROR',
      'a field of another struct',
      'fun f(s: &Hard) { MoveLoc s; ImmBorrowField S.f; Pop; Ret }',
      1,
    ],
    [
      'BORROWFIELD_TYPE_MISMATCH_ERROR',
      'a field of other arguments',
      'fun f(s: &Box<u8>) { MoveLoc s; ImmBorrowField Box<u64>.value; Pop; Ret }',
      1,
    ],
    [
      'CALL_TYPE_MISMATCH_ERROR',
      'an argument of another type',
      'fun f() { LdU8 1; Call g; Ret } fun g(x: u64) { Ret }',
      1,
    ],
    [
      'CALL_TYPE_MISMATCH_ERROR',
      'a type argument that does not fit',
      'fun f() { LdU8 1; Call same<u64>; Pop; Ret }',
      1,
    ],
    ['PACK_TYPE_MISMATCH_ERROR', 'a field of another type', 'fun f() { LdU64 1; LdU8 1; Pack S; Pop; Ret }', 2],
    [
      'UNPACK_TYPE_MISMATCH_ERROR',
      'another struct unpacked',
      'fun f(h: Hard) { MoveLoc h; Unpack S; Pop; Pop; Ret }',
      1,
    ],
    ['INTEGER_OP_TYPE_MISMATCH_ERROR', 'a sum of two widths', 'fun f() { LdU64 1; LdU8 1; Add; Pop; Ret }', 2],
    ['INTEGER_OP_TYPE_MISMATCH_ERROR', 'a sum of bools', 'fun f() { LdTrue; LdTrue; Add; Pop; Ret }', 2],
    ['INTEGER_OP_TYPE_MISMATCH_ERROR', 'a shift by u64', 'fun f() { LdU64 1; LdU64 1; Shl; Pop; Ret }', 2],
    ['ok', 'a shift by u8', 'fun f() { LdU256 1; LdU8 1; Shl; Pop; Ret }'],
    ['INTEGER_OP_TYPE_MISMATCH_ERROR', 'a cast of an address', 'fun f(a: address) { MoveLoc a; CastU8; Pop; Ret }', 1],
    [
      'INTEGER_OP_TYPE_MISMATCH_ERROR',
      'addresses ordered',
      'fun f(a: address) { CopyLoc a; CopyLoc a; Lt; Pop; Ret }',
      2,
    ],
    ['BOOLEAN_OP_TYPE_MISMATCH_ERROR', 'integers and-ed', 'fun f() { LdU8 1; LdU8 1; And; Pop; Ret }', 2],
    ['BOOLEAN_OP_TYPE_MISMATCH_ERROR', 'an integer negated', 'fun f() { LdU8 1; Not; Pop; Ret }', 1],
    ['EQUALITY_OP_TYPE_MISMATCH_ERROR', 'two types compared', 'fun f() { LdU8 1; LdU64 1; Eq; Pop; Ret }', 2],
    [
      'EQUALITY_OP_TYPE_MISMATCH_ERROR',
      'what cannot be dropped compared',
      'fun f(a: Hard, b: Hard) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }',
      2,
    ],
    [
      'EQUALITY_OP_TYPE_MISMATCH_ERROR',
      '& and &mut compared',
      'fun f(a: &u8, b: &mut u8) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }',
      2,
    ],
    ['ok', 'references compared', 'fun f(a: &Hard, b: &Hard) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }'],
    [
      'EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT',
      'Exists without key',
      'fun f(a: address) { MoveLoc a; Exists S; Pop; Ret }',
      1,
    ],
    [
      'BORROWGLOBAL_TYPE_MISMATCH_ERROR',
      'a global at a number',
      'fun f() acquires R { LdU64 1; ImmBorrowGlobal R; Pop; Ret }',
      1,
    ],
    [
      'BORROWGLOBAL_WITHOUT_KEY_ABILITY',
      'a global without key',
      'fun f(a: address) { MoveLoc a; ImmBorrowGlobal S; Pop; Ret }',
      1,
    ],
    ['MOVEFROM_WITHOUT_KEY_ABILITY', 'MoveFrom without key', 'fun f(a: address): S { MoveLoc a; MoveFrom S; Ret }', 1],
    ['MOVEFROM_TYPE_MISMATCH_ERROR', 'MoveFrom at a number', 'fun f(): R acquires R { LdU64 1; MoveFrom R; Ret }', 1],
    [
      'MOVETO_WITHOUT_KEY_ABILITY',
      'MoveTo without key',
      'fun f(s: &signer, v: S) { MoveLoc s; MoveLoc v; MoveTo S; Ret }',
      2,
    ],
    [
      'MOVETO_TYPE_MISMATCH_ERROR',
      'MoveTo an address',
      'fun f(s: &address, v: R) { MoveLoc s; MoveLoc v; MoveTo R; Ret }',
      2,
    ],
    ['TYPE_MISMATCH', 'a vector of two types', 'fun f() { LdU8 1; LdU64 1; VecPack u64 2; Pop; Ret }', 2],
    ['TYPE_MISMATCH', 'the length of another vector', 'fun f(v: &vector<u8>) { MoveLoc v; VecLen u64; Pop; Ret }', 1],
    [
      'TYPE_MISMATCH',
      'an index of 8 bits',
      'fun f(v: &vector<u8>) { MoveLoc v; LdU8 1; VecImmBorrow u8; Pop; Ret }',
      2,
    ],
    [
      'TYPE_MISMATCH',
      'a mutable element of &',
      'fun f(v: &vector<u8>) { MoveLoc v; LdU64 1; VecMutBorrow u8; Pop; Ret }',
      2,
    ],
    ['TYPE_MISMATCH', 'a push to &', 'fun f(v: &vector<u8>) { MoveLoc v; LdU8 1; VecPushBack u8; Ret }', 2],
    [
      'TYPE_MISMATCH',
      'a vector of another type unpacked',
      'fun f(v: vector<u8>) { MoveLoc v; VecUnpack u64 0; Ret }',
      1,
    ],
    [
      'ok',
      'an element read through &mut',
      'fun f(v: &mut vector<u8>): u8 { MoveLoc v; LdU64 0; VecImmBorrow u8; ReadRef; Ret }',
    ],
  ]);
});

describe('locals safety', () => {
  check([
    ['MOVELOC_UNAVAILABLE_ERROR', 'a local moved twice', 'fun f(x: u64) { MoveLoc x; Pop; MoveLoc x; Pop; Ret }', 2],
    ['COPYLOC_UNAVAILABLE_ERROR', 'a local never assigned', 'fun f() { let x: u64 CopyLoc x; Pop; Ret }', 0],
    [
      'BORROWLOC_UNAVAILABLE_ERROR',
      'a moved local borrowed',
      'fun f(x: u64) { MoveLoc x; Pop; ImmBorrowLoc x; Pop; Ret }',
      2,
    ],
    [
      'COPYLOC_UNAVAILABLE_ERROR',
      'a local assigned on one path',
      'fun f() { let x: u64 LdTrue; BrTrue a; LdU64 1; StLoc x; a: CopyLoc x; Pop; Ret }',
      4,
    ],
    [
      'MOVELOC_UNAVAILABLE_ERROR',
      'a local moved in a loop',
      'fun f(x: u64) { a: MoveLoc x; Pop; LdTrue; BrTrue a; Ret }',
      0,
    ],
    [
      'STLOC_UNSAFE_TO_DESTROY_ERROR',
      'a lost value',
      'fun f(a: Hard, b: Hard): Hard { MoveLoc a; StLoc b; MoveLoc b; Ret }',
      1,
    ],
    ['UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP', 'a value left in a local', 'fun f(h: Hard) { Ret }', 0],
    ['ok', 'a value left at an abort', 'fun f(h: Hard) { LdU64 1; Abort }'],
    [
      'UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP',
      'a value left on one path',
      'fun f(h: Hard, r: &mut vector<Hard>) { LdTrue; BrTrue a; MoveLoc r; MoveLoc h; VecPushBack Hard; a: Ret }',
    ],
  ]);
});

describe('reference safety', () => {
  check([
    [
      'MOVELOC_EXISTS_BORROW_ERROR',
      'a borrowed local moved',
      'fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; MoveLoc x; Pop; MoveLoc r; Pop; Ret }',
      2,
    ],
    [
      'COPYLOC_EXISTS_BORROW_ERROR',
      'a mutably borrowed local copied',
      'fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; CopyLoc x; Pop; MoveLoc r; Pop; Ret }',
      2,
    ],
    [
      'ok',
      'a borrowed local copied',
      'fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; CopyLoc x; Pop; MoveLoc r; Pop; Ret }',
    ],
    [
      'STLOC_UNSAFE_TO_DESTROY_ERROR',
      'a borrowed local overwritten',
      'fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; LdU64 1; StLoc x; MoveLoc r; Pop; Ret }',
      3,
    ],
    [
      'BORROWLOC_EXISTS_BORROW_ERROR',
      'a mutably borrowed local borrowed',
      'fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; ImmBorrowLoc x; Pop; MoveLoc r; Pop; Ret }',
      2,
    ],
    [
      'ok',
      'a local mutably borrowed twice, the first then unused',
      'fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; MutBorrowLoc x; Pop; Ret }',
    ],
    [
      'READREF_EXISTS_MUTABLE_BORROW_ERROR',
      'a read while a field is mutable',
      'fun f(s: &mut S): u64 { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; ReadRef; Unpack S; Pop; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'WRITEREF_EXISTS_BORROW_ERROR',
      'a write while a field is borrowed',
      'fun f(s: &mut S, v: S) { let r: &u64 CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc v; MoveLoc s; WriteRef; MoveLoc r; Pop; Ret }',
      5,
    ],
    [
      'FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR',
      'a freeze while a field is mutable',
      'fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; FreezeRef; Pop; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR',
      'a field that is mutable borrowed',
      'fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; CopyLoc s; ImmBorrowField S.f; Pop; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'ok',
      'another field borrowed',
      'fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; CopyLoc s; ImmBorrowField S.g; Pop; MoveLoc r; Pop; Ret }',
    ],
    [
      'BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR',
      'a field while a callee may hold any',
      'fun f(s: &mut S) { let r: &mut u64 CopyLoc s; Call mutable; StLoc r; MoveLoc s; MutBorrowField S.g; Pop; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'CALL_BORROWED_MUTABLE_REFERENCE_ERROR',
      'one mutable reference passed twice',
      'fun f(s: &mut S) { CopyLoc s; CopyLoc s; Call both; Ret }',
      2,
    ],
    [
      'ok',
      'fields of one struct passed',
      'fun f(p: &mut Pair) { CopyLoc p; MutBorrowField Pair.left; MoveLoc p; MutBorrowField Pair.right; Call both; Ret }',
    ],
    ['ok', 'one immutable reference passed twice', 'fun f(s: &S): &u64 { CopyLoc s; CopyLoc s; Call choose; Ret }'],
    [
      'UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED',
      'a reference to a local returned',
      'fun f(x: u64): &u64 { ImmBorrowLoc x; Ret }',
      1,
    ],
    [
      'UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED',
      'a reference from a local through a call',
      'fun f(s: S): &mut u64 { MutBorrowLoc s; Call mutable; Ret }',
      2,
    ],
    [
      'RET_BORROWED_MUTABLE_REFERENCE_ERROR',
      'a mutable reference returned beside a part',
      'fun f(s: &mut S): &mut S, &mut u64 { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; MoveLoc r; Ret }',
      5,
    ],
    ['ok', 'a field of a parameter returned', 'fun f(s: &mut S): &mut u64 { MoveLoc s; MutBorrowField S.f; Ret }'],
    [
      'VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR',
      'a push while an element is borrowed',
      'fun f(v: &mut vector<u8>) { let r: &u8 CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; LdU8 1; VecPushBack u8; MoveLoc r; Pop; Ret }',
      6,
    ],
    [
      'VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR',
      'two mutable elements',
      'fun f(v: &mut vector<u8>) { let r: &mut u8 CopyLoc v; LdU64 0; VecMutBorrow u8; StLoc r; MoveLoc v; LdU64 1; VecMutBorrow u8; Pop; MoveLoc r; Pop; Ret }',
      6,
    ],
    [
      'GLOBAL_REFERENCE_ERROR',
      'a mutable global while it is borrowed',
      'fun f(a: address) acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; MutBorrowGlobal R; Pop; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'GLOBAL_REFERENCE_ERROR',
      'a borrowed global moved out',
      'fun f(a: address): R acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; MoveFrom R; MoveLoc r; Pop; Ret }',
      4,
    ],
    [
      'GLOBAL_REFERENCE_ERROR',
      'a call that acquires a borrowed global',
      'fun f(a: address) acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; Call g; MoveLoc r; Pop; Ret } fun g(a: address) acquires R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }',
      4,
    ],
    [
      'READREF_EXISTS_MUTABLE_BORROW_ERROR',
      'a mutable borrow on one path into a join',
      `fun f(s: &mut S): S { let r: &mut u64 let x: u64
         LdU64 1; StLoc x; MutBorrowLoc x; StLoc r
         LdTrue; BrTrue join; CopyLoc s; MutBorrowField S.f; StLoc r
         join: MoveLoc s; ReadRef; LdU64 1; MoveLoc r; WriteRef; Ret }`,
      10,
    ],
    [
      'BORROWLOC_EXISTS_BORROW_ERROR',
      'a borrow that only the second round of a loop sees',
      `fun f(x: u64) { let y: u64 let r: &mut u64
         LdU64 1; StLoc y; MutBorrowLoc y; StLoc r
         head: ImmBorrowLoc x; Pop; MutBorrowLoc x; StLoc r; LdTrue; BrTrue head
         MoveLoc r; Pop; Ret }`,
      4,
    ],
    ['ok', 'a reference dropped on one path', 'fun f(s: &mut S) { LdTrue; BrTrue a; MoveLoc s; Pop; a: Ret }'],
  ]);
});

describe('acquired resources', () => {
  check([
    [
      'MISSING_ACQUIRES_ANNOTATION',
      'a global that is not acquired',
      'fun f(a: address) { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }',
      1,
    ],
    [
      'MISSING_ACQUIRES_ANNOTATION',
      'a callee that acquires more',
      'fun f(a: address) { MoveLoc a; Call g; Ret } fun g(a: address) acquires R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }',
      1,
    ],
    ['EXTRANEOUS_ACQUIRES_ANNOTATION', 'a resource that is not touched', 'fun f() acquires R { Ret }'],
    [
      'DUPLICATE_ACQUIRES_ANNOTATION',
      'a resource named twice',
      'fun f(a: address) acquires R, R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }',
    ],
    // Only through a native callee can a struct without key be acquired and touched.
    [
      'INVALID_ACQUIRES_ANNOTATION',
      'a struct without key',
      'native fun g() acquires S  fun f() acquires S { Call g; Ret }',
    ],
  ]);
});

describe('generics in code', () => {
  check([
    [
      'GENERIC_MEMBER_OPCODE_MISMATCH',
      'a generic function called plainly',
      'fun f() { LdU8 1; Call same; Pop; Ret }',
      1,
    ],
    [
      'GENERIC_MEMBER_OPCODE_MISMATCH',
      'a plain function called generically',
      'fun g() { Ret } fun f() { CallGeneric g; Ret }',
      0,
    ],
    ['GENERIC_MEMBER_OPCODE_MISMATCH', 'a generic struct packed plainly', 'fun f() { LdU8 1; Pack Box; Pop; Ret }', 1],
    [
      'GENERIC_MEMBER_OPCODE_MISMATCH',
      'a generic field borrowed plainly',
      'fun f(b: &Box<u8>) { MoveLoc b; ImmBorrowField Box.value; Pop; Ret }',
      1,
    ],
    ['NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', 'too many type arguments', 'fun f() { LdU8 1; Call same<u8, u8>; Pop; Ret }'],
    [
      'CONSTRAINT_NOT_SATISFIED',
      'a type argument that lacks an ability',
      'fun f(h: Hard): Hard { MoveLoc h; Call same<Hard>; Ret }',
    ],
    [
      'CONSTRAINT_NOT_SATISFIED',
      'a type parameter that lacks an ability',
      'fun f<T>(t: T): T { MoveLoc t; Call same<T>; Ret }',
    ],
    [
      'INVALID_SIGNATURE_TOKEN',
      'a reference as type argument',
      'fun f(r: &u8): &u8 { MoveLoc r; Call same<&u8>; Ret }',
    ],
    ['INVALID_SIGNATURE_TOKEN', 'a vector of references', 'fun f() { VecPack &u8 0; Pop; Ret }'],
    ['CONSTRAINT_NOT_SATISFIED', 'a vector longer than 16 bits tell', 'fun f() { VecPack u8 65536; Pop; Ret }', 0],
    [
      'LOOP_IN_INSTANTIATION_GRAPH',
      'a function that calls itself with a larger type',
      'fun f<T>() { Call f<Box<T>>; Ret }',
    ],
    [
      'LOOP_IN_INSTANTIATION_GRAPH',
      'two functions in turn',
      'fun f<T>() { Call g<T>; Ret } fun g<T>() { Call f<vector<T>>; Ret }',
    ],
    ['ok', 'a function that calls itself with its own type', 'fun f<T>() { Call f<T>; Ret }'],
    ['ok', 'parameters that change places', 'fun f<A, B>() { Call f<B, A>; Ret }'],
    ['ok', 'a larger type of the other parameter', 'fun f<A, B>() { Call f<A, Box<A>>; Ret }'],
  ]);
});

describe('scripts', () => {
  const extern = 'extern 0x1::m { struct S has drop  fun f<T: copy>(T)  fun make(): 0x1::m::S }';
  it.each([
    ['ok', 'a call and a return', `${extern} script<T: copy drop>(x: T) { MoveLoc x; Call 0x1::m::f<T>; Ret }`],
    [
      'CONSTRAINT_NOT_SATISFIED',
      'a type parameter that lacks copy',
      `${extern} script<T: drop>(x: T) { MoveLoc x; Call 0x1::m::f<T>; Ret }`,
    ],
    ['INVALID_FALL_THROUGH', 'a script that falls off', 'script() { Nop }'],
    ['MOVELOC_UNAVAILABLE_ERROR', 'a local moved twice', 'script(x: u8) { MoveLoc x; Pop; MoveLoc x; Pop; Ret }'],
    ['NEGATIVE_STACK_SIZE_WITHIN_BLOCK', 'a pop of nothing', 'script() { Pop; Ret }'],
  ])('%s: %s', (status, _title, text) => {
    const verdict = verifyScript(assembleScript(text));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
  });

  it('cannot use structs that they would define', () => {
    const script = assembleScript('script() { Ret }');
    const code = { ...script.code, instructions: [{ op: 0x12, operand: 0, literal: 0n }, ...script.code.instructions] };
    expect(verifyScript({ ...script, code })).toMatchObject({ ok: false, statusCode: 1094 });
  });
});
