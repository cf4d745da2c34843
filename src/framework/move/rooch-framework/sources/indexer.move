module rooch_framework::indexer {
    struct AddFieldIndexerEvent has copy, drop {
        id: moveos_std::object::ObjectID,
        path: std::string::String,
        ext: std::string::String,
    }

    struct FieldIndexerData has copy, drop, store {
        path: std::string::String,
        ext: std::string::String,
    }

    struct FieldIndexerTablePlaceholder has key {
        _placeholder: bool,
    }
}
