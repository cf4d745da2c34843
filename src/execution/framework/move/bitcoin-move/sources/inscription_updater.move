/// How a transaction makes and moves inscriptions: each goes where the satoshi that carries it goes, first in first out.
module bitcoin_move::inscription_updater {
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::event;
    use moveos_std::object::{Self, Object};
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::sort;
    use moveos_std::type_info;
    use bitcoin_move::network;
    use bitcoin_move::ord::{Self, Envelope, Inscription, InscriptionID, InscriptionRecord, SatPoint};
    use bitcoin_move::pending_block::{Self, PendingBlock};
    use bitcoin_move::script_buf;
    use bitcoin_move::types::{Self, Transaction};
    use bitcoin_move::utxo::{Self, SealOut, UTXO};

    friend bitcoin_move::bitcoin;

    /// A transaction that pays more than it spends, on the main network.
    const ErrorUTXOBalanceNotMatch: u64 = 1;
    /// Inscriptions without a place after a block's last transaction.
    const ErrorFlotsamNotProcessed: u64 = 2;

    /// An inscription that a transaction makes.
    struct FlotsamNew has copy, drop, store {
        cursed: bool,
        fee: u64,
        hidden: bool,
        parents: vector<InscriptionID>,
        pointer: Option<u64>,
        reinscription: bool,
        unbound: bool,
        vindicated: bool,
        envelope: Envelope<InscriptionRecord>,
    }

    /// An inscription without a place: how many satoshis are before its own, and either what makes it or its old place.
    struct Flotsam has copy, drop, store {
        inscription_id: InscriptionID,
        offset: u64,
        new: Option<FlotsamNew>,
        old: Option<SatPoint>,
    }

    struct InscriptionCreatedEvent has copy, drop, store {
        block_height: u64,
        charms: u16,
        inscription_id: InscriptionID,
        location: Option<SatPoint>,
        parent_inscription_ids: vector<InscriptionID>,
        sequence_number: u32,
    }

    struct InscriptionTransferredEvent has copy, drop, store {
        block_height: u64,
        inscription_id: InscriptionID,
        new_location: SatPoint,
        old_location: SatPoint,
        sequence_number: u32,
        is_burned: bool,
    }

    /// What is carried from transaction to transaction of a block: the inscriptions that went to the miner as fees, the
    /// miner's satoshis, and the counts.
    struct InscriptionUpdater has store {
        block_height: u64,
        seal_protocol: String,
        flotsams: vector<Flotsam>,
        lost_sats: u64,
        reward: u64,
        blessed_inscription_count: u32,
        cursed_inscription_count: u32,
        unbound_inscription_count: u32,
        next_sequence_number: u32,
    }

    /// The place of an inscription among a transaction's outputs.
    struct Location has copy, drop, store {
        new_satpoint: SatPoint,
        flotsam: Flotsam,
        is_op_return: bool,
        owner: address,
    }

    /// The satoshis of an output, counted from the first output's first.
    struct Range has copy, drop, store {
        start: u64,
        end: u64,
    }

    /// The first inscription that a satoshi carries, and how many it carries.
    struct ReinscribeCounter has copy, drop, store {
        inscription_id: InscriptionID,
        count: u64,
    }

    /// Whether a block can hold inscriptions.
    public(friend) fun need_process_oridinals(block_height: u64): bool {
        block_height >= network::first_inscription_height()
    }

