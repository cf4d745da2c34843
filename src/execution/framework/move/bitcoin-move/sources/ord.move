/// Inscriptions (ordinals): content that Bitcoin transactions attach to satoshis, each an object under one store whose
/// number follows from the inscription's.
module bitcoin_move::ord {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::bag::{Self, Bag};
    use moveos_std::core_addresses;
    use moveos_std::event_queue;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::string_utils;
    use moveos_std::type_info;
    use rooch_framework::onchain_config;
    use bitcoin_move::bitcoin_hash;
    use bitcoin_move::temp_state;
    use bitcoin_move::types::{Self, OutPoint, Transaction, Witness};

    friend bitcoin_move::bitcoin;
    friend bitcoin_move::genesis;
    friend bitcoin_move::inscription_updater;

    /// A metaprotocol whose name is taken.
    const ErrorMetaprotocolAlreadyRegistered: u64 = 1;
    /// A type that is not the one of the inscription's metaprotocol.
    const ErrorMetaprotocolProtocolMismatch: u64 = 2;
    /// No inscription of that number.
    const ErrorInscriptionNotExists: u64 = 3;

    /// The field of an inscription that holds contracts' values for good.
    const PERMANENT: vector<u8> = b"permanent_area";
    /// The field of an inscription that holds contracts' values until it moves.
    const TEMPORARY: vector<u8> = b"temporary_area";
    /// The field of an inscription that holds what its metaprotocol thinks of it.
    const VALIDITY: vector<u8> = b"metaprotocol_validity";

    const EVENT_NEW: u8 = 0;
    const EVENT_BURN: u8 = 1;

    /// Number of an inscription: the transaction that made it, and which of that transaction's it is.
    struct InscriptionID has copy, drop, store {
        txid: address,
        index: u32,
    }

    /// Place of a satoshi: the output, and how many are before it there.
    struct SatPoint has copy, drop, store {
        outpoint: OutPoint,
        offset: u64,
    }

    struct Inscription has key {
        id: InscriptionID,
        location: SatPoint,
        sequence_number: u32,
        inscription_number: u32,
        is_cursed: bool,
        charms: u16,
        body: vector<u8>,
        content_encoding: Option<String>,
        content_type: Option<String>,
        metadata: vector<u8>,
        metaprotocol: Option<String>,
        parents: vector<InscriptionID>,
        pointer: Option<u64>,
        rune: Option<u128>,
    }

    /// An inscription as a witness holds it: the input, which of the input's it is, and whether it was written in ways
    /// that were not foreseen.
    struct Envelope<T> has copy, drop, store {
        input: u32,
        offset: u32,
        pushnum: bool,
        stutter: bool,
        payload: T,
    }

    struct InscriptionRecord has copy, drop, store {
        body: vector<u8>,
        content_encoding: Option<String>,
        content_type: Option<String>,
        duplicate_field: bool,
        incomplete_field: bool,
        metadata: vector<u8>,
        metaprotocol: Option<String>,
        parents: vector<InscriptionID>,
        pointer: Option<u64>,
        unrecognized_even_field: bool,
        rune: Option<u128>,
    }

    struct InvalidInscriptionEvent has copy, drop, store {
        txid: address,
        input_index: u64,
        record: InscriptionRecord,
    }

    /// The types of metaprotocols, in fields named as the metaprotocols.
    struct MetaprotocolRegistry has key {}

    struct MetaprotocolValidity has copy, drop, store {
        protocol_type: String,
        is_valid: bool,
        invalid_reason: Option<String>,
    }

    /// What all inscriptions are under, with their counts; a field for each sequence number holds the inscription's.
    struct InscriptionStore has key {
        cursed_inscription_count: u32,
        blessed_inscription_count: u32,
        unbound_inscription_count: u32,
        lost_sats: u64,
        next_sequence_number: u32,
    }

    /// In the queue of a metaprotocol: an inscription was made or burned.
    struct InscriptionEvent has copy, drop, store {
        metaprotocol: String,
        sequence_number: u32,
        inscription_obj_id: ObjectID,
        event_type: u8,
    }

    /// In the queue of the type whose value ended as an inscription moved.
    struct TempStateDropEvent has copy, drop, store {
        inscription_obj_id: ObjectID,
        inscription_id: InscriptionID,
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

    // ------------------------------------------------------------------------------------------------------ the store

    /// Makes the store, if there is none.
    public(friend) fun genesis_init() {
        if (!object::exists_object(store_id())) {
            object::to_shared(object::new_named_object(InscriptionStore {
                cursed_inscription_count: 0,
                blessed_inscription_count: 0,
                unbound_inscription_count: 0,
                lost_sats: 0,
                next_sequence_number: 0,
            }));
        }
    }

