/// What anyone can do about Babylon stakes once Bitcoin's blocks are settled.
module bitcoin_move::bbn_updater {
    use std::option;
    use moveos_std::object::{Self, ObjectID};
    use bitcoin_move::bbn::{Self, BBNStakeSeal};
    use bitcoin_move::bitcoin;
    use bitcoin_move::types;
    use bitcoin_move::utxo;

    /// A transaction that is not known.
    const ErrorTransactionNotFound: u64 = 1;

    /// Whether a known transaction could be a stake.
    public fun is_possible_bbn_tx(txid: address): bool {
        let height = bitcoin::get_tx_height(txid);
        let tx = bitcoin::get_tx(txid);
        option::is_some(&height)
            && option::is_some(&tx)
            && bbn::is_possible_bbn_transaction(option::destroy_some(height), option::borrow(&tx))
    }

    /// Takes a known transaction in as a stake.
    public entry fun process_bbn_tx_entry(txid: address) {
        let height = bitcoin::get_tx_height(txid);
        assert!(option::is_some(&height), ErrorTransactionNotFound);
        let tx = bitcoin::get_tx(txid);
        assert!(option::is_some(&tx), ErrorTransactionNotFound);
        bbn::process_bbn_transaction(option::destroy_some(height), option::borrow(&tx));
    }

    /// Whether a stake has ended by the last settled block.
    public fun is_expired(stake: &BBNStakeSeal): bool {
        let latest = bitcoin::get_latest_block();
        if (option::is_none(&latest)) return false;
        let (height, _) = types::unpack_block_height_hash(option::destroy_some(latest));
        bbn::is_expired_at(stake, height)
    }

    /// Ends a stake whose output is spent.
    public entry fun clear_unbonded_stakes(seal_obj_id: ObjectID) {
        let stake = object::borrow(object::borrow_object<BBNStakeSeal>(seal_obj_id));
        if (!utxo::exists_utxo(bbn::outpoint(stake))) bbn::remove_bbn_seal(seal_obj_id);
    }
}
