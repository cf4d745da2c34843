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
}