    /// Makes and moves the inscriptions of a transaction that spends these outputs; gives the seals for its outputs. A
    /// block's miner's transaction comes last.
    public(friend) fun process_tx(
        pending_block: &mut Object<PendingBlock>,
        tx: &Transaction,
        input_utxos: &mut vector<UTXO>
    ): vector<SealOut> {
        let height = pending_block::block_height(pending_block);
        let seals = vector[];
        if (!need_process_oridinals(height)) return seals;
        let is_coinbase = types::is_coinbase_tx(tx);
        let paid = 0;
        vector::for_each_ref(types::tx_output(tx), |output| paid = paid + types::txout_value(output));
        let updater = begin(pending_block, height);
        let (floating, brought) = collect(tx, input_utxos, height, paid);
        if (is_coinbase) {
            vector::append(&mut floating, updater.flotsams);
            updater.flotsams = vector[];
        };
        sort::sort_by_key(&mut floating, |flotsam| {
            let flotsam: &Flotsam = flotsam;
            &flotsam.offset
        });
        let (placed, passed) = place(&mut updater, &mut seals, tx, &floating);
        // What no output took went to the miner; what the miner did not take is lost. Without any inscription to place,
        // no output has been counted, as on the networks that run release 27.
        while (placed < vector::length(&floating)) {
            let flotsam = *vector::borrow(&floating, placed);
            if (is_coinbase) {
                let offset = updater.lost_sats + flotsam.offset - passed;
                let lost = ord::new_satpoint(types::null_outpoint(), offset);
                update_location(&mut updater, &mut seals, &flotsam, lost, false, @bitcoin_move);
            } else {
                flotsam.offset = updater.reward + flotsam.offset - passed;
                vector::push_back(&mut updater.flotsams, flotsam);
            };
            placed = placed + 1;
        };
        if (is_coinbase) {
            updater.lost_sats = updater.lost_sats + updater.reward - passed;
        } else if (brought >= paid) {
            updater.reward = updater.reward + (brought - paid);
        } else {
            assert!(!utxo::check_utxo_input(), ErrorUTXOBalanceNotMatch);
        };
        finish(pending_block, updater, is_coinbase);
        seals
    }

    /// What the block's transaction before left, or the start of a block.
    fun begin(pending_block: &mut Object<PendingBlock>, block_height: u64): InscriptionUpdater {
        if (pending_block::exists_intermediate<InscriptionUpdater>(pending_block)) {
            return pending_block::take_intermediate<InscriptionUpdater>(pending_block)
        };
        let store = ord::borrow_inscription_store();
        InscriptionUpdater {
            block_height,
            seal_protocol: type_info::type_name<Inscription>(),
            flotsams: vector[],
            lost_sats: ord::lost_sats(store),
            reward: network::subsidy_by_height(block_height),
            blessed_inscription_count: ord::blessed_inscription_count(store),
            cursed_inscription_count: ord::cursed_inscription_count(store),
            unbound_inscription_count: ord::unbound_inscription_count(store),
            next_sequence_number: ord::next_sequence_number(store),
        }
    }

    /// Stores the counts, and keeps the rest for the block's next transaction.
    fun finish(pending_block: &mut Object<PendingBlock>, updater: InscriptionUpdater, is_last: bool) {
        let store = ord::borrow_mut_inscription_store();
        ord::update_cursed_inscription_count(store, updater.cursed_inscription_count);
        ord::update_blessed_inscription_count(store, updater.blessed_inscription_count);
        ord::update_unbound_inscription_count(store, updater.unbound_inscription_count);
        ord::update_lost_sats(store, updater.lost_sats);
        ord::update_next_sequence_number(store, updater.next_sequence_number);
        if (is_last) {
            let InscriptionUpdater {
                block_height: _, seal_protocol: _, flotsams, lost_sats: _, reward: _, blessed_inscription_count: _,
                cursed_inscription_count: _, unbound_inscription_count: _, next_sequence_number: _
            } = updater;
            assert!(vector::is_empty(&flotsams), ErrorFlotsamNotProcessed);
        } else {
            pending_block::add_intermediate(pending_block, updater);
        }
    }