    /// The store's counts.
    public(friend) fun borrow_inscription_store(): &InscriptionStore {
        object::borrow(object::borrow_object<InscriptionStore>(store_id()))
    }

    /// The store's counts, to change them.
    public(friend) fun borrow_mut_inscription_store(): &mut InscriptionStore {
        object::borrow_mut(object::borrow_mut_object_shared<InscriptionStore>(store_id()))
    }

    /// Ends all inscriptions and begins the counts anew. For administrators.
    public entry fun reset_inscription_store(account: &signer) {
        onchain_config::ensure_admin(account);
        if (!object::exists_object_with_type<InscriptionStore>(store_id())) return;
        let system = signer::module_signer<InscriptionStore>();
        let store_obj = object::borrow_mut_object_shared<InscriptionStore>(store_id());
        object::clear_fields_by_system(&system, store_obj);
        let store = object::borrow_mut(store_obj);
        store.cursed_inscription_count = 0;
        store.blessed_inscription_count = 0;
        store.unbound_inscription_count = 0;
        store.lost_sats = 0;
        store.next_sequence_number = 0;
    }

    /// How many inscriptions are not cursed.
    public(friend) fun blessed_inscription_count(inscription_store: &InscriptionStore): u32 {
        inscription_store.blessed_inscription_count
    }

    /// Sets the above.
    public(friend) fun update_blessed_inscription_count(inscription_store: &mut InscriptionStore, count: u32) {
        inscription_store.blessed_inscription_count = count;
    }

    /// How many inscriptions are cursed.
    public(friend) fun cursed_inscription_count(inscription_store: &InscriptionStore): u32 {
        inscription_store.cursed_inscription_count
    }

    /// Sets the above.
    public(friend) fun update_cursed_inscription_count(inscription_store: &mut InscriptionStore, count: u32) {
        inscription_store.cursed_inscription_count = count;
    }

    /// How many inscriptions no satoshi carries.
    public(friend) fun unbound_inscription_count(inscription_store: &InscriptionStore): u32 {
        inscription_store.unbound_inscription_count
    }

    /// Sets the above.
    public(friend) fun update_unbound_inscription_count(inscription_store: &mut InscriptionStore, count: u32) {
        inscription_store.unbound_inscription_count = count;
    }

    /// Satoshis that miners did not claim.
    public(friend) fun lost_sats(inscription_store: &InscriptionStore): u64 {
        inscription_store.lost_sats
    }

    /// Sets the above.
    public(friend) fun update_lost_sats(inscription_store: &mut InscriptionStore, count: u64) {
        inscription_store.lost_sats = count;
    }

    /// The sequence number of the next inscription.
    public(friend) fun next_sequence_number(inscription_store: &InscriptionStore): u32 {
        inscription_store.next_sequence_number
    }

    /// Sets the above.
    public(friend) fun update_next_sequence_number(inscription_store: &mut InscriptionStore, count: u32) {
        inscription_store.next_sequence_number = count;
    }

    /// The inscription of a sequence number.
    public fun get_inscription_id_by_sequence_number(sequence_number: u32): &InscriptionID {
        object::borrow_field(object::borrow_object<InscriptionStore>(store_id()), sequence_number)
    }

    /// The sequence number of the next inscription.
    public fun get_inscription_next_sequence_number(): u32 {
        borrow_inscription_store().next_sequence_number
    }

    // --------------------------------------------------------------------------------------------- numbers and places

    /// The number of an inscription.
    public fun new_inscription_id(txid: address, index: u32): InscriptionID {
        InscriptionID { txid, index }
    }

    /// The transaction that made an inscription.
    public fun inscription_id_txid(self: &InscriptionID): address { self.txid }

    /// Which of its transaction's an inscription is.
    public fun inscription_id_index(self: &InscriptionID): u32 { self.index }

    /// The number of an inscription's object.
    public fun derive_inscription_id(inscription_id: InscriptionID): ObjectID {
        object::custom_object_id_with_parent<InscriptionID, Inscription>(store_id(), inscription_id)
    }

    /// Reads the text of an inscription's number, if it is one. An index past 32 bits aborts.
    public fun parse_inscription_id(inscription_id: &String): Option<InscriptionID> {
        let length = string::length(inscription_id);
        let at = string::index_of(inscription_id, &string::utf8(b"i"));
        if (at == length) return option::none();
        let txid = bitcoin_hash::from_ascii_bytes_option(string::bytes(&string::sub_string(inscription_id, 0, at)));
        if (option::is_none(&txid)) return option::none();
        let index = string_utils::parse_u64_option(&string::sub_string(inscription_id, at + 1, length));
        if (option::is_none(&index)) return option::none();
        option::some(new_inscription_id(option::destroy_some(txid), (option::destroy_some(index) as u32)))
    }

