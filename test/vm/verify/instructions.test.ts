import { describe } from 'vitest';
import { type Case, cases, check } from './cases.ts';

const INTEGERS = ['u8', 'u16', 'u32', 'u64', 'u128', 'u256'];
const upper = (type: string): string => `U${type.slice(1)}`;

/** Declared so that no index of a generic instantiation is that of what it instantiates. */
const GENERICS = `
  struct Two<A, B> has copy, drop, store { a: A, b: B }
  struct Q<T: store> has key { f: T }
  native fun swap<A, B>(a: A, b: B): B, A
  fun generics() {
    LdU8 1; LdTrue; Pack Two<u8, bool>; Unpack Two<u8, bool>; Pop; Pop
    ${INTEGERS.map((type) => `LdTrue; Ld${upper(type)} 1; Pack Two<bool, ${type}>; Pop;`).join(' ')}
    ${INTEGERS.map((type) => `Ld${upper(type)} 1; LdFalse; Pack Two<${type}, bool>; Pop;`).join(' ')}
    Ret }
  native struct N has drop
`;

describe('each instruction where it may stand', () => {
  check(
    [
      ...cases(`
        ok: VecUnpack of one above another value
          fun f(v: vector<u8>): bool { LdTrue; MoveLoc v; VecUnpack u8 1; Pop; Not; Ret }
      `),
      ...INTEGERS.flatMap((type): Case[] => [
        ['ok', `a literal of ${type}`, `fun f(): ${type} { Ld${upper(type)} 1; Ret }`],
        ...['Add', 'Sub', 'Mul', 'Mod', 'Div', 'BitOr', 'BitAnd', 'Xor'].map(
          (op): Case => [
            'ok',
            `${op} of ${type}`,
            `fun f(a: ${type}, b: ${type}): ${type} { MoveLoc a; MoveLoc b; ${op}; Ret }`,
          ],
        ),
        ...['Lt', 'Gt', 'Le', 'Ge', 'Eq', 'Neq'].map(
          (op): Case => [
            'ok',
            `${op} of ${type}`,
            `fun f(a: ${type}, b: ${type}): bool { MoveLoc a; MoveLoc b; ${op}; Ret }`,
          ],
        ),
        ...['Shl', 'Shr'].map(
          (op): Case => [
            'ok',
            `${op} of ${type}`,
            `fun f(a: ${type}, b: u8): ${type} { MoveLoc a; MoveLoc b; ${op}; Ret }`,
          ],
        ),
        ...INTEGERS.map(
          (to): Case => [
            'ok',
            `a cast of ${type} to ${to}`,
            `fun f(a: ${type}): ${to} { MoveLoc a; Cast${upper(to)}; Ret }`,
          ],
        ),
      ]),
      ...cases(`
        ok: true and false | fun f(): bool, bool { LdTrue; LdFalse; Ret }
        ok: a constant | fun f(): vector<u8> { LdConst vector<u8> 0x0101; Ret }
      `),
      ...['And', 'Or'].map(
        (op): Case => ['ok', op, `fun f(a: bool, b: bool): bool { MoveLoc a; MoveLoc b; ${op}; Ret }`],
      ),
      ...cases(`
        ok: Not | fun f(a: bool): bool { MoveLoc a; Not; Ret }
        ok: Eq of references | fun f(a: &Hard, b: &Hard): bool { MoveLoc a; MoveLoc b; Eq; Ret }
        ok: BrTrue | fun f(a: bool) { MoveLoc a; BrTrue b; b: Ret }
        ok: BrFalse | fun f(a: bool) { MoveLoc a; BrFalse b; b: Ret }
        ok: Branch and Nop | fun f() { Branch b; b: Nop; Ret }
        ok: Abort | fun f(a: u64) { MoveLoc a; Abort }
        ok: locals | fun f(a: u64): u64 { let b: u64 CopyLoc a; StLoc b; MoveLoc a; Pop; MoveLoc b; Ret }
        ok: a borrowed local read | fun f(a: u64): u64 { ImmBorrowLoc a; ReadRef; Ret }
        ok: a mutably borrowed local written | fun f(a: u64) { LdU64 1; MutBorrowLoc a; WriteRef; Ret }
        ok: a mutable reference read | fun f(r: &mut u64): u64 { MoveLoc r; ReadRef; Ret }
        ok: a mutable reference frozen | fun f(r: &mut u64): &u64 { MoveLoc r; FreezeRef; Ret }
        ok: a call | fun f(s: &mut S): &mut u64 { MoveLoc s; Call mutable; Ret }
        ok: a generic call | fun f(a: u8, b: bool): bool, u8 { MoveLoc a; MoveLoc b; Call swap<u8, bool>; Ret }
        ok: a generic call with its own parameters
          fun f<X, Y>(a: Y, b: X): X, Y { MoveLoc a; MoveLoc b; Call swap<Y, X>; Ret }
        ok: a struct | fun f(s: S): S { MoveLoc s; Unpack S; Pack S; Ret }
        ok: a struct that cannot be copied or dropped | fun f(h: Hard): u64 { MoveLoc h; Unpack Hard; Ret }
        ok: a generic struct packed
          fun f(a: bool, b: u8): Two<bool, u8> { MoveLoc a; MoveLoc b; Pack Two<bool, u8>; Ret }
        ok: a generic struct unpacked | fun f(t: Two<u64, u8>): u64, u8 { MoveLoc t; Unpack Two<u64, u8>; Ret }
        ok: a generic struct of vectors of a parameter
          fun f<T>(t: T): Two<vector<T>, u8> { MoveLoc t; VecPack T 1; LdU8 1; Pack Two<vector<T>, u8>; Ret }
        ok: a field | fun f(s: &S): &u64 { MoveLoc s; ImmBorrowField S.g; Ret }
        ok: a field of a mutable reference | fun f(s: &mut S): &u64 { MoveLoc s; ImmBorrowField S.g; Ret }
        ok: a mutable field | fun f(s: &mut S): &mut u64 { MoveLoc s; MutBorrowField S.g; Ret }
        ok: a field of a generic struct
          fun f(t: &Two<u8, bool>): &bool { MoveLoc t; ImmBorrowField Two<u8, bool>.b; Ret }
        ok: a mutable field of a generic struct
          fun f<T>(t: &mut Two<T, u8>): &mut T { MoveLoc t; MutBorrowField Two<T, u8>.a; Ret }
        ok: Exists | fun f(a: address): bool { MoveLoc a; Exists R; Ret }
        ok: Exists of a generic resource | fun f(a: address): bool { MoveLoc a; Exists Q<u8>; Ret }
        ok: MoveFrom | fun f(a: address): R acquires R { MoveLoc a; MoveFrom R; Ret }
        ok: MoveFrom of a generic resource | fun f(a: address): Q<u8> acquires Q { MoveLoc a; MoveFrom Q<u8>; Ret }
        ok: MoveTo | fun f(s: &signer, r: R) { MoveLoc s; MoveLoc r; MoveTo R; Ret }
        ok: MoveTo of a generic resource | fun f(s: &signer, r: Q<u8>) { MoveLoc s; MoveLoc r; MoveTo Q<u8>; Ret }
        ok: a global borrowed
          fun f(a: address): u64 acquires R { MoveLoc a; ImmBorrowGlobal R; ImmBorrowField R.f; ReadRef; Ret }
        ok: a global mutably borrowed
          fun f(a: address) acquires R { LdU64 1; MoveLoc a; MutBorrowGlobal R; MutBorrowField R.f; WriteRef; Ret }
        ok: a generic global borrowed
          fun f(a: address): u8 acquires Q { MoveLoc a; ImmBorrowGlobal Q<u8>; ImmBorrowField Q<u8>.f; ReadRef; Ret }
        ok: a generic global mutably borrowed
          fun f(a: address) acquires Q { LdU8 1; MoveLoc a; MutBorrowGlobal Q<u8>; MutBorrowField Q<u8>.f; WriteRef; Ret }
        ok: VecPack of none | fun f(): vector<u8> { VecPack u8 0; Ret }
        ok: VecPack of two | fun f(): vector<u8> { LdU8 1; LdU8 2; VecPack u8 2; Ret }
        ok: VecUnpack of two | fun f(v: vector<u8>): u8, u8 { MoveLoc v; VecUnpack u8 2; Ret }
        ok: VecUnpack of none, of what cannot be dropped | fun f(v: vector<Hard>) { MoveLoc v; VecUnpack Hard 0; Ret }
        ok: VecLen of & | fun f(v: &vector<Hard>): u64 { MoveLoc v; VecLen Hard; Ret }
        ok: VecLen of &mut | fun f(v: &mut vector<Hard>): u64 { MoveLoc v; VecLen Hard; Ret }
        ok: VecImmBorrow | fun f(v: &vector<Hard>): &Hard { MoveLoc v; LdU64 0; VecImmBorrow Hard; Ret }
        ok: VecMutBorrow | fun f(v: &mut vector<u8>): &mut u8 { MoveLoc v; LdU64 0; VecMutBorrow u8; Ret }
        ok: VecPushBack | fun f(v: &mut vector<Hard>, h: Hard) { MoveLoc v; MoveLoc h; VecPushBack Hard; Ret }
        ok: VecPopBack | fun f(v: &mut vector<Hard>): Hard { MoveLoc v; VecPopBack Hard; Ret }
        ok: VecSwap | fun f(v: &mut vector<Hard>) { MoveLoc v; LdU64 0; LdU64 1; VecSwap Hard; Ret }
      `),
    ],
    GENERICS,
  );
});

