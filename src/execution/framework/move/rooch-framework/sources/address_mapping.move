/// Which addresses of other chains belong to an account. From a Bitcoin address the account's follows; back from the
/// account only where somebody recorded it.
module rooch_framework::address_mapping {
    use std::option::{Self, Option};
    use std::vector;
    use moveos_std::core_addresses;
    use moveos_std::object::{Self, Object};
    use moveos_std::signer;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use rooch_framework::multichain_address::{Self, MultiChainAddress};
    use rooch_framework::onchain_config;

    friend rooch_framework::bitcoin_validator;
    friend rooch_framework::genesis;
    friend rooch_framework::transaction_validator;
    friend rooch_framework::transfer;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorMultiChainAddressInvalid: u64 = 1;
    #[test_only] const ErrorUnsupportedAddress: u64 = 2;

    /// The object whose fields are accounts, by addresses of other chains.
    struct MultiChainAddressMapping has key {
        _placeholder: bool,
    }

    /// The object whose fields are Bitcoin addresses, by accounts.
    struct RoochToBitcoinAddressMapping has key {
        _placeholder: bool,
    }

    /// Makes those of both objects that were not there before genesis.
    public(friend) fun genesis_init(_genesis_account: &signer) {
        if (!object::exists_object(object::named_object_id<MultiChainAddressMapping>())) {
            let mapping = object::new_named_object(MultiChainAddressMapping { _placeholder: false });
            object::transfer_extend(mapping, @rooch_framework);
        };
        if (!object::exists_object(object::named_object_id<RoochToBitcoinAddressMapping>())) {
            let mapping = object::new_named_object(RoochToBitcoinAddressMapping { _placeholder: false });
            object::transfer_extend(mapping, @rooch_framework);
        };
    }

    /// The account of an address of any chain, if it follows or is on record.
    public fun resolve(maddress: MultiChainAddress): Option<address> {
        if (multichain_address::is_rooch_address(&maddress)) {
            option::some(multichain_address::into_rooch_address(maddress))
        } else if (multichain_address::is_bitcoin_address(&maddress)) {
            let bitcoin = multichain_address::into_bitcoin_address(maddress);
            option::some(bitcoin_address::to_rooch_address(&bitcoin))
        } else {
            let mapping = borrow_multichain();
            if (object::contains_field(mapping, maddress)) {
                option::some(*object::borrow_field<MultiChainAddressMapping, MultiChainAddress, address>(mapping, maddress))
            } else {
                option::none()
            }
        }
    }

    /// The Bitcoin address of an account, if it is on record.
    public fun resolve_bitcoin(rooch_address: address): Option<BitcoinAddress> {
        bitcoin_of(borrow_to_bitcoin(), rooch_address)
    }

    /// The Bitcoin addresses of accounts, empty where they are not on record.
    public fun resolve_bitcoin_batch(rooch_addresses: vector<address>): vector<BitcoinAddress> {
        let mapping = borrow_to_bitcoin();
        vector::map(rooch_addresses, |rooch_address| {
            option::destroy_with_default(bitcoin_of(mapping, rooch_address), bitcoin_address::empty())
        })
    }

    /// Whether `resolve` gives an account.
    public fun exists_mapping(maddress: MultiChainAddress): bool {
        multichain_address::is_rooch_address(&maddress)
            || multichain_address::is_bitcoin_address(&maddress)
            || object::contains_field(borrow_multichain(), maddress)
    }

    /// Records the Bitcoin address of an account unless one is on record.
    public(friend) fun bind_bitcoin_address_internal(rooch_address: address, btc_address: BitcoinAddress) {
        let mapping = borrow_mut_to_bitcoin();
        if (!object::contains_field(mapping, rooch_address)) object::add_field(mapping, rooch_address, btc_address);
    }

    /// The same; for system accounts.
    public fun bind_bitcoin_address_by_system(system: &signer, rooch_address: address, btc_address: BitcoinAddress) {
        core_addresses::assert_system_reserved(system);
        bind_bitcoin_address_internal(rooch_address, btc_address);
    }

    /// Records a Bitcoin address for the account that follows from it. Anybody may do so.
    public fun bind_bitcoin_address(btc_address: BitcoinAddress) {
        bind_bitcoin_address_internal(bitcoin_address::to_rooch_address(&btc_address), btc_address);
    }

    /// Forgets all records of Bitcoin addresses; for the administrator.
    public entry fun reset_rooch_to_bitcoin_mapping(account: &signer) {
        onchain_config::ensure_admin(account);
        let id = object::named_object_id<RoochToBitcoinAddressMapping>();
        if (object::exists_object_with_type<RoochToBitcoinAddressMapping>(id)) {
            let system = signer::module_signer<RoochToBitcoinAddressMapping>();
            object::clear_fields_by_system(&system, borrow_mut_to_bitcoin());
        }
    }

    fun bitcoin_of(mapping: &Object<RoochToBitcoinAddressMapping>, account: address): Option<BitcoinAddress> {
        if (object::contains_field(mapping, account)) {
            option::some(*object::borrow_field<RoochToBitcoinAddressMapping, address, BitcoinAddress>(mapping, account))
        } else {
            option::none()
        }
    }

    fun borrow_multichain(): &Object<MultiChainAddressMapping> {
        object::borrow_object<MultiChainAddressMapping>(object::named_object_id<MultiChainAddressMapping>())
    }

    fun borrow_to_bitcoin(): &Object<RoochToBitcoinAddressMapping> {
        object::borrow_object<RoochToBitcoinAddressMapping>(object::named_object_id<RoochToBitcoinAddressMapping>())
    }

    fun borrow_mut_to_bitcoin(): &mut Object<RoochToBitcoinAddressMapping> {
        let id = object::named_object_id<RoochToBitcoinAddressMapping>();
        object::borrow_mut_object_extend<RoochToBitcoinAddressMapping>(id)
    }

    // ---- for tests alone ----

    #[test_only]
    /// How many accounts have a Bitcoin address on record.
    public fun rooch_to_bitcoin_field_size_for_test(): u64 {
        object::field_size(borrow_to_bitcoin())
    }
}
