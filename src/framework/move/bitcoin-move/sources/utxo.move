module bitcoin_move::utxo {
    struct BitcoinUTXOStore has key {}

    struct ReceiveUTXOEvent has copy, drop, store {
        txid: address,
        sender: std::option::Option<address>,
        receiver: address,
        value: u64,
    }

    struct SealOut has copy, drop, store {
        vout: u32,
        seal: UTXOSeal,
    }

    struct SpendUTXOEvent has copy, drop, store {
        txid: address,
        sender: address,
        receiver: std::option::Option<address>,
        value: u64,
    }

    struct TempStateDropEvent has copy, drop, store {
        utxo_obj_id: moveos_std::object::ObjectID,
        outpoint: bitcoin_move::types::OutPoint,
        value: u64,
    }

    struct UTXO has key {
        txid: address,
        vout: u32,
        value: u64,
        seals: moveos_std::simple_multimap::SimpleMultiMap<std::string::String, moveos_std::object::ObjectID>,
    }

    struct UTXOSeal has copy, drop, store {
        protocol: std::string::String,
        object_id: moveos_std::object::ObjectID,
    }
}
