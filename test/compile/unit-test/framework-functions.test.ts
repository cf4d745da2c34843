/**
 * What a test in Move finds: the chain before anything ran, and what the framework has for tests alone. Names and meaning
 * are the reference's (`#[test_only]` in frameworks/*\/sources); its own tests of them are run by `reference.test.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compile } from '../../../src/compile/index.ts';
import { runUnitTest, type UnitTestResult } from '../../../src/compile/unit-test/run.ts';
import { UnitTestChain } from '../../../src/compile/unit-test/unit-test-chain.ts';

const home = mkdtempSync(join(tmpdir(), 'movelet-unit-test-'));
afterAll(() => rmSync(home, { recursive: true }));

/** Writes packages, each into a folder of its name, and runs the tests of the first. */
async function resultsOf(packages: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  for (const [name, files] of Object.entries(packages)) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name, path)), { recursive: true });
      writeFileSync(join(home, name, path), text);
    }
  }
  const built = await compile(join(home, Object.keys(packages)[0]!), { test: true });
  const tested = { ...built, modules: [...built.dependencies, ...built.modules] };
  const chain = new UnitTestChain(tested);
  return new Map<string, UnitTestResult>(built.tests.map((test) => [test.name, runUnitTest(chain, tested, test)]));
}

const complaints = (results: ReadonlyMap<string, UnitTestResult>): Record<string, readonly string[]> =>
  Object.fromEntries([...results].map(([name, { complaint }]) => [name, complaint]));

const FRAMEWORK = '[dependencies]\nBitcoinMove = { git = "https://example.org/rooch.git", rev = "main" }\n';