    /// The text of an inscription's number: the transaction's, `i`, the index.
    public fun inscription_id_to_string(inscription_id: &InscriptionID): String {
        let text = bitcoin_hash::to_string(inscription_id.txid);
        string::append_utf8(&mut text, b"i");
        string::append(&mut text, string_utils::to_string_u32(inscription_id.index));
        text
    }

    /// The place of a satoshi.
    public fun new_satpoint(outpoint: OutPoint, offset: u64): SatPoint {
        SatPoint { outpoint, offset }
    }

    /// The output, and how many satoshis are before.
    public fun unpack_satpoint(satpoint: SatPoint): (OutPoint, u64) {
        let SatPoint { outpoint, offset } = satpoint;
        (outpoint, offset)
    }

    /// How many satoshis of the output are before.
    public fun satpoint_offset(satpoint: &SatPoint): u64 { satpoint.offset }

    /// The output.
    public fun satpoint_outpoint(satpoint: &SatPoint): &OutPoint { &satpoint.outpoint }

    /// The index of the output.
    public fun satpoint_vout(satpoint: &SatPoint): u32 { types::outpoint_vout(&satpoint.outpoint) }

    // -------------------------------------------------------------------------------------------------------- objects

    /// Makes an inscription and gives it to whom its output pays; tells its metaprotocol.
    public(friend) fun create_object(
        id: InscriptionID,
        location: SatPoint,
        sequence_number: u32,
        inscription_number: u32,
        is_cursed: bool,
        charms: u16,
        envelope: Envelope<InscriptionRecord>,
        owner: address
    ): ObjectID {
        let InscriptionRecord {
            body, content_encoding, content_type, duplicate_field: _, incomplete_field: _, metadata, metaprotocol,
            parents, pointer, unrecognized_even_field: _, rune
        } = envelope.payload;
        let store = object::borrow_mut_object_shared<InscriptionStore>(store_id());
        object::add_field(store, sequence_number, id);
        let obj = object::new_with_parent_and_id(store, id, Inscription {
            id, location, sequence_number, inscription_number, is_cursed, charms, body, content_encoding,
            content_type, metadata, metaprotocol, parents, pointer, rune,
        });
        let inscription_obj_id = object::id(&obj);
        tell(metaprotocol, sequence_number, inscription_obj_id, EVENT_NEW);
        object::transfer_extend(obj, owner);
        inscription_obj_id
    }

    /// Moves an inscription, which ends the values that last until then. One that went to an output that nobody can
    /// spend is burned: it belongs to this package, and its metaprotocol is told.
    public(friend) fun transfer_object(
        inscription_obj: Object<Inscription>,
        to: address,
        new_location: SatPoint,
        is_op_return: bool
    ) {
        drop_temp_area(&mut inscription_obj);
        let inscription_obj_id = object::id(&inscription_obj);
        let inscription = object::borrow_mut(&mut inscription_obj);
        inscription.location = new_location;
        if (is_op_return) {
            inscription.charms = set_charm(inscription.charms, charm_burned_flag());
            tell(inscription.metaprotocol, inscription.sequence_number, inscription_obj_id, EVENT_BURN);
            to = @bitcoin_move;
        };
        object::transfer_extend(inscription_obj, to);
    }

    /// Takes an inscription from whom it belongs to.
    public(friend) fun take_object(inscription_obj_id: ObjectID): Object<Inscription> {
        object::take_object_extend(inscription_obj_id)
    }

    /// An inscription's object.
    public(friend) fun borrow_object(inscription_obj_id: ObjectID): &Object<Inscription> {
        object::borrow_object(inscription_obj_id)
    }

    /// Whether there is an inscription of that number.
    public fun exists_inscription(id: InscriptionID): bool {
        object::exists_object_with_type<Inscription>(derive_inscription_id(id))
    }

    /// The inscription of a number.
    public fun borrow_inscription(id: InscriptionID): &Inscription {
        assert!(exists_inscription(id), ErrorInscriptionNotExists);
        object::borrow(object::borrow_object(derive_inscription_id(id)))
    }

    /// The transaction that made it.
    public fun txid(self: &Inscription): address { self.id.txid }

    /// Which of its transaction's it is.
    public fun index(self: &Inscription): u32 { self.id.index }

    /// Its number.
    public fun id(self: &Inscription): &InscriptionID { &self.id }

    /// The satoshi that carries it.
    public fun location(self: &Inscription): &SatPoint { &self.location }

    /// How many satoshis of its output are before it.
    public fun offset(self: &Inscription): u64 { self.location.offset }