    /// The inscriptions of a transaction's inputs, those that the spent outputs carry and those that the witnesses
    /// make, and the satoshis of the inputs.
    fun collect(
        tx: &Transaction,
        input_utxos: &mut vector<UTXO>,
        height: u64,
        paid: u64
    ): (vector<Flotsam>, u64) {
        let jubilant = height >= network::jubilee_height();
        let floating = vector[];
        let inscribed = simple_map::new<u64, ReinscribeCounter>();
        let envelopes = ord::parse_inscription_from_tx(tx);
        let made = 0;
        let brought = 0;
        let inputs = types::tx_input(tx);
        let i = 0;
        while (i < vector::length(inputs)) {
            if (types::is_null_outpoint(types::txin_previous_output(vector::borrow(inputs, i)))) {
                brought = brought + network::subsidy_by_height(height);
                i = i + 1;
                continue
            };
            let utxo = vector::borrow_mut(input_utxos, i);
            vector::for_each(utxo::remove_seals_internal<Inscription>(utxo), |id| {
                let inscription = object::borrow(ord::borrow_object(id));
                let inscription_id = *ord::id(inscription);
                let location = *ord::location(inscription);
                let offset = brought + ord::satpoint_offset(&location);
                count_inscription(&mut inscribed, offset, inscription_id);
                let flotsam =
                    Flotsam { inscription_id, offset, new: option::none(), old: option::some(location) };
                vector::push_back(&mut floating, flotsam);
            });
            let is_of_none = utxo::value(utxo) == 0;
            while (made < vector::length(&envelopes)) {
                let envelope = vector::borrow(&envelopes, made);
                if (ord::envelope_input(envelope) != (i as u32)) break;
                let inscription_id = ord::new_inscription_id(types::tx_id(tx), (made as u32));
                let flotsam =
                    flotsam_of(envelope, inscription_id, brought, paid, is_of_none, jubilant, &inscribed);
                vector::push_back(&mut floating, flotsam);
                made = made + 1;
            };
            brought = brought + utxo::value(utxo);
            i = i + 1;
        };
        (floating, brought)
    }

    fun count_inscription(
        inscribed: &mut SimpleMap<u64, ReinscribeCounter>,
        offset: u64,
        inscription_id: InscriptionID
    ) {
        if (simple_map::contains_key(inscribed, &offset)) {
            let counter = simple_map::borrow_mut(inscribed, &offset);
            counter.count = counter.count + 1;
        } else {
            simple_map::add(inscribed, offset, ReinscribeCounter { inscription_id, count: 1 });
        }
    }

    /// An inscription that an input makes whose first satoshi has so many before it. It goes to that one, or to the one
    /// that it asks for, if an output has it.
    fun flotsam_of(
        envelope: &Envelope<InscriptionRecord>,
        inscription_id: InscriptionID,
        offset: u64,
        paid: u64,
        is_of_none: bool,
        jubilant: bool,
        inscribed: &SimpleMap<u64, ReinscribeCounter>
    ): Flotsam {
        let record = ord::envelope_payload(envelope);
        let pointer = *ord::inscription_record_pointer(record);
        let is_odd = option::is_some(&curse(envelope, offset, inscribed));
        if (option::is_some(&pointer)) {
            let asked = *option::borrow(&pointer);
            if (asked < paid) offset = asked;
        };
        Flotsam {
            inscription_id,
            offset,
            new: option::some(FlotsamNew {
                cursed: is_odd && !jubilant,
                fee: 0,
                hidden: false,
                parents: *ord::inscription_record_parents(record),
                pointer,
                reinscription: simple_map::contains_key(inscribed, &offset),
                unbound: is_of_none || ord::inscription_record_unrecognized_even_field(record),
                vindicated: is_odd && jubilant,
                envelope: *envelope,
            }),
            old: option::none(),
        }
    }

