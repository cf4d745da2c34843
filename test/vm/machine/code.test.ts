import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { Op } from '../../../src/vm/binary/opcode.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { assembleModule } from '../assemble.ts';
import { MemoryGlobals } from './globals.ts';
import { SMALL_SCHEDULE, World, type WorldOptions } from './world.ts';

const BITS = { u8: 8, u16: 16, u32: 32, u64: 64, u128: 128, u256: 256 } as const;

/** Instructions on integers of one width, and where they fail. `first` is the index of the first function. */
function integerCode(kind: keyof typeof BITS, first: number): string {
  const bits = BITS[kind];
  const max = (1n << BigInt(bits)) - 1n;
  const load = `Ld${kind.toUpperCase()}`;
  const casts = Object.keys(BITS).map((to) => `${load} 200; Cast${to.toUpperCase()}`);
  const narrowed = kind === 'u8' ? '255' : `ARITHMETIC_ERROR at m:${first + 4}:3`;
  return `
    //= 8, 14, 6
    public fun ${kind}_bits(): ${kind}, ${kind}, ${kind} {
      ${load} 12; ${load} 10; BitAnd; ${load} 12; ${load} 10; BitOr; ${load} 12; ${load} 10; Xor; Ret
    }
    //= 40, 5, ${1n << BigInt(bits - 1)}, 1
    public fun ${kind}_shifts(): ${kind}, ${kind}, ${kind}, ${kind} {
      ${load} 5; LdU8 3; Shl; ${load} 40; LdU8 3; Shr
      ${load} ${max}; LdU8 ${bits - 1}; Shl; ${load} ${max}; LdU8 ${bits - 1}; Shr; Ret
    }
    //= true, false, true, false, false, true, 4, 2
    public fun ${kind}_comparisons(): bool, bool, bool, bool, bool, bool, ${kind}, ${kind} {
      ${load} 3; ${load} 4; Lt; ${load} 3; ${load} 4; Gt; ${load} 3; ${load} 4; Le; ${load} 3; ${load} 4; Ge
      ${load} 3; ${load} 4; Eq; ${load} 3; ${load} 4; Neq; ${load} 14; ${load} 3; Div; ${load} 14; ${load} 3; Mod; Ret
    }
    //= ${casts.map(() => '200').join(', ')}
    public fun ${kind}_casts(): ${Object.keys(BITS).join(', ')} { ${casts.join('; ')}; Ret }
    //= ${narrowed}
    public fun ${kind}_narrowed(): u8 { LdU64 1; Pop; ${load} ${max}; CastU8; Ret }
    //= ARITHMETIC_ERROR at m:${first + 5}:4
    public fun ${kind}_below_zero(): ${kind} { ${load} 7; ${load} 3; Mul; ${load} ${max}; Sub; Ret }
    //= ARITHMETIC_ERROR at m:${first + 6}:3
    public fun ${kind}_by_zero(): ${kind}, ${kind} { ${load} 9; ${load} 9; ${load} 0; Mod; Ret }`;
}

/** The instruction that makes the `n`th test value of a type. */
function loadElement(item: string, n: number): string {
  if (item === 'bool') return n % 2 === 0 ? 'LdFalse' : 'LdTrue';
  if (item === 'address') return `LdConst address 0x${n.toString(16).padStart(64, '0')}`;
  if (item === 'S') return `LdU64 ${n}; Pack S`;
  return item === 'vector<u8>' ? `LdConst vector<u8> 0x02010${n}` : `Ld${item.toUpperCase()} ${n}`;
}

/** How `summarise` shows that value. */
function showElement(item: string, n: number): string {
  if (item === 'bool') return String(n % 2 === 1);
  if (item === 'address') return `0x${n}`;
  if (item === 'S') return `{${n}}`;
  return item === 'vector<u8>' ? `[1, ${n}]` : String(n);
}

/**
 * Each text is one module `m`; its public functions are run with every gas limit, and give what was worked out by hand
 * in the line above.
 */