    /// Which of all inscriptions it is.
    public fun sequence_number(self: &Inscription): u32 { self.sequence_number }

    /// Which of all cursed ones it is, from 1, or of all others, from 0.
    public fun inscription_number(self: &Inscription): u32 { self.inscription_number }

    /// Whether it is cursed.
    public fun is_cursed(self: &Inscription): bool { self.is_cursed }

    /// Its charms, a bit each.
    public fun charms(self: &Inscription): u16 { self.charms }

    /// Its content.
    public fun body(self: &Inscription): vector<u8> { self.body }

    /// The encoding of its content.
    public fun content_encoding(self: &Inscription): Option<String> { self.content_encoding }

    /// The type of its content.
    public fun content_type(self: &Inscription): Option<String> { self.content_type }

    /// Its metadata, in CBOR.
    public fun metadata(self: &Inscription): vector<u8> { self.metadata }

    /// Its metaprotocol.
    public fun metaprotocol(self: &Inscription): Option<String> { self.metaprotocol }

    /// The inscriptions that it is of.
    public fun parents(self: &Inscription): vector<InscriptionID> { self.parents }

    /// Where among the outputs it asked to be.
    public fun pointer(self: &Inscription): Option<u64> { self.pointer }

    // ------------------------------------------------------------------------------------------------------ witnesses

    /// The inscriptions of a witness.
    native fun from_witness(witness: &Witness): vector<Envelope<InscriptionRecord>>;

    /// The inscriptions of a transaction.
    public(friend) fun parse_inscription_from_tx(tx: &Transaction): vector<Envelope<InscriptionRecord>> {
        let inputs = types::tx_input(tx);
        let all = vector[];
        let i = 0;
        while (i < vector::length(inputs)) {
            let envelopes = from_witness(types::txin_witness(vector::borrow(inputs, i)));
            let k = 0;
            while (k < vector::length(&envelopes)) {
                vector::borrow_mut(&mut envelopes, k).input = (i as u32);
                k = k + 1;
            };
            vector::append(&mut all, envelopes);
            i = i + 1;
        };
        all
    }

    /// The index of the input.
    public(friend) fun envelope_input<T>(envelope: &Envelope<T>): u32 { envelope.input }

    /// Which of the input's it is.
    public(friend) fun envelope_offset<T>(envelope: &Envelope<T>): u32 { envelope.offset }

    /// What it says.
    public(friend) fun envelope_payload<T>(envelope: &Envelope<T>): &T { &envelope.payload }

    /// Whether numbers were pushed by their operations.
    public(friend) fun envelope_pushnum<T>(envelope: &Envelope<T>): bool { envelope.pushnum }

    /// Whether the opening was begun twice.
    public(friend) fun envelope_stutter<T>(envelope: &Envelope<T>): bool { envelope.stutter }

    /// Where among the outputs it asks to be.
    public(friend) fun inscription_record_pointer(record: &InscriptionRecord): &Option<u64> { &record.pointer }

    /// The inscriptions that it says to be of.
    public(friend) fun inscription_record_parents(record: &InscriptionRecord): &vector<InscriptionID> {
        &record.parents
    }

    /// Whether it has a field of an even number that is not known.
    public(friend) fun inscription_record_unrecognized_even_field(record: &InscriptionRecord): bool {
        record.unrecognized_even_field
    }

    /// Whether it has a field twice.
    public(friend) fun inscription_record_duplicate_field(record: &InscriptionRecord): bool { record.duplicate_field }

    /// Whether its last field has no value.
    public(friend) fun inscription_record_incomplete_field(record: &InscriptionRecord): bool { record.incomplete_field }

    /// Its metaprotocol.
    public(friend) fun inscription_record_metaprotocol(record: &InscriptionRecord): &Option<String> {
        &record.metaprotocol
    }

    /// The rune that it commits to.
    public(friend) fun inscription_record_rune(record: &InscriptionRecord): &Option<u128> { &record.rune }

    /// Its metadata, in CBOR.
    public(friend) fun inscription_record_metadata(record: &InscriptionRecord): &vector<u8> { &record.metadata }

    /// The type of its content.
    public(friend) fun inscription_record_content_type(record: &InscriptionRecord): &Option<String> {
        &record.content_type
    }

    /// The encoding of its content.
    public(friend) fun inscription_record_content_encoding(record: &InscriptionRecord): &Option<String> {
        &record.content_encoding
    }

    /// Its content.
    public(friend) fun inscription_record_body(record: &InscriptionRecord): &vector<u8> { &record.body }

    // ---------------------------------------------------------------------------------------------- contracts' values