describe('each operand of another type', () => {
  check(
    [
      ...cases(`
        PACK_TYPE_MISMATCH_ERROR at 0: a native struct packed | fun f() { Pack N; Pop; Ret }
        PACK_TYPE_MISMATCH_ERROR at 1: a native struct unpacked | fun f(n: N) { MoveLoc n; Unpack N; Ret }
      `),
      ...['Add', 'Sub', 'Mul', 'Mod', 'Div', 'BitOr', 'BitAnd', 'Xor', 'Lt', 'Gt', 'Le', 'Ge'].flatMap((op): Case[] => [
        ['INTEGER_OP_TYPE_MISMATCH_ERROR', `${op}: the first`, `fun f() { LdU8 1; LdU64 1; ${op}; Pop; Ret }`, 2],
        ['INTEGER_OP_TYPE_MISMATCH_ERROR', `${op}: no integers`, `fun f() { LdTrue; LdTrue; ${op}; Pop; Ret }`, 2],
      ]),
      ...['Shl', 'Shr'].flatMap((op): Case[] => [
        ['INTEGER_OP_TYPE_MISMATCH_ERROR', `${op}: the first`, `fun f() { LdTrue; LdU8 1; ${op}; Pop; Ret }`, 2],
        ['INTEGER_OP_TYPE_MISMATCH_ERROR', `${op}: the second`, `fun f() { LdU64 1; LdU64 1; ${op}; Pop; Ret }`, 2],
      ]),
      ...['And', 'Or'].flatMap((op): Case[] => [
        ['BOOLEAN_OP_TYPE_MISMATCH_ERROR', `${op}: the first`, `fun f() { LdU8 1; LdTrue; ${op}; Pop; Ret }`, 2],
        ['BOOLEAN_OP_TYPE_MISMATCH_ERROR', `${op}: the second`, `fun f() { LdTrue; LdU8 1; ${op}; Pop; Ret }`, 2],
      ]),
      ...INTEGERS.map(
        (to): Case => [
          'INTEGER_OP_TYPE_MISMATCH_ERROR',
          `a cast of bool to ${to}`,
          `fun f() { LdTrue; Cast${upper(to)}; Pop; Ret }`,
          1,
        ],
      ),
      ...cases(`
        BR_TYPE_MISMATCH_ERROR at 1: BrFalse | fun f() { LdU64 1; BrFalse a; a: Ret }
        EQUALITY_OP_TYPE_MISMATCH_ERROR at 2: Neq | fun f() { LdU8 1; LdU64 1; Neq; Pop; Ret }
        FREEZEREF_TYPE_MISMATCH_ERROR at 1: FreezeRef | fun f(a: u8) { MoveLoc a; FreezeRef; Pop; Ret }
        BORROWLOC_REFERENCE_ERROR at 0: MutBorrowLoc | fun f(r: &mut u64) { MutBorrowLoc r; Pop; Ret }
        WRITEREF_NO_MUTABLE_REFERENCE_ERROR at 2: WriteRef
          fun f(a: u64, b: u64) { MoveLoc a; MoveLoc b; WriteRef; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: Ret: the first | fun f(): u64, u8 { LdU8 1; LdU8 1; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: Ret: the second | fun f(): u64, u8 { LdU64 1; LdU64 1; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a result of a call | fun f(s: &mut S): &u64 { MoveLoc s; Call mutable; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was read | fun f(r: &u64): u8 { MoveLoc r; ReadRef; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was frozen | fun f(r: &mut u64): &mut u64 { MoveLoc r; FreezeRef; Ret }
        RET_TYPE_MISMATCH_ERROR at 1: an immutable borrow of a local | fun f(a: u64): &mut u64 { ImmBorrowLoc a; Ret }
        RET_TYPE_MISMATCH_ERROR at 1: a mutable borrow of a local | fun f(a: u64): &u64 { MutBorrowLoc a; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: the result of a comparison | fun f(): u8 { LdU8 1; LdU8 1; Lt; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: the result of Eq | fun f(): u8 { LdU8 1; LdU8 1; Eq; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: a shifted integer | fun f(): u8 { LdU64 1; LdU8 1; Shl; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: a sum | fun f(): u8 { LdU64 1; LdU64 1; Add; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a cast | fun f(): u64 { LdU64 1; CastU8; Ret }
        RET_TYPE_MISMATCH_ERROR at 1: a constant | fun f(): vector<u16> { LdConst vector<u8> 0x0101; Ret }
        CALL_TYPE_MISMATCH_ERROR at 2: Call: the first
          fun f(a: &mut S, b: &mut Pair) { MoveLoc b; MoveLoc a; Call both; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: a result of a generic call
          fun f(a: u8, b: bool): u8, bool { MoveLoc a; MoveLoc b; Call swap<u8, bool>; Ret }
        CALL_TYPE_MISMATCH_ERROR at 2: an argument of a generic call
          fun f(a: u8, b: bool): u8, bool { MoveLoc a; MoveLoc b; Call swap<bool, u8>; Ret }
        PACK_TYPE_MISMATCH_ERROR at 2: Pack: the first | fun f() { LdU8 1; LdU64 1; Pack S; Pop; Ret }
        PACK_TYPE_MISMATCH_ERROR at 2: a generic Pack | fun f() { LdTrue; LdU8 1; Pack Two<u8, bool>; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: what was packed
          fun f(a: u8, b: bool): Two<bool, u8> { MoveLoc a; MoveLoc b; Pack Two<u8, bool>; Ret }
        UNPACK_TYPE_MISMATCH_ERROR at 1: a generic Unpack
          fun f(t: Two<u8, bool>) { MoveLoc t; Unpack Two<bool, u8>; Pop; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was unpacked
          fun f(t: Two<u8, bool>): bool, u8 { MoveLoc t; Unpack Two<u8, bool>; Ret }
        BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a field of a value
          fun f(s: S) { MoveLoc s; ImmBorrowField S.f; Pop; Ret }
        BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a mutable field of another struct
          fun f(s: &mut Pair) { MoveLoc s; MutBorrowField S.f; Pop; Ret }
        BORROWFIELD_TYPE_MISMATCH_ERROR at 1: a mutable field of a generic struct through &
          fun f(t: &Two<u8, bool>) { MoveLoc t; MutBorrowField Two<u8, bool>.a; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a field | fun f(s: &mut S): &mut u64 { MoveLoc s; ImmBorrowField S.g; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a generic field
          fun f(t: &Two<u8, bool>): &u8 { MoveLoc t; ImmBorrowField Two<u8, bool>.b; Ret }
        EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT at 1: Exists | fun f() { LdU64 1; Exists R; Pop; Ret }
        EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT at 1: a generic Exists | fun f() { LdU64 1; Exists Q<u8>; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what Exists answers | fun f(a: address): u8 { MoveLoc a; Exists R; Ret }
        MOVEFROM_TYPE_MISMATCH_ERROR at 1: a generic MoveFrom
          fun f(): Q<u8> acquires Q { LdU64 1; MoveFrom Q<u8>; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was moved out
          fun f(a: address): Q<u64> acquires Q { MoveLoc a; MoveFrom Q<u8>; Ret }
        MOVETO_TYPE_MISMATCH_ERROR at 2: MoveTo: the resource
          fun f(s: &signer, v: S) { MoveLoc s; MoveLoc v; MoveTo R; Ret }
        MOVETO_TYPE_MISMATCH_ERROR at 2: MoveTo: a signer by value
          fun f(s: signer, v: R) { MoveLoc s; MoveLoc v; MoveTo R; Ret }
        MOVETO_TYPE_MISMATCH_ERROR at 2: a generic MoveTo
          fun f(s: &signer, v: Q<u8>) { MoveLoc s; MoveLoc v; MoveTo Q<u64>; Ret }
        BORROWGLOBAL_TYPE_MISMATCH_ERROR at 1: MutBorrowGlobal
          fun f() acquires R { LdU64 1; MutBorrowGlobal R; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a mutable global
          fun f(a: address): &R acquires R { MoveLoc a; MutBorrowGlobal R; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a global
          fun f(a: address): &mut R acquires R { MoveLoc a; ImmBorrowGlobal R; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: a mutable generic global
          fun f(a: address): &Q<u8> acquires Q { MoveLoc a; MutBorrowGlobal Q<u8>; Ret }
        TYPE_MISMATCH at 2: VecPack: the first | fun f() { LdU8 1; LdU64 1; VecPack u64 2; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was packed into a vector | fun f(): vector<u64> { LdU8 1; VecPack u8 1; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was unpacked from a vector
          fun f(v: vector<u8>): u8, u64 { MoveLoc v; VecUnpack u8 2; Ret }
        TYPE_MISMATCH at 1: VecLen of a value | fun f(v: vector<u8>) { MoveLoc v; VecLen u8; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what VecLen answers | fun f(v: &vector<u8>): u8 { MoveLoc v; VecLen u8; Ret }
        TYPE_MISMATCH at 2: VecImmBorrow: the vector
          fun f(v: &vector<u8>) { MoveLoc v; LdU64 0; VecImmBorrow u16; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: an element
          fun f(v: &mut vector<u8>): &mut u8 { MoveLoc v; LdU64 0; VecImmBorrow u8; Ret }
        RET_TYPE_MISMATCH_ERROR at 3: a mutable element
          fun f(v: &mut vector<u8>): &u8 { MoveLoc v; LdU64 0; VecMutBorrow u8; Ret }
        TYPE_MISMATCH at 2: VecPushBack: the value
          fun f(v: &mut vector<u8>) { MoveLoc v; LdU64 1; VecPushBack u8; Ret }
        TYPE_MISMATCH at 1: VecPopBack of & | fun f(v: &vector<u8>) { MoveLoc v; VecPopBack u8; Pop; Ret }
        RET_TYPE_MISMATCH_ERROR at 2: what was popped | fun f(v: &mut vector<u8>): u64 { MoveLoc v; VecPopBack u8; Ret }
        TYPE_MISMATCH at 3: VecSwap of & | fun f(v: &vector<u8>) { MoveLoc v; LdU64 0; LdU64 1; VecSwap u8; Ret }
        TYPE_MISMATCH at 3: VecSwap: the first index
          fun f(v: &mut vector<u8>) { MoveLoc v; LdU8 0; LdU64 1; VecSwap u8; Ret }
        TYPE_MISMATCH at 3: VecSwap: the second index
          fun f(v: &mut vector<u8>) { MoveLoc v; LdU64 0; LdU8 1; VecSwap u8; Ret }
      `),
    ],
    GENERICS,
  );
});

