module bitcoin_move::ord {
    struct Envelope<T0> has copy, drop, store {
        input: u32,
        offset: u32,
        pushnum: bool,
        stutter: bool,
        payload: T0,
    }

    struct Inscription has key {
        id: InscriptionID,
        location: SatPoint,
        sequence_number: u32,
        inscription_number: u32,
        is_cursed: bool,
        charms: u16,
        body: vector<u8>,
        content_encoding: std::option::Option<std::string::String>,
        content_type: std::option::Option<std::string::String>,
        metadata: vector<u8>,
        metaprotocol: std::option::Option<std::string::String>,
        parents: vector<InscriptionID>,
        pointer: std::option::Option<u64>,
        rune: std::option::Option<u128>,
    }

    struct InscriptionCharm has copy, drop, store {
        coin: bool,
        cursed: bool,
        epic: bool,
        legendary: bool,
        lost: bool,
        nineball: bool,
        rare: bool,
        reinscription: bool,
        unbound: bool,
        uncommon: bool,
        vindicated: bool,
        mythic: bool,
        burned: bool,
    }

    struct InscriptionEvent has copy, drop, store {
        metaprotocol: std::string::String,
        sequence_number: u32,
        inscription_obj_id: moveos_std::object::ObjectID,
        event_type: u8,
    }

    struct InscriptionID has copy, drop, store {
        txid: address,
        index: u32,
    }

    struct InscriptionRecord has copy, drop, store {
        body: vector<u8>,
        content_encoding: std::option::Option<std::string::String>,
        content_type: std::option::Option<std::string::String>,
        duplicate_field: bool,
        incomplete_field: bool,
        metadata: vector<u8>,
        metaprotocol: std::option::Option<std::string::String>,
        parents: vector<InscriptionID>,
        pointer: std::option::Option<u64>,
        unrecognized_even_field: bool,
        rune: std::option::Option<u128>,
    }

    struct InscriptionStore has key {
        cursed_inscription_count: u32,
        blessed_inscription_count: u32,
        unbound_inscription_count: u32,
        lost_sats: u64,
        next_sequence_number: u32,
    }

    struct InvalidInscriptionEvent has copy, drop, store {
        txid: address,
        input_index: u64,
        record: InscriptionRecord,
    }

    struct MetaprotocolRegistry has key {}

    struct MetaprotocolValidity has copy, drop, store {
        protocol_type: std::string::String,
        is_valid: bool,
        invalid_reason: std::option::Option<std::string::String>,
    }

    struct SatPoint has copy, drop, store {
        outpoint: bitcoin_move::types::OutPoint,
        offset: u64,
    }

    struct TempStateDropEvent has copy, drop, store {
        inscription_obj_id: moveos_std::object::ObjectID,
        inscription_id: InscriptionID,
    }

    native fun from_witness(a0: &bitcoin_move::types::Witness): vector<Envelope<InscriptionRecord>>;
}
