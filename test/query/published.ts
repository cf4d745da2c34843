/** An engine on a local chain with modules of the test's own, put into the state without running code. */

import type { State } from '../../src/chain/state/state.ts';
import { EMPTY_AUTHENTICATOR } from '../../src/chain/transaction/signed.ts';
import { ObjectRuntime } from '../../src/execution/runtime/object-runtime.ts';
import type { Engine } from '../../src/index.ts';
import { SYSTEM_ADDRESS } from '../../src/move/address.ts';
import { selfIdOf } from '../../src/vm/binary/module.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { withExterns } from '../execution/runtime/externs.ts';
import { forge } from '../forge.ts';
import { assembleModule } from '../vm/assemble.ts';

let serial = 0n;

/** Commits what `change` does to the state. */
export async function commitChange(engine: Engine, change: (runtime: ObjectRuntime) => void): Promise<void> {
  const data = {
    sender: SYSTEM_ADDRESS,
    sequenceNumber: serial++,
    chainId: engine.chainId,
    maxGasAmount: 0n,
    action: { kind: 'modules', modules: [] },
  } as const;
  await forge(engine, { kind: 'l2-transaction', data, authenticator: EMPTY_AUTHENTICATOR }, (state: State) => {
    const runtime = new ObjectRuntime(state);
    change(runtime);
    return { status: { kind: 'executed' }, gasUsed: 0n, changeSet: runtime.changeSet(), events: [] };
  });
}

/** Stores modules, given as assembler texts for which `extern` blocks are written. */
export async function publish(engine: Engine, ...texts: readonly string[]): Promise<void> {
  await commitChange(engine, (runtime) => {
    for (const text of texts) {
      const module = assembleModule(withExterns(text));
      const { address, name } = selfIdOf(module);
      runtime.modules.publish(address, name, writeModule(module));
    }
  });
}

/** A module with a function for each way a view can end. */
export const SIGHTS = `module 0x42::sights
  struct Pair<T> has copy, drop, store { left: T, right: vector<u8> }
  struct Mark has key { n: u64 }
  struct Plain has copy, drop, store { constructor: u8, valueOf: 0x1::option::Option<u8> }
  struct Wide has copy, drop, store { a: u8, b: u128, c: address, d: 0x1::string::String, e: vector<Pair<u64>> }
  fun secret(): u64 { LdU64 42; Ret }
  public fun nothing() { Ret }
  public fun several(): u64, bool, vector<u64> { LdU64 1; LdTrue; LdU64 2; LdU64 3; VecPack u64 2; Ret }
  public fun pair<T>(left: T): Pair<T> { MoveLoc left; LdConst vector<u8> 0x020102; Pack Pair<T>; Ret }
  public fun same(w: Wide): Wide { MoveLoc w; Ret }
  public fun mirror(r: &u64, s: &mut vector<u8>): &u64, &mut vector<u8> { MoveLoc r; MoveLoc s; Ret }
  public fun maybe(o: 0x1::option::Option<u64>): u64 { ImmBorrowLoc o; Call 0x1::option::borrow<u64>; ReadRef; Ret }
  public fun numbers(a: u8, b: u16, c: u32, d: u64, e: u128, f: u256): u256 { MoveLoc f; Ret }
  public fun lists(a: vector<vector<u8>>, b: vector<address>, c: vector<bool>): u64 { ImmBorrowLoc a; VecLen vector<u8>; Ret }
  public fun owner(o: &0x2::object::Object<0x2::account::Account>): address {
    MoveLoc o; Call 0x2::object::owner<0x2::account::Account>; Ret
  }
  public fun id(id: 0x2::object::ObjectID): 0x2::object::ObjectID { MoveLoc id; Ret }
  public fun caller(account: &signer): address { MoveLoc account; Call 0x2::signer::address_of; Ret }
  public fun stop() { LdU64 7; Abort }
  public fun overflow(): u8 { LdU64 256; CastU8; Ret }
  public fun beyond(): u64 { let v: vector<u64> VecPack u64 0; StLoc v; ImmBorrowLoc v; LdU64 0; VecImmBorrow u64; ReadRef; Ret }
  public fun forever() { again: Branch again }
  public fun fresh(): address { Call 0x2::tx_context::fresh_address; Ret }
  public fun write() { LdU64 1; Pack Mark; Call 0x2::object::new_named_object<Mark>; Call 0x2::object::to_shared<Mark>; Ret }
  public fun compress(rounds: vector<u8>, state: vector<u8>, block: vector<u8>, counter: vector<u8>, last: vector<u8>): vector<u8> {
    MoveLoc rounds; MoveLoc state; MoveLoc block; MoveLoc counter; MoveLoc last; Call 0x2::evm::blake2f; Ret
  }
  public fun pairing(data: vector<u8>): vector<u8> { MoveLoc data; Call 0x2::evm::ec_pairing; Ret }
  public fun emit() { LdU64 5; Call pair<u64>; Call 0x2::event::emit<Pair<u64>>; Ret }
  public fun between(a: signer, b: u64, c: signer, d: u8): u64 { MoveLoc b; Ret }
  public fun plain(p: Plain): Plain { MoveLoc p; Ret }`;
