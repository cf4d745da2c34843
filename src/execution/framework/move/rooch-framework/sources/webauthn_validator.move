/// Was to prove senders by WebAuthn; `did_validator` does so now. The number and the types stay taken.
module rooch_framework::webauthn_validator {
    use std::string::String;

    friend rooch_framework::builtin_validators;
    friend rooch_framework::transaction_validator;

    /// It proves nobody any more.
    const ErrorValidatorDeprecated: u64 = 2001;

    const ID: u64 = 3;

    struct WebauthnValidator has drop, store {}

    #[data_struct]
    struct WebauthnAuthPayload has copy, drop, store {
        scheme: u8,
        signature: vector<u8>,
        public_key: vector<u8>,
        authenticator_data: vector<u8>,
        client_data_json: vector<u8>,
    }

    #[data_struct]
    struct ClientData has copy, drop, store {
        challenge: String,
        origin: String,
        type: String,
    }

    /// The number by which transactions name it.
    public fun auth_validator_id(): u64 { ID }

    /// Always aborts.
    public(friend) fun validate(_authenticator_payload: vector<u8>): vector<u8> {
        abort ErrorValidatorDeprecated
    }

    /// The parts, in their order.
    public fun unwrap_webauthn_auth_payload(
        payload: WebauthnAuthPayload
    ): (u8, vector<u8>, vector<u8>, vector<u8>, vector<u8>) {
        let WebauthnAuthPayload { scheme, signature, public_key, authenticator_data, client_data_json } = payload;
        (scheme, signature, public_key, authenticator_data, client_data_json)
    }

    /// The parts, in their order.
    public fun unwrap_client_data(client_data: ClientData): (String, String, String) {
        let ClientData { challenge, origin, type } = client_data;
        (challenge, origin, type)
    }
}
