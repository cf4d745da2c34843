import { describe } from 'vitest';
import { type Case, cases, check } from './cases.ts';

describe('reference safety', () => {
  check(
    [
      ...cases(`
        MOVELOC_EXISTS_BORROW_ERROR at 2: a borrowed local moved
          fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; MoveLoc x; Pop; MoveLoc r; Pop; Ret }
        COPYLOC_EXISTS_BORROW_ERROR at 2: a mutably borrowed local copied
          fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; CopyLoc x; Pop; MoveLoc r; Pop; Ret }
        ok: a borrowed local copied
          fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; CopyLoc x; Pop; MoveLoc r; Pop; Ret }
        STLOC_UNSAFE_TO_DESTROY_ERROR at 3: a borrowed local overwritten
          fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; LdU64 1; StLoc x; MoveLoc r; Pop; Ret }
        BORROWLOC_EXISTS_BORROW_ERROR at 2: a mutably borrowed local borrowed
          fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; ImmBorrowLoc x; Pop; MoveLoc r; Pop; Ret }
        ok: a local mutably borrowed twice, the first then unused
          fun f(x: u64) { let r: &mut u64 MutBorrowLoc x; StLoc r; MutBorrowLoc x; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 4: a read while a field is mutable
          fun f(s: &mut S): u64 { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; ReadRef; Unpack S; Pop; MoveLoc r; Pop; Ret }
        WRITEREF_EXISTS_BORROW_ERROR at 5: a write while a field is borrowed
          fun f(s: &mut S, v: S) { let r: &u64 CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc v; MoveLoc s; WriteRef; MoveLoc r; Pop; Ret }
        FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR at 4: a freeze while a field is mutable
          fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; FreezeRef; Pop; MoveLoc r; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 4: a field that is mutable borrowed
          fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; CopyLoc s; ImmBorrowField S.f; Pop; MoveLoc r; Pop; Ret }
        ok: another field borrowed
          fun f(s: &mut S) { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; CopyLoc s; ImmBorrowField S.g; Pop; MoveLoc r; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 4: a field while a callee may hold any
          fun f(s: &mut S) { let r: &mut u64 CopyLoc s; Call mutable; StLoc r; MoveLoc s; MutBorrowField S.g; Pop; MoveLoc r; Pop; Ret }
        CALL_BORROWED_MUTABLE_REFERENCE_ERROR at 2: one mutable reference passed twice
          fun f(s: &mut S) { CopyLoc s; CopyLoc s; Call both; Ret }
        ok: fields of one struct passed
          fun f(p: &mut Pair) { CopyLoc p; MutBorrowField Pair.left; MoveLoc p; MutBorrowField Pair.right; Call both; Ret }
        ok: one immutable reference passed twice | fun f(s: &S): &u64 { CopyLoc s; CopyLoc s; Call choose; Ret }
        UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED at 1: a reference to a local returned
          fun f(x: u64): &u64 { ImmBorrowLoc x; Ret }
        UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED at 2: a reference from a local through a call
          fun f(s: S): &mut u64 { MutBorrowLoc s; Call mutable; Ret }
        RET_BORROWED_MUTABLE_REFERENCE_ERROR at 5: a mutable reference returned beside a part
          fun f(s: &mut S): &mut S, &mut u64 { let r: &mut u64 CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; MoveLoc r; Ret }
        ok: a field of a parameter returned | fun f(s: &mut S): &mut u64 { MoveLoc s; MutBorrowField S.f; Ret }
        VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR at 6: a push while an element is borrowed
          fun f(v: &mut vector<u8>) { let r: &u8 CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; LdU8 1; VecPushBack u8; MoveLoc r; Pop; Ret }
        VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR at 6: two mutable elements
          fun f(v: &mut vector<u8>) { let r: &mut u8 CopyLoc v; LdU64 0; VecMutBorrow u8; StLoc r; MoveLoc v; LdU64 1; VecMutBorrow u8; Pop; MoveLoc r; Pop; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a mutable global while it is borrowed
          fun f(a: address) acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; MutBorrowGlobal R; Pop; MoveLoc r; Pop; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a borrowed global moved out
          fun f(a: address): R acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; MoveFrom R; MoveLoc r; Pop; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a call that acquires a borrowed global
          fun f(a: address) acquires R { let r: &R CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; Call g; MoveLoc r; Pop; Ret } fun g(a: address) acquires R { MoveLoc a; ImmBorrowGlobal R; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 10: a mutable borrow on one path into a join
          fun f(s: &mut S): S { let r: &mut u64 let x: u64
          LdU64 1; StLoc x; MutBorrowLoc x; StLoc r
          LdTrue; BrTrue join; CopyLoc s; MutBorrowField S.f; StLoc r
          join: MoveLoc s; ReadRef; LdU64 1; MoveLoc r; WriteRef; Ret }
        BORROWLOC_EXISTS_BORROW_ERROR at 4: a borrow that only the second round of a loop sees
          fun f(x: u64) { let y: u64 let r: &mut u64
          LdU64 1; StLoc y; MutBorrowLoc y; StLoc r
          head: ImmBorrowLoc x; Pop; MutBorrowLoc x; StLoc r; LdTrue; BrTrue head
          MoveLoc r; Pop; Ret }
        ok: a reference dropped on one path | fun f(s: &mut S) { LdTrue; BrTrue a; MoveLoc s; Pop; a: Ret }
      `),
      // Values.
      ['ok', 'a local moved once its borrow is gone', 'fun f(x: u64) { ImmBorrowLoc x; Pop; MoveLoc x; Pop; Ret }'],
      ...cases(`
        ok: a reference moved while another borrows from it
          fun f(s: &S): &u64 { let r: &u64
          CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc s; Pop; MoveLoc r; Ret }
        ok: a local moved after the reference to it was overwritten
          fun f(x: u64, y: u64) { let r: &mut u64
          MutBorrowLoc x; StLoc r; MutBorrowLoc y; StLoc r; MoveLoc x; Pop; MoveLoc r; Pop; Ret }
        MOVELOC_EXISTS_BORROW_ERROR at 4: a local moved after a reference was overwritten with one to it
          fun f(x: u64, y: u64) { let r: &mut u64
          MutBorrowLoc x; StLoc r; MutBorrowLoc y; StLoc r; MoveLoc y; Pop; MoveLoc r; Pop; Ret }
        ok: a local borrowed twice | fun f(x: u64): bool { ImmBorrowLoc x; ImmBorrowLoc x; Eq; Ret }
        STLOC_UNSAFE_TO_DESTROY_ERROR at 9: a local overwritten while it may be borrowed
          fun f(x: u64) { let y: u64 let r: &u64
          LdU64 1; StLoc y; ImmBorrowLoc y; StLoc r; LdTrue; BrTrue end; ImmBorrowLoc x; StLoc r
          end: LdU64 1; StLoc x; MoveLoc r; Pop; Ret }
      `),
      // Fields.
      [
        'BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR',
        'a field of which a part is mutable borrowed',
        `fun f(p: &mut Pair) { let r: &mut u64
         CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
         CopyLoc p; ImmBorrowField Pair.left; Pop; MoveLoc r; Pop; Ret }`,
        5,
      ],
      ...cases(`
        ok: a field beside one of which a part is mutable borrowed
          fun f(p: &mut Pair) { let r: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
          CopyLoc p; ImmBorrowField Pair.right; Pop; MoveLoc r; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 6: the part that is mutable borrowed by way of a new reference to the field
          fun f(p: &mut Pair) { let r: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
          CopyLoc p; MutBorrowField Pair.left; ImmBorrowField S.f; Pop; MoveLoc r; Pop; Ret }
        ok: the part beside the mutable one borrowed by way of a new reference to the field
          fun f(p: &mut Pair) { let r: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
          CopyLoc p; MutBorrowField Pair.left; ImmBorrowField S.g; Pop; MoveLoc r; Pop; Ret }
        WRITEREF_EXISTS_BORROW_ERROR at 7: a field written while a part of it is borrowed through another reference
          fun f(p: &mut Pair, s: S) { let r: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
          MoveLoc s; CopyLoc p; MutBorrowField Pair.left; WriteRef; MoveLoc r; Pop; Ret }
        WRITEREF_EXISTS_BORROW_ERROR at 17: a field written while two parts of it are borrowed and one beside it
          fun f(p: &mut Pair, s: S) { let a: &mut u64 let b: &mut u64 let c: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc a
          CopyLoc p; MutBorrowField Pair.right; MutBorrowField S.f; StLoc b
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.g; StLoc c
          MoveLoc a; Pop; MoveLoc s; CopyLoc p; MutBorrowField Pair.left; WriteRef; MoveLoc b; Pop; MoveLoc c; Pop; Ret }
        ok: a field written while one beside it is borrowed
          fun f(p: &mut Pair, s: S) { let a: &mut u64 let b: &mut u64
          CopyLoc p; MutBorrowField Pair.left; MutBorrowField S.f; StLoc a
          CopyLoc p; MutBorrowField Pair.right; MutBorrowField S.f; StLoc b
          MoveLoc a; Pop; MoveLoc s; CopyLoc p; MutBorrowField Pair.left; WriteRef; MoveLoc b; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 5: a field while a part of what a callee returned may be in it
          fun f(p: &mut Pair) { let r: &mut u64
          CopyLoc p; Call part; MutBorrowField S.f; StLoc r
          CopyLoc p; MutBorrowField Pair.left; Pop; MoveLoc r; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 4: a field of a generic struct that is mutable borrowed
          fun f(b: &mut Box<u8>) { let r: &mut u8
          CopyLoc b; MutBorrowField Box<u8>.value; StLoc r; CopyLoc b; ImmBorrowField Box<u8>.value; Pop; MoveLoc r; Pop; Ret }
        ok: a field of a generic struct borrowed twice
          fun f(b: &mut Box<u8>): bool {
          CopyLoc b; ImmBorrowField Box<u8>.value; MoveLoc b; ImmBorrowField Box<u8>.value; Eq; Ret }
        ok: a field borrowed immutably while another reference may only read it
          fun f(s: &mut S) { let r: &u64
          CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc s; ImmBorrowField S.f; Pop; MoveLoc r; Pop; Ret }
      `),
      // Reading, freezing and comparing.
      [
        'ok',
        'a read while a field is borrowed immutably',
        `fun f(s: &mut S): S { let r: &u64
         CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc s; ReadRef; MoveLoc r; Pop; Ret }`,
      ],
      ...cases(`
        ok: a freeze while a field is borrowed immutably
          fun f(s: &mut S): &S { let r: &u64
          CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc s; FreezeRef; MoveLoc r; Pop; Ret }
        WRITEREF_EXISTS_BORROW_ERROR at 5: a write while what was frozen is alive
          fun f(s: &mut S, v: S) { let r: &S
          CopyLoc s; FreezeRef; StLoc r; MoveLoc v; MoveLoc s; WriteRef; MoveLoc r; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 5: a comparison while a field of the first is mutable
          fun f(s: &mut S, t: &mut S): bool { let r: &mut u64
          CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; MoveLoc t; Eq; MoveLoc r; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 5: a comparison while a field of the second is mutable
          fun f(s: &mut S, t: &mut S): bool { let r: &mut u64
          CopyLoc t; MutBorrowField S.f; StLoc r; MoveLoc s; MoveLoc t; Neq; MoveLoc r; Pop; Ret }
        ok: locals moved after references to them were compared
          fun f(x: u64, y: u64): bool { ImmBorrowLoc x; ImmBorrowLoc y; Eq; MoveLoc x; Pop; MoveLoc y; Pop; Ret }
      `),
      // Calls.
      [
        'WRITEREF_EXISTS_BORROW_ERROR',
        'a write while an immutable result of a mutable argument is alive',
        `fun f(s: &mut S, v: S) { let r: &u64
         CopyLoc s; Call peek; StLoc r; MoveLoc v; MoveLoc s; WriteRef; MoveLoc r; Pop; Ret }`,
        5,
      ],
      ...cases(`
        ok: a read while an immutable result of a mutable argument is alive
          fun f(s: &mut S): S { let r: &u64
          CopyLoc s; Call peek; StLoc r; MoveLoc s; ReadRef; MoveLoc r; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 4: a read while a mutable result is alive
          fun f(s: &mut S): S { let r: &mut u64
          CopyLoc s; Call mutable; StLoc r; MoveLoc s; ReadRef; MoveLoc r; Pop; Ret }
        ok: an immutable argument moved while a mutable result is alive
          fun f(x: S, s: &mut S): &mut u64 { let r: &mut u64
          ImmBorrowLoc x; MoveLoc s; Call pick; StLoc r; MoveLoc x; Pop; MoveLoc r; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 5: a mutable argument read while a mutable result is alive
          fun f(x: S, s: &mut S): S { let r: &mut u64
          ImmBorrowLoc x; CopyLoc s; Call pick; StLoc r; MoveLoc s; ReadRef; MoveLoc r; Pop; Ret }
        MOVELOC_EXISTS_BORROW_ERROR at 4: any immutable argument moved while an immutable result is alive
          fun f(x: S, y: S) { let r: &u64
          ImmBorrowLoc x; ImmBorrowLoc y; Call choose; StLoc r; MoveLoc y; Pop; MoveLoc r; Pop; Ret }
        ok: an argument moved while a value that was returned is alive
          fun f(x: S): u64 { ImmBorrowLoc x; Call size; MoveLoc x; Pop; Ret }
        CALL_BORROWED_MUTABLE_REFERENCE_ERROR at 5: a mutable argument that is borrowed, after a value
          fun f(s: &mut S): u64 { let r: &u64
          CopyLoc s; ImmBorrowField S.f; StLoc r; LdU64 1; MoveLoc s; Call mixed; MoveLoc r; Pop; Ret }
        ok: a mutable argument that is not borrowed, after a value
          fun f(s: &mut S): u64 { LdU64 1; MoveLoc s; Call mixed; Ret }
        ok: an immutable argument that is borrowed
          fun f(s: &S): u64 { let r: &u64 CopyLoc s; ImmBorrowField S.f; StLoc r; MoveLoc s; Call size; MoveLoc r; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 6: a reference that only a generic call makes
          fun f(): S { let s: &mut S let r: &mut u64
          Call any<S>; StLoc s; CopyLoc s; MutBorrowField S.f; StLoc r; MoveLoc s; ReadRef; MoveLoc r; Pop; Ret }
      `),
      // Vectors.
      [
        'VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR',
        'a mutable element beside an immutable one',
        `fun f(v: &mut vector<u8>) { let r: &u8
         CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; LdU64 1; VecMutBorrow u8; Pop; MoveLoc r; Pop; Ret }`,
        6,
      ],
      ...cases(`
        ok: two immutable elements
          fun f(v: &mut vector<u8>): bool { CopyLoc v; LdU64 0; VecImmBorrow u8; MoveLoc v; LdU64 1; VecImmBorrow u8; Eq; Ret }
        VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR at 7: a mutable element beside a field of one
          fun f(v: &mut vector<S>) { let r: &mut u64
          CopyLoc v; LdU64 0; VecMutBorrow S; MutBorrowField S.f; StLoc r
          MoveLoc v; LdU64 1; VecMutBorrow S; Pop; MoveLoc r; Pop; Ret }
        VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR at 5: a pop while an element is borrowed
          fun f(v: &mut vector<u8>): u8 { let r: &u8
          CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; VecPopBack u8; MoveLoc r; Pop; Ret }
        VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR at 7: a swap while an element is borrowed
          fun f(v: &mut vector<u8>) { let r: &u8
          CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; LdU64 0; LdU64 1; VecSwap u8; MoveLoc r; Pop; Ret }
        ok: a pop, a push and a swap while nothing is borrowed
          fun f(v: &mut vector<u8>) { let x: u8
          CopyLoc v; VecPopBack u8; StLoc x; CopyLoc v; MoveLoc x; VecPushBack u8; MoveLoc v; LdU64 0; LdU64 1; VecSwap u8; Ret }
        ok: the length while an element is borrowed
          fun f(v: &vector<u8>): u64 { let r: &u8
          CopyLoc v; LdU64 0; VecImmBorrow u8; StLoc r; MoveLoc v; VecLen u8; MoveLoc r; Pop; Ret }
      `),
      // Global storage.
      [
        'ok',
        'a global borrowed twice',
        `fun f(a: address) acquires R { let r: &R
         CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; ImmBorrowGlobal R; Pop; MoveLoc r; Pop; Ret }`,
      ],
      ...cases(`
        GLOBAL_REFERENCE_ERROR at 4: a global while it is mutable
          fun f(a: address) acquires R { let r: &mut R
          CopyLoc a; MutBorrowGlobal R; StLoc r; MoveLoc a; ImmBorrowGlobal R; Pop; MoveLoc r; Pop; Ret }
        ok: another global while one is mutable
          fun f(a: address) acquires R, Q { let r: &mut R
          CopyLoc a; MutBorrowGlobal R; StLoc r; MoveLoc a; ImmBorrowGlobal Q<u8>; Pop; MoveLoc r; Pop; Ret }
        ok: a global moved out after it was borrowed
          fun f(a: address): R acquires R { CopyLoc a; MutBorrowGlobal R; Pop; MoveLoc a; MoveFrom R; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a generic global while it is mutable with other arguments
          fun f(a: address) acquires Q { let r: &mut Q<u8>
          CopyLoc a; MutBorrowGlobal Q<u8>; StLoc r; MoveLoc a; ImmBorrowGlobal Q<u64>; Pop; MoveLoc r; Pop; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a generic global made mutable while it is borrowed
          fun f(a: address) acquires Q { let r: &Q<u8>
          CopyLoc a; ImmBorrowGlobal Q<u8>; StLoc r; MoveLoc a; MutBorrowGlobal Q<u8>; Pop; MoveLoc r; Pop; Ret }
        ok: a generic global borrowed twice
          fun f(a: address) acquires Q { let r: &Q<u8>
          CopyLoc a; ImmBorrowGlobal Q<u8>; StLoc r; MoveLoc a; ImmBorrowGlobal Q<u8>; Pop; MoveLoc r; Pop; Ret }
        GLOBAL_REFERENCE_ERROR at 4: a generic global moved out while it is borrowed
          fun f(a: address): Q<u8> acquires Q { let r: &Q<u8>
          CopyLoc a; ImmBorrowGlobal Q<u8>; StLoc r; MoveLoc a; MoveFrom Q<u8>; MoveLoc r; Pop; Ret }
        ok: resources put into storage, with and without arguments
          fun f(s: &signer, r: R, q: Q<u8>) { CopyLoc s; MoveLoc r; MoveTo R; MoveLoc s; MoveLoc q; MoveTo Q<u8>; Ret }
        UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED at 2: a reference to a global returned
          fun f(a: address): &R acquires R { MoveLoc a; ImmBorrowGlobal R; Ret }
        ok: a call that acquires another global than the borrowed one
          fun f(a: address) acquires R, Q { let r: &R
          CopyLoc a; ImmBorrowGlobal R; StLoc r; MoveLoc a; Call g; MoveLoc r; Pop; Ret }
          fun g(a: address) acquires Q { MoveLoc a; ImmBorrowGlobal Q<u8>; Pop; Ret }
      `),
      // Where ways meet.
      [
        'MOVELOC_EXISTS_BORROW_ERROR',
        'a local moved that a callee may have borrowed on the first of two ways',
        `fun f(x: S, y: S) { let r: &mut u64
         LdTrue; BrTrue other; MutBorrowLoc x; Call mutable; StLoc r; Branch end
         other: MutBorrowLoc y; Call mutable; StLoc r
         end: MoveLoc x; Pop; MoveLoc r; Pop; Ret }`,
        9,
      ],
      ...cases(`
        MOVELOC_EXISTS_BORROW_ERROR at 9: a local moved that a callee may have borrowed on the second of two ways
          fun f(x: S, y: S) { let r: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; Call mutable; StLoc r; Branch end
          other: MutBorrowLoc y; Call mutable; StLoc r
          end: MoveLoc y; Pop; MoveLoc r; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 12: a field that may be borrowed by way of a callee on the second of two ways
          fun f(x: S) { let r: &mut S let q: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; StLoc r; Branch end
          other: MutBorrowLoc x; Call again; StLoc r
          end: MoveLoc r; MutBorrowField S.f; StLoc q; MutBorrowLoc x; MutBorrowField S.g; Pop; MoveLoc q; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 12: a field that may be borrowed by way of a callee on the first of two ways
          fun f(x: S) { let r: &mut S let q: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; Call again; StLoc r; Branch end
          other: MutBorrowLoc x; StLoc r
          end: MoveLoc r; MutBorrowField S.f; StLoc q; MutBorrowLoc x; MutBorrowField S.g; Pop; MoveLoc q; Pop; Ret }
        ok: a field beside the one that is borrowed on both ways
          fun f(x: S) { let r: &mut S let q: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; StLoc r; Branch end
          other: MutBorrowLoc x; StLoc r
          end: MoveLoc r; MutBorrowField S.f; StLoc q; MutBorrowLoc x; MutBorrowField S.g; Pop; MoveLoc q; Pop; Ret }
        MOVELOC_EXISTS_BORROW_ERROR at 9: a local of which a field stays borrowed when the way without the reference comes second
          fun f(x: S) { let r: &mut S let q: &mut u64
          MutBorrowLoc x; StLoc r; CopyLoc r; MutBorrowField S.f; StLoc q
          LdTrue; BrTrue end; MoveLoc r; Pop; end: MoveLoc x; Pop; MoveLoc q; Pop; Ret }
        MOVELOC_EXISTS_BORROW_ERROR at 11: a local of which a field stays borrowed when the way without the reference comes first
          fun f(x: S) { let r: &mut S let q: &mut u64
          MutBorrowLoc x; StLoc r; CopyLoc r; MutBorrowField S.f; StLoc q
          LdTrue; BrTrue kept; MoveLoc r; Pop; Branch end; kept: Nop; end: MoveLoc x; Pop; MoveLoc q; Pop; Ret }
        ok: a local whose borrow ended on one of two ways
          fun f(x: u64) { let r: &u64 ImmBorrowLoc x; StLoc r; LdTrue; BrTrue end; MoveLoc r; Pop; end: MoveLoc x; Pop; Ret }
        ok: a reference used on each of two ways
          fun f(s: &mut S): u64 { let r: &mut u64
          CopyLoc s; MutBorrowField S.f; StLoc r; LdTrue; BrTrue other; MoveLoc s; Pop; MoveLoc r; ReadRef; Ret
          other: MoveLoc s; Pop; MoveLoc r; ReadRef; Ret }
        ok: references into each other on two ways
          fun f(p: &u64) { let a: &u64 let b: &u64
          CopyLoc p; StLoc a; MoveLoc p; StLoc b; LdTrue; BrTrue other; CopyLoc a; StLoc b; Branch end
          other: CopyLoc b; StLoc a; end: MoveLoc a; Pop; MoveLoc b; ReadRef; Pop; Ret }
        ok: a loop over a vector by reference
          fun f(v: &mut vector<S>) { let i: u64 let s: &mut S let r: &mut u64
          LdU64 0; StLoc i
          head: CopyLoc i; CopyLoc v; VecLen S; Lt; BrFalse done
          CopyLoc v; CopyLoc i; VecMutBorrow S; StLoc s; CopyLoc s; MutBorrowField S.f; StLoc r
          LdU64 7; MoveLoc r; WriteRef; LdTrue; BrTrue on; MoveLoc s; Pop
          on: MoveLoc i; LdU64 1; Add; StLoc i; Branch head
          done: MoveLoc v; Pop; Ret }
        ok: fields held by locals in the opposite order
          fun f(s: &mut S, t: &mut S): bool { let a: &mut u64 let b: &mut u64 let c: &mut u64
          CopyLoc s; MutBorrowField S.f; StLoc c; CopyLoc s; MutBorrowField S.g; StLoc b
          CopyLoc t; MutBorrowField S.f; StLoc a; Branch on
          on: MoveLoc b; Pop; MoveLoc c; Pop; MoveLoc s; MoveLoc a; Pop; MoveLoc t; Eq; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 16: fields held by locals in the opposite order, of which one stays
          fun f(s: &mut S, t: &mut S): bool { let a: &mut u64 let b: &mut u64 let c: &mut u64
          CopyLoc s; MutBorrowField S.f; StLoc c; CopyLoc s; MutBorrowField S.g; StLoc b
          CopyLoc t; MutBorrowField S.f; StLoc a; Branch on
          on: MoveLoc b; Pop; MoveLoc a; Pop; MoveLoc t; MoveLoc s; Eq; MoveLoc c; Pop; Ret }
        READREF_EXISTS_MUTABLE_BORROW_ERROR at 12: a result of arguments held by locals in the opposite order
          fun f(x: &mut S, y: &mut S): S { let a: &mut S let b: &mut S let r: &mut S
          MoveLoc y; StLoc b; MoveLoc x; StLoc a; CopyLoc b; CopyLoc a; Call either; StLoc r; Branch on
          on: MoveLoc b; Pop; MoveLoc a; ReadRef; MoveLoc r; Pop; Ret }
        WRITEREF_EXISTS_BORROW_ERROR at 9: a local written that is borrowed on one of two ways
          fun f(x: u64, y: u64) { let r: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; StLoc r; Branch end; other: MutBorrowLoc y; StLoc r
          end: LdU64 1; MutBorrowLoc x; WriteRef; MoveLoc r; Pop; Ret }
      `),
      ...['x', 'y'].map(
        (local): Case => [
          'MOVELOC_EXISTS_BORROW_ERROR',
          `a local that is borrowed on one of two ways moved after another reference to x: ${local}`,
          `fun f(x: u64, y: u64) { let r: &mut u64
           LdTrue; BrTrue other; MutBorrowLoc x; StLoc r; Branch end; other: MutBorrowLoc y; StLoc r
           end: MutBorrowLoc x; Pop; MoveLoc ${local}; Pop; MoveLoc r; Pop; Ret }`,
          9,
        ],
      ),
      ...cases(`
        ok: a local that is borrowed on neither of two ways
          fun f(x: u64, y: u64, z: u64) { let r: &mut u64
          LdTrue; BrTrue other; MutBorrowLoc x; StLoc r; Branch end; other: MutBorrowLoc y; StLoc r
          end: MutBorrowLoc x; Pop; MoveLoc z; Pop; MoveLoc r; Pop; Ret }
        ok: a loop while a field is borrowed
          fun f(s: &mut S) { let r: &mut u64
          CopyLoc s; MutBorrowField S.f; StLoc r; head: LdTrue; BrTrue head; MoveLoc r; Pop; MoveLoc s; Pop; Ret }
        BORROWFIELD_EXISTS_MUTABLE_BORROW_ERROR at 6: a field while a part of a part of what a callee returned may be in it
          fun f(p: &mut Pair) { let r: &mut u64
          CopyLoc p; Call whole; MutBorrowField Pair.left; MutBorrowField S.f; StLoc r
          CopyLoc p; MutBorrowField Pair.right; Pop; MoveLoc r; Pop; Ret }
        ok: values compared beside a reference | fun f(r: &u64): bool { LdU8 1; LdU8 1; Eq; MoveLoc r; Pop; Ret }
      `),
      // However often a local is among the arguments, the result borrows from it once.
      ...['MoveLoc', 'MutBorrowLoc'].map(
        (op): Case => [
          'ok',
          `another local beside a result of twelve arguments: ${op}`,
          `fun f(x: u64, y: u64, z: u64, w: u64) { let r: &u64
           ${['z', 'x', 'y', 'x', 'z', 'y', 'y', 'x', 'z', 'x', 'y', 'z'].map((local) => `ImmBorrowLoc ${local};`).join(' ')}
           Call one; StLoc r; ${op} w; Pop; MoveLoc r; Pop; Ret }`,
        ],
      ),
      // Any of them may be of the same place, but none is of the local.
      [
        'ok',
        'a local beside a result of twelve references to one resource',
        `fun f(a: address, x: u64) acquires R { let r: &u64
           ${'CopyLoc a; ImmBorrowGlobal R; ImmBorrowField R.f;'.repeat(12)} Call one; StLoc r
           MutBorrowLoc x; Pop; MoveLoc r; Pop; Ret }`,
      ],
      // At most ten borrows are told apart between two references.
      ...[9, 10, 11, 12].flatMap((count): Case[] => {
        const places = Array.from({ length: count }, (_, at) => at);
        const body = `${places.map((at) => `let x${at}: u64`).join(' ')} let y: u64 let r: &u64
         ${places.map((at) => `LdU64 1; StLoc x${at};`).join(' ')} LdU64 1; StLoc y; ImmBorrowLoc x0; StLoc r
         ${places
           .slice(1)
           .map((at) => `LdTrue; BrFalse on${at}; ImmBorrowLoc x${at}; StLoc r; on${at}:`)

           .join(' ')} LdTrue; BrTrue same; Nop; same:`;
        const ends = 'MoveLoc r; Pop; Ret';
        const overflown = count > 10;
        return [
          [
            overflown ? 'BORROWLOC_EXISTS_BORROW_ERROR' : 'ok',
            `another local, beside a reference to one of ${count}`,
            `fun f() { ${body} MutBorrowLoc y; Pop; ${ends} }`,
          ],
          [
            overflown ? 'MOVELOC_EXISTS_BORROW_ERROR' : 'ok',
            `another local moved, beside a reference to one of ${count}`,
            `fun f() { ${body} MoveLoc y; Pop; ${ends} }`,
          ],
          [
            'MOVELOC_EXISTS_BORROW_ERROR',
            `the last of ${count} locals moved`,
            `fun f() { ${body} MoveLoc x${count - 1}; Pop; ${ends} }`,
          ],
          [
            'MOVELOC_EXISTS_BORROW_ERROR',
            `the first of ${count} locals moved`,
            `fun f() { ${body} MoveLoc x0; Pop; ${ends} }`,
          ],
        ];
      }),
    ],
    `
  struct Q<T: store> has key { f: T }
  native fun part(p: &mut Pair): &mut S
  native fun peek(s: &mut S): &u64
  native fun pick(a: &S, b: &mut S): &mut u64
  native fun either(a: &mut S, b: &mut S): &mut S
  native fun again(s: &mut S): &mut S
  native fun size(s: &S): u64
  native fun mixed(n: u64, s: &mut S): u64
  native fun any<T>(): &mut T
  native fun whole(p: &mut Pair): &mut Pair
  native fun one(${Array.from({ length: 12 }, (_, at) => `a${at}: &u64`).join(', ')}): &u64
`,
  );
});
