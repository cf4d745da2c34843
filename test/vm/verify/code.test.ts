import { describe, expect, it } from 'vitest';
import { statusName } from '../../../src/vm/status.ts';
import { verifyScript } from '../../../src/vm/verify/verify.ts';
import { assembleScript } from '../assemble.ts';
import { type Case, cases, check } from './cases.ts';

describe('control flow', () => {
  check(
    cases(`
    EMPTY_CODE_UNIT: a body without instructions | fun f() {}
    INVALID_FALL_THROUGH at 0: a body that falls off its end | fun f() { Nop }
    INVALID_FALL_THROUGH at 1: a conditional branch at the end | fun f() { LdTrue; BrTrue 0 }
    ok: an endless loop | fun f() { head: Branch head }
    ok: a loop with two back edges | fun f() { a: LdTrue; BrTrue a; LdFalse; BrTrue a; Ret }
    ok: unreachable code | fun f() { Ret; LdU64 1; Abort }
    INVALID_LOOP_SPLIT at 0: a loop that is entered at two places
      fun f() { LdTrue; BrTrue b; a: Nop; b: LdTrue; BrTrue a; Ret }
    INVALID_LOOP_SPLIT: an inner loop entered from outside the outer one
      fun f() { LdTrue; BrTrue inner; outer: LdTrue; BrTrue end; inner: LdTrue; BrTrue inner; Branch outer; end: Ret }
    ok: nested loops | fun f() { a: b: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
    ok: a loop with a break further on | fun f() { a: LdTrue; BrTrue out; Branch a; Nop; out: Ret }
    ok: a branch to the next instruction | fun f() { LdTrue; BrFalse a; a: Ret }
    ok: loops one after the other in a loop
      fun f() { a: Nop; b: LdTrue; BrTrue b; c: LdTrue; BrFalse c; LdTrue; BrTrue a; Ret }
    ok: an inner loop that continues the outer one
      fun f() { a: Nop; b: LdTrue; BrTrue a; LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
    INVALID_LOOP_SPLIT: a jump from a loop into the middle of an inner one
      fun f() { a: LdTrue; BrTrue in; b: Nop; in: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
    MOVELOC_UNAVAILABLE_ERROR at 4: of two faults the one after the branch that is not taken is reported
      fun f(x: u64) { MoveLoc x; Pop; LdTrue; BrTrue far; MoveLoc x; Pop; Ret; far: MoveLoc x; Pop; Ret }
    MOVELOC_UNAVAILABLE_ERROR at 1: of two faults the earlier one is reported, also behind a jump back
      fun f(x: u64) { Branch on; back: MoveLoc x; Pop; Ret; on: MoveLoc x; Pop; LdTrue; BrFalse back; MoveLoc x; Pop; Ret }
  `),
  );
});

describe('control flow of format version 5', () => {
  check(
    cases(`
      ok: a jump forward | fun f() { LdTrue; BrTrue a; Nop; a: Ret }
      ok: an instruction that jumps to itself | fun f() { a: Branch a }
      ok: a loop with a break right behind it | fun f() { a: LdTrue; BrTrue out; Branch a; out: Ret }
      ok: a loop that is continued at two places | fun f() { a: LdTrue; BrTrue a; LdTrue; BrTrue a; Ret }
      ok: a loop in a loop | fun f() { a: Nop; b: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
      ok: a loop after a loop | fun f() { a: LdTrue; BrTrue a; b: LdTrue; BrTrue b; Ret }
      ok: a jump to the head of an inner loop
        fun f() { a: LdTrue; BrTrue b; Nop; b: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
      ok: a jump over an inner loop | fun f() { a: LdTrue; BrTrue on; b: LdTrue; BrTrue b; on: LdTrue; BrTrue a; Ret }
      INVALID_LOOP_BREAK at 1: a break further on | fun f() { a: LdTrue; BrTrue out; Branch a; Nop; out: Ret }
      INVALID_LOOP_CONTINUE at 2: a jump back out of the inner loop
        fun f() { a: Nop; b: LdTrue; BrTrue a; LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
      INVALID_LOOP_SPLIT at 1: a jump into the middle | fun f() { LdTrue; BrTrue in; a: Nop; in: LdTrue; BrTrue a; Ret }
      INVALID_LOOP_SPLIT at 1: a jump from a loop into the middle of an inner one
        fun f() { a: LdTrue; BrTrue in; b: Nop; in: LdTrue; BrTrue b; LdTrue; BrTrue a; Ret }
      INVALID_LOOP_SPLIT at 3: a jump into a loop after another
        fun f() { a: LdTrue; BrTrue a; LdTrue; BrTrue in; b: Nop; in: LdTrue; BrTrue b; Ret }
    `),
    '',
    5,
  );
});