    #[private_generics(S)]
    /// Puts a value with an inscription, for good. For the module of the value's type.
    public fun add_permanent_state<S: store>(inscription: &mut Object<Inscription>, state: S) {
        if (!object::contains_field(inscription, PERMANENT)) object::add_field(inscription, PERMANENT, bag::new());
        bag::add(borrow_mut_permanent_area(inscription), type_info::type_name<S>(), state);
    }

    /// Whether there is a value of type `S` with an inscription, for good.
    public fun contains_permanent_state<S: store>(inscription: &Object<Inscription>): bool {
        object::contains_field(inscription, PERMANENT)
            && bag::contains(borrow_permanent_area(inscription), type_info::type_name<S>())
    }

    /// The value of type `S` with an inscription.
    public fun borrow_permanent_state<S: store>(inscription: &Object<Inscription>): &S {
        bag::borrow(borrow_permanent_area(inscription), type_info::type_name<S>())
    }

    #[private_generics(S)]
    /// The value of type `S` with an inscription, to change it.
    public fun borrow_mut_permanent_state<S: store>(inscription: &mut Object<Inscription>): &mut S {
        bag::borrow_mut(borrow_mut_permanent_area(inscription), type_info::type_name<S>())
    }

    #[private_generics(S)]
    /// Takes the value of type `S` from an inscription.
    public fun remove_permanent_state<S: store>(inscription: &mut Object<Inscription>): S {
        bag::remove(borrow_mut_permanent_area(inscription), type_info::type_name<S>())
    }

    /// Removes the field of the values above, which must hold none.
    public fun destroy_permanent_area(inscription: &mut Object<Inscription>) {
        if (object::contains_field(inscription, PERMANENT)) {
            bag::destroy_empty(object::remove_field(inscription, PERMANENT));
        }
    }

    #[private_generics(S)]
    /// Puts a value with an inscription, until it moves. For the module of the value's type.
    public fun add_temp_state<S: drop + store>(inscription: &mut Object<Inscription>, state: S) {
        if (!object::contains_field(inscription, TEMPORARY)) {
            object::add_field(inscription, TEMPORARY, temp_state::new());
        };
        temp_state::add_state(object::borrow_mut_field(inscription, TEMPORARY), state);
    }

    /// Whether there is a value of type `S` with an inscription, until it moves.
    public fun contains_temp_state<S: drop + store>(inscription: &Object<Inscription>): bool {
        object::contains_field(inscription, TEMPORARY)
            && temp_state::contains_state<S>(object::borrow_field(inscription, TEMPORARY))
    }

    /// The value of type `S` with an inscription.
    public fun borrow_temp_state<S: drop + store>(inscription: &Object<Inscription>): &S {
        temp_state::borrow_state(object::borrow_field(inscription, TEMPORARY))
    }

    #[private_generics(S)]
    /// The value of type `S` with an inscription, to change it.
    public fun borrow_mut_temp_state<S: drop + store>(inscription: &mut Object<Inscription>): &mut S {
        temp_state::borrow_mut_state(object::borrow_mut_field(inscription, TEMPORARY))
    }

    #[private_generics(S)]
    /// Takes the value of type `S` from an inscription.
    public fun remove_temp_state<S: drop + store>(inscription: &mut Object<Inscription>): S {
        temp_state::remove_state(object::borrow_mut_field(inscription, TEMPORARY))
    }

    /// Ends the values that last until now, and tells the queue of each one's type, the last added first.
    public(friend) fun drop_temp_area(inscription: &mut Object<Inscription>) {
        if (!object::contains_field(inscription, TEMPORARY)) return;
        let inscription_obj_id = object::id(inscription);
        let inscription_id = object::borrow(inscription).id;
        let names = temp_state::remove(object::remove_field(inscription, TEMPORARY));
        while (!vector::is_empty(&names)) {
            let name = vector::pop_back(&mut names);
            event_queue::emit(name, TempStateDropEvent { inscription_obj_id, inscription_id });
        }
    }

    // -------------------------------------------------------------------------------------------------- metaprotocols

    /// Registers the type of a metaprotocol. For the chain itself.
    public fun register_metaprotocol_via_system<T>(system: &signer, metaprotocol: String) {
        core_addresses::assert_system_reserved(system);
        let id = registry_id();
        if (!object::exists_object(id)) {
            object::transfer_extend(object::new_named_object(MetaprotocolRegistry {}), @bitcoin_move);
        };
        let registry = object::borrow_mut_object_extend<MetaprotocolRegistry>(id);
        assert!(!object::contains_field(registry, metaprotocol), ErrorMetaprotocolAlreadyRegistered);
        object::add_field(registry, metaprotocol, type_info::type_name<T>());
    }

    /// Whether a metaprotocol is registered.
    public fun is_metaprotocol_register(metaprotocol: String): bool {
        let id = registry_id();
        object::exists_object(id)
            && object::contains_field(object::borrow_object<MetaprotocolRegistry>(id), metaprotocol)
    }

