module bitcoin_move::inscription_updater {
    struct Flotsam has copy, drop, store {
        inscription_id: bitcoin_move::ord::InscriptionID,
        offset: u64,
        new: std::option::Option<FlotsamNew>,
        old: std::option::Option<bitcoin_move::ord::SatPoint>,
    }

    struct FlotsamNew has copy, drop, store {
        cursed: bool,
        fee: u64,
        hidden: bool,
        parents: vector<bitcoin_move::ord::InscriptionID>,
        pointer: std::option::Option<u64>,
        reinscription: bool,
        unbound: bool,
        vindicated: bool,
        envelope: bitcoin_move::ord::Envelope<bitcoin_move::ord::InscriptionRecord>,
    }

    struct InscriptionCreatedEvent has copy, drop, store {
        block_height: u64,
        charms: u16,
        inscription_id: bitcoin_move::ord::InscriptionID,
        location: std::option::Option<bitcoin_move::ord::SatPoint>,
        parent_inscription_ids: vector<bitcoin_move::ord::InscriptionID>,
        sequence_number: u32,
    }

    struct InscriptionTransferredEvent has copy, drop, store {
        block_height: u64,
        inscription_id: bitcoin_move::ord::InscriptionID,
        new_location: bitcoin_move::ord::SatPoint,
        old_location: bitcoin_move::ord::SatPoint,
        sequence_number: u32,
        is_burned: bool,
    }

    struct InscriptionUpdater has store {
        block_height: u64,
        seal_protocol: std::string::String,
        flotsams: vector<Flotsam>,
        lost_sats: u64,
        reward: u64,
        blessed_inscription_count: u32,
        cursed_inscription_count: u32,
        unbound_inscription_count: u32,
        next_sequence_number: u32,
    }

    struct Location has copy, drop, store {
        new_satpoint: bitcoin_move::ord::SatPoint,
        flotsam: Flotsam,
        is_op_return: bool,
        owner: address,
    }

    struct Range has copy, drop, store {
        start: u64,
        end: u64,
    }

    struct ReinscribeCounter has copy, drop, store {
        inscription_id: bitcoin_move::ord::InscriptionID,
        count: u64,
    }
}