    /// Places inscriptions, in the order of their satoshis, among a transaction's outputs. Gives how many found a place
    /// and the satoshis of the outputs.
    fun place(
        updater: &mut InscriptionUpdater,
        seals: &mut vector<SealOut>,
        tx: &Transaction,
        floating: &vector<Flotsam>
    ): (u64, u64) {
        let count = vector::length(floating);
        if (count == 0) return (0, 0);
        let outputs = types::tx_output(tx);
        let placed = 0;
        let start = 0;
        let i = 0;
        while (i < vector::length(outputs)) {
            let output = vector::borrow(outputs, i);
            let end = start + types::txout_value(output);
            let is_op_return = script_buf::is_op_return(types::txout_script_pubkey(output));
            let owner = types::txout_object_address(output);
            let outpoint = types::new_outpoint(types::tx_id(tx), (i as u32));
            while (placed < count && vector::borrow(floating, placed).offset < end) {
                let flotsam = vector::borrow(floating, placed);
                let satpoint = asked_place(tx, flotsam, ord::new_satpoint(outpoint, flotsam.offset - start));
                update_location(updater, seals, flotsam, satpoint, is_op_return, owner);
                placed = placed + 1;
            };
            start = end;
            i = i + 1;
        };
        (placed, start)
    }

    /// The place that a new inscription asks for, if an output has it, and else the one given. The two differ where it
    /// came as a fee: its own transaction was too small for what it asks for.
    fun asked_place(tx: &Transaction, flotsam: &Flotsam, satpoint: SatPoint): SatPoint {
        if (option::is_none(&flotsam.new)) return satpoint;
        let pointer = option::borrow(&flotsam.new).pointer;
        if (option::is_none(&pointer)) return satpoint;
        let asked = *option::borrow(&pointer);
        if (asked == flotsam.offset) return satpoint;
        let outputs = types::tx_output(tx);
        let start = 0;
        let i = 0;
        while (i < vector::length(outputs)) {
            let end = start + types::txout_value(vector::borrow(outputs, i));
            if (asked < end) {
                return ord::new_satpoint(types::new_outpoint(types::tx_id(tx), (i as u32)), asked - start)
            };
            start = end;
            i = i + 1;
        };
        satpoint
    }

    /// Moves an inscription to a place, or makes it there, and seals the output.
    fun update_location(
        updater: &mut InscriptionUpdater,
        seals: &mut vector<SealOut>,
        flotsam: &Flotsam,
        satpoint: SatPoint,
        is_op_return: bool,
        owner: address
    ) {
        let id = if (option::is_some(&flotsam.old)) {
            let obj = ord::take_object(ord::derive_inscription_id(flotsam.inscription_id));
            let id = object::id(&obj);
            let sequence_number = ord::sequence_number(object::borrow(&obj));
            ord::transfer_object(obj, owner, satpoint, is_op_return);
            event::emit(InscriptionTransferredEvent {
                block_height: updater.block_height,
                inscription_id: flotsam.inscription_id,
                new_location: satpoint,
                old_location: *option::borrow(&flotsam.old),
                sequence_number,
                is_burned: is_op_return,
            });
            id
        } else {
            let new = option::borrow(&flotsam.new);
            let id = make(updater, flotsam.inscription_id, new, satpoint, is_op_return, owner);
            if (new.unbound) {
                updater.unbound_inscription_count = updater.unbound_inscription_count + 1;
                return
            };
            id
        };
        let seal = utxo::new_utxo_seal(updater.seal_protocol, id);
        vector::push_back(seals, utxo::new_seal_out(ord::satpoint_vout(&satpoint), seal));
    }

