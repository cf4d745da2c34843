/// The first state of this package.
module bitcoin_move::genesis {
    use std::option;
    use moveos_std::signer;
    use moveos_std::tx_context;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use bitcoin_move::bbn;
    use bitcoin_move::bitcoin;
    use bitcoin_move::bitcoin_multisign_validator;
    use bitcoin_move::multisign_account;
    use bitcoin_move::network;
    use bitcoin_move::ord;
    use bitcoin_move::pending_block;
    use bitcoin_move::utxo;

    /// No settings in the transaction's context.
    const ErrorGenesisInit: u64 = 1;
    /// An address that does not follow from the keys.
    const ErrorInvalidRoochDaoAddress: u64 = 2;

    /// The settings, which the chain puts into the context of its first transaction.
    struct BitcoinGenesisContext has copy, drop, store {
        network: u8,
        genesis_block_height: u64,
        genesis_block_hash: address,
        reorg_block_count: u64,
        rooch_dao: MultisignAccountConfig,
    }

    struct MultisignAccountConfig has copy, drop, store {
        multisign_bitcoin_address: BitcoinAddress,
        threshold: u64,
        participant_public_keys: vector<vector<u8>>,
    }

    fun init() {
        let settings = tx_context::get_attribute<BitcoinGenesisContext>();
        assert!(option::is_some(&settings), ErrorGenesisInit);
        let BitcoinGenesisContext {
            network, genesis_block_height, genesis_block_hash, reorg_block_count, rooch_dao
        } = option::destroy_some(settings);
        network::genesis_init(network);
        utxo::genesis_init();
        ord::genesis_init();
        bbn::genesis_init();
        let system = signer::module_signer<BitcoinGenesisContext>();
        bitcoin::genesis_init(&system, genesis_block_height, genesis_block_hash);
        pending_block::genesis_init(reorg_block_count);
        bitcoin_multisign_validator::genesis_init();
        let MultisignAccountConfig { multisign_bitcoin_address, threshold, participant_public_keys } = rooch_dao;
        let made = multisign_account::initialize_multisig_account(threshold, participant_public_keys);
        assert!(made == bitcoin_address::to_rooch_address(&multisign_bitcoin_address), ErrorInvalidRoochDaoAddress);
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the objects of this package and of those that it needs, for a chain that follows Bitcoin's signet from the
    /// first block on and waits for no block to be followed by others.
    public fun init_for_test() {
        rooch_framework::genesis::init_for_test();
        let rooch_dao = b"bc1pevdrc8yqmgd94h2mpz9st0u77htmx935hzck3ruwsvcf4w7wrnqqd0yvze";
        let hash = b"0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
        let settings = BitcoinGenesisContext {
            network: network::network_signet(),
            genesis_block_height: 0,
            genesis_block_hash: bitcoin_move::bitcoin_hash::from_ascii_bytes(&hash),
            reorg_block_count: 0,
            rooch_dao: MultisignAccountConfig {
                multisign_bitcoin_address: bitcoin_address::from_string(&std::string::utf8(rooch_dao)),
                threshold: 1,
                participant_public_keys: vector[x"03ff7e1d7b4a152671124545f4fb68efe2a9bd0b3870ac22fee4afd4ecdfa8a19c"],
            },
        };
        tx_context::add_attribute_via_system(&signer::module_signer<BitcoinGenesisContext>(), settings);
        init();
    }
}
