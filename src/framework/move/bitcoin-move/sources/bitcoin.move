module bitcoin_move::bitcoin {
    struct BitcoinBlockStore has key {
        genesis_block: bitcoin_move::types::BlockHeightHash,
        latest_block: std::option::Option<bitcoin_move::types::BlockHeightHash>,
        blocks: moveos_std::table::Table<address, bitcoin_move::types::Header>,
        height_to_hash: moveos_std::table::Table<u64, address>,
        hash_to_height: moveos_std::table::Table<address, u64>,
        txs: moveos_std::table::Table<address, bitcoin_move::types::Transaction>,
        tx_to_height: moveos_std::table::Table<address, u64>,
        tx_ids: moveos_std::table_vec::TableVec<address>,
    }

    struct RepeatCoinbaseTxEvent has copy, drop {
        txid: address,
        vout: u32,
        block_height: u64,
    }

    struct TxVerifiedEvent has copy, drop {
        block_hash: address,
        txid: address,
    }

    struct UTXONotExistsEvent has copy, drop {
        outpoint: bitcoin_move::types::OutPoint,
    }
}
