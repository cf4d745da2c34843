/// Unspent outputs, each an object under one store whose number follows from the output. It belongs to the address that
/// the output pays to, and carries seals: the objects of protocols that go with the output.
module bitcoin_move::utxo {
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::address;
    use moveos_std::event_queue;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::simple_multimap::{Self, SimpleMultiMap};
    use moveos_std::type_info;
    use rooch_framework::chain_id;
    use rooch_framework::onchain_config;
    use bitcoin_move::temp_state;
    use bitcoin_move::types::{Self, OutPoint};

    friend bitcoin_move::bbn;
    friend bitcoin_move::bitcoin;
    friend bitcoin_move::genesis;
    friend bitcoin_move::inscription_updater;
    friend bitcoin_move::ord;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorDeprecatedFunction: u64 = 1;

    /// The field of an output that holds contracts' values until it is spent.
    const TEMPORARY: vector<u8> = b"temporary_area";

    /// An unspent output; its seals by the name of their protocol's type.
    struct UTXO has key {
        txid: address,
        vout: u32,
        value: u64,
        seals: SimpleMultiMap<String, ObjectID>,
    }

    struct UTXOSeal has copy, drop, store {
        protocol: String,
        object_id: ObjectID,
    }

    /// A seal and the index of the output that is to carry it.
    struct SealOut has copy, drop, store {
        vout: u32,
        seal: UTXOSeal,
    }

    /// In the queue of the address that spent.
    struct SpendUTXOEvent has copy, drop, store {
        txid: address,
        sender: address,
        receiver: Option<address>,
        value: u64,
    }

    /// In the queue of the address that was paid.
    struct ReceiveUTXOEvent has copy, drop, store {
        txid: address,
        sender: Option<address>,
        receiver: address,
        value: u64,
    }

    /// In the queue of the type whose value ended with an output.
    struct TempStateDropEvent has copy, drop, store {
        utxo_obj_id: ObjectID,
        outpoint: OutPoint,
        value: u64,
    }

    /// What all outputs are under.
    struct BitcoinUTXOStore has key {}

    /// Makes the store, if there is none.
    public(friend) fun genesis_init() {
        if (!object::exists_object(store_id())) {
            object::to_shared(object::new_named_object(BitcoinUTXOStore {}));
        }
    }

    /// The store.
    public fun borrow_utxo_store(): &Object<BitcoinUTXOStore> {
        object::borrow_object(store_id())
    }

    /// The store, to change it.
    public(friend) fun borrow_mut_utxo_store(): &mut Object<BitcoinUTXOStore> {
        object::borrow_mut_object_shared(store_id())
    }

    /// Ends all outputs. For administrators.
    public entry fun reset_utxo_store(account: &signer) {
        onchain_config::ensure_admin(account);
        if (object::exists_object_with_type<BitcoinUTXOStore>(store_id())) {
            let system = signer::module_signer<BitcoinUTXOStore>();
            object::clear_fields_by_system(&system, borrow_mut_utxo_store());
        }
    }

    /// Makes the object of an output.
    public(friend) fun new(txid: address, vout: u32, value: u64): Object<UTXO> {
        let outpoint = types::new_outpoint(txid, vout);
        object::new_with_parent_and_id(borrow_mut_utxo_store(), outpoint, mock_utxo(outpoint, value))
    }

    /// An output that no object holds.
    public(friend) fun mock_utxo(outpoint: OutPoint, value: u64): UTXO {
        let (txid, vout) = types::unpack_outpoint(outpoint);
        UTXO { txid, vout, value, seals: simple_multimap::new() }
    }

    /// The number of an output's object.
    public fun derive_utxo_id(outpoint: OutPoint): ObjectID {
        object::custom_object_id_with_parent<OutPoint, UTXO>(store_id(), outpoint)
    }

    /// Satoshis of an output.
    public fun value(utxo: &UTXO): u64 {
        utxo.value
    }

    /// The transaction of an output.
    public fun txid(utxo: &UTXO): address {
        utxo.txid
    }

    /// The index of an output.
    public fun vout(utxo: &UTXO): u32 {
        utxo.vout
    }

