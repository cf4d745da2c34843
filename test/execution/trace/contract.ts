/**
 * A contract whose calls are worth tracing, and an engine that has it.
 * @module
 */
import { DEV_ACCOUNTS, type DevAccount, Engine, type EngineOptions, type ViewArgument } from '../../../src/index.ts';
import { assembleFor } from '../../pipeline/contract.ts';

export const ALICE: DevAccount = DEV_ACCOUNTS[0]!;
export const BOB: DevAccount = DEV_ACCOUNTS[1]!;

const MODULE = `module 0xa11ce::deep
  struct Seen has copy, drop { n: u64 }
  struct Box has key { n: u64 }
  entry fun outer(n: u64) {
    CopyLoc n; Pack Seen; Call 0x2::event::emit<Seen>
    MoveLoc n; Call middle; Ret
  }
  fun middle(n: u64) { MoveLoc n; LdU64 1; Add; Call inner; Pop; Ret }
  fun inner(n: u64): u64 {
    CopyLoc n; LdU64 100; Lt; BrTrue fine
    LdU64 77; Abort
    fine: MoveLoc n; Ret
  }
  public fun sum(n: u64): u64 {
    let i: u64; let s: u64
    LdU64 0; StLoc i; LdU64 0; StLoc s
    again: CopyLoc i; CopyLoc n; Lt; BrFalse end
    CopyLoc s; CopyLoc i; Call one; Add; StLoc s
    CopyLoc i; LdU64 1; Add; StLoc i; Branch again
    end: CopyLoc s; Ret
  }
  fun one(n: u64): u64 { MoveLoc n; Pop; LdU64 1; Ret }
  entry fun many(n: u64) { MoveLoc n; Call sum; Pop; Ret }
  entry fun many_and_fail(n: u64) { MoveLoc n; Call sum; Pop; LdU64 1000; Call middle; Ret }
  entry fun spin() { again: Call one_more; Branch again }
  fun one_more() { LdU64 1; Call one; Pop; Ret }
  entry fun missing(n: u64) {
    MoveLoc n; Call 0x2::object::custom_object_id<u64, Box>; Call 0x2::object::borrow_object<Box>; Pop; Ret
  }
  entry fun say(n: u64) { ImmBorrowLoc n; Call 0x1::debug::print<u64>; Ret }
  entry fun say_and_fail(n: u64) {
    again: ImmBorrowLoc n; Call 0x1::debug::print<u64>
    CopyLoc n; LdU64 1; Sub; StLoc n
    CopyLoc n; LdU64 0; Neq; BrTrue again
    LdU64 9; Abort
  }
  entry fun keep(account: &signer, n: u64) {
    let o: 0x2::object::Object<Box>
    MoveLoc account; Pop; MoveLoc n; Pack Box; Call 0x2::object::new<Box>; StLoc o
    MutBorrowLoc o; LdU64 5; LdTrue; Call 0x2::object::add_field<Box, u64, bool>
    MoveLoc o; Call 0x2::object::to_shared<Box>; Ret
  }
  entry fun large(n: u64) {
    let v: vector<u64>
    VecPack u64 0; StLoc v
    again: CopyLoc n; LdU64 0; Eq; BrTrue end
    MutBorrowLoc v; CopyLoc n; VecPushBack u64; CopyLoc n; LdU64 1; Sub; StLoc n; Branch again
    end: MoveLoc v; Call take; Ret
  }
  fun take(v: vector<u64>) { MoveLoc v; Pop; Ret }
  public fun many_large(length: u64, times: u64) {
    let v: vector<u64>
    VecPack u64 0; StLoc v
    longer: CopyLoc length; LdU64 0; Eq; BrTrue again
    MutBorrowLoc v; CopyLoc length; VecPushBack u64; CopyLoc length; LdU64 1; Sub; StLoc length; Branch longer
    again: CopyLoc times; LdU64 0; Eq; BrTrue end
    CopyLoc v; Call take; CopyLoc times; LdU64 1; Sub; StLoc times; Branch again
    end: Ret
  }`;

/** The name of a function of the contract. */
export const deep = (name: string): string => `${ALICE.address}::deep::${name}`;

interface DeepAction {
  readonly function: string;
  readonly arguments: readonly ViewArgument[];
}

/** An action that calls a function of it. */
export const act = (name: string, ...given: readonly ViewArgument[]): DeepAction => ({
  function: deep(name),
  arguments: given,
});

export async function engineWithContract(options: EngineOptions = {}): Promise<Engine> {
  const engine = await Engine.open(options);
  const { failure } = await engine.publish(ALICE.address, [assembleFor(ALICE, MODULE)]);
  if (failure !== undefined) throw new Error(`the contract was not published: ${failure.message}`);
  return engine;
}