describe('what cannot be copied or dropped', () => {
  const DROP = 'POP_WITHOUT_DROP_ABILITY';
  const COPY = 'COPYLOC_WITHOUT_COPY_ABILITY';
  const pop = (type: string, parameters = ''): string => `fun f${parameters}(x: ${type}) { MoveLoc x; Pop; Ret }`;
  const copy = (type: string, parameters = ''): string => `fun f${parameters}(x: ${type}): ${type} { CopyLoc x; Ret }`;
  const both = [
    'u8',
    'bool',
    'address',
    'vector<u8>',
    'S',
    'vector<S>',
    'Box<u8>',
    'Box<S>',
    'vector<Box<u8>>',
    'Two<u8, S>',
    'Tag<Hard>',
    'Box<Tag<Hard>>',
  ];
  const neither = [
    'Hard',
    'R',
    'vector<Hard>',
    'Box<Hard>',
    'vector<Box<Hard>>',
    'Two<u8, Hard>',
    'Two<Hard, u8>',
    'Box<vector<Hard>>',
  ];
  check(
    [
      ...both.flatMap((type): Case[] => [
        ['ok', `${type} dropped`, pop(type)],
        ['ok', `${type} copied`, copy(type)],
      ]),
      ...neither.flatMap((type): Case[] => [
        [DROP, `${type} dropped`, pop(type), 1],
        [COPY, `${type} copied`, copy(type), 0],
      ]),
      ['ok', 'a signer dropped', pop('signer')],
      [COPY, 'a signer copied', copy('signer'), 0],
      [COPY, 'a vector of signers copied', copy('vector<signer>'), 0],
      ['ok', 'a reference to it dropped', pop('&Hard')],
      ...cases(`
        ok: a reference to it copied | fun f(x: &Hard): &Hard { CopyLoc x; Ret }
        ok: a mutable reference to it copied | fun f(x: &mut Hard) { CopyLoc x; Pop; Ret }
      `),
      ...['T', 'vector<T>', 'Box<T>', 'Two<T, u8>'].flatMap((type): Case[] => [
        ['ok', `${type} dropped where T has drop`, pop(type, '<T: drop>')],
        [DROP, `${type} dropped where T has copy`, pop(type, '<T: copy>'), 1],
        ['ok', `${type} copied where T has copy`, copy(type, '<T: copy drop>')],
        [COPY, `${type} copied where T has drop`, copy(type, '<T: drop>'), 0],
      ]),
      ['ok', 'a phantom parameter', pop('Tag<T>', '<T>')],
      [
        DROP,
        'a parameter that another function may drop',
        'fun g<T: drop>(x: Box<T>) { MoveLoc x; Pop; Ret } fun f<T>(x: Box<T>) { MoveLoc x; Pop; Ret }',
        1,
      ],
      ...cases(`
        EXISTS_WITHOUT_KEY_ABILITY_OR_BAD_ARGUMENT at 1: a struct with a key of another
          fun f(a: address): bool { MoveLoc a; Exists Hard; Ret }
        READREF_WITHOUT_COPY_ABILITY at 3: an element read
          fun f(v: &vector<Hard>): Hard { MoveLoc v; LdU64 0; VecImmBorrow Hard; ReadRef; Ret }
        WRITEREF_WITHOUT_DROP_ABILITY at 2: a vector written
          fun f(v: &mut vector<Hard>, w: vector<Hard>) { MoveLoc w; MoveLoc v; WriteRef; Ret }
        EQUALITY_OP_TYPE_MISMATCH_ERROR at 2: vectors compared
          fun f(a: vector<Hard>, b: vector<Hard>): bool { MoveLoc a; MoveLoc b; Eq; Ret }
      `),
    ],
    GENERICS,
  );
});
