module rooch_framework::transaction {
    #[data_struct]
    struct TransactionSequenceInfo has copy, drop, store {
        tx_order: u64,
        tx_order_signature: vector<u8>,
        tx_accumulator_root: vector<u8>,
        tx_timestamp: u64,
        tx_accumulator_frozen_subtree_roots: vector<vector<u8>>,
        tx_accumulator_num_leaves: u64,
        tx_accumulator_num_nodes: u64,
    }
}
