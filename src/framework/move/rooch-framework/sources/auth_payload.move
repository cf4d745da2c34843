module rooch_framework::auth_payload {
    #[data_struct]
    struct AuthPayload has copy, drop, store {
        signature: vector<u8>,
        message_prefix: vector<u8>,
        message_info: vector<u8>,
        public_key: vector<u8>,
        from_address: std::string::String,
    }

    #[data_struct]
    struct MultisignAuthPayload has copy, drop, store {
        signatures: vector<vector<u8>>,
        message_prefix: vector<u8>,
        message_info: vector<u8>,
        public_keys: vector<vector<u8>>,
    }

    #[data_struct]
    struct SignData has copy, drop {
        message_prefix: vector<u8>,
        message_info: vector<u8>,
    }
}
