module bitcoin_move::types {
    #[data_struct]
    struct Block has copy, drop, store {
        header: Header,
        txdata: vector<Transaction>,
    }

    #[data_struct]
    struct BlockHeightHash has copy, drop, store {
        block_height: u64,
        block_hash: address,
    }

    #[data_struct]
    struct Header has copy, drop, store {
        version: u32,
        prev_blockhash: address,
        merkle_root: address,
        time: u32,
        bits: u32,
        nonce: u32,
    }

    #[data_struct]
    struct MerkleProof has copy, drop, store {
        proof: vector<ProofNode>,
    }

    #[data_struct]
    struct OutPoint has copy, drop, store {
        txid: address,
        vout: u32,
    }

    #[data_struct]
    struct ProofNode has copy, drop, store {
        hash: address,
        is_left: bool,
    }

    #[data_struct]
    struct Transaction has copy, drop, store {
        id: address,
        version: u32,
        lock_time: u32,
        input: vector<TxIn>,
        output: vector<TxOut>,
    }

    #[data_struct]
    struct TxIn has copy, drop, store {
        previous_output: OutPoint,
        script_sig: vector<u8>,
        sequence: u32,
        witness: Witness,
    }

    #[data_struct]
    struct TxOut has copy, drop, store {
        value: u64,
        script_pubkey: bitcoin_move::script_buf::ScriptBuf,
        recipient_address: rooch_framework::bitcoin_address::BitcoinAddress,
    }

    #[data_struct]
    struct Witness has copy, drop, store {
        witness: vector<vector<u8>>,
    }
}
