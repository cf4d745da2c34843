/// Oracles: whoever holds the capability of one says what something is worth, under a name, and everybody may read it.
module rooch_framework::oracle {
    use std::option::{Self, Option};
    use std::string::String;
    use moveos_std::decimal_value;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::table::{Self, Table};
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use rooch_framework::oracle_data::{Self, Data};

    /// The capability is of another oracle.
    const ErrorSenderNotOracle: u64 = 0;
    /// Nothing was said under this name.
    const ErrorTickerNotExists: u64 = 1;

    /// The object whose fields are data, by name.
    struct TablePlaceholder has key {
        _placeholder: bool,
    }

    struct SimpleOracle has key, store {
        id: Object<TablePlaceholder>,
        address: address,
        name: String,
        description: String,
        url: String,
    }

    /// The right to speak for an oracle.
    struct OracleAdminCap has key, store {
        oracle_id: ObjectID,
    }

    struct StoredData<T: store> has copy, drop, store {
        value: T,
        sequence_number: u64,
        /// Milliseconds.
        timestamp: u64,
        identifier: String,
    }

    struct NewOracleEvent has copy, drop {
        name: String,
        oracle_id: ObjectID,
        admin_id: ObjectID,
    }

    /// What was archived under a name and a key. The reference network looks for the archive under the name itself, where
    /// the newest datum is, and so always aborts; contracts must get the same here.
    public fun get_historical_data<K: copy + drop + store, V: store + copy>(
        oracle_obj: &Object<SimpleOracle>,
        ticker: String,
        archival_key: K
    ): Option<Data<V>> {
        let oracle = object::borrow(oracle_obj);
        let archive: &Table<K, StoredData<V>> = object::borrow_field(&oracle.id, ticker);
        option::some(to_data(oracle, ticker, table::borrow(archive, archival_key)))
    }

    /// What was said last under a name, if anything.
    public fun get_latest_data<T: store + copy>(
        oracle_obj: &Object<SimpleOracle>,
        ticker: String
    ): Option<Data<T>> {
        let oracle = object::borrow(oracle_obj);
        if (!object::contains_field(&oracle.id, ticker)) return option::none();
        option::some(to_data<T>(oracle, ticker, object::borrow_field(&oracle.id, ticker)))
    }

    /// Makes an oracle that everybody may read, and gives its capability to the sender.
    public entry fun create_entry(name: String, url: String, description: String) {
        let (oracle, capability) = create(name, url, description);
        object::to_shared(oracle);
        object::transfer(capability, tx_context::sender());
    }

    /// Makes an oracle and its capability.
    public fun create(
        name: String,
        url: String,
        description: String
    ): (Object<SimpleOracle>, Object<OracleAdminCap>) {
        let oracle = object::new(SimpleOracle {
            id: object::new(TablePlaceholder { _placeholder: false }),
            address: tx_context::sender(),
            name,
            description,
            url,
        });
        let oracle_id = object::id(&oracle);
        let capability = object::new(OracleAdminCap { oracle_id });
        event::emit(NewOracleEvent { name, oracle_id, admin_id: object::id(&capability) });
        (oracle, capability)
    }

    /// Says something now.
    public fun submit_data<T: store + copy + drop>(
        oracle_obj: &mut Object<SimpleOracle>,
        ticker: String,
        value: T,
        identifier: String,
        admin_obj: &mut Object<OracleAdminCap>,
    ) {
        let now = timestamp::now_milliseconds();
        submit_data_with_timestamp(oracle_obj, ticker, value, identifier, now, admin_obj);
    }

    /// Says something as of a time in milliseconds.
    public fun submit_data_with_timestamp<T: store + copy + drop>(
        oracle_obj: &mut Object<SimpleOracle>,
        ticker: String,
        value: T,
        identifier: String,
        timestamp: u64,
        admin_obj: &mut Object<OracleAdminCap>,
    ) {
        let oracle = borrow_mut_with(oracle_obj, admin_obj);
        let sequence_number = if (object::contains_field(&oracle.id, ticker)) {
            let previous: StoredData<T> = object::remove_field(&mut oracle.id, ticker);
            previous.sequence_number + 1
        } else {
            0
        };
        object::add_field(&mut oracle.id, ticker, StoredData { value, sequence_number, timestamp, identifier });
    }

    /// Says what something is worth, as of a time in milliseconds.
    public entry fun submit_decimal_data(
        oracle_obj: &mut Object<SimpleOracle>,
        ticker: String,
        value: u256,
        decimal: u8,
        identifier: String,
        timestamp: u64,
        admin_obj: &mut Object<OracleAdminCap>
    ) {
        let value = decimal_value::new(value, decimal);
        submit_data_with_timestamp(oracle_obj, ticker, value, identifier, timestamp, admin_obj);
    }

    /// Archives what was said last under a name. Always aborts, as `get_historical_data` tells.
    public fun archive_data<K: store + copy + drop, V: store + copy + drop>(
        oracle_obj: &mut Object<SimpleOracle>,
        ticker: String,
        archival_key: K,
        admin_obj: &mut Object<OracleAdminCap>,
    ) {
        let oracle = borrow_mut_with(oracle_obj, admin_obj);
        assert!(object::contains_field(&oracle.id, ticker), ErrorTickerNotExists);
        let latest: StoredData<V> = *object::borrow_field(&oracle.id, ticker);
        let archive: &mut Table<K, StoredData<V>> = object::borrow_mut_field(&mut oracle.id, ticker);
        table::upsert(archive, archival_key, latest);
    }

    fun borrow_mut_with(
        oracle: &mut Object<SimpleOracle>,
        capability: &Object<OracleAdminCap>
    ): &mut SimpleOracle {
        assert!(object::id(oracle) == object::borrow(capability).oracle_id, ErrorSenderNotOracle);
        object::borrow_mut(oracle)
    }

    fun to_data<T: store + copy>(oracle: &SimpleOracle, ticker: String, stored: &StoredData<T>): Data<T> {
        let StoredData { value, sequence_number, timestamp, identifier } = *stored;
        oracle_data::new(value, ticker, sequence_number, timestamp, oracle.address, identifier)
    }
}