describe('stack usage', () => {
  check(
    cases(`
    NEGATIVE_STACK_SIZE_WITHIN_BLOCK at 0: a pop of nothing | fun f() { Pop; Ret }
    POSITIVE_STACK_SIZE_AT_BLOCK_END: a value for the next block | fun f() { LdU64 1; LdTrue; BrTrue a; a: Pop; Ret }
    POSITIVE_STACK_SIZE_AT_BLOCK_END at 0: a value left behind | fun f() { LdU64 1; Ret }
    POSITIVE_STACK_SIZE_AT_BLOCK_END: too many returned values | fun f(): u64 { LdU64 1; LdU64 1; Ret }
    NEGATIVE_STACK_SIZE_WITHIN_BLOCK: too few returned values | fun f(): u64, u64 { LdU64 1; Ret }
    VALUE_STACK_OVERFLOW at 0: 1025 values | fun f() { ${'LdU8 1; '.repeat(1025)} VecPack u8 1025; Pop; Ret }
    ok: 1024 values | fun f() { ${'LdU8 1; '.repeat(1024)} VecPack u8 1024; Pop; Ret }
    VALUE_STACK_OVERFLOW: an unpacked vector of 1025 | fun f(v: vector<u8>) { MoveLoc v; VecUnpack u8 1025; Ret }
    NEGATIVE_STACK_SIZE_WITHIN_BLOCK: a pack without fields | fun f() { LdU64 1; Pack S; Pop; Ret }
  `),
  );
});