    /// Whether an output is known and unspent.
    public fun exists_utxo(outpoint: OutPoint): bool {
        object::exists_object_with_type<UTXO>(derive_utxo_id(outpoint))
    }

    /// An unspent output's object.
    public fun borrow_utxo(outpoint: OutPoint): &Object<UTXO> {
        object::borrow_object(derive_utxo_id(outpoint))
    }

    /// An unspent output's object, to change it.
    public(friend) fun borrow_mut_utxo(outpoint: OutPoint): &mut Object<UTXO> {
        object::borrow_mut_object_extend(derive_utxo_id(outpoint))
    }

    /// Whether an output carries seals of the protocol of type `T`.
    public fun has_seal<T>(utxo: &UTXO): bool {
        has_seal_internal(utxo, &type_info::type_name<T>())
    }

    /// Whether an output carries seals of a protocol.
    public(friend) fun has_seal_internal(utxo: &UTXO, protocol: &String): bool {
        simple_multimap::contains_key(&utxo.seals, protocol)
    }

    /// An output's seals of the protocol of type `T`.
    public fun get_seals<T>(utxo: &UTXO): vector<ObjectID> {
        let protocol = type_info::type_name<T>();
        if (has_seal_internal(utxo, &protocol)) *simple_multimap::borrow(&utxo.seals, &protocol) else vector[]
    }

    /// Takes an output's seals of the protocol of type `T` off.
    public(friend) fun remove_seals_internal<T>(utxo: &mut UTXO): vector<ObjectID> {
        let protocol = type_info::type_name<T>();
        if (!has_seal_internal(utxo, &protocol)) return vector[];
        let (_, ids) = simple_multimap::remove(&mut utxo.seals, &protocol);
        ids
    }

    /// Puts a seal on an output.
    public(friend) fun add_seal_internal(utxo: &mut UTXO, utxo_seal: UTXOSeal) {
        let (protocol, object_id) = unpack_utxo_seal(utxo_seal);
        simple_multimap::add(&mut utxo.seals, protocol, object_id);
    }

    /// Gives a new output to whom it pays, and tells both sides, unless they are one. This package is no side.
    public(friend) fun transfer(utxo_obj: Object<UTXO>, sender: Option<address>, receiver: address) {
        let utxo = object::borrow(&utxo_obj);
        let txid = utxo.txid;
        let value = utxo.value;
        object::transfer_extend(utxo_obj, receiver);
        if (option::contains(&sender, &receiver)) return;
        let receives = receiver != @bitcoin_move;
        if (receives) {
            event_queue::emit(address::to_string(&receiver), ReceiveUTXOEvent { txid, sender, receiver, value });
        };
        if (option::is_none(&sender)) return;
        let sender = option::destroy_some(sender);
        if (sender != @bitcoin_move) {
            let receiver = if (receives) option::some(receiver) else option::none();
            event_queue::emit(address::to_string(&sender), SpendUTXOEvent { txid, sender, receiver, value });
        }
    }

    /// Takes an output's object from whom it belongs to.
    public(friend) fun take(object_id: ObjectID): Object<UTXO> {
        object::take_object_extend<UTXO>(object_id)
    }

    /// Ends an output's object and the values with it.
    public(friend) fun remove(utxo_obj: Object<UTXO>): UTXO {
        drop_temp_area(&mut utxo_obj);
        object::remove(utxo_obj)
    }

    /// Ends an output.
    public(friend) fun drop(utxo: UTXO) {
        let UTXO { txid: _, vout: _, value: _, seals: _ } = utxo;
    }

    /// A seal.
    public(friend) fun new_utxo_seal(protocol: String, seal_object_id: ObjectID): UTXOSeal {
        UTXOSeal { protocol, object_id: seal_object_id }
    }

    /// A seal's protocol and object.
    public(friend) fun unpack_utxo_seal(utxo_seal: UTXOSeal): (String, ObjectID) {
        let UTXOSeal { protocol, object_id } = utxo_seal;
        (protocol, object_id)
    }

    /// A seal for the output of an index.
    public(friend) fun new_seal_out(vout: u32, seal: UTXOSeal): SealOut {
        SealOut { vout, seal }
    }

