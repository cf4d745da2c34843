module rooch_framework::webauthn_validator {
    #[data_struct]
    struct ClientData has copy, drop, store {
        challenge: std::string::String,
        origin: std::string::String,
        type: std::string::String,
    }

    #[data_struct]
    struct WebauthnAuthPayload has copy, drop, store {
        scheme: u8,
        signature: vector<u8>,
        public_key: vector<u8>,
        authenticator_data: vector<u8>,
        client_data_json: vector<u8>,
    }

    struct WebauthnValidator has drop, store {}
}