describe('type safety', () => {
  check(
    cases(`
    POP_WITHOUT_DROP_ABILITY at 1: Pop of what cannot be dropped | fun f(h: Hard) { MoveLoc h; Pop; Ret }
    BR_TYPE_MISMATCH_ERROR at 1: a branch on an integer | fun f() { LdU64 1; BrTrue a; a: Ret }
    ABORT_TYPE_MISMATCH_ERROR at 1: an abort code of 8 bits | fun f() { LdU8 1; Abort }
    RET_TYPE_MISMATCH_ERROR at 1: another type returned | fun f(): u64 { LdU8 1; Ret }
    STLOC_TYPE_MISMATCH_ERROR at 1: another type stored | fun f() { let x: u64 LdU8 1; StLoc x; Ret }
    COPYLOC_WITHOUT_COPY_ABILITY at 0: a copy of what cannot be copied | fun f(h: Hard): Hard { CopyLoc h; Ret }
    COPYLOC_WITHOUT_COPY_ABILITY: a copy of an unconstrained parameter | fun f<T>(t: T): T { CopyLoc t; Ret }
    ok: a copy of a parameter that can be copied | fun f<T: copy drop>(t: T): T { CopyLoc t; Ret }
    BORROWLOC_REFERENCE_ERROR at 0: a reference to a reference | fun f(r: &u64) { ImmBorrowLoc r; Pop; Ret }
    FREEZEREF_TYPE_MISMATCH_ERROR at 1: an immutable reference frozen
      fun f(r: &u64) { MoveLoc r; FreezeRef; Pop; Ret }
    READREF_TYPE_MISMATCH_ERROR at 1: a value read through | fun f() { LdU64 1; ReadRef; Pop; Ret }
    READREF_WITHOUT_COPY_ABILITY at 1: what cannot be copied read | fun f(r: &Hard): Hard { MoveLoc r; ReadRef; Ret }
    WRITEREF_NO_MUTABLE_REFERENCE_ERROR at 2: a write through & | fun f(r: &u64) { LdU64 1; MoveLoc r; WriteRef; Ret }
    WRITEREF_WITHOUT_DROP_ABILITY at 2: what cannot be dropped overwritten
      fun f(h: Hard, r: &mut Hard) { MoveLoc h; MoveLoc r; WriteRef; Ret }
    WRITEREF_TYPE_MISMATCH_ERROR at 2: another type written | fun f(r: &mut u64) { LdU8 1; MoveLoc r; WriteRef; Ret }
    BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a mutable field of &
      fun f(s: &S) { MoveLoc s; MutBorrowField S.f; Pop; Ret }
    BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a field of another struct
      fun f(s: &Hard) { MoveLoc s; ImmBorrowField S.f; Pop; Ret }
    BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a field of other arguments
      fun f(s: &Box<u8>) { MoveLoc s; ImmBorrowField Box<u64>.value; Pop; Ret }
    CALL_TYPE_MISMATCH_ERROR at 1: an argument of another type | fun f() { LdU8 1; Call g; Ret } fun g(x: u64) { Ret }
    CALL_TYPE_MISMATCH_ERROR at 1: a type argument that does not fit | fun f() { LdU8 1; Call same<u64>; Pop; Ret }
    PACK_TYPE_MISMATCH_ERROR at 2: a field of another type | fun f() { LdU64 1; LdU8 1; Pack S; Pop; Ret }
    UNPACK_TYPE_MISMATCH_ERROR at 1: another struct unpacked | fun f(h: Hard) { MoveLoc h; Unpack S; Pop; Pop; Ret }
    INTEGER_OP_TYPE_MISMATCH_ERROR at 2: a sum of two widths | fun f() { LdU64 1; LdU8 1; Add; Pop; Ret }
    INTEGER_OP_TYPE_MISMATCH_ERROR at 2: a sum of bools | fun f() { LdTrue; LdTrue; Add; Pop; Ret }
    INTEGER_OP_TYPE_MISMATCH_ERROR at 2: a shift by u64 | fun f() { LdU64 1; LdU64 1; Shl; Pop; Ret }
    ok: a shift by u8 | fun f() { LdU256 1; LdU8 1; Shl; Pop; Ret }
    INTEGER_OP_TYPE_MISMATCH_ERROR at 1: a cast of an address | fun f(a: address) { MoveLoc a; CastU8; Pop; Ret }
    INTEGER_OP_TYPE_MISMATCH_ERROR at 2: addresses ordered | fun f(a: address) { CopyLoc a; CopyLoc a; Lt; Pop; Ret }
    BOOLEAN_OP_TYPE_MISMATCH_ERROR at 2: integers and-ed | fun f() { LdU8 1; LdU8 1; And; Pop; Ret }
    BOOLEAN_OP_TYPE_MISMATCH_ERROR at 1: an integer negated | fun f() { LdU8 1; Not; Pop; Ret }
    EQUALITY_OP_TYPE_MISMATCH_ERROR at 2: two types compared | fun f() { LdU8 1; LdU64 1; Eq; Pop; Ret }
    EQUALITY_OP_TYPE_MISMATCH_ERROR at 2: what cannot be dropped compared
      fun f(a: Hard, b: Hard) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }
    EQUALITY_OP_TYPE_MISMATCH_ERROR at 2: & and &mut compared
      fun f(a: &u8, b: &mut u8) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }
    ok: references compared | fun f(a: &Hard, b: &Hard) { MoveLoc a; MoveLoc b; Eq; Pop; Ret }
    EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT at 1: Exists without key
      fun f(a: address) { MoveLoc a; Exists S; Pop; Ret }
    BORROWGLOBAL_TYPE_MISMATCH_ERROR at 1: a global at a number
      fun f() acquires R { LdU64 1; ImmBorrowGlobal R; Pop; Ret }
    BORROWGLOBAL_WITHOUT_KEY_ABILITY at 1: a global without key
      fun f(a: address) { MoveLoc a; ImmBorrowGlobal S; Pop; Ret }
    MOVEFROM_WITHOUT_KEY_ABILITY at 1: MoveFrom without key | fun f(a: address): S { MoveLoc a; MoveFrom S; Ret }
    MOVEFROM_TYPE_MISMATCH_ERROR at 1: MoveFrom at a number | fun f(): R acquires R { LdU64 1; MoveFrom R; Ret }
    MOVETO_WITHOUT_KEY_ABILITY at 2: MoveTo without key
      fun f(s: &signer, v: S) { MoveLoc s; MoveLoc v; MoveTo S; Ret }
    MOVETO_TYPE_MISMATCH_ERROR at 2: MoveTo an address
      fun f(s: &address, v: R) { MoveLoc s; MoveLoc v; MoveTo R; Ret }
    TYPE_MISMATCH at 2: a vector of two types | fun f() { LdU8 1; LdU64 1; VecPack u64 2; Pop; Ret }
    TYPE_MISMATCH at 1: the length of another vector | fun f(v: &vector<u8>) { MoveLoc v; VecLen u64; Pop; Ret }
    TYPE_MISMATCH at 2: an index of 8 bits | fun f(v: &vector<u8>) { MoveLoc v; LdU8 1; VecImmBorrow u8; Pop; Ret }
    TYPE_MISMATCH at 2: a mutable element of & | fun f(v: &vector<u8>) { MoveLoc v; LdU64 1; VecMutBorrow u8; Pop; Ret }
    TYPE_MISMATCH at 2: a push to & | fun f(v: &vector<u8>) { MoveLoc v; LdU8 1; VecPushBack u8; Ret }
    TYPE_MISMATCH at 1: a vector of another type unpacked | fun f(v: vector<u8>) { MoveLoc v; VecUnpack u64 0; Ret }
    ok: an element read through &mut
      fun f(v: &mut vector<u8>): u8 { MoveLoc v; LdU64 0; VecImmBorrow u8; ReadRef; Ret }
  `),
  );
});

