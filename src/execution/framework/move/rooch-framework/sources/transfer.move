/// What senders give to others: coins and objects, to accounts by address, by Bitcoin address or by that of another chain.
module rooch_framework::transfer {
    use std::option;
    use std::string::String;
    use std::vector;
    use moveos_std::object::{Self, Object, ObjectID};
    use rooch_framework::account_coin_store;
    use rooch_framework::address_mapping;
    use rooch_framework::bitcoin_address;
    use rooch_framework::multichain_address;

    /// No account of this address is on record.
    const ErrorAddressMappingNotExists: u64 = 1;

    /// Gives coins of a type to an account.
    public entry fun transfer_coin<CoinType: key + store>(from: &signer, to: address, amount: u256) {
        account_coin_store::transfer<CoinType>(from, to, amount)
    }

    /// Gives coins of a type to the account of a Bitcoin address, which is recorded.
    public entry fun transfer_coin_to_bitcoin_address<CoinType: key + store>(from: &signer, to: String, amount: u256) {
        account_coin_store::transfer<CoinType>(from, account_of_bitcoin(&to), amount)
    }

    /// Gives coins of a type to the account of an address of any chain.
    public entry fun transfer_coin_to_multichain_address<CoinType: key + store>(
        from: &signer,
        multichain_id: u64,
        raw_address: vector<u8>,
        amount: u256,
    ) {
        let to = address_mapping::resolve(multichain_address::new(multichain_id, raw_address));
        assert!(option::is_some(&to), ErrorAddressMappingNotExists);
        account_coin_store::transfer<CoinType>(from, option::destroy_some(to), amount)
    }

    /// Gives an object to an account.
    public entry fun transfer_object<T: key + store>(to: address, obj: Object<T>) {
        object::transfer(obj, to)
    }

    /// Gives an object to the account of a Bitcoin address, which is recorded.
    public entry fun transfer_object_to_bitcoin_address<T: key + store>(to: String, obj: Object<T>) {
        object::transfer(obj, account_of_bitcoin(&to))
    }

    /// Gives coins of the type with a name to an account.
    public entry fun transfer_coin_by_type_name(from: &signer, to: address, coin_type: String, amount: u256) {
        account_coin_store::transfer_by_type_name(from, to, coin_type, amount)
    }

    /// Gives objects of a type to an account.
    public entry fun transfer_object_batch<T: key + store>(from: &signer, to: address, object_ids: vector<ObjectID>) {
        vector::for_each_ref(&object_ids, |id| object::transfer(object::take_object<T>(from, *id), to))
    }

    fun account_of_bitcoin(text: &String): address {
        let bitcoin = bitcoin_address::from_string(text);
        let account = bitcoin_address::to_rooch_address(&bitcoin);
        address_mapping::bind_bitcoin_address_internal(account, bitcoin);
        account
    }
}
