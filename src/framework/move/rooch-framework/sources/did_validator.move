module rooch_framework::did_validator {
    #[data_struct]
    struct ClientData has copy, drop, store {
        challenge: std::string::String,
        origin: std::string::String,
        type: std::string::String,
    }

    #[data_struct]
    struct DIDAuthPayload has copy, drop, store {
        envelope: u8,
        vm_fragment: std::string::String,
        signature: vector<u8>,
        message: std::option::Option<vector<u8>>,
    }

    struct DIDValidator has drop, store {}

    #[data_struct]
    struct WebauthnEnvelopeData has copy, drop, store {
        authenticator_data: vector<u8>,
        client_data_json: vector<u8>,
    }
}