describe('locals safety', () => {
  check(
    cases(`
      MOVELOC_UNAVAILABLE_ERROR at 2: a local moved twice | fun f(x: u64) { MoveLoc x; Pop; MoveLoc x; Pop; Ret }
      COPYLOC_UNAVAILABLE_ERROR at 0: a local never assigned | fun f() { let x: u64 CopyLoc x; Pop; Ret }
      BORROWLOC_UNAVAILABLE_ERROR at 2: a moved local borrowed
        fun f(x: u64) { MoveLoc x; Pop; ImmBorrowLoc x; Pop; Ret }
      COPYLOC_UNAVAILABLE_ERROR at 4: a local assigned on one path
        fun f() { let x: u64 LdTrue; BrTrue a; LdU64 1; StLoc x; a: CopyLoc x; Pop; Ret }
      MOVELOC_UNAVAILABLE_ERROR at 0: a local moved in a loop
        fun f(x: u64) { a: MoveLoc x; Pop; LdTrue; BrTrue a; Ret }
      STLOC_UNSAFE_TO_DESTROY_ERROR at 1: a lost value
        fun f(a: Hard, b: Hard): Hard { MoveLoc a; StLoc b; MoveLoc b; Ret }
      ok: a value put where none was | fun f(a: Hard): Hard { let b: Hard MoveLoc a; StLoc b; MoveLoc b; Ret }
      ok: a value put where one was moved
        fun f(a: Hard, b: Hard): Hard, Hard { MoveLoc a; MoveLoc b; StLoc a; MoveLoc a; Ret }
      ok: a value that can be dropped lost | fun f(a: u64, b: u64) { MoveLoc a; StLoc b; Ret }
      STLOC_UNSAFE_TO_DESTROY_ERROR at 8: a value lost if the local held one
        fun f(a: Hard, b: Hard): Hard { let c: Hard
        LdTrue; BrTrue other; MoveLoc a; StLoc c; Branch end
        other: MoveLoc a; Call destroy
        end: MoveLoc b; StLoc c; MoveLoc c; Ret }
      ok: a local assigned in each round | fun f() { let x: u64 a: LdU64 1; StLoc x; LdTrue; BrTrue a; Ret }
      ok: a local that one of two ways uses up
        fun f(x: u64) { LdTrue; BrTrue other
        head: LdU64 1; StLoc x; MoveLoc x; Pop; LdTrue; BrTrue head; Ret
        other: CopyLoc x; Pop; Ret }
      UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP at 0: a value left in a local | fun f(h: Hard) { Ret }
      ok: a value left at an abort | fun f(h: Hard) { LdU64 1; Abort }
      UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP: a value left on one path
        fun f(h: Hard, r: &mut vector<Hard>) { LdTrue; BrTrue a; MoveLoc r; MoveLoc h; VecPushBack Hard; a: Ret }
    `),
    'native fun destroy(h: Hard)',
  );
});

