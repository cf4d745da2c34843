/// Stakes of the first phase of Babylon: Bitcoin outputs locked under scripts that its parameters fix. Each is an object
/// that belongs to who stakes, and a seal on its output.
module bitcoin_move::bbn {
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::event;
    use moveos_std::event_queue;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::result::{Self, Result};
    use moveos_std::sort;
    use moveos_std::type_info;
    use rooch_framework::bitcoin_address;
    use bitcoin_move::opcode;
    use bitcoin_move::script_buf::{Self, ScriptBuf};
    use bitcoin_move::taproot_builder;
    use bitcoin_move::temp_state;
    use bitcoin_move::types::{Self, OutPoint, Transaction, TxOut};
    use bitcoin_move::utxo::{Self, UTXO};

    friend bitcoin_move::bbn_updater;
    friend bitcoin_move::bitcoin;
    friend bitcoin_move::genesis;

    /// Parameters that are there already.
    const ErrorAlreadyInit: u64 = 1;
    /// A script of no keys.
    const ErrorNoKeysProvided: u64 = 9;
    /// A script that asks for more signatures than it has keys.
    const ErrorInvalidThreshold: u64 = 11;
    /// A tree of scripts without a root.
    const ErrorFailedToFinalizeTaproot: u64 = 12;
    /// An output that is staked already.
    const ErrorUTXOAlreadySealed: u64 = 13;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorNoBabylonUTXO: u64 = 2;
    #[test_only] const ErrorTransactionNotFound: u64 = 3;
    #[test_only] const ErrorNoBabylonOpReturn: u64 = 4;
    #[test_only] const ErrorInvalidBabylonOpReturn: u64 = 5;
    #[test_only] const ErrorTransactionLockTime: u64 = 6;
    #[test_only] const ErrorInvalidBytesLen: u64 = 7;
    #[test_only] const ErrorNotBabylonTx: u64 = 8;
    #[test_only] const ErrorInvalidKeysLen: u64 = 10;
    #[test_only] const ErrorNoBabylonStakingOutput: u64 = 14;
    #[test_only] const ErrorOutBlockRange: u64 = 15;
    /// A function that has been replaced.
    const DeprecatedFunction: u64 = 16;

    /// The field of a stake that holds contracts' values until it ends.
    const TEMPORARY: vector<u8> = b"temporary_area";
    /// A point whose logarithm nobody knows (BIP-341), so that only scripts spend.
    const NO_KEY: vector<u8> = x"50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0";
    /// The tag of the main network: `bbn1`.
    const TAG: vector<u8> = b"bbn1";

    /// First and last height of the parameters of version 1.
    const V1_FIRST: u64 = 864790;
    const V1_LAST: u64 = 864799;
    /// First and last height of the parameters of version 2.
    const V2_FIRST: u64 = 874088;
    const V2_LAST: u64 = 875087;

    struct BBNGlobalParamV0 has copy, drop, store {
        version: u64,
        activation_height: u64,
        staking_cap: u64,
        tag: vector<u8>,
        covenant_pks: vector<vector<u8>>,
        covenant_quorum: u32,
        unbonding_time: u16,
        unbonding_fee: u64,
        max_staking_amount: u64,
        min_staking_amount: u64,
        min_staking_time: u16,
        max_staking_time: u16,
        confirmation_depth: u16,
    }

    struct BBNGlobalParamV1 has copy, drop, store {
        version: u64,
        activation_height: u64,
        cap_height: u64,
        tag: vector<u8>,
        covenant_pks: vector<vector<u8>>,
        covenant_quorum: u32,
        unbonding_time: u16,
        unbonding_fee: u64,
        max_staking_amount: u64,
        min_staking_amount: u64,
        min_staking_time: u16,
        max_staking_time: u16,
        confirmation_depth: u16,
    }

    /// The parameters, a field for each version.
    struct BBNGlobalParams has key {
        max_version: u64,
    }

    struct BBNOpReturnOutput has copy, drop, store {
        op_return_output_idx: u32,
        op_return_data: BBNV0OpReturnData,
    }

    /// What a stake's transaction says in an output that nobody can spend.
    struct BBNV0OpReturnData has copy, drop, store {
        tag: vector<u8>,
        version: u8,
        staker_pub_key: vector<u8>,
        finality_provider_pub_key: vector<u8>,
        staking_time: u16,
    }

    struct BBNStakeSeal has key {
        block_height: u64,
        txid: address,
        staking_output_index: u32,
        tag: vector<u8>,
        staker_pub_key: vector<u8>,
        finality_provider_pub_key: vector<u8>,
        staking_time: u16,
        staking_value: u64,
    }

