module rooch_framework::session_key {
    struct SessionKey has copy, drop, store {
        app_name: std::string::String,
        app_url: std::string::String,
        authentication_key: vector<u8>,
        scopes: vector<SessionScope>,
        create_time: u64,
        last_active_time: u64,
        max_inactive_interval: u64,
    }

    struct SessionKeys has key {
        keys: moveos_std::table::Table<vector<u8>, SessionKey>,
    }

    struct SessionScope has copy, drop, store {
        module_address: address,
        module_name: std::string::String,
        function_name: std::string::String,
    }
}
