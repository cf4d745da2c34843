/**
 * Contracts that want the thread, or the memory, for themselves.
 * @module
 */

/** Declarations of a module with an entry function `f`. */
export interface HostileContract {
  readonly name: string;
  readonly text: string;
  /** What ends it at the usual gas limit: its gas, a bound that is stated in src/base/config.ts, or the machine's own. */
  readonly ends: 'out-of-gas' | 'miscellaneous-error' | 'execution-failure';
  /** Takes seconds: run only when tests may take long. */
  readonly isLong?: true;
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('\n');

/** BCS of a byte string, for LdConst. */
function bytes(length: number, byte = '61'): string {
  const size = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
  return `0x${Buffer.from(size).toString('hex')}${byte.repeat(length)}`;
}

const nested = (levels: number, struct: string): string =>
  levels === 0 ? 'u8' : `${struct}<${nested(levels - 1, struct)}>`;

/** Runs `body` on the local `v` until something ends it. */
const forever = (type: string, begin: string, body: string): string =>
  `entry fun f() { let v: ${type}\n ${begin}; StLoc v\n again: ${body}; Branch again }`;

/** Calls a function of byte strings for ever. */
const calls = (call: string, length = 0): string =>
  forever('vector<u8>', `LdConst vector<u8> ${bytes(length)}`, `ImmBorrowLoc v; ${call}; Pop`);

const PAIR = `struct A<phantom T> has copy, drop { x: bool }
  struct B<phantom T> has copy, drop { x: bool }`;

/** Each function calls the next one at two types of its own: twice as many instances on each level. */
const tree = (levels: number, body: string): string => `${PAIR}
  ${times(levels, (level) => `fun f${level}<T>() { ${body} Call f${level + 1}<A<T>>; Call f${level + 1}<B<T>>; Ret }`)}
  fun f${levels}<T>() { Ret }
  entry fun f() { again: Call f0<u8>; Branch again }`;

const LONG_NAME = 'x'.repeat(60);
const DEEP_TYPE = nested(24, LONG_NAME);

export const HOSTILE: readonly HostileContract[] = [
  { name: 'a loop', text: 'entry fun f() { again: Branch again }', ends: 'out-of-gas' },
  { name: 'recursion', text: 'entry fun f() { Call f; Ret }', ends: 'execution-failure' },
  {
    name: 'recursion again and again',
    text: `entry fun f() { again: LdU64 1000; Call g; Branch again }
      fun g(n: u64) { CopyLoc n; LdU64 0; Eq; BrTrue end; MoveLoc n; LdU64 1; Sub; Call g; end: Ret }`,
    ends: 'out-of-gas',
  },
  {
    name: 'a vector that grows',
    text: forever('vector<u256>', 'VecPack u256 0', 'MutBorrowLoc v; LdU256 1; VecPushBack u256'),
    ends: 'out-of-gas',
  },
  {
    name: 'a vector of vectors that is copied',
    text: `entry fun f() {
        let v: vector<vector<u8>>
        let i: u64
        VecPack vector<u8> 0; StLoc v; LdU64 0; StLoc i
        more: MutBorrowLoc v; VecPack u8 0; VecPushBack vector<u8>
        CopyLoc i; LdU64 1; Add; StLoc i; CopyLoc i; LdU64 20000; Lt; BrTrue more
        again: ImmBorrowLoc v; ReadRef; Pop; Branch again
      }`,
    ends: 'out-of-gas',
  },
  {
    name: 'values as deep as they may be',
    text: `struct Box<T> has copy, drop { x: vector<T> }
      entry fun f() { again: VecPack ${nested(60, 'Box')} 0; Pop; Branch again }`,
    ends: 'out-of-gas',
  },
  {
    name: 'a million events',
    text: 'struct E has copy, drop { n: u64 }\n entry fun f() { again: LdU64 1; Pack E; Call 0x2::event::emit<E>; Branch again }',
    ends: 'out-of-gas',
  },
  {
    name: 'new objects',
    text: `struct S has key { n: u64 }
      entry fun f() { again: LdU64 1; Pack S; Call 0x2::object::new<S>; Call 0x2::object::to_shared<S>; Branch again }`,
    ends: 'out-of-gas',
  },
  {
    name: 'a table that grows',
    text: `entry fun f() {
        let t: 0x2::table::Table<u64, u64>
        let i: u64
        Call 0x2::table::new<u64, u64>; StLoc t; LdU64 0; StLoc i
        again: MutBorrowLoc t; CopyLoc i; CopyLoc i; Call 0x2::table::add<u64, u64>
        CopyLoc i; LdU64 1; Add; StLoc i; Branch again
      }`,
    ends: 'out-of-gas',
  },
  { name: 'a tree of instantiations', text: tree(20, ''), ends: 'miscellaneous-error', isLong: true },
  {
    name: 'a tree of instantiations with bodies that never run',
    text: tree(20, `LdTrue; BrTrue go; ${'LdTrue; Pack A<T>; Pop;'.repeat(100)} go:`),
    ends: 'miscellaneous-error',
  },
  {
    name: 'a long body that is called at many types',
    text: `${PAIR}
      ${times(12, (level) => `fun f${level}<T>() { Call f${level + 1}<A<T>>; Call f${level + 1}<B<T>>; Ret }`)}
      fun f12<T>() { LdTrue; BrTrue end; ${'LdTrue; Pop;'.repeat(1_000)} end: Ret }
      entry fun f() { again: Call f0<u8>; Branch again }`,
    ends: 'miscellaneous-error',
    isLong: true,
  },
  {
    // The worst found: what it did before too much was prepared is done again, and counted.
    name: 'a native, copies and a tree of instantiations, one after the other',
    text: `${tree(20, `LdTrue; BrTrue go; ${'LdTrue; Pack A<T>; Pop;'.repeat(100)} go:`).replace('entry fun f()', 'fun walk()')}
      entry fun f() {
        let v: vector<vector<u8>>
        let i: u64
        LdConst vector<u8> 0x040053ec60; LdConst vector<u8> ${bytes(64, '00')}; LdConst vector<u8> ${bytes(128, '00')}
        LdConst vector<u8> ${bytes(16, '00')}; LdConst vector<u8> 0x0101; Call 0x2::evm::blake2f; Pop
        VecPack vector<u8> 0; StLoc v; LdU64 0; StLoc i
        more: MutBorrowLoc v; VecPack u8 0; VecPushBack vector<u8>
        CopyLoc i; LdU64 1; Add; StLoc i; CopyLoc i; LdU64 20000; Lt; BrTrue more
        LdU64 0; StLoc i
        again: ImmBorrowLoc v; ReadRef; Pop; CopyLoc i; LdU64 1; Add; StLoc i; CopyLoc i; LdU64 60; Lt; BrTrue again
        Call walk; Ret
      }`,
    ends: 'miscellaneous-error',
    isLong: true,
  },
  {
    name: 'names of types',
    text: `struct ${LONG_NAME}<phantom T> has copy, drop { x: bool }
      fun room() { LdConst vector<u8> ${bytes(8_000)}; Pop; Ret }
      entry fun f() { again: Call 0x1::type_name::get<${DEEP_TYPE}>; Pop; Branch again }`,
    ends: 'miscellaneous-error',
    isLong: true,
  },
  { name: 'hashes of nothing', text: calls('Call 0x2::hash::keccak256'), ends: 'miscellaneous-error', isLong: true },
  { name: 'base58', text: calls('Call 0x2::base58::encoding', 8_000), ends: 'miscellaneous-error', isLong: true },
  {
    name: 'CBOR',
    text: forever(
      'vector<u64>',
      `LdConst vector<u64> 0xe807${'ff'.repeat(8_000)}`,
      'ImmBorrowLoc v; Call 0x2::cbor::to_cbor<vector<u64>>; Pop',
    ),
    ends: 'miscellaneous-error',
    isLong: true,
  },
  {
    name: 'RLP',
    text: forever(
      'vector<u64>',
      `LdConst vector<u64> 0xe807${'ff'.repeat(8_000)}`,
      'ImmBorrowLoc v; Call 0x2::rlp::to_bytes<vector<u64>>; Pop',
    ),
    ends: 'miscellaneous-error',
  },
  {
    name: 'powers of large numbers',
    text: `entry fun f() {
        again: LdConst vector<u8> 0x20${'00'.repeat(31)}80; LdConst vector<u8> 0x20${'00'.repeat(31)}80
        LdConst vector<u8> 0x20${'00'.repeat(31)}80; LdConst vector<u8> ${bytes(128, 'fe')}
        LdConst vector<u8> ${bytes(128, 'fd')}; LdConst vector<u8> ${bytes(128, 'ff')}
        Call 0x2::evm::modexp; Pop; Branch again
      }`,
    ends: 'miscellaneous-error',
    isLong: true,
  },
  {
    name: 'pairings',
    text: `entry fun f() {
        again: LdConst vector<u8> 0xc001${'00'.repeat(192)}; Call 0x2::evm::ec_pairing; Pop; Branch again
      }`,
    ends: 'miscellaneous-error',
  },
  {
    name: 'checks of signatures',
    text: `entry fun f() {
        let s: vector<u8>
        let k: vector<u8>
        let m: vector<u8>
        LdConst vector<u8> ${bytes(64, '11')}; StLoc s; LdConst vector<u8> ${bytes(32)}; StLoc m
        LdConst vector<u8> 0x210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798; StLoc k
        again: ImmBorrowLoc s; ImmBorrowLoc k; ImmBorrowLoc m; LdU8 0; Call 0x3::ecdsa_k1::verify; Pop; Branch again
      }`,
    ends: 'miscellaneous-error',
    isLong: true,
  },
];
