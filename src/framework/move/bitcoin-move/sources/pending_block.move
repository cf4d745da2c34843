module bitcoin_move::pending_block {
    struct InprocessBlock {
        block_hash: address,
        block_obj: moveos_std::object::Object<PendingBlock>,
        tx: bitcoin_move::types::Transaction,
    }

    struct PendingBlock has key {
        block_height: u64,
        block_hash: address,
        header: bitcoin_move::types::Header,
        processed_tx: u64,
        next_block_hash: std::option::Option<address>,
    }

    struct PendingStore has key {
        pending_blocks: moveos_std::simple_map::SimpleMap<u64, address>,
        best_block: std::option::Option<bitcoin_move::types::BlockHeightHash>,
        reorg_block_count: u64,
    }

    struct PendingTxs has copy, drop, store {
        block_hash: address,
        txs: vector<address>,
    }

    struct ReadyPendingBlockHeader has copy, drop, store {
        block_height: u64,
        block_hash: address,
        header: bitcoin_move::types::Header,
    }

    struct ReorgEvent has copy, drop {
        block_height: u64,
        block_hash: address,
        success: bool,
    }
}