    #[private_generics(T)]
    /// Says what the metaprotocol of type `T` thinks of an inscription of it.
    public fun seal_metaprotocol_validity<T>(
        inscription_id: InscriptionID,
        is_valid: bool,
        invalid_reason: Option<String>
    ) {
        let (inscription_obj, protocol_type) = borrow_mut_of_protocol<T>(inscription_id);
        let validity = MetaprotocolValidity { protocol_type, is_valid, invalid_reason };
        object::upsert_field(inscription_obj, VALIDITY, validity);
    }

    #[private_generics(T)]
    /// Puts an object of the metaprotocol of type `T` with an inscription of it.
    public fun add_metaprotocol_attachment<T>(inscription_id: InscriptionID, attachment: Object<T>) {
        let (inscription_obj, protocol_type) = borrow_mut_of_protocol<T>(inscription_id);
        object::add_field(inscription_obj, protocol_type, attachment);
    }

    #[private_generics(T)]
    /// Takes the object of the metaprotocol of type `T` from an inscription.
    public fun remove_metaprotocol_attachment<T>(inscription_id: InscriptionID): Object<T> {
        let (inscription_obj, protocol_type) = borrow_mut_of_protocol<T>(inscription_id);
        object::remove_field(inscription_obj, protocol_type)
    }

    /// Whether there is an object of the metaprotocol of type `T` with an inscription.
    public fun exists_metaprotocol_attachment<T>(inscription_id: InscriptionID): bool {
        if (!exists_inscription(inscription_id)) return false;
        let inscription_obj = object::borrow_object<Inscription>(derive_inscription_id(inscription_id));
        let protocol_type = type_info::type_name<T>();
        is_of_protocol(inscription_obj, &protocol_type) && object::contains_field(inscription_obj, protocol_type)
    }

    /// Whether an inscription's metaprotocol has said what it thinks of it.
    public fun exists_metaprotocol_validity(inscription_id: InscriptionID): bool {
        exists_inscription(inscription_id) && object::contains_field(
            object::borrow_object<Inscription>(derive_inscription_id(inscription_id)),
            VALIDITY
        )
    }

    /// What an inscription's metaprotocol thinks of it.
    public fun borrow_metaprotocol_validity(inscription_id: InscriptionID): &MetaprotocolValidity {
        object::borrow_field(object::borrow_object<Inscription>(derive_inscription_id(inscription_id)), VALIDITY)
    }

    /// Whether the metaprotocol of type `T` said it.
    public fun metaprotocol_validity_protocol_match<T>(validity: &MetaprotocolValidity): bool {
        validity.protocol_type == type_info::type_name<T>()
    }

    /// The type of the metaprotocol that said it.
    public fun metaprotocol_validity_protocol_type(validity: &MetaprotocolValidity): String {
        validity.protocol_type
    }

    /// Whether the inscription is valid.
    public fun metaprotocol_validity_is_valid(validity: &MetaprotocolValidity): bool {
        validity.is_valid
    }

    /// Why the inscription is not valid.
    public fun metaprotocol_validity_invalid_reason(validity: &MetaprotocolValidity): Option<String> {
        validity.invalid_reason
    }

    /// What the metaprotocol of an inscription thinks of it, by the text of the inscription's number.
    public fun view_validity(inscription_id_str: String): Option<MetaprotocolValidity> {
        let id = parse_inscription_id(&inscription_id_str);
        if (option::is_none(&id)) return option::none();
        let id = option::destroy_some(id);
        if (exists_metaprotocol_validity(id)) option::some(*borrow_metaprotocol_validity(id)) else option::none()
    }

    // --------------------------------------------------------------------------------------------------------- events

    /// The metaprotocol, the sequence number, the object and what happened.
    public fun unpack_inscription_event(event: InscriptionEvent): (String, u32, ObjectID, u8) {
        let InscriptionEvent { metaprotocol, sequence_number, inscription_obj_id, event_type } = event;
        (metaprotocol, sequence_number, inscription_obj_id, event_type)
    }

    /// An inscription was made.
    public fun inscription_event_type_new(): u8 { EVENT_NEW }

    /// An inscription was burned.
    public fun inscription_event_type_burn(): u8 { EVENT_BURN }

    /// The object and the inscription.
    public fun unpack_temp_state_drop_event(event: TempStateDropEvent): (ObjectID, InscriptionID) {
        let TempStateDropEvent { inscription_obj_id, inscription_id } = event;
        (inscription_obj_id, inscription_id)
    }

    // --------------------------------------------------------------------------------------------------------- charms