    fun make(
        updater: &mut InscriptionUpdater,
        inscription_id: InscriptionID,
        new: &FlotsamNew,
        satpoint: SatPoint,
        is_op_return: bool,
        owner: address
    ): object::ObjectID {
        let number = if (new.cursed) {
            updater.cursed_inscription_count = updater.cursed_inscription_count + 1;
            updater.cursed_inscription_count
        } else {
            updater.blessed_inscription_count = updater.blessed_inscription_count + 1;
            updater.blessed_inscription_count - 1
        };
        let sequence_number = updater.next_sequence_number;
        updater.next_sequence_number = sequence_number + 1;
        let is_lost = types::is_null_outpoint(ord::satpoint_outpoint(&satpoint));
        let charms = charm(0, new.cursed, ord::charm_cursed_flag());
        charms = charm(charms, new.reinscription, ord::charm_reinscription_flag());
        charms = charm(charms, is_op_return, ord::charm_burned_flag());
        charms = charm(charms, is_lost, ord::charm_lost_flag());
        charms = charm(charms, new.unbound, ord::charm_unbound_flag());
        charms = charm(charms, new.vindicated, ord::charm_vindicated_flag());
        let location = if (new.unbound) {
            ord::new_satpoint(types::unbound_outpoint(), (updater.unbound_inscription_count as u64))
        } else {
            satpoint
        };
        let id = ord::create_object(
            inscription_id, location, sequence_number, number, new.cursed, charms, new.envelope, owner
        );
        event::emit(InscriptionCreatedEvent {
            block_height: updater.block_height,
            charms,
            inscription_id,
            location: option::some(satpoint),
            parent_inscription_ids: new.parents,
            sequence_number,
        });
        id
    }

    fun charm(charms: u16, is_set: bool, flag: u16): u16 {
        if (is_set) ord::set_charm(charms, flag) else charms
    }

    // ------------------------------------------------------------------------------------ ways that were not foreseen

    /// A field is there twice.
    public fun curse_duplicate_field(): vector<u8> { b"DuplicateField" }

    /// The last field has no value.
    public fun curse_incompleted_field(): vector<u8> { b"IncompleteField" }

    /// It is not the first of its input.
    public fun curse_not_at_offset_zero(): vector<u8> { b"NotAtOffsetZero" }

    /// It is not in the first input.
    public fun curse_not_in_first_input(): vector<u8> { b"NotInFirstInput" }

    /// It asks for a satoshi.
    public fun curse_pointer(): vector<u8> { b"Pointer" }

    /// Numbers are pushed by their operations.
    public fun curse_pushnum(): vector<u8> { b"Pushnum" }

    /// Its satoshi carries one already.
    public fun curse_reinscription(): vector<u8> { b"Reinscription" }

    /// The opening is begun twice.
    public fun curse_stutter(): vector<u8> { b"Stutter" }

    /// A field has an even number that is not known.
    public fun curse_unrecognized_even_field(): vector<u8> { b"UnrecognizedEvenField" }

    /// The first of the above that is true of an inscription.
    fun curse(
        envelope: &Envelope<InscriptionRecord>,
        offset: u64,
        inscribed: &SimpleMap<u64, ReinscribeCounter>
    ): Option<vector<u8>> {
        let record = ord::envelope_payload(envelope);
        let name = if (ord::inscription_record_unrecognized_even_field(record)) {
            curse_unrecognized_even_field()
        } else if (ord::inscription_record_duplicate_field(record)) {
            curse_duplicate_field()
        } else if (ord::inscription_record_incomplete_field(record)) {
            curse_incompleted_field()
        } else if (ord::envelope_input(envelope) != 0) {
            curse_not_in_first_input()
        } else if (ord::envelope_offset(envelope) != 0) {
            curse_not_at_offset_zero()
        } else if (option::is_some(ord::inscription_record_pointer(record))) {
            curse_pointer()
        } else if (ord::envelope_pushnum(envelope)) {
            curse_pushnum()
        } else if (ord::envelope_stutter(envelope)) {
            curse_stutter()
        } else if (is_cursed_again(offset, inscribed)) {
            curse_reinscription()
        } else {
            return option::none()
        };
        option::some(name)
    }

    /// Whether a satoshi carries inscriptions already: more than one, or one that was not made in such a way itself.
    fun is_cursed_again(offset: u64, inscribed: &SimpleMap<u64, ReinscribeCounter>): bool {
        if (!simple_map::contains_key(inscribed, &offset)) return false;
        let counter = simple_map::borrow(inscribed, &offset);
        if (counter.count > 1) return true;
        let first = ord::borrow_inscription(counter.inscription_id);
        !ord::is_cursed(first) && !ord::is_set_charm(ord::charms(first), ord::charm_vindicated_flag())
    }
}