describe('acquired resources', () => {
  check(
    [
      ...cases(`
        MISSING_ACQUIRES_ANNOTATION at 1: a global that is not acquired
          fun f(a: address) { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }
        MISSING_ACQUIRES_ANNOTATION at 1: a callee that acquires more
          fun f(a: address) { MoveLoc a; Call g; Ret } fun g(a: address) acquires R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }
        EXTRANEOUS_ACQUIRES_ANNOTATION: a resource that is not touched | fun f() acquires R { Ret }
        DUPLICATE_ACQUIRES_ANNOTATION: a resource named twice
          fun f(a: address) acquires R, R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }
        MISSING_ACQUIRES_ANNOTATION at 4: a callee whose resource is one of two acquired
          fun f(a: address) acquires R { CopyLoc a; ImmBorrowGlobal R; Pop; MoveLoc a; Call g; Ret } fun g(a: address) acquires Q { MoveLoc a; ImmBorrowGlobal Q<u8>; Pop; Ret }
      `),
      ...['ImmBorrowGlobal', 'MutBorrowGlobal', 'MoveFrom'].flatMap((op): Case[] => [
        [
          'MISSING_ACQUIRES_ANNOTATION',
          `${op} of a plain one`,
          `fun f(a: address) { MoveLoc a; ${op} D; Pop; Ret }`,
          1,
        ],
        ['ok', `${op} of an acquired one`, `fun f(a: address) acquires D { MoveLoc a; ${op} D; Pop; Ret }`],
        [
          'MISSING_ACQUIRES_ANNOTATION',
          `${op} of a generic one`,
          `fun f(a: address) { MoveLoc a; ${op} Q<u8>; Pop; Ret }`,
          1,
        ],
        ['ok', `${op} of an acquired generic one`, `fun f(a: address) acquires Q { MoveLoc a; ${op} Q<u8>; Pop; Ret }`],
      ]),
      ...cases(`
        ok: Exists and MoveTo acquire nothing
          fun f(s: &signer, a: address, d: D): bool { MoveLoc s; MoveLoc d; MoveTo D; MoveLoc a; Exists D; Ret }
        MISSING_ACQUIRES_ANNOTATION at 1: a generic callee that acquires
          fun f(a: address) { MoveLoc a; Call g<u8>; Ret } fun g<T>(a: address) acquires D { MoveLoc a; ImmBorrowGlobal D; Pop; Ret }
        ok: a generic callee that acquires what its caller does
          fun f(a: address) acquires D { MoveLoc a; Call g<u8>; Ret } fun g<T>(a: address) acquires D { MoveLoc a; ImmBorrowGlobal D; Pop; Ret }
        ok: a callee of another module | fun f() { Call 0x2::far::g; Ret }
      `),
      // The lists are gone through in the order of the definitions: S is before D.
      [
        'INVALID_ACQUIRES_ANNOTATION',
        'of two faults the one of the earlier definition',
        'native fun g() acquires S  fun f() acquires D, S { Call g; Ret }',
      ],
      // Only through a native callee can a struct without key be acquired and touched.
      [
        'INVALID_ACQUIRES_ANNOTATION',
        'a struct without key',
        'native fun g() acquires S  fun f() acquires S { Call g; Ret }',
      ],
    ],
    'struct D has key, drop { f: u8 } struct Q<T> has key, drop { f: T } extern 0x2::far { fun g() }',
  );
});