    /// The first satoshi of a whole coin.
    public fun charm_coin_flag(): u16 { 1 << 0 }

    /// It was made in a way that was not foreseen, before that was allowed.
    public fun charm_cursed_flag(): u16 { 1 << 1 }

    /// The first satoshi after a halving.
    public fun charm_epic_flag(): u16 { 1 << 2 }

    /// The first satoshi of a cycle.
    public fun charm_legendary_flag(): u16 { 1 << 3 }

    /// A miner did not claim its satoshi.
    public fun charm_lost_flag(): u16 { 1 << 4 }

    /// A satoshi of the ninth block.
    public fun charm_nineball_flag(): u16 { 1 << 5 }

    /// The first satoshi of a period of difficulty.
    public fun charm_rare_flag(): u16 { 1 << 6 }

    /// Its satoshi carried one before.
    public fun charm_reinscription_flag(): u16 { 1 << 7 }

    /// No satoshi carries it.
    public fun charm_unbound_flag(): u16 { 1 << 8 }

    /// The first satoshi of a block.
    public fun charm_uncommon_flag(): u16 { 1 << 9 }

    /// It was made in a way that was not foreseen, since that is allowed.
    public fun charm_vindicated_flag(): u16 { 1 << 10 }

    /// The first satoshi of all.
    public fun charm_mythic_flag(): u16 { 1 << 11 }

    /// It went to an output that nobody can spend.
    public fun charm_burned_flag(): u16 { 1 << 12 }

    /// The charms with one more.
    public fun set_charm(charms: u16, flag: u16): u16 {
        charms | flag
    }

    /// Whether a charm is among them.
    public fun is_set_charm(charms: u16, flag: u16): bool {
        charms & flag != 0
    }

    /// The charms of an inscription, by the text of its number.
    public fun view_inscription_charm(inscription_id_str: String): Option<InscriptionCharm> {
        let id = parse_inscription_id(&inscription_id_str);
        if (option::is_none(&id)) return option::none();
        let id = option::destroy_some(id);
        if (!exists_inscription(id)) return option::none();
        let charms = charms(borrow_inscription(id));
        option::some(InscriptionCharm {
            coin: is_set_charm(charms, charm_coin_flag()),
            cursed: is_set_charm(charms, charm_cursed_flag()),
            epic: is_set_charm(charms, charm_epic_flag()),
            legendary: is_set_charm(charms, charm_legendary_flag()),
            lost: is_set_charm(charms, charm_lost_flag()),
            nineball: is_set_charm(charms, charm_nineball_flag()),
            rare: is_set_charm(charms, charm_rare_flag()),
            reinscription: is_set_charm(charms, charm_reinscription_flag()),
            unbound: is_set_charm(charms, charm_unbound_flag()),
            uncommon: is_set_charm(charms, charm_uncommon_flag()),
            vindicated: is_set_charm(charms, charm_vindicated_flag()),
            mythic: is_set_charm(charms, charm_mythic_flag()),
            burned: is_set_charm(charms, charm_burned_flag()),
        })
    }

    // ---------------------------------------------------------------------------------------------------------- inner

    fun store_id(): ObjectID {
        object::named_object_id<InscriptionStore>()
    }

    fun registry_id(): ObjectID {
        object::named_object_id<MetaprotocolRegistry>()
    }

    fun tell(metaprotocol: Option<String>, sequence_number: u32, inscription_obj_id: ObjectID, event_type: u8) {
        if (option::is_some(&metaprotocol)) {
            let metaprotocol = option::destroy_some(metaprotocol);
            let event = InscriptionEvent { metaprotocol, sequence_number, inscription_obj_id, event_type };
            event_queue::emit(metaprotocol, event);
        }
    }

    fun borrow_permanent_area(inscription: &Object<Inscription>): &Bag {
        object::borrow_field(inscription, PERMANENT)
    }

    fun borrow_mut_permanent_area(inscription: &mut Object<Inscription>): &mut Bag {
        object::borrow_mut_field(inscription, PERMANENT)
    }

    /// Whether the metaprotocol of an inscription is registered with a type.
    fun is_of_protocol(inscription_obj: &Object<Inscription>, protocol_type: &String): bool {
        let metaprotocol = object::borrow(inscription_obj).metaprotocol;
        if (option::is_none(&metaprotocol)) return false;
        let name = option::destroy_some(metaprotocol);
        if (!is_metaprotocol_register(name)) return false;
        let registry = object::borrow_object<MetaprotocolRegistry>(registry_id());
        protocol_type == object::borrow_field(registry, name)
    }

