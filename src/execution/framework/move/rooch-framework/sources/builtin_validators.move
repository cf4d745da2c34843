/// The modules that may prove every account.
module rooch_framework::builtin_validators {
    use rooch_framework::auth_validator_registry;
    use rooch_framework::bitcoin_validator::{Self, BitcoinValidator};
    use rooch_framework::did_validator::{Self, DIDValidator};
    use rooch_framework::session_validator::{Self, SessionValidator};
    use rooch_framework::webauthn_validator::{Self, WebauthnValidator};

    friend rooch_framework::genesis;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorGenesisInit: u64 = 1;

    /// 0 session keys, 1 Bitcoin wallets, 2 several signers, 3 WebAuthn, 4 identity documents.
    const LAST_ID: u64 = 4;

    /// Registers all but that of several signers, which the package at 0x4 has.
    public(friend) fun genesis_init(_genesis_account: &signer) {
        register<SessionValidator>(session_validator::auth_validator_id());
        register<BitcoinValidator>(bitcoin_validator::auth_validator_id());
        init_webauthn_validator();
        init_did_validator();
    }

    /// Registers it on chains that are older.
    public entry fun init_webauthn_validator() {
        register<WebauthnValidator>(webauthn_validator::auth_validator_id());
    }

    /// Registers it on chains that are older.
    public entry fun init_did_validator() {
        register<DIDValidator>(did_validator::auth_validator_id());
    }

    /// Whether a number is one of these modules.
    public fun is_builtin_auth_validator(auth_validator_id: u64): bool {
        auth_validator_id <= LAST_ID
    }

    fun register<ValidatorType: store>(id: u64) {
        auth_validator_registry::register_internal_with_id<ValidatorType>(id);
    }
}