const TESTS = `
#[test_only]
module me::tests {
    use std::option;
    use std::signer;
    use std::string;
    use std::vector;
    use moveos_std::account;
    use moveos_std::bag;
    use moveos_std::features;
    use moveos_std::object;
    use moveos_std::table;
    use moveos_std::test_helper;
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use rooch_framework::auth_validator;
    use rooch_framework::bitcoin_address;
    use rooch_framework::chain_id;
    use rooch_framework::coin;
    use rooch_framework::gas_coin::{Self, RGas};
    use bitcoin_move::bitcoin;
    use bitcoin_move::ord;
    use bitcoin_move::types;
    use bitcoin_move::utxo;
    use me::counter;

    struct Box has key { value: u64 }
    struct Hot { value: u64 }
    struct Gold has key, store {}

    #[test]
    #[expected_failure(abort_code = moveos_std::object::ErrorNotFound)]
    fun init_has_not_run() { counter::value(); }

    #[test]
    fun init_runs_when_it_is_called() {
        counter::init_for_test();
        assert!(counter::value() == 7, 1);
    }

    #[test]
    #[expected_failure]
    fun nor_has_genesis() { chain_id::chain_id(); }

    #[test]
    fun the_clock_is_at_zero_and_moves() {
        assert!(timestamp::now_milliseconds() == 0, 1);
        timestamp::fast_forward_seconds_for_test(2);
        timestamp::fast_forward_milliseconds_for_test(5);
        assert!(timestamp::now_milliseconds() == 2005, 2);
        timestamp::update_global_time_for_test_secs(3);
        assert!(timestamp::now_seconds() == 3, 3);
    }

    #[test]
    #[expected_failure(abort_code = timestamp::ErrorInvalidTimestamp)]
    fun but_never_back() {
        timestamp::update_global_time_for_test(2);
        timestamp::update_global_time_for_test(1);
    }

    #[test(alice = @0xa11ce)]
    fun the_sender_is_no_signer_of_the_test(alice: signer) {
        assert!(tx_context::sender() != signer::address_of(&alice), 1);
        assert!(tx_context::sender() == @0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e, 2);
        assert!(tx_context::sequence_number() == 0 && tx_context::max_gas_amount() == 1000000000, 3);
        tx_context::set_ctx_sender_for_testing(@0xb0b);
        tx_context::set_ctx_sequencer_number_for_testing(3);
        tx_context::set_ctx_tx_hash_for_testing(x"01");
        assert!(tx_context::sender() == @0xb0b && tx_context::sequence_number() == 3, 4);
        assert!(tx_context::tx_hash() == x"01", 5);
        tx_context::set_attribute_for_testing(string::utf8(b"a"));
        assert!(tx_context::contains_attribute<string::String>(), 6);
        tx_context::remove_attribute_for_testing<string::String>();
        assert!(!tx_context::contains_attribute<string::String>(), 7);
        assert!(tx_context::fresh_address_for_testing() != tx_context::fresh_address_for_testing(), 8);
    }

    #[test]
    fun signers_and_accounts_are_made() {
        let signers = std::unit_test::create_signers_for_testing(3);
        assert!(vector::length(&signers) == 3, 1);
        let second = @0x0100000000000000000000000000000000000000000000000000000000000000;
        assert!(signer::address_of(vector::borrow(&signers, 1)) == second, 2);
        assert!(signer::address_of(&account::create_signer_for_testing(@0x42)) == @0x42, 3);
        assert!(!account::exists_at(@0x42), 4);
        let alice = rooch_framework::account::create_account_for_testing(@0x42);
        account::create_account_for_testing(@0x42);
        assert!(signer::address_of(&alice) == @0x42 && account::exists_at(@0x42), 5);
    }

    #[test]
    fun values_that_cannot_be_dropped_are() {
        let bag = bag::new();
        bag::add(&mut bag, 1u8, object::new(Box { value: 1 }));
        bag::drop_unchecked(bag);
        let table = table::new<u8, object::Object<Box>>();
        table::add(&mut table, 1, object::new(Box { value: 2 }));
        table::drop_unchecked(table);
        let Box { value } = object::drop_unchecked(object::new(Box { value: 3 }));
        assert!(value == 3, 1);
        test_helper::destroy(Hot { value: 4 });
    }

    #[test]
    fun features_are_switched() {
        features::init_feature_store_for_test();
        assert!(!features::wasm_enabled(), 1);
        features::change_feature_flags_for_test(vector[features::get_wasm_feature()], vector[]);
        assert!(features::wasm_enabled() && !features::devnet_enabled(), 2);
    }

    #[test]
    fun all_features_are_on() {
        features::init_and_enable_all_features_for_test();
        assert!(features::wasm_enabled() && features::devnet_enabled(), 1);
    }

    #[test(alice = @0xa11ce)]
    fun coins_come_from_nowhere(alice: &signer) {
        rooch_framework::genesis::init_for_test();
        assert!(chain_id::chain_id() == 3, 1);
        gas_coin::faucet_for_test(signer::address_of(alice), 100);
        assert!(gas_coin::balance(signer::address_of(alice)) == 100, 2);
        let before = coin::supply_by_type<RGas>();
        gas_coin::burn(gas_coin::mint_for_test(5));
        assert!(coin::supply_by_type<RGas>() == before, 3);
        let info = coin::register_for_test<Gold>(string::utf8(b"Gold"), string::utf8(b"AU"), option::none(), 2);
        coin::destroy_for_testing(coin::mint(&mut info, 9));
        assert!(coin::unpack_for_test(coin::pack_for_test<Gold>(4)) == 4, 4);
        assert!(coin::supply(object::borrow(&info)) == 9, 5);
        object::transfer(info, @0x42);
    }

    #[test]
    fun a_transaction_was_validated() {
        auth_validator::set_simple_tx_validate_result_for_testing(option::some(b"key"));
        auth_validator::set_random_tx_validate_result_for_testing(option::none());
        assert!(option::is_none(&auth_validator::get_session_key_from_ctx_option()), 1);
    }

    #[test]
    fun a_block_of_bitcoin_is_executed() {
        bitcoin_move::genesis::init_for_test();
        let miner = bitcoin_address::random_address_for_testing();
        let block = types::fake_block_for_test(5000, miner);
        let hash = types::header_to_hash(types::header(&block));
        bitcoin::execute_l1_block_for_test(5, block);
        assert!(bitcoin::get_block_height(hash) == option::some(5), 1);
        assert!(bitcoin::get_bitcoin_time() == 5000 && timestamp::now_seconds() == 5000, 2);
        bitcoin::add_latest_block(9, @0x9);
        let (height, _) = types::unpack_block_height_hash(option::destroy_some(bitcoin::get_latest_block()));
        assert!(height == 9, 3);
    }

    #[test]
    fun outputs_and_inscriptions_are_made() {
        bitcoin_move::genesis::init_for_test();
        utxo::transfer_for_testing(utxo::new_for_testing(@0x77, 1, 600), @0x42);
        let output = utxo::borrow_utxo(types::new_outpoint(@0x77, 1));
        assert!(utxo::value(object::borrow(output)) == 600 && object::owner(output) == @0x42, 1);
        utxo::drop_for_testing(utxo::new_for_testing(@0x78, 0, 1));
        assert!(!utxo::exists_utxo(types::new_outpoint(@0x78, 0)), 2);
        let (owner, id) = ord::setup_inscription_for_test<Gold>(&account::create_signer_for_testing(@0x4), string::utf8(b"p"));
        assert!(ord::metaprotocol(ord::borrow_inscription(id)) == option::some(string::utf8(b"p")), 3);
        assert!(object::owner(object::borrow_object<ord::Inscription>(ord::derive_inscription_id(id))) == owner, 4);
        assert!(ord::inscription_store_field_size_for_test() == 1, 5);
    }

    #[test]
    fun text_is_printed() { std::debug::print_string(b"hello"); }
}
`;