    /// An inscription of the metaprotocol of type `T`, to change it, and the name of the type.
    fun borrow_mut_of_protocol<T>(inscription_id: InscriptionID): (&mut Object<Inscription>, String) {
        let inscription_obj = object::borrow_mut_object_extend<Inscription>(derive_inscription_id(inscription_id));
        let protocol_type = type_info::type_name<T>();
        assert!(is_of_protocol(inscription_obj, &protocol_type), ErrorMetaprotocolProtocolMismatch);
        (inscription_obj, protocol_type)
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the store, if there is none.
    public fun init_for_test(_genesis_account: &signer) {
        genesis_init();
    }

    #[test_only]
    /// Ends the values that last until an inscription moves.
    public fun drop_temp_area_for_test(inscription: &mut Object<Inscription>) {
        drop_temp_area(inscription);
    }

    #[test_only]
    /// An inscription that no object holds, the first of its kind, at a place of the transaction that made it.
    public fun new_inscription_for_test(
        id: InscriptionID,
        vout: u32,
        offset: u64,
        body: vector<u8>,
        content_encoding: Option<String>,
        content_type: Option<String>,
        metadata: vector<u8>,
        metaprotocol: Option<String>,
        parents: vector<InscriptionID>,
        pointer: Option<u64>,
    ): Inscription {
        Inscription {
            id,
            location: new_satpoint(types::new_outpoint(id.txid, vout), offset),
            sequence_number: 0,
            inscription_number: 0,
            is_cursed: false,
            charms: 0,
            body,
            content_encoding,
            content_type,
            metadata,
            metaprotocol,
            parents,
            pointer,
            rune: option::none(),
        }
    }

    #[test_only]
    /// The same as an object under the store. The store's counts stay as they are.
    public fun new_inscription_object_for_test(
        id: InscriptionID,
        vout: u32,
        offset: u64,
        body: vector<u8>,
        content_encoding: Option<String>,
        content_type: Option<String>,
        metadata: vector<u8>,
        metaprotocol: Option<String>,
        parents: vector<InscriptionID>,
        pointer: Option<u64>,
    ): Object<Inscription> {
        let inscription = new_inscription_for_test(
            id, vout, offset, body, content_encoding, content_type, metadata, metaprotocol, parents, pointer,
        );
        let store = object::borrow_mut_object_shared<InscriptionStore>(store_id());
        object::new_with_parent_and_id(store, id, inscription)
    }

    #[test_only]
    /// Ends an inscription.
    public fun drop_inscription_object_for_test(inscription: Object<Inscription>) {
        let Inscription {
            id: _, location: _, sequence_number: _, inscription_number: _, is_cursed: _, charms: _, body: _,
            content_encoding: _, content_type: _, metadata: _, metaprotocol: _, parents: _, pointer: _, rune: _,
        } = object::remove(inscription);
    }

    #[test_only]
    /// Registers the type of a metaprotocol.
    public fun register_metaprotocol_for_test<T>(metaprotocol: String) {
        register_metaprotocol_via_system<T>(&signer::module_signer<InscriptionStore>(), metaprotocol);
    }

    #[test_only]
    /// Makes the store and the inscription of a WebAssembly module that says hello, for the metaprotocol of a type, and
    /// gives its owner and its number.
    public fun setup_inscription_for_test<T>(_genesis_account: &signer, metaprotocol: String): (address, InscriptionID) {
        genesis_init();
        if (!is_metaprotocol_register(metaprotocol)) register_metaprotocol_for_test<T>(metaprotocol);
        let owner = @0x5416690eaaf671031dc609ff8d36766d2eb91ca44f04c85c27628db330f40fd1;
        let id = new_inscription_id(@0x21da2ae8cc773b020b4873f597369416cf961a1896c24106b0198459fec2df77, 0);
        let header = x"0061736d01000000";
        let body = x"01080260017f00600000020f0107636f6e736f6c65036c6f670000030201010503010001071702066d656d6f727902000a68656c6c6f576f726c6400010a08010600410010000b0b14010041000b0e48656c6c6f2c20576f726c642100";
        vector::append(&mut header, body);
        let inscription = new_inscription_object_for_test(
            id,
            0,
            0,
            header,
            option::none(),
            option::some(string::utf8(b"application/wasm")),
            vector[],
            option::some(metaprotocol),
            vector[],
            option::none(),
        );
        object::transfer_extend(inscription, owner);
        (owner, id)
    }

    #[test_only]
    /// Gives an inscription to an account. Its place and its values stay as they are.
    public fun transfer_inscription_for_test(inscription_obj: Object<Inscription>, to: address) {
        object::transfer_extend(inscription_obj, to);
    }

    #[test_only]
    /// How many fields the store has.
    public fun inscription_store_field_size_for_test(): u64 {
        object::field_size(object::borrow_object<InscriptionStore>(store_id()))
    }
}
