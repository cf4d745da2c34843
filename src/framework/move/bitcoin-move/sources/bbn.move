module bitcoin_move::bbn {
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

    struct BBNGlobalParams has key {
        max_version: u64,
    }

    struct BBNOpReturnOutput has copy, drop, store {
        op_return_output_idx: u32,
        op_return_data: BBNV0OpReturnData,
    }

    struct BBNScriptPaths has copy, drop, store {
        time_lock_path_script: bitcoin_move::script_buf::ScriptBuf,
        unbonding_path_script: bitcoin_move::script_buf::ScriptBuf,
        slashing_path_script: bitcoin_move::script_buf::ScriptBuf,
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

    struct BBNStakingEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        stake_object_id: moveos_std::object::ObjectID,
    }

    struct BBNStakingFailedEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        error: std::string::String,
    }

    struct BBNStakingUnbondingEvent has copy, drop, store {
        block_height: u64,
        txid: address,
        staking_output_index: u32,
        staking_time: u16,
        staking_value: u64,
        stake_object_id: moveos_std::object::ObjectID,
    }

    struct BBNV0OpReturnData has copy, drop, store {
        tag: vector<u8>,
        version: u8,
        staker_pub_key: vector<u8>,
        finality_provider_pub_key: vector<u8>,
        staking_time: u16,
    }

    struct TempStateDropEvent has copy, drop, store {
        stake_object_id: moveos_std::object::ObjectID,
        staking_time: u16,
        staking_value: u64,
    }
}