const CODE: Readonly<Record<string, string>> = {
  'locals, literals and branches': `
    //= 7, 700, 70000, 18446744073709551615, 5, 6, true, false, 0x9
    public fun literals(): u8, u16, u32, u64, u128, u256, bool, bool, address {
      LdU8 7; LdU16 700; LdU32 70000; LdU64 18446744073709551615; LdU128 5; LdU256 6; LdTrue; LdFalse
      LdConst address 0x0000000000000000000000000000000000000000000000000000000000000009
      Ret
    }
    //= 10
    public fun count(): u64 {
      let i: u64; let sum: u64
      LdU64 0; StLoc i; LdU64 0; StLoc sum
      head:
      CopyLoc i; LdU64 5; Lt; BrFalse done
      CopyLoc sum; CopyLoc i; Add; StLoc sum
      CopyLoc i; LdU64 1; Add; StLoc i
      Branch head
      done:
      MoveLoc sum; Ret
    }
    //= 2, 1
    public fun swap_locals(): u64, u64 {
      let a: u64; let b: u64
      LdU64 1; StLoc a; LdU64 2; StLoc b
      MoveLoc a; MoveLoc b; StLoc a; StLoc b
      MoveLoc a; MoveLoc b; Ret
    }
    //= 15
    public fun kept_before_store(): u64 {
      let a: u64
      LdU64 1; StLoc a
      CopyLoc a; LdU64 10; Mul
      LdU64 5; StLoc a
      MoveLoc a; Add; Ret
    }
    //= false
    public fun logic(): bool { LdTrue; LdFalse; Or; LdTrue; And; LdFalse; Not; And; Not; Nop; Ret }
    //= 
    public fun popped() { LdU64 3; Pop; Ret }`,

  'nested control flow': `
    //= 16
    public fun collatz(): u64 {
      let n: u64; let steps: u64
      LdU64 7; StLoc n; LdU64 0; StLoc steps
      head:
      CopyLoc n; LdU64 1; Eq; BrTrue done
      CopyLoc n; LdU64 2; Mod; LdU64 0; Eq; BrTrue even
      CopyLoc n; LdU64 3; Mul; LdU64 1; Add; StLoc n; Branch next
      even:
      CopyLoc n; LdU64 2; Div; StLoc n
      next:
      CopyLoc steps; LdU64 1; Add; StLoc steps; Branch head
      done:
      MoveLoc steps; Ret
    }
    //= 2
    public fun loops(): u64 {
      let i: u64; let j: u64; let s: u64
      LdU64 0; StLoc i; LdU64 0; StLoc s
      outer:
      CopyLoc i; LdU64 4; Ge; BrTrue end
      LdU64 0; StLoc j
      inner:
      CopyLoc j; CopyLoc i; Ge; BrTrue out
      CopyLoc j; LdU64 2; Eq; BrTrue skip
      CopyLoc s; CopyLoc j; Add; StLoc s
      skip:
      CopyLoc j; LdU64 1; Add; StLoc j; Branch inner
      out:
      CopyLoc i; LdU64 1; Add; StLoc i; Branch outer
      end:
      CopyLoc s; Ret
    }
    //= 1
    public fun both_arms_same(): u64 { LdTrue; BrTrue a; Branch a; a: LdU64 1; Ret }
    //= 1
    public fun diamond(): u64 {
      let x: u64
      LdFalse; BrTrue a
      LdU64 1; StLoc x; Branch b
      a: LdU64 2; StLoc x
      b: MoveLoc x; Ret
    }`,

  'calls and aborts inside expressions': `
    fun add(a: u64, b: u64): u64 { MoveLoc a; MoveLoc b; Add; Ret }
    fun two(): u64, u64 { LdU64 3; LdU64 4; Ret }
    fun none() { Ret }
    fun bad(x: u64): u64 { LdU64 9; CopyLoc x; Sub; MoveLoc x; Div; Ret }
    fun stop(): u64 { LdU64 77; Abort }
    //= 107
    public fun nested(): u64 { LdU64 1; Call two; Call add; Mul; Call none; LdU64 100; Call add; Ret }
    //= ARITHMETIC_ERROR at m:3:4
    public fun order(): u64 { LdU64 5; Call bad; LdU64 0; Call bad; Add; Ret }
    //= ARITHMETIC_ERROR at m:3:2
    public fun over(): u64 { LdU64 1; LdU64 10; Call bad; Add; Ret }
    //= ABORTED 77 at m:4:1
    public fun abort_in_the_middle(): u64 { LdU64 1; LdU64 2; Call stop; Add; Add; LdU64 0; Div; Ret }
    //= ARITHMETIC_ERROR at m:9:4
    public fun overflow_late(): u64 {
      LdU64 1; Pop; LdU64 18446744073709551615; LdU64 1; Add; LdU64 2; Mul; LdU64 1; Mul; Ret
    }
    //= ARITHMETIC_ERROR at m:10:1
    public fun narrow(): u8 { LdU64 256; CastU8; Ret }`,

  'structs and references': `
    struct P has copy, drop { x: u64, y: bool, who: address }
    struct Q has copy, drop { p: P, n: u8, v: vector<u64> }
    fun make(): Q {
      LdU64 5; LdTrue; LdConst address 0x0000000000000000000000000000000000000000000000000000000000000001; Pack P
      LdU8 3; LdU64 1; LdU64 2; LdU64 3; VecPack u64 3
      Pack Q; Ret
    }
    //= {{5, true, 0x1}, 3, [1, 2, 3]}
    public fun whole(): Q { Call make; Ret }
    //= {{12, false, 0x1}, 9, [1, 2, 3]}
    public fun through_fields(): Q {
      let q: Q; let r: &mut u64
      Call make; StLoc q
      MutBorrowLoc q; MutBorrowField Q.p; MutBorrowField P.x; StLoc r
      CopyLoc r; ReadRef; LdU64 1; Add; CopyLoc r; WriteRef
      MoveLoc r; FreezeRef; ReadRef; LdU64 2; Mul
      MutBorrowLoc q; MutBorrowField Q.p; MutBorrowField P.x; WriteRef
      LdFalse; MutBorrowLoc q; MutBorrowField Q.p; MutBorrowField P.y; WriteRef
      LdU8 9; MutBorrowLoc q; MutBorrowField Q.n; WriteRef
      MoveLoc q; Ret
    }
    //= {5, true, 0x1}, 8
    public fun replaced(): P, u64 {
      let q: Q; let p: P
      Call make; StLoc q
      ImmBorrowLoc q; ImmBorrowField Q.p; ReadRef; StLoc p
      LdU64 8; LdFalse; LdConst address 0x0000000000000000000000000000000000000000000000000000000000000002; Pack P
      MutBorrowLoc q; MutBorrowField Q.p; WriteRef
      MoveLoc p
      ImmBorrowLoc q; ImmBorrowField Q.p; ImmBorrowField P.x; ReadRef
      Ret
    }
    //= {{5, true, 0x1}, 3, [1, 2, 3]}, {{5, true, 0x1}, 3, [1, 99, 3]}
    public fun copies(): Q, Q {
      let q: Q
      Call make; StLoc q
      CopyLoc q
      LdU64 99; MutBorrowLoc q; MutBorrowField Q.v; LdU64 1; VecMutBorrow u64; WriteRef
      MoveLoc q; Ret
    }
    //= true, false, true, true, false
    public fun equal(): bool, bool, bool, bool, bool {
      let a: Q; let b: Q
      Call make; StLoc a; Call make; StLoc b
      CopyLoc a; CopyLoc b; Eq
      ImmBorrowLoc a; ImmBorrowLoc b; Neq
      ImmBorrowLoc a; ImmBorrowField Q.n; ImmBorrowLoc b; ImmBorrowField Q.n; Eq
      ImmBorrowLoc a; ImmBorrowField Q.p; ImmBorrowField P.who; ImmBorrowLoc b; ImmBorrowField Q.p; ImmBorrowField P.who; Eq
      LdU64 1; MutBorrowLoc b; MutBorrowField Q.v; LdU64 0; VecMutBorrow u64; WriteRef
      LdU64 7; MutBorrowLoc b; MutBorrowField Q.v; LdU64 0; VecMutBorrow u64; WriteRef
      MoveLoc a; MoveLoc b; Eq
      Ret
    }
    fun bump(r: &mut u64): u64 { CopyLoc r; ReadRef; LdU64 1; Add; CopyLoc r; WriteRef; MoveLoc r; ReadRef; Ret }
    fun pick(q: &mut Q): &mut u64 { MoveLoc q; MutBorrowField Q.v; LdU64 2; VecMutBorrow u64; Ret }
    fun first(q: &Q): &u64 { MoveLoc q; ImmBorrowField Q.p; ImmBorrowField P.x; Ret }
    fun look(r: &u64, b: &bool): u64 {
      MoveLoc b; ReadRef; BrTrue yes
      MoveLoc r; Pop; LdU64 0; Ret
      yes: MoveLoc r; ReadRef; Ret
    }
    //= 41, 4, 5, {{5, true, 0x1}, 3, [1, 2, 4]}
    public fun passed(): u64, u64, u64, Q {
      let q: Q; let n: u64; let t: bool
      Call make; StLoc q; LdU64 40; StLoc n; LdTrue; StLoc t
      MutBorrowLoc n; Call bump
      MutBorrowLoc q; Call pick; Call bump
      ImmBorrowLoc q; Call first; ImmBorrowLoc t; Call look
      MoveLoc q; Ret
    }
    //= 52
    public fun borrowed_then_stored(): u64 {
      let n: u64
      LdU64 1; StLoc n
      MutBorrowLoc n; Call bump; Pop
      CopyLoc n; LdU64 50; StLoc n
      MoveLoc n; Add; Ret
    }
    //= [1, 2, 3], 3, 5
    public fun unpacked(): vector<u64>, u8, u64 {
      let p: P; let n: u8; let v: vector<u64>
      Call make; Unpack Q; StLoc v; StLoc n; Unpack P; Pop; Pop; StLoc p2
      MoveLoc v; MoveLoc n; MoveLoc p2; Ret
    }`.replace('let p: P; let n: u8; let v: vector<u64>', 'let p2: u64; let n: u8; let v: vector<u64>'),

  'vectors of every kind': ['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'S', 'vector<u8>']
    .map((item, index) => {
      const value = (n: number): string => loadElement(item, n);
      const shown = (n: number): string => showElement(item, n);
      return `
      fun make${index}(): vector<${item}> {
        let v: vector<${item}>
        VecPack ${item} 0; StLoc v
        MutBorrowLoc v; ${value(1)}; VecPushBack ${item}
        MutBorrowLoc v; ${value(2)}; VecPushBack ${item}
        MutBorrowLoc v; ${value(3)}; VecPushBack ${item}
        MoveLoc v; Ret
      }
      //= [${shown(1)}, ${shown(2)}, ${shown(3)}]
      public fun pushed${index}(): vector<${item}> { Call make${index}; Ret }
      //= [${shown(6)}, ${shown(5)}, ${shown(4)}], 3
      public fun packed${index}(): vector<${item}>, u64 {
        let v: vector<${item}>
        ${value(4)}; ${value(5)}; ${value(6)}; VecPack ${item} 3; StLoc v
        MutBorrowLoc v; LdU64 0; LdU64 2; VecSwap ${item}
        CopyLoc v; ImmBorrowLoc v; VecLen ${item}; Ret
      }
      //= ${shown(2)}, ${shown(3)}, false
      public fun read${index}(): ${item}, ${item}, bool {
        let v: vector<${item}>
        Call make${index}; StLoc v
        ImmBorrowLoc v; LdU64 1; VecImmBorrow ${item}; ReadRef
        MutBorrowLoc v; VecPopBack ${item}
        ImmBorrowLoc v; LdU64 0; VecImmBorrow ${item}; ImmBorrowLoc v; LdU64 1; VecImmBorrow ${item}; Eq
        Ret
      }
      //= [${shown(1)}, ${shown(2)}, ${shown(8)}]
      public fun written${index}(): vector<${item}> {
        let v: vector<${item}>
        Call make${index}; StLoc v
        ${value(7)}; MutBorrowLoc v; LdU64 1; VecMutBorrow ${item}; WriteRef
        Call make${index}; MutBorrowLoc v; WriteRef
        ${value(8)}; MutBorrowLoc v; LdU64 2; VecMutBorrow ${item}; WriteRef
        MoveLoc v; Ret
      }
      //= ${shown(1)}, ${shown(2)}, ${shown(3)}
      public fun unpacked${index}(): ${item}, ${item}, ${item} { Call make${index}; VecUnpack ${item} 3; Ret }
      //= ABORTED 1 at m:${index * 13 + 7}:1
      public fun compared${index}(): bool, bool {
        let v: vector<${item}>
        Call make${index}; StLoc v
        CopyLoc v; Call make${index}; Eq
        MutBorrowLoc v; VecPopBack ${item}; Pop
        ImmBorrowLoc v; Call one${index}; Neq
        Ret
      }
      fun one${index}(): &vector<${item}> { LdU64 1; Abort }
      //= VECTOR_OPERATION_ERROR 1 at m:${index * 13 + 8}:8
      public fun outside${index}() {
        let v: vector<${item}>
        Call make${index}; StLoc v
        LdU64 1; LdU64 2; Add; Pop
        ImmBorrowLoc v; LdU64 3; VecImmBorrow ${item}; Pop; LdU64 1; Pop; Ret
      }
      //= VECTOR_OPERATION_ERROR 1 at m:${index * 13 + 9}:4
      public fun far_outside${index}() {
        let v: vector<${item}>
        Call make${index}; StLoc v; MutBorrowLoc v; LdU64 4294967297; VecMutBorrow ${item}; Pop; Ret
      }
      //= VECTOR_OPERATION_ERROR 1 at m:${index * 13 + 10}:5
      public fun swapped_outside${index}() {
        let v: vector<${item}>
        Call make${index}; StLoc v; MutBorrowLoc v; LdU64 0; LdU64 3; VecSwap ${item}; Ret
      }
      //= VECTOR_OPERATION_ERROR 2 at m:${index * 13 + 11}:3
      public fun emptied${index}() {
        let v: vector<${item}>
        VecPack ${item} 0; StLoc v; MutBorrowLoc v; VecPopBack ${item}; Pop; Ret
      }
      //= VECTOR_OPERATION_ERROR 3 at m:${index * 13 + 12}:1
      public fun miscounted${index}() { Call make${index}; VecUnpack ${item} 2; Pop; Pop; Ret }`;
    })
    .join('\n')
    .replace(/^/, 'struct S has copy, drop { x: u64 }\n'),

  'integers of every width': Object.keys(BITS)
    .map((kind, index) => integerCode(kind as keyof typeof BITS, index * 7))
    .join('\n'),

  'references of every kind': `
    struct In has copy, drop { n: u64, on: bool, who: address }
    struct Out<T> has copy, drop { inner: In, item: T, list: vector<T> }
    fun make<T: copy>(item: T): Out<T> {
      LdU64 5; LdTrue; LdConst address 0x0000000000000000000000000000000000000000000000000000000000000007; Pack In
      CopyLoc item; CopyLoc item; MoveLoc item; VecPack T 2; Pack Out<T>; Ret
    }
    fun item<T>(out: &mut Out<T>): &mut T { MoveLoc out; MutBorrowField Out<T>.item; Ret }
    fun peek<T>(out: &Out<T>): &T { MoveLoc out; ImmBorrowField Out<T>.list; LdU64 1; VecImmBorrow T; Ret }
    fun replace<T: drop>(place: &mut T, value: T) { MoveLoc value; MoveLoc place; WriteRef; Ret }
    fun sum(a: &u64, b: &u64): u64 { MoveLoc a; ReadRef; MoveLoc b; ReadRef; Add; Ret }
    fun either(a: &mut u64, b: &mut u64, first: bool): &mut u64 {
      let chosen: &mut u64
      MoveLoc first; BrFalse second
      MoveLoc a; StLoc chosen; MoveLoc b; Pop; Branch end
      second: MoveLoc b; StLoc chosen; MoveLoc a; Pop
      end: MoveLoc chosen; Ret
    }
    //= 8, 7, false, 0x9
    public fun of_locals(): u8, u256, bool, address {
      let a: u8; let b: u256; let c: bool; let d: address; let r: &mut u256
      LdU8 7; StLoc a; LdU256 6; StLoc b; LdTrue; StLoc c
      LdConst address 0x0000000000000000000000000000000000000000000000000000000000000001; StLoc d
      ImmBorrowLoc a; ReadRef; LdU8 1; Add; MutBorrowLoc a; WriteRef
      MutBorrowLoc b; StLoc r; CopyLoc r; ReadRef; LdU256 1; Add; MoveLoc r; WriteRef
      MutBorrowLoc c; LdFalse; Call replace<bool>
      LdConst address 0x0000000000000000000000000000000000000000000000000000000000000009; MutBorrowLoc d; WriteRef
      CopyLoc a; CopyLoc b; CopyLoc c; CopyLoc d; Ret
    }
    //= 5, 5, true, 0x7, true
    public fun of_fields(): u64, u64, bool, address, bool {
      let out: Out<u8>; let inner: &In; let n: &u64
      LdU8 3; Call make<u8>; StLoc out
      ImmBorrowLoc out; ImmBorrowField Out<u8>.inner; StLoc inner
      CopyLoc inner; ImmBorrowField In.n; StLoc n
      CopyLoc n; ReadRef; CopyLoc n; ReadRef
      CopyLoc inner; ImmBorrowField In.on; ReadRef
      CopyLoc inner; ImmBorrowField In.who; ReadRef
      MoveLoc n; MoveLoc inner; ImmBorrowField In.n; Eq; Ret
    }
    //= {{5, true, 0x7}, 9, [3, 3]}, 3, 9
    public fun of_generic_fields(): Out<u8>, u8, u8 {
      let out: Out<u8>
      LdU8 3; Call make<u8>; StLoc out
      MutBorrowLoc out; Call item<u8>; LdU8 9; Call replace<u8>
      CopyLoc out
      ImmBorrowLoc out; Call peek<u8>; ReadRef
      MutBorrowLoc out; Call item<u8>; FreezeRef; ReadRef; Ret
    }
    //= {{5, true, 0x7}, [1, 2], [[1], [1, 4]]}
    public fun of_elements_in_elements(): Out<vector<u64>> {
      let out: Out<vector<u64>>; let list: &mut vector<vector<u64>>
      LdU64 1; VecPack u64 1; Call make<vector<u64>>; StLoc out
      MutBorrowLoc out; MutBorrowField Out<vector<u64>>.list; StLoc list
      CopyLoc list; LdU64 1; VecMutBorrow vector<u64>; LdU64 2; VecPushBack u64
      LdU64 4; MoveLoc list; LdU64 1; VecMutBorrow vector<u64>; LdU64 1; VecMutBorrow u64; WriteRef
      MutBorrowLoc out; Call item<vector<u64>>; LdU64 2; VecPushBack u64
      MoveLoc out; Ret
    }
    //= [{1, true, 0x7}, {6, false, 0x7}], 6
    public fun of_structs_in_vectors(): vector<In>, u64 {
      let list: vector<In>; let last: &mut In; let out: Out<bool>
      LdTrue; Call make<bool>; StLoc out
      ImmBorrowLoc out; ImmBorrowField Out<bool>.inner; ReadRef
      ImmBorrowLoc out; ImmBorrowField Out<bool>.inner; ReadRef
      VecPack In 2; StLoc list
      LdU64 1; MutBorrowLoc list; LdU64 0; VecMutBorrow In; MutBorrowField In.n; WriteRef
      MutBorrowLoc list; LdU64 1; VecMutBorrow In; StLoc last
      LdFalse; CopyLoc last; MutBorrowField In.on; WriteRef
      CopyLoc last; ImmBorrowField In.n; ReadRef; LdU64 1; Add; MoveLoc last; MutBorrowField In.n; WriteRef
      CopyLoc list
      ImmBorrowLoc list; LdU64 1; VecImmBorrow In; ImmBorrowField In.n; ReadRef; Ret
    }
    //= 1, 60, 2, 10
    public fun chosen(): u64, u64, u64, u64 {
      let a: u64; let b: u64; let r: &u64
      LdU64 1; StLoc a; LdU64 2; StLoc b
      LdU64 60; MutBorrowLoc a; MutBorrowLoc b; LdFalse; Call either; WriteRef
      CopyLoc a; CopyLoc b
      LdU64 5; StLoc b
      ImmBorrowLoc a; StLoc r; CopyLoc r; MoveLoc r; Call sum
      ImmBorrowLoc b; StLoc r; CopyLoc r; MoveLoc r; Call sum; Ret
    }
    //= ABORTED 3 at m:12:11
    public fun held_where_it_aborts(): u64 {
      let a: u64; let r: &mut u64
      LdU64 1; StLoc a; MutBorrowLoc a; StLoc r
      LdU64 2; CopyLoc r; WriteRef
      CopyLoc r; ReadRef; LdU64 1; Add; Abort
    }
    //= VECTOR_OPERATION_ERROR 1 at m:13:8
    public fun held_where_it_fails(): u64 {
      let list: vector<u64>; let r: &mut vector<u64>
      LdU64 4; VecPack u64 1; StLoc list; MutBorrowLoc list; StLoc r
      LdU64 7; CopyLoc r; LdU64 1; VecMutBorrow u64; WriteRef
      MoveLoc r; Pop; LdU64 1; Ret
    }`,

  'structs and vectors in one another': `
    struct A has copy, drop { n: u8, list: vector<u16> }
    struct B has copy, drop { first: A, more: vector<A> }
    struct C<T> has copy, drop { b: B, grid: vector<vector<B>>, t: T }
    struct Empty has copy, drop { nothing: bool }
    fun a(n: u8): A { MoveLoc n; LdU16 1; LdU16 2; VecPack u16 2; Pack A; Ret }
    fun b(n: u8): B { CopyLoc n; Call a; CopyLoc n; Call a; MoveLoc n; Call a; VecPack A 2; Pack B; Ret }
    fun c(): C<Empty> {
      LdU8 1; Call b
      LdU8 2; Call b; VecPack B 1; VecPack B 0; VecPack vector<B> 2
      LdFalse; Pack Empty; Pack C<Empty>; Ret
    }
    //= {{{1, [1, 2]}, [{1, [1, 2]}, {1, [1, 2]}]}, [[{{2, [1, 2]}, [{2, [1, 2]}, {2, [1, 2]}]}], []], {false}}
    public fun whole(): C<Empty> { Call c; Ret }
    //= true, false, true
    public fun changed_copy(): bool, bool, bool {
      let x: C<Empty>; let y: C<Empty>
      Call c; StLoc x; CopyLoc x; StLoc y
      ImmBorrowLoc x; ImmBorrowLoc y; Eq
      LdU16 9
      MutBorrowLoc y; MutBorrowField C<Empty>.grid; LdU64 0; VecMutBorrow vector<B>; LdU64 0; VecMutBorrow B
      MutBorrowField B.more; LdU64 1; VecMutBorrow A; MutBorrowField A.list; LdU64 1; VecMutBorrow u16; WriteRef
      ImmBorrowLoc x; ImmBorrowLoc y; Eq
      MoveLoc x; Call c; Eq; Ret
    }
    //= {3, [1, 2]}, [{{2, [1, 2]}, [{2, [1, 2]}]}], 2
    public fun taken_apart(): A, vector<B>, u64 {
      let x: C<Empty>; let grid: vector<vector<B>>; let row: vector<B>; let a: A; let n: u64
      Call c; StLoc x
      LdU8 3; Call a; StLoc a
      MoveLoc x; Unpack C<Empty>; Pop; StLoc grid; Pop
      MutBorrowLoc grid; VecPopBack vector<B>; Pop
      MutBorrowLoc grid; VecPopBack vector<B>; StLoc row
      MutBorrowLoc row; LdU64 0; VecMutBorrow B; MutBorrowField B.more; VecPopBack A; Unpack A; Pop; CastU64
      MoveLoc a; MoveLoc row; StLoc row; StLoc a; StLoc n
      MoveLoc a; MoveLoc row; MoveLoc n; Ret
    }
    //= ARITHMETIC_ERROR at m:6:6
    public fun fails_in_the_middle(): B {
      LdU8 4; Call a
      LdU8 5; Call a
      LdU8 250; LdU16 256; CastU8; Add; LdU8 0; Div; LdU16 3; VecPack u16 1; Pack A; VecPack A 2; Pack B; Ret
    }`,

  'generic functions and structs': `
    struct Box<T> has copy, drop { value: T, times: u8 }
    struct Pair<phantom A, B> has copy, drop { b: B, box: Box<B> }
    fun wrap<T>(value: T): Box<T> { MoveLoc value; LdU8 1; Pack Box<T>; Ret }
    fun unwrap<T: drop>(box: Box<T>): T { MoveLoc box; Unpack Box<T>; Pop; Ret }
    fun read<T: copy>(box: &Box<T>): T { MoveLoc box; ImmBorrowField Box<T>.value; ReadRef; Ret }
    fun set<T: drop>(box: &mut Box<T>, value: T) { MoveLoc value; MoveLoc box; MutBorrowField Box<T>.value; WriteRef; Ret }
    fun id<T>(x: T): T { MoveLoc x; Ret }
    fun replace<T: copy, drop>(x: T, y: T): T {
      let r: &mut T
      MutBorrowLoc x; StLoc r
      MoveLoc y; MoveLoc r; WriteRef
      MoveLoc x; Ret
    }
    fun same<T: drop>(x: &T, y: &T): bool { MoveLoc x; MoveLoc y; Eq; Ret }
    fun singleton<T>(x: T): vector<T> { MoveLoc x; VecPack T 1; Ret }
    //= 4, true, [1, 2, 3], {{7, 1}, 1}
    public fun words(): u64, bool, vector<u8>, Box<Box<u16>> {
      LdU64 4; Call wrap<u64>; Call unwrap<u64>
      LdTrue; Call id<bool>
      LdConst vector<u8> 0x03010203; Call wrap<vector<u8>>; Call unwrap<vector<u8>>
      LdU16 7; Call wrap<u16>; Call wrap<Box<u16>>
      Ret
    }
    //= 9, {9, 1}, 2, true
    public fun written(): u64, Box<u64>, u64, bool {
      let b: Box<u64>; let x: u8; let y: u8
      LdU64 4; Call wrap<u64>; StLoc b
      MutBorrowLoc b; LdU64 9; Call set<u64>
      ImmBorrowLoc b; Call read<u64>; CopyLoc b
      LdU64 1; LdU64 2; Call replace<u64>
      LdU8 1; StLoc x; LdU8 1; StLoc y; ImmBorrowLoc x; ImmBorrowLoc y; Call same<u8>
      Ret
    }
    //= [{3, 1}], {[3], 1}, true
    public fun containers(): vector<Box<u64>>, Box<vector<u64>>, bool {
      let a: Box<vector<u64>>
      LdU64 3; Call wrap<u64>; Call singleton<Box<u64>>
      LdU64 3; VecPack u64 1; Call wrap<vector<u64>>; StLoc a
      CopyLoc a; LdU64 3; VecPack u64 1; Call wrap<vector<u64>>; Call replace<Box<vector<u64>>>
      ImmBorrowLoc a; ImmBorrowLoc a; Call same<Box<vector<u64>>>
      Ret
    }
    //= {1, {2, 1}}
    public fun phantom(): Pair<Box<u8>, u32> { LdU32 1; LdU32 2; Call wrap<u32>; Pack Pair<Box<u8>, u32>; Ret }`,
};

/** What the instructions on global storage do; `account` is a native that makes a signer of 0x1. */
const GLOBALS = `
  struct R has key, drop { n: u64 }
  struct G<T: store> has key { item: T, times: u8 }
  native fun account(): signer
  fun put(n: u64) { let who: signer; Call account; StLoc who; ImmBorrowLoc who; MoveLoc n; Pack R; MoveTo R; Ret }
  fun put_generic<T: store>(item: T) {
    let who: signer
    Call account; StLoc who; ImmBorrowLoc who; MoveLoc item; LdU8 1; Pack G<T>; MoveTo G<T>; Ret
  }
  fun here(): address { LdConst address 0x0000000000000000000000000000000000000000000000000000000000000001; Ret }
  //= false, true, 5, 6, 6, false
  public fun stored(): bool, bool, u64, u64, u64, bool acquires R {
    Call here; Exists R
    LdU64 5; Call put; Call here; Exists R
    Call here; ImmBorrowGlobal R; ImmBorrowField R.n; ReadRef
    LdU64 6; Call here; MutBorrowGlobal R; MutBorrowField R.n; WriteRef
    Call here; ImmBorrowGlobal R; ImmBorrowField R.n; ReadRef
    Call here; MoveFrom R; Unpack R
    Call here; Exists R; Ret
  }
  //= true, false, 7, true, 2, [8], false
  public fun stored_generic(): bool, bool, u64, bool, u8, vector<u64>, bool acquires G {
    LdU64 7; Call put_generic<u64>
    Call here; Exists G<u64>; Call here; Exists G<vector<u64>>
    Call here; ImmBorrowGlobal G<u64>; ImmBorrowField G<u64>.item; ReadRef
    LdU64 8; VecPack u64 1; Call put_generic<vector<u64>>
    LdU8 2; Call here; MutBorrowGlobal G<vector<u64>>; MutBorrowField G<vector<u64>>.times; WriteRef
    Call here; Exists G<vector<u64>>
    Call here; MoveFrom G<vector<u64>>; Unpack G<vector<u64>>; StLoc times; StLoc item; MoveLoc times; MoveLoc item
    Call here; Exists G<vector<u64>>; Ret
  }
  //= MISSING_DATA at m:6:2
  public fun missing(): u64 acquires R { LdU64 1; Call here; ImmBorrowGlobal R; ImmBorrowField R.n; ReadRef; Add; Ret }
  //= RESOURCE_ALREADY_EXISTS at m:1:5
  public fun twice() { LdU64 1; Call put; LdU64 2; Call put; Ret }`.replace(
  'bool acquires G {',
  'bool acquires G {\n    let times: u8; let item: vector<u64>',
);

const natives = new NativeTable<undefined>().add(
  { address: addressOf(1), name: 'm' },
  { account: (_context, { returns }) => new returns[0]!.structClass(addressOf(1)) },
);

/** Runs the public functions of a module `m` with every gas limit; they must give what the line above them says. */
function runAll(text: string, options: WorldOptions<undefined> = {}): void {
  const source = `module 0x1::m\n${text}`;
  const world = new World([source], { schedule: SMALL_SCHEDULE, ...options });
  const tests = [...source.matchAll(/\/\/= (.*)\n\s*public fun (\w+)\(\)/g)];
  expect(tests.length).toBe([...source.matchAll(/public fun/g)].length);
  for (const [, expected, name] of tests) {
    expect(world.agree(`m::${name}`, [], true).result, name!).toBe(expected);
  }
}

describe('translated and interpreted code agree, whatever the gas limit', () => {
  for (const [title, text] of Object.entries(CODE)) it(title, { timeout: 300_000 }, () => runAll(text));

  it('global storage', () => runAll(GLOBALS, { natives, globals: () => new MemoryGlobals() }));

  it('with every instruction there is', () => {
    const used = new Set<number>();
    for (const text of [...Object.values(CODE), GLOBALS]) {
      const { functionDefinitions } = assembleModule(`module 0x1::m\n${text}`);
      for (const { code } of functionDefinitions) for (const { op } of code?.instructions ?? []) used.add(op);
    }
    expect(Object.entries(Op).flatMap(([name, op]) => (used.has(op) ? [] : [name]))).toEqual([]);
  });
});