describe('generics in code', () => {
  check(
    cases(`
      GENERIC_MEMBER_OPCODE_MISMATCH at 1: a generic function called plainly | fun f() { LdU8 1; Call same; Pop; Ret }
      GENERIC_MEMBER_OPCODE_MISMATCH at 0: a plain function called generically
        fun g() { Ret } fun f() { CallGeneric g; Ret }
      GENERIC_MEMBER_OPCODE_MISMATCH at 1: a generic struct packed plainly | fun f() { LdU8 1; Pack Box; Pop; Ret }
      GENERIC_MEMBER_OPCODE_MISMATCH at 1: a generic field borrowed plainly
        fun f(b: &Box<u8>) { MoveLoc b; ImmBorrowField Box.value; Pop; Ret }
      NUMBER_OF_TYPE_ARGUMENTS_MISMATCH: too many type arguments | fun f() { LdU8 1; Call same<u8, u8>; Pop; Ret }
      CONSTRAINT_NOT_SATISFIED: a type argument that lacks an ability
        fun f(h: Hard): Hard { MoveLoc h; Call same<Hard>; Ret }
      CONSTRAINT_NOT_SATISFIED: a type parameter that lacks an ability
        fun f<T>(t: T): T { MoveLoc t; Call same<T>; Ret }
      INVALID_SIGNATURE_TOKEN: a reference as type argument | fun f(r: &u8): &u8 { MoveLoc r; Call same<&u8>; Ret }
      INVALID_SIGNATURE_TOKEN: a vector of references | fun f() { VecPack &u8 0; Pop; Ret }
      GENERIC_MEMBER_OPCODE_MISMATCH at 1: a plain field borrowed generically
        fun f(s: &S) { MoveLoc s; ImmBorrowFieldGeneric S.f; Pop; Ret }
      GENERIC_MEMBER_OPCODE_MISMATCH at 2: a plain struct packed generically
        fun f() { LdU64 1; LdU64 1; PackGeneric S; Pop; Ret }
      CONSTRAINT_NOT_SATISFIED at 0: a vector longer than 16 bits tell | fun f() { VecPack u8 65536; Pop; Ret }
      CONSTRAINT_NOT_SATISFIED at 0: a longer vector unpacked | fun f() { VecUnpack u8 65536; Pop; Ret }
      NEGATIVE_STACK_SIZE_WITHIN_BLOCK at 0: a vector as long as 16 bits tell | fun f() { VecPack u8 65535; Pop; Ret }
      LOOP_IN_INSTANTIATION_GRAPH: a function that calls itself with a larger type | fun f<T>() { Call f<Box<T>>; Ret }
      LOOP_IN_INSTANTIATION_GRAPH: two functions in turn
        fun f<T>() { Call g<T>; Ret } fun g<T>() { Call f<vector<T>>; Ret }
      ok: a function that calls itself with its own type | fun f<T>() { Call f<T>; Ret }
      ok: parameters that change places | fun f<A, B>() { Call f<B, A>; Ret }
      ok: a larger type of the other parameter | fun f<A, B>() { Call f<A, Box<A>>; Ret }
      LOOP_IN_INSTANTIATION_GRAPH: the second parameters of two functions in turn
        fun f<A, B>() { Call g<A, Box<B>>; Ret } fun g<A, B>() { Call f<A, B>; Ret }
      ok: a larger type of a parameter that does not come back
        fun f<A, B>() { Call g<Box<B>, A>; Ret } fun g<A, B>() { Call f<B, B>; Ret }
      ok: a larger type passed on once | fun f<T>() { Call g<Box<T>>; Ret } fun g<T>() { Call g<T>; Ret }
      ok: a larger type given to the second parameter of a later function
        fun g<T>() { Call f<u8, Box<T>>; Ret } fun f<A, B>() { Ret }
      ok: a larger type that holds no parameter | fun f<T>() { Call f<Box<u8>>; Ret }
      ok: a larger type given to a function of another module | fun f<T>() { Call 0x2::far::g<Box<T>>; Ret }
    `),
    'extern 0x2::far { fun g<T>() }',
  );
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
    [
      'CONSTRAINT_NOT_SATISFIED',
      'a parameter whose type needs more of T',
      'extern 0x1::m { struct Near<T: copy> has drop } script<T>(x: 0x1::m::Near<T>) { Ret }',
    ],
    [
      'ok',
      'a parameter whose type T satisfies',
      'extern 0x1::m { struct Near<T: copy> has drop } script<T: copy drop>(x: 0x1::m::Near<T>) { Ret }',
    ],
    [
      'BORROWLOC_EXISTS_BORROW_ERROR',
      'a local borrowed while it is mutable',
      'script(x: u8) { MutBorrowLoc x; ImmBorrowLoc x; Pop; Pop; Ret }',
    ],
    ['POSITIVE_STACK_SIZE_AT_BLOCK_END', 'a returned value', 'script(x: u8) { MoveLoc x; Ret }'],
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