    /// The three scripts that spend a stake.
    struct BBNScriptPaths has copy, drop, store {
        time_lock_path_script: ScriptBuf,
        unbonding_path_script: ScriptBuf,
        slashing_path_script: ScriptBuf,
    }

    struct BBNStakingEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        stake_object_id: ObjectID,
    }

    struct BBNStakingFailedEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        error: String,
    }

    struct BBNStakingUnbondingEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        staking_output_index: u32,
        staking_time: u16,
        staking_value: u64,
        stake_object_id: ObjectID,
    }

    /// In the queue of the type whose value ended with a stake.
    struct TempStateDropEvent has copy, drop, store {
        stake_object_id: ObjectID,
        staking_time: u16,
        staking_value: u64,
    }

    // ----------------------------------------------------------------------------------------------------- parameters

    /// Makes the parameters of versions 0, 1 and 2.
    public(friend) fun genesis_init() {
        let obj = object::new_named_object(BBNGlobalParams { max_version: 1 });
        let parities = x"030302020303030303";
        let covenant_pks = vector[];
        vector::for_each(covenant_keys(), |key| {
            let compressed = vector[vector::remove(&mut parities, 0)];
            vector::append(&mut compressed, key);
            vector::push_back(&mut covenant_pks, compressed);
        });
        object::add_field(&mut obj, 0, BBNGlobalParamV0 {
            version: 0,
            activation_height: 857910,
            staking_cap: 100_000_000_000,
            tag: TAG,
            covenant_pks,
            covenant_quorum: 6,
            unbonding_time: 1008,
            unbonding_fee: 64_000,
            max_staking_amount: 5_000_000,
            min_staking_amount: 500_000,
            min_staking_time: 64_000,
            max_staking_time: 64_000,
            confirmation_depth: 10,
        });
        object::add_field(&mut obj, 1, later_parameters(1, V1_FIRST, V1_LAST, 50_000_000_000));
        object::to_shared(obj);
        init_bbn_global_param_v2();
    }

    /// Makes the parameters on a chain that began without them.
    public fun init_for_upgrade() {
        assert!(!object::exists_object(parameters_id()), ErrorAlreadyInit);
        genesis_init();
    }

    /// Adds the parameters of version 2.
    entry fun init_bbn_global_param_v2() {
        let obj = object::borrow_mut_object_extend<BBNGlobalParams>(parameters_id());
        assert!(!object::contains_field(obj, 2), ErrorAlreadyInit);
        object::add_field(obj, 2, later_parameters(2, V2_FIRST, V2_LAST, 500_000_000_000));
        object::borrow_mut(obj).max_version = 2;
    }

    // --------------------------------------------------------------------------------------------------- transactions

    /// Aborts: see `bbn_updater`.
    public fun is_possible_bbn_tx(_txid: address): bool {
        abort DeprecatedFunction
    }

    /// Whether a transaction of a block of that height could be a stake.
    public fun is_possible_bbn_transaction(block_height: u64, tx: &Transaction): bool {
        let version = version_at(block_height);
        if (option::is_none(&version)) return false;
        let said = find_op_return(types::tx_output(tx));
        option::is_some(&said)
            && option::borrow(&said).op_return_data.tag == borrow_parameters(option::destroy_some(version)).tag
    }

    /// Aborts: see `bbn_updater`.
    public entry fun process_bbn_tx_entry(_txid: address) {
        abort DeprecatedFunction
    }

    /// Takes a transaction of a block of that height in as a stake, and tells what came of it in an event. One that says
    /// nothing of a stake is no matter.
    public(friend) fun process_bbn_transaction(block_height: u64, tx: &Transaction) {
        let version = version_at(block_height);
        if (option::is_none(&version)) return;
        let said = find_op_return(types::tx_output(tx));
        if (option::is_none(&said)) return;
        let said = option::destroy_some(said).op_return_data;
        let parameters = borrow_parameters(option::destroy_some(version));
        let txid = types::tx_id(tx);
        let outcome = stake(parameters, block_height, tx, said);
        if (result::is_ok(&outcome)) {
            let stake_object_id = result::unwrap(outcome);
            event::emit(BBNStakingEvent { block_height, txid, stake_object_id });
        } else {
            let error = result::unwrap_err(outcome);
            event::emit(BBNStakingFailedEvent { block_height, txid, error });
        }
    }

    /// Ends the stakes of a spent output.
    public(friend) fun on_utxo_spend(utxo: &mut UTXO) {
        vector::for_each(utxo::remove_seals_internal<BBNStakeSeal>(utxo), |id| remove_bbn_seal(id));
    }

    /// Ends a stake, and tells so in an event.
    public(friend) fun remove_bbn_seal(seal_obj_id: ObjectID) {
        let obj = object::take_object_extend<BBNStakeSeal>(seal_obj_id);
        drop_temp_area(&mut obj);
        let BBNStakeSeal {
            block_height, txid, staking_output_index, tag: _, staker_pub_key: _, finality_provider_pub_key: _,
            staking_time, staking_value
        } = object::remove(obj);
        event::emit(BBNStakingUnbondingEvent {
            block_height, txid, staking_output_index, staking_time, staking_value, stake_object_id: seal_obj_id,
        });
    }

    // ---------------------------------------------------------------------------------------------- contracts' values

    #[private_generics(S)]
    /// Puts a value with a stake, until it ends. For the module of the value's type.
    public fun add_temp_state<S: drop + store>(stake: &mut Object<BBNStakeSeal>, state: S) {
        if (!object::contains_field(stake, TEMPORARY)) object::add_field(stake, TEMPORARY, temp_state::new());
        temp_state::add_state(object::borrow_mut_field(stake, TEMPORARY), state);
    }

    /// Whether there is a value of type `S` with a stake.
    public fun contains_temp_state<S: drop + store>(stake: &Object<BBNStakeSeal>): bool {
        object::contains_field(stake, TEMPORARY)
            && temp_state::contains_state<S>(object::borrow_field(stake, TEMPORARY))
    }

    /// The value of type `S` with a stake.
    public fun borrow_temp_state<S: drop + store>(stake: &Object<BBNStakeSeal>): &S {
        temp_state::borrow_state(object::borrow_field(stake, TEMPORARY))
    }

    #[private_generics(S)]
    /// The value of type `S` with a stake, to change it.
    public fun borrow_mut_temp_state<S: drop + store>(stake: &mut Object<BBNStakeSeal>): &mut S {
        temp_state::borrow_mut_state(object::borrow_mut_field(stake, TEMPORARY))
    }

    #[private_generics(S)]
    /// Takes the value of type `S` from a stake.
    public fun remove_temp_state<S: drop + store>(stake: &mut Object<BBNStakeSeal>): S {
        temp_state::remove_state(object::borrow_mut_field(stake, TEMPORARY))
    }

    // ---------------------------------------------------------------------------------------------------------- reads

    /// The height of the block of a stake's transaction.
    public fun block_height(stake: &BBNStakeSeal): u64 { stake.block_height }

    /// A stake's transaction.
    public fun txid(stake: &BBNStakeSeal): address { stake.txid }

    /// The index of a stake's output.
    public fun staking_output_index(stake: &BBNStakeSeal): u32 { stake.staking_output_index }

    /// A stake's output.
    public fun outpoint(stake: &BBNStakeSeal): OutPoint {
        types::new_outpoint(stake.txid, stake.staking_output_index)
    }

    /// The tag of a stake's network.
    public fun tag(stake: &BBNStakeSeal): &vector<u8> { &stake.tag }

    /// The key of who stakes.
    public fun staker_pub_key(stake: &BBNStakeSeal): &vector<u8> { &stake.staker_pub_key }

    /// The key of who is staked on.
    public fun finality_provider_pub_key(stake: &BBNStakeSeal): &vector<u8> { &stake.finality_provider_pub_key }

    /// For how many blocks.
    public fun staking_time(stake: &BBNStakeSeal): u16 { stake.staking_time }

    /// How many satoshis.
    public fun staking_value(stake: &BBNStakeSeal): u64 { stake.staking_value }

    /// Aborts: see `bbn_updater`.
    public fun is_expired(_stake: &BBNStakeSeal): bool {
        abort DeprecatedFunction
    }

    /// Whether a stake has ended by the block of that height.
    public fun is_expired_at(stake: &BBNStakeSeal, current_block_height: u64): bool {
        current_block_height > stake.block_height + (stake.staking_time as u64)
    }

    // ---------------------------------------------------------------------------------------------------------- inner

    fun parameters_id(): ObjectID {
        object::named_object_id<BBNGlobalParams>()
    }

    fun borrow_parameters(version: u64): &BBNGlobalParamV1 {
        object::borrow_field(object::borrow_object<BBNGlobalParams>(parameters_id()), version)
    }

    /// The version of the parameters of a height: stakes of version 0 are not followed.
    fun version_at(height: u64): Option<u64> {
        if (height >= V1_FIRST && height <= V1_LAST) option::some(1)
        else if (height >= V2_FIRST && height <= V2_LAST) option::some(2)
        else option::none()
    }

    fun later_parameters(version: u64, first: u64, last: u64, max_staking_amount: u64): BBNGlobalParamV1 {
        BBNGlobalParamV1 {
            version,
            activation_height: first,
            cap_height: last,
            tag: TAG,
            covenant_pks: covenant_keys(),
            covenant_quorum: 6,
            unbonding_time: 1008,
            unbonding_fee: 32_000,
            max_staking_amount,
            min_staking_amount: 500_000,
            min_staking_time: 64_000,
            max_staking_time: 64_000,
            confirmation_depth: 10,
        }
    }

    /// The keys of the covenant, without the bytes of their parities.
    fun covenant_keys(): vector<vector<u8>> {
        vector[
            x"d45c70d28f169e1f0c7f4a78e2bc73497afe585b70aa897955989068f3350aaa",
            x"4b15848e495a3a62283daaadb3f458a00859fe48e321f0121ebabbdd6698f9fa",
            x"23b29f89b45f4af41588dcaf0ca572ada32872a88224f311373917f1b37d08d1",
            x"d3c79b99ac4d265c2f97ac11e3232c07a598b020cf56c6f055472c893c0967ae",
            x"8242640732773249312c47ca7bdb50ca79f15f2ecc32b9c83ceebba44fb74df7",
            x"e36200aaa8dce9453567bba108bdc51f7f1174b97a65e4dc4402fc5de779d41c",
            x"cbdd028cfe32c1c1f2d84bfec71e19f92df509bba7b8ad31ca6c1a134fe09204",
            x"f178fcce82f95c524b53b077e6180bd2d779a9057fdff4255a0af95af918cee0",
            x"de13fc96ea6899acbdc5db3afaa683f62fe35b60ff6eb723dad28a11d2b12f8c"
        ]
    }

    /// What a transaction of at least two outputs says of a stake, if it does so once.
    fun find_op_return(outputs: &vector<TxOut>): Option<BBNOpReturnOutput> {
        let found = option::none();
        let count = vector::length(outputs);
        if (count < 2) return found;
        let i = 0;
        while (i < count) {
            let data = parse_op_return(types::txout_script_pubkey(vector::borrow(outputs, i)));
            if (option::is_some(&data)) {
                if (option::is_some(&found)) return option::none();
                found = option::some(BBNOpReturnOutput {
                    op_return_output_idx: (i as u32),
                    op_return_data: option::destroy_some(data),
                });
            };
            i = i + 1;
        };
        found
    }

    /// One push of 71 bytes: tag, version, key of who stakes, key of who is staked on, blocks.
    fun parse_op_return(sb: &ScriptBuf): Option<BBNV0OpReturnData> {
        let bytes = script_buf::bytes(sb);
        if (
            vector::length(bytes) != 73
                || *vector::borrow(bytes, 0) != opcode::op_return()
                || *vector::borrow(bytes, 1) != opcode::op_pushbytes_71()
        ) {
            return option::none()
        };
        let high = (*vector::borrow(bytes, 71) as u16);
        let low = (*vector::borrow(bytes, 72) as u16);
        option::some(BBNV0OpReturnData {
            tag: vector::slice(bytes, 2, 6),
            version: *vector::borrow(bytes, 6),
            staker_pub_key: vector::slice(bytes, 7, 39),
            finality_provider_pub_key: vector::slice(bytes, 39, 71),
            staking_time: high << 8 | low,
        })
    }

    /// The output that has a script, if only one has.
    fun find_output(outputs: &vector<TxOut>, sb: &ScriptBuf): Option<u32> {
        let found = option::none();
        let i = 0;
        while (i < vector::length(outputs)) {
            if (types::txout_script_pubkey(vector::borrow(outputs, i)) == sb) {
                if (option::is_some(&found)) return option::none();
                found = option::some((i as u32));
            };
            i = i + 1;
        };
        found
    }

    /// Makes the object of a stake, gives it to who stakes and seals the output; or says what is wrong.
    fun stake(
        parameters: &BBNGlobalParamV1,
        block_height: u64,
        tx: &Transaction,
        said: BBNV0OpReturnData
    ): Result<ObjectID, String> {
        let BBNV0OpReturnData { tag, version, staker_pub_key, finality_provider_pub_key, staking_time } = said;
        if (version != 0) return result::err_str(b"Invalid version");
        if (tag != parameters.tag) return result::err_str(b"Invalid tag");
        if (staking_time < parameters.min_staking_time || staking_time > parameters.max_staking_time) {
            return result::err_str(b"Invalid staking time")
        };
        let sb = output_script(parameters, staker_pub_key, finality_provider_pub_key, staking_time);
        let outputs = types::tx_output(tx);
        let vout = find_output(outputs, &sb);
        if (option::is_none(&vout)) return result::err_str(b"Staking output not found");
        let staking_output_index = option::destroy_some(vout);
        let staking_value = types::txout_value(vector::borrow(outputs, (staking_output_index as u64)));
        if (staking_value < parameters.min_staking_amount || staking_value > parameters.max_staking_amount) {
            return result::err_str(b"Invalid staking amount")
        };
        let txid = types::tx_id(tx);
        let utxo = object::borrow_mut(utxo::borrow_mut_utxo(types::new_outpoint(txid, staking_output_index)));
        let protocol = type_info::type_name<BBNStakeSeal>();
        assert!(!utxo::has_seal_internal(utxo, &protocol), ErrorUTXOAlreadySealed);
        let staker = bitcoin_address::to_rooch_address(
            &bitcoin_address::derive_bitcoin_taproot_address_from_pubkey(&staker_pub_key)
        );
        let obj = object::new(BBNStakeSeal {
            block_height, txid, staking_output_index, tag, staker_pub_key, finality_provider_pub_key, staking_time,
            staking_value,
        });
        let id = object::id(&obj);
        object::transfer_extend(obj, staker);
        utxo::add_seal_internal(utxo, utxo::new_utxo_seal(protocol, id));
        result::ok(id)
    }

    /// The script of a stake's output: a taproot of three leaves. The first spends after the blocks of the stake, the
    /// second with the covenant, the third with the covenant and who is staked on.
    fun output_script(
        parameters: &BBNGlobalParamV1,
        staker_key: vector<u8>,
        provider_key: vector<u8>,
        staking_time: u16
    ): ScriptBuf {
        let time_lock = script_buf::empty();
        push_signature(&mut time_lock, staker_key, opcode::op_checksigverify());
        script_buf::push_int(&mut time_lock, (staking_time as u64));
        script_buf::push_opcode(&mut time_lock, opcode::op_csv());

        let unbonding = script_buf::empty();
        push_signature(&mut unbonding, staker_key, opcode::op_checksigverify());
        let slashing = unbonding;
        push_signature(&mut slashing, provider_key, opcode::op_checksigverify());
        push_signatures(&mut unbonding, parameters.covenant_pks, parameters.covenant_quorum);
        push_signatures(&mut slashing, parameters.covenant_pks, parameters.covenant_quorum);

        let builder = taproot_builder::new();
        taproot_builder::add_leaf(&mut builder, 2, time_lock);
        taproot_builder::add_leaf(&mut builder, 2, unbonding);
        taproot_builder::add_leaf(&mut builder, 1, slashing);
        let root = result::assert_ok(taproot_builder::finalize(builder), ErrorFailedToFinalizeTaproot);
        script_buf::script_pubkey(&bitcoin_address::p2tr(&NO_KEY, option::some(root)))
    }

    fun push_signature(sb: &mut ScriptBuf, key: vector<u8>, check: u8) {
        script_buf::push_x_only_key(sb, key);
        script_buf::push_opcode(sb, check);
    }

    /// Asks for exactly so many signatures of these keys, which are sorted; of the one key if there is one.
    fun push_signatures(sb: &mut ScriptBuf, keys: vector<vector<u8>>, quorum: u32) {
        let quorum = (quorum as u64);
        let count = vector::length(&keys);
        assert!(count > 0, ErrorNoKeysProvided);
        assert!(quorum <= count, ErrorInvalidThreshold);
        if (count == 1) {
            push_signature(sb, vector::pop_back(&mut keys), opcode::op_checksig());
            return
        };
        sort::sort(&mut keys);
        let check = opcode::op_checksig();
        vector::for_each(keys, |key| {
            script_buf::push_data(sb, key);
            script_buf::push_opcode(sb, check);
            check = opcode::op_checksigadd();
        });
        script_buf::push_int(sb, quorum);
        script_buf::push_opcode(sb, opcode::op_numequal());
    }

    /// Ends the values with a stake, and tells the queue of each one's type, the last added first.
    fun drop_temp_area(obj: &mut Object<BBNStakeSeal>) {
        if (!object::contains_field(obj, TEMPORARY)) return;
        let stake_object_id = object::id(obj);
        let staking_time = object::borrow(obj).staking_time;
        let staking_value = object::borrow(obj).staking_value;
        let names = temp_state::remove(object::remove_field(obj, TEMPORARY));
        while (!vector::is_empty(&names)) {
            let name = vector::pop_back(&mut names);
            event_queue::emit(name, TempStateDropEvent { stake_object_id, staking_time, staking_value });
        }
    }
}
