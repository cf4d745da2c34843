/** What a contract can and cannot do to the chain, and what prices do to contracts. */
import { beforeEach, describe, expect, it } from 'vitest';
import { bytes, encode, pair, string, struct, u64, vector } from '../../src/base/bcs.ts';
import { DEV_SEQUENCER } from '../../src/execution/framework/accounts.ts';
import { GENESIS_GAS_ENTRIES } from '../../src/execution/framework/gas-schedule.ts';
import { FEATURE_COMPATIBILITY_CHECKER_V2, FEATURE_VALUE_SIZE_GAS } from '../../src/execution/runtime/features.ts';
import type { ExecutionOutput } from '../../src/pipeline/commit.ts';
import { packageData, publishAction } from '../../src/pipeline/publish.ts';
import { type Action, parseAddress } from '../../src/query/transaction-builder.ts';
import { assembleFor, publishFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const EXECUTED = { kind: 'executed' };
/** The administrator of local chains. */
const admin = parseAddress(DEV_SEQUENCER.address);
const GAS_MAX = 1_000_000_000n;

const call = (name: string, ...given: readonly Uint8Array[]): Action & { kind: 'function' } =>
  callOf(`${ALICE.address}::${name}`, [], ...given);

let chain: StepChain;

beforeEach(async () => {
  chain = await StepChain.open();
});

function changeFeatures(...onAndOff: readonly [on: readonly number[], off: readonly number[]]): void {
  const lists = onAndOff.map((features) => encode(vector(u64), features.map(BigInt)));
  const action = callOf('0x3::onchain_config::change_feature_flags', [], ...lists);
  expect(chain.call({ sender: admin, action }).status).toEqual(EXECUTED);
}

function refusal(action: Action, sender = ALICE): string {
  return chain.refusal(signBitcoin(sender, chain.data(parseAddress(sender.address), action))).message;
}

it('a package of which two modules have one name fails, and says so', () => {
  const sound = assembleFor(ALICE, 'module 0xa11ce::sound public fun n(): u64 { LdU64 1; Ret }');
  const data = encode(packageData, { name: '', id: alice, modules: [sound, sound] });
  const raw = callOf('0x2::module_store::publish_package_entry', [], encode(bytes, data));
  const { failure } = chain.send(ALICE, raw);
  expect(failure).toMatchObject({ message: expect.stringContaining('two modules have the same name') });
});

it('a package whose init function aborts is not there afterwards', () => {
  const failing = 'module 0xa11ce::failing fun init() { LdU64 9; Abort }';
  expect(chain.send(ALICE, publishFor(ALICE, failing)).status).toMatchObject({
    kind: 'move-abort',
    location: { name: 'failing' },
    code: 9n,
  });
  expect(chain.state.module(alice, 'failing')).toBeUndefined();
});

describe('prices', () => {
  const config = struct<{ max: bigint; entries: readonly (readonly [string, bigint])[] }>({
    max: u64,
    entries: vector(pair(string, u64)),
  });
  const upgrade = (entries: readonly (readonly [string, bigint])[]): ExecutionOutput => {
    const data = encode(bytes, encode(config, { max: GAS_MAX, entries }));
    return chain.call({ sender: admin, action: callOf('0x3::upgrade::upgrade_gas_schedule', [], data) });
  };
  const gasOf = (): bigint => chain.send(ALICE, transfer(bob, 1n)).gasUsed;

  it('hold from the next transaction on', () => {
    gasOf();
    const before = gasOf();
    const { status } = upgrade(
      GENESIS_GAS_ENTRIES.map(([key, price]) => [key, key.startsWith('instruction.') ? price * 2n : price]),
    );
    expect(status).toEqual(EXECUTED);
    const after = gasOf();
    expect(after).toBeGreaterThan(before + before / 4n);
    expect(after).toBeLessThan(before * 2n);
  });

  it('are refused when set, if no transaction could run with them', () => {
    for (const entries of [
      [],
      GENESIS_GAS_ENTRIES.slice(1),
      GENESIS_GAS_ENTRIES.map(([key]) => [key, 2n ** 40n] as const),
    ]) {
      const { status, failure } = upgrade(entries);
      expect(status.kind).toBe('execution-failure');
      expect(failure?.message).toMatch(/gas schedule/);
    }
    expect(gasOf()).toBeGreaterThan(0n);
  });

  it('may be changed only by the administrator', () => {
    const data = encode(bytes, encode(config, { max: GAS_MAX, entries: GENESIS_GAS_ENTRIES }));
    expect(chain.send(ALICE, callOf('0x3::upgrade::upgrade_gas_schedule', [], data)).status.kind).toBe('move-abort');
  });

  it('of bytes rise with the number of bytes once the feature is on', () => {
    const code = assembleFor(ALICE, `module 0xa11ce::m public entry fun f(x: vector<u8>) { MoveLoc x; Pop; Ret }`);
    chain.send(ALICE, publishAction([code]));
    const gas = (): bigint => chain.send(BOB, call('m::f', encode(bytes, new Uint8Array(3_000)))).gasUsed;
    changeFeatures([], [FEATURE_VALUE_SIZE_GAS]);
    const flat = gas();
    changeFeatures([FEATURE_VALUE_SIZE_GAS], []);
    const size = BigInt(signBitcoin(BOB, chain.data(bob, call('m::f', encode(bytes, new Uint8Array(3_000))))).length);
    expect(gas() - flat).toBe(size * 176n);
  });
});

describe('what a contract cannot do', () => {
  const run = (body: string, maxGasAmount = GAS_MAX): ExecutionOutput => {
    const published = chain.send(ALICE, publishFor(ALICE, `module 0xa11ce::m\n${body}`), { maxGasAmount: GAS_MAX });
    expect(published.failure).toBeUndefined();
    return chain.send(ALICE, call('m::f'), { maxGasAmount });
  };

  it('is to run or recurse without end', () => {
    expect(run('entry fun f() { again: Branch again }', 10_000_000n).status).toEqual({ kind: 'out-of-gas' });
    const { status } = run('entry fun f() { Call f; Ret }');
    expect(status).toMatchObject({ kind: 'execution-failure', location: { name: 'm' }, function: 0, codeOffset: 0 });
  });

  it('is to leave code behind that it published before it aborted', () => {
    const sly = `module 0xa11ce::sly
      public entry fun f(account: &signer, data: vector<u8>, name: 0x1::string::String) {
        MoveLoc account; MoveLoc data; Call 0x2::module_store::publish_package_entry
        MoveLoc name; Call 0x2::ability::native_get_abilities; CastU64; Abort
      }`;
    const ghost = (code: number, more = ''): string => `module 0xa11ce::ghost
      struct S has copy, drop${more} { x: u64 }
      public entry fun g() { LdU64 ${code}; Abort }`;
    const name = encode(string, `${ALICE.address}::ghost::S`);
    const publishAndAbort = (text: string): unknown => {
      const [data] = (publishFor(ALICE, text) as Action & { kind: 'function' }).arguments;
      return chain.send(ALICE, call('sly::f', data!, name)).status;
    };
    chain.send(ALICE, publishFor(ALICE, sly));
    // Abilities are those of the code that the transaction began with.
    expect(publishAndAbort(ghost(5))).toMatchObject({ kind: 'move-abort', code: 0n });
    expect(refusal(call('ghost::g'))).toMatch(/status LINKER_ERROR/);
    chain.send(ALICE, publishFor(ALICE, ghost(6)));
    expect(publishAndAbort(ghost(7, ', store'))).toMatchObject({ kind: 'move-abort', code: 3n });
    expect(chain.send(ALICE, call('ghost::g')).status).toMatchObject({ kind: 'move-abort', code: 6n });
  });

  it('is to take a function from a friend, which would no longer link', () => {
    const secret = 'public(friend) fun secret(): u64 { LdU64 123; Ret }';
    const secretive = (friend: string): string => `module 0xa11ce::m ${friend} ${secret}`;
    const user = assembleFor(ALICE, 'module 0xa11ce::user public entry fun f() { Call 0xa11ce::m::secret; Pop; Ret }', [
      assembleFor(ALICE, secretive('')),
    ]);
    chain.send(ALICE, publishAction([assembleFor(ALICE, secretive('friend 0xa11ce::user')), user]));
    // ErrorModuleIncompatible of 0x2::move_module.
    for (const after of [secretive(''), 'module 0xa11ce::m']) {
      const { status } = chain.send(ALICE, publishFor(ALICE, after));
      expect(status).toMatchObject({ kind: 'move-abort', location: { name: 'move_module' }, code: 3n });
    }
    expect(chain.send(ALICE, call('user::f')).status).toEqual(EXECUTED);
  });

  it('is to pass values to a friend function that was upgraded to take others', () => {
    const base = (fun: string): string => `module 0xa11ce::base
      friend 0xa11ce::user
      public(friend) fun f${fun}`;
    const before = base('(x: u64): u64 { MoveLoc x; Ret }');
    const user = assembleFor(
      ALICE,
      'module 0xa11ce::user public entry fun g() { LdU64 7; Call 0xa11ce::base::f; Abort }',
      [assembleFor(ALICE, before.replace('friend 0xa11ce::user', ''))],
    );
    chain.send(ALICE, publishAction([assembleFor(ALICE, before), user]));
    const seven = { kind: 'move-abort', code: 7n };
    expect(chain.send(ALICE, call('user::g')).status).toMatchObject(seven);
    changeFeatures([], [FEATURE_COMPATIBILITY_CHECKER_V2]);
    for (const fun of [
      '(x: vector<u8>, y: u64): u64 { MoveLoc y; Ret }',
      '(x: vector<u8>): u64 { ImmBorrowLoc x; VecLen u8; Ret }',
    ]) {
      expect(chain.send(ALICE, publishFor(ALICE, base(fun))).status).toEqual(EXECUTED);
      expect(refusal(call('user::g'))).toMatch(/no longer links.*\(status UNEXPECTED_VERIFIER_ERROR/);
    }
    const above = 'module 0xa11ce::above fun init() { Call 0xa11ce::user::g; Ret }';
    const published = chain.send(ALICE, publishAction([assembleFor(ALICE, above, [user])]));
    expect(published.status).toMatchObject({ kind: 'move-abort', location: { name: 'move_module' }, code: 2n });
    chain.send(ALICE, publishFor(ALICE, before));
    expect(chain.send(ALICE, call('user::g')).status).toMatchObject(seven);
  });

  it('is to store types nested deeper than their binary form', () => {
    const box = (depth: number): string => (depth === 0 ? 'u8' : `Box<${box(depth - 1)}>`);
    const type = (depth: number): string => `
      struct Box<T> has copy, drop, store, key { x: vector<T> }
      entry fun f() {
        VecPack ${box(depth - 1)} 0; Pack ${box(depth)}
        Call 0x2::object::new_named_object<${box(depth)}>; Call 0x2::object::to_shared<${box(depth)}>; Ret
      }`;
    expect(run(type(8)).status).toEqual(EXECUTED);
    const { status, failure } = run(type(9));
    expect(status).toEqual({ kind: 'miscellaneous-error' });
    expect(failure?.message).toMatch(/TYPE_TAG_DEPTH_MAX/);
  });

  it('is to emit events of such types', () => {
    const box = (depth: number): string => (depth === 0 ? 'u8' : `Box<${box(depth - 1)}>`);
    const emit = (depth: number): string => `
      struct Box<T> has copy, drop, store { x: vector<T> }
      entry fun f() { VecPack ${box(depth - 1)} 0; Pack ${box(depth)}; Call 0x2::event::emit<${box(depth)}>; Ret }`;
    expect(run(emit(8)).status).toEqual(EXECUTED);
    expect(run(emit(10)).failure?.message).toMatch(/TYPE_TAG_DEPTH_MAX/);
  });

  it('is to emit more events than it has gas for', () => {
    const { status, gasUsed } = run(`struct E has copy, drop { n: u64 }
      entry fun f() { again: LdU64 1; Pack E; Call 0x2::event::emit<E>; Branch again }`);
    expect([status, gasUsed]).toEqual([{ kind: 'out-of-gas' }, GAS_MAX]);
  });

  it('is to keep natives busy beyond a stated bound', () => {
    const { status, failure } = run(`entry fun f() {
        LdConst vector<u8> 0x04ffffffff; LdConst vector<u8> 0x40${'00'.repeat(64)}; LdConst vector<u8> 0x8001${'00'.repeat(128)}
        LdConst vector<u8> 0x10${'00'.repeat(16)}; LdConst vector<u8> 0x0101
        Call 0x2::evm::blake2f; Pop; Ret
      }`);
    expect(status).toEqual({ kind: 'miscellaneous-error' });
    expect(failure?.message).toMatch(/native functions/);
  });

  it('is to encode for ever what costs gas only per call', () => {
    const items = `0xd00f${'01'.repeat(2_000)}`;
    const { status, gasUsed } = run(`entry fun f() {
        let v: vector<bool>
        LdConst vector<bool> ${items}; StLoc v
        again: ImmBorrowLoc v; Call 0x2::rlp::to_bytes<vector<bool>>; Pop; Branch again
      }`);
    expect(status).toEqual({ kind: 'miscellaneous-error' });
    expect(gasUsed).toBeLessThan(GAS_MAX);
  });
});
