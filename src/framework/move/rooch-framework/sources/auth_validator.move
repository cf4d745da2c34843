module rooch_framework::auth_validator {
    struct AuthValidator has copy, drop, store {
        id: u64,
        module_address: address,
        module_name: std::string::String,
    }

    struct TxValidateResult has copy, drop, store {
        auth_validator_id: u64,
        auth_validator: std::option::Option<AuthValidator>,
        session_key: std::option::Option<vector<u8>>,
        bitcoin_address: rooch_framework::bitcoin_address::BitcoinAddress,
    }
}
