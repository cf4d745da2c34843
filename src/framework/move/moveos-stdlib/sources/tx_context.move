module moveos_std::tx_context {
    struct ModuleUpgradeFlag has copy, drop, store {
        is_upgrade: bool,
    }

    struct TxContext {
        sender: address,
        sequence_number: u64,
        max_gas_amount: u64,
        tx_hash: vector<u8>,
        tx_size: u64,
        ids_created: u64,
        map: moveos_std::simple_map::SimpleMap<std::string::String, moveos_std::copyable_any::Any>,
    }

    native fun borrow_inner(): &TxContext;

    native fun borrow_mut_inner(): &mut TxContext;
}