    /// The index of the output and the seal.
    public(friend) fun unpack_seal_out(seal_out: SealOut): (u32, UTXOSeal) {
        let SealOut { vout, seal } = seal_out;
        (vout, seal)
    }

    #[private_generics(S)]
    /// Puts a value with an output, until it is spent. For the module of the value's type.
    public fun add_temp_state<S: drop + store>(utxo: &mut Object<UTXO>, state: S) {
        if (!object::contains_field(utxo, TEMPORARY)) object::add_field(utxo, TEMPORARY, temp_state::new());
        temp_state::add_state(object::borrow_mut_field(utxo, TEMPORARY), state);
    }

    /// Whether there is a value of type `S` with an output.
    public fun contains_temp_state<S: drop + store>(utxo: &Object<UTXO>): bool {
        object::contains_field(utxo, TEMPORARY)
            && temp_state::contains_state<S>(object::borrow_field(utxo, TEMPORARY))
    }

    /// The value of type `S` with an output.
    public fun borrow_temp_state<S: drop + store>(utxo: &Object<UTXO>): &S {
        temp_state::borrow_state(object::borrow_field(utxo, TEMPORARY))
    }

    #[private_generics(S)]
    /// The value of type `S` with an output, to change it.
    public fun borrow_mut_temp_state<S: drop + store>(utxo: &mut Object<UTXO>): &mut S {
        temp_state::borrow_mut_state(object::borrow_mut_field(utxo, TEMPORARY))
    }

    #[private_generics(S)]
    /// Takes the value of type `S` from an output.
    public fun remove_temp_state<S: drop + store>(utxo: &mut Object<UTXO>): S {
        temp_state::remove_state(object::borrow_mut_field(utxo, TEMPORARY))
    }

    /// Whether a spent output must be known: on the main network, which follows Bitcoin from its first block.
    public(friend) fun check_utxo_input(): bool {
        chain_id::is_main()
    }

    /// The transaction, the address that spent, the address that was paid and the satoshis.
    public fun unpack_spend_utxo_event(event: SpendUTXOEvent): (address, address, Option<address>, u64) {
        let SpendUTXOEvent { txid, sender, receiver, value } = event;
        (txid, sender, receiver, value)
    }

    /// The transaction, the address that spent, the address that was paid and the satoshis.
    public fun unpack_receive_utxo_event(event: ReceiveUTXOEvent): (address, Option<address>, address, u64) {
        let ReceiveUTXOEvent { txid, sender, receiver, value } = event;
        (txid, sender, receiver, value)
    }

    /// The output's object, the output and its satoshis.
    public fun unpack_temp_state_drop_event(event: TempStateDropEvent): (ObjectID, OutPoint, u64) {
        let TempStateDropEvent { utxo_obj_id, outpoint, value } = event;
        (utxo_obj_id, outpoint, value)
    }

    fun store_id(): ObjectID {
        object::named_object_id<BitcoinUTXOStore>()
    }

    /// Ends the values with an output, and tells the queue of each one's type, the last added first.
    fun drop_temp_area(utxo_obj: &mut Object<UTXO>) {
        if (!object::contains_field(utxo_obj, TEMPORARY)) return;
        let utxo_obj_id = object::id(utxo_obj);
        let utxo = object::borrow(utxo_obj);
        let value = utxo.value;
        let outpoint = types::new_outpoint(utxo.txid, utxo.vout);
        let names = temp_state::remove(object::remove_field(utxo_obj, TEMPORARY));
        while (!vector::is_empty(&names)) {
            let name = vector::pop_back(&mut names);
            event_queue::emit(name, TempStateDropEvent { utxo_obj_id, outpoint, value });
        }
    }

    // ---- for tests alone ----

    #[test_only]
    /// An output.
    public fun new_for_testing(txid: address, vout: u32, value: u64): Object<UTXO> {
        new(txid, vout, value)
    }

    #[test_only]
    /// Ends an output.
    public fun drop_for_testing(utxo_obj: Object<UTXO>) {
        drop(remove(utxo_obj));
    }

    #[test_only]
    /// Gives an output to an account.
    public fun transfer_for_testing(utxo_obj: Object<UTXO>, receiver: address) {
        transfer(utxo_obj, option::none(), receiver);
    }
}