const COUNTER = `
module me::counter {
    use moveos_std::object;
    struct Counter has key { value: u64 }
    fun init() { object::to_shared(object::new_named_object(Counter { value: other::seven::seven() })); }
    #[test_only]
    public fun init_for_test() { other::seven::is_for_tests(); init() }
    public fun value(): u64 {
        object::borrow(object::borrow_object<Counter>(object::named_object_id<Counter>())).value
    }
}
`;

const OTHER = `
module other::seven {
    public fun seven(): u64 { 7 }
    #[test_only]
    public fun is_for_tests() {}
    #[test]
    fun is_not_run() { abort 1 }
}
`;

describe('a test in Move', () => {
  it('begins on a chain on which nothing ran, and has the functions that are for tests alone', async () => {
    const results = await resultsOf({
      me: {
        'Move.toml': `[package]\nname = "Me"\n[addresses]\nme = "0x42"\n${FRAMEWORK}Other = { local = "../other" }\n`,
        'sources/counter.move': COUNTER,
        'tests/tests.move': TESTS,
      },
      other: {
        'Move.toml': `[package]\nname = "Other"\n[addresses]\nother = "0x43"\n${FRAMEWORK}`,
        'sources/seven.move': OTHER,
      },
    });
    expect(results.size).toBe(15);
    expect(complaints(results)).toEqual(Object.fromEntries([...results.keys()].map((name) => [name, []])));
    expect(results.get('text_is_printed')!.prints).toEqual(['"hello"']);
  });

  it.each([
    ['its init', 'fun init(x: u64) { x; }', /^Bad cannot be published: 0x42::m::init takes/],
    [
      'a call for another module',
      'fun f() { moveos_std::event::emit(1u64) }',
      /^Bad cannot be published: .*event::emit/,
    ],
  ])('is not run where the package could not be published, for %s', async (_what, member, message) => {
    const files = {
      'Move.toml': `[package]\nname = "Bad"\n${FRAMEWORK}`,
      'sources/m.move': `module 0x42::m { ${member} #[test] fun t() {} }`,
    };
    const refusal = { code: 'transaction-rejected', message: expect.stringMatching(message) };
    await expect(resultsOf({ bad: files })).rejects.toMatchObject(refusal);
  });

  it('must fail with the status, the number and the module that its attribute names', async () => {
    const manifest = '[package]\nname = "M"\n[dependencies]\nMoveStdlib = { local = "anywhere" }\n';
    const results = await resultsOf({
      failures: {
        'Move.toml': manifest,
        'sources/m.move': `module 0x42::m {
          use std::vector;
          const E: u64 = 3;
          #[test, expected_failure(vector_error, minor_status = 1, location = Self)]
          fun by_index() { vector::borrow(&vector::empty<u8>(), 0); }
          #[test, expected_failure(vector_error, location = Self)]
          fun by_index_without_number() { vector::borrow(&vector::empty<u8>(), 0); }
          #[test, expected_failure(vector_error, minor_status = 2, location = Self)]
          fun by_emptiness() { vector::pop_back(&mut vector::empty<u8>()); }
          #[test, expected_failure(abort_code = E)]
          fun by_constant() { abort 3 }
          #[test, expected_failure(abort_code = E, location = std::vector)]
          fun in_another_module() { abort 3 }
          #[test, expected_failure(arithmetic_error, location = Self)]
          fun by_abort() { abort 3 }
          #[test, expected_failure]
          fun not_at_all() {}
        }`,
      },
    });
    const failed = [...results].filter(([, { passed }]) => !passed).map(([name]) => name);
    expect(failed).toEqual(['by_index_without_number', 'in_another_module', 'by_abort', 'not_at_all']);
  });
});
