/// Requests to the node to index the fields of an object by a part of their values.
module rooch_framework::indexer {
    use std::string::String;
    use moveos_std::event;
    use moveos_std::object::{Self, ObjectID};
    use moveos_std::signer;
    use rooch_framework::core_addresses;
    use rooch_framework::onchain_config;

    /// The object whose fields are the requests, by the id of the object to index.
    struct FieldIndexerTablePlaceholder has key {
        _placeholder: bool,
    }

    struct FieldIndexerData has copy, drop, store {
        path: String,
        ext: String,
    }

    struct AddFieldIndexerEvent has copy, drop {
        id: ObjectID,
        path: String,
        ext: String,
    }

    fun init() {
        if (object::exists_object(object::named_object_id<FieldIndexerTablePlaceholder>())) return;
        let requests = object::new_named_object(FieldIndexerTablePlaceholder { _placeholder: false });
        object::transfer_extend(requests, @rooch_framework);
    }

    /// Requests an index; for genesis and the chain's administrator.
    public entry fun add_field_indexer_entry(account: &signer, id: ObjectID, path: String, ext: String) {
        add_field_indexer(account, id, path, ext);
    }

    /// Requests an index; for genesis and the chain's administrator.
    public fun add_field_indexer(account: &signer, id: ObjectID, path: String, ext: String) {
        if (!core_addresses::is_rooch_genesis_address(signer::address_of(account))) {
            onchain_config::ensure_admin(account)
        };
        let requests_id = object::named_object_id<FieldIndexerTablePlaceholder>();
        let requests = object::borrow_mut_object_extend<FieldIndexerTablePlaceholder>(requests_id);
        object::add_field(requests, id, FieldIndexerData { path, ext });
        event::emit(AddFieldIndexerEvent { id, path, ext });
    }
}
