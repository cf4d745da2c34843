/// What is known of the transaction that runs: who sent it, its hash and size, and attributes that the node and the
/// framework put there under the names of their types.
module moveos_std::tx_context {
    use std::hash;
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::copyable_any::{Self, Any};
    use moveos_std::core_addresses;
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::tx_meta::TxMeta;
    use moveos_std::tx_result::TxResult;
    use moveos_std::type_info;

    friend moveos_std::account;
    friend moveos_std::event;
    friend moveos_std::module_store;
    friend moveos_std::object;

    /// An attribute that must be there is not.
    const ErrorInvalidContext: u64 = 1;
    /// There is an attribute of this type.
    const ErrorRepeatedContextKey: u64 = 2;

    /// One for each transaction, made by the node. Only references to it are ever had.
    struct TxContext {
        sender: address,
        sequence_number: u64,
        max_gas_amount: u64,
        tx_hash: vector<u8>,
        tx_size: u64,
        /// Fresh addresses made so far.
        ids_created: u64,
        /// Attributes by the names of their types.
        map: SimpleMap<String, Any>,
    }

    /// Tells the node that modules were replaced.
    struct ModuleUpgradeFlag has copy, drop, store {
        is_upgrade: bool,
    }

    /// The sender's address; `0x0` for calls of the node itself.
    public fun sender(): address {
        borrow_inner().sender
    }

    /// The sender's sequence number.
    public fun sequence_number(): u64 {
        borrow_inner().sequence_number
    }

    /// The most gas that the transaction may use.
    public fun max_gas_amount(): u64 {
        borrow_inner().max_gas_amount
    }

    /// An address that nothing had before: a hash of the transaction's hash and a counter.
    public fun fresh_address(): address {
        let context = borrow_mut_inner();
        let index = context.ids_created;
        context.ids_created = index + 1;
        derive_id(context.tx_hash, index)
    }

    /// SHA3-256 of a hash and a counter.
    public(friend) fun derive_id(hash: vector<u8>, index: u64): address {
        vector::append(&mut hash, bcs::to_bytes(&index));
        bcs::to_address(hash::sha3_256(hash))
    }

    /// The transaction's hash.
    public fun tx_hash(): vector<u8> {
        borrow_inner().tx_hash
    }

    /// Adds an attribute; aborts if there is one of its type. For system accounts.
    public fun add_attribute_via_system<T: drop + store + copy>(system: &signer, value: T) {
        core_addresses::assert_system_reserved(system);
        add(borrow_mut_inner(), value);
    }

    /// The attribute of type `T`, if any.
    public fun get_attribute<T: drop + store + copy>(): Option<T> {
        let attributes = &borrow_inner().map;
        let name = type_info::type_name<T>();
        if (simple_map::contains_key(attributes, &name)) {
            option::some(copyable_any::unpack<T>(*simple_map::borrow(attributes, &name)))
        } else {
            option::none()
        }
    }

    /// Whether there is an attribute of type `T`.
    public fun contains_attribute<T: drop + store + copy>(): bool {
        simple_map::contains_key(&borrow_inner().map, &type_info::type_name<T>())
    }

    /// What the transaction asks for.
    public fun tx_meta(): TxMeta {
        let meta = get_attribute<TxMeta>();
        assert!(option::is_some(&meta), ErrorInvalidContext);
        option::destroy_some(meta)
    }

    /// The account that pays for gas.
    public fun tx_gas_payment_account(): address {
        sender()
    }

    /// How the transaction ended; there only after it ran.
    public fun tx_result(): TxResult {
        let result = get_attribute<TxResult>();
        assert!(option::is_some(&result), ErrorInvalidContext);
        option::destroy_some(result)
    }

    /// Whether the node itself calls.
    public fun is_system_call(): bool {
        core_addresses::is_vm_address(sender())
    }

    /// Notes that modules were published, and whether they replaced others. The first note of a transaction stands.
    public(friend) fun set_module_upgrade_flag(is_upgrade: bool) {
        if (!contains_attribute<ModuleUpgradeFlag>()) add(borrow_mut_inner(), ModuleUpgradeFlag { is_upgrade });
    }

    /// Ends a context.
    public fun drop(self: TxContext) {
        let TxContext {
            sender: _,
            sequence_number: _,
            max_gas_amount: _,
            tx_hash: _,
            tx_size: _,
            ids_created: _,
            map: _,
        } = self;
    }

    fun add<T: drop + store + copy>(context: &mut TxContext, value: T) {
        let any = copyable_any::pack(value);
        let name = *copyable_any::type_name(&any);
        assert!(!simple_map::contains_key(&context.map, &name), ErrorRepeatedContextKey);
        simple_map::add(&mut context.map, name, any);
    }

    native fun borrow_inner(): &TxContext;

    native fun borrow_mut_inner(): &mut TxContext;

    // ---- for tests alone ----

    #[test_only]
    /// Makes another address the sender.
    public fun set_ctx_sender_for_testing(sender: address) {
        borrow_mut_inner().sender = sender;
    }

    #[test_only]
    /// Sets the sender's sequence number.
    public fun set_ctx_sequencer_number_for_testing(sequence_number: u64) {
        borrow_mut_inner().sequence_number = sequence_number;
    }

    #[test_only]
    /// Sets the transaction's hash, from which fresh addresses follow.
    public fun set_ctx_tx_hash_for_testing(tx_hash: vector<u8>) {
        borrow_mut_inner().tx_hash = tx_hash;
    }

    #[test_only]
    /// Adds an attribute; aborts if there is one of its type.
    public fun set_attribute_for_testing<T: drop + store + copy>(value: T) {
        add(borrow_mut_inner(), value);
    }

    #[test_only]
    /// Removes the attribute of type `T`; aborts without it.
    public fun remove_attribute_for_testing<T: drop + store + copy>() {
        simple_map::remove(&mut borrow_mut_inner().map, &type_info::type_name<T>());
    }

    #[test_only]
    /// An address that nothing had before.
    public fun fresh_address_for_testing(): address {
        fresh_address()
    }
}
