/// Bitcoin addresses without their network: a byte that tells the kind, then a hash of 20 bytes, or a witness version and
/// program. No bytes at all are no address.
module rooch_framework::bitcoin_address {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::hash;

    friend rooch_framework::multichain_address;

    /// Text or bytes that are no address.
    const ErrorInvalidAddress: u64 = 1;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorArgNotVectorU8: u64 = 2;
    #[test_only] const ErrorInvalidPublicKey: u64 = 3;
    #[test_only] const ErrorInvalidThreshold: u64 = 4;
    #[test_only] const ErrorInvalidKeyEggContext: u64 = 5;
    #[test_only] const ErrorDeprecated: u64 = 6;

    const PUBLIC_KEY_HASH: u8 = 0;
    const SCRIPT_HASH: u8 = 1;
    const WITNESS_PROGRAM: u8 = 2;
    const HASH_LENGTH: u64 = 20;

    #[data_struct]
    struct BitcoinAddress has copy, drop, store {
        bytes: vector<u8>,
    }

    /// Kind of an address that pays to the hash of a key.
    public fun pay_load_type_pubkey_hash(): u8 { PUBLIC_KEY_HASH }

    /// Kind of an address that pays to the hash of a script.
    public fun pay_load_type_script_hash(): u8 { SCRIPT_HASH }

    /// Kind of an address that pays to a witness program.
    public fun pay_load_type_witness_program(): u8 { WITNESS_PROGRAM }

    /// The address of the hash of a key.
    public fun p2pkh(pubkey_hash: vector<u8>): BitcoinAddress {
        of_hash(PUBLIC_KEY_HASH, pubkey_hash)
    }

    /// The address of the hash of a script.
    public fun p2sh(script_hash: vector<u8>): BitcoinAddress {
        of_hash(SCRIPT_HASH, script_hash)
    }

    /// The taproot address of a key, and of a tree of scripts if a root is given (BIP-341).
    public fun p2tr(internal_pubkey: &vector<u8>, merkle_root: Option<address>): BitcoinAddress {
        derive_bitcoin_taproot_address(internal_pubkey, merkle_root)
    }

    /// The address of these bytes, which are not looked at.
    public(friend) fun new(bytes: vector<u8>): BitcoinAddress {
        BitcoinAddress { bytes }
    }

    /// No address.
    public fun empty(): BitcoinAddress {
        BitcoinAddress { bytes: vector[] }
    }

    /// The kind.
    public fun pay_load_type(addr: &BitcoinAddress): u8 {
        *vector::borrow(&addr.bytes, 0)
    }

    /// What follows the kind.
    public fun pay_load(addr: &BitcoinAddress): vector<u8> {
        vector::slice(&addr.bytes, 1, vector::length(&addr.bytes))
    }

    /// Whether it pays to the hash of a key.
    public fun is_p2pkh(addr: &BitcoinAddress): bool {
        is_of_hash(addr, PUBLIC_KEY_HASH)
    }

    /// Whether it pays to the hash of a script.
    public fun is_p2sh(addr: &BitcoinAddress): bool {
        is_of_hash(addr, SCRIPT_HASH)
    }

    /// Whether it is neither of the two.
    public fun is_witness_program(addr: &BitcoinAddress): bool {
        !is_p2sh(addr) && !is_p2pkh(addr)
    }

    /// Whether it is no address.
    public fun is_empty(addr: &BitcoinAddress): bool {
        vector::is_empty(&addr.bytes)
    }

    /// The bytes.
    public fun as_bytes(addr: &BitcoinAddress): &vector<u8> {
        &addr.bytes
    }

    /// The bytes, by value.
    public fun into_bytes(addr: BitcoinAddress): vector<u8> {
        let BitcoinAddress { bytes } = addr;
        bytes
    }

    /// Reads the text of an address of any network; aborts where it is none.
    public fun from_string(addr: &String): BitcoinAddress {
        parse(string::bytes(addr))
    }

    /// Whether the address of this text follows from the key.
    public fun verify_with_public_key(addr: &String, pk: &vector<u8>): bool {
        verify_bitcoin_address_with_public_key(&from_string(addr), pk)
    }

    /// The node address of a Bitcoin address: BLAKE2b-256 of its bytes.
    public fun to_rooch_address(addr: &BitcoinAddress): address {
        assert!(!is_empty(addr), ErrorInvalidAddress);
        bcs::to_address(hash::blake2b256(&addr.bytes))
    }

    /// The taproot address of a key without scripts.
    public fun derive_bitcoin_taproot_address_from_pubkey(pubkey: &vector<u8>): BitcoinAddress {
        derive_bitcoin_taproot_address(pubkey, option::none())
    }

    /// Aborts with 3 where the key is malformed.
    native fun derive_bitcoin_taproot_address(
        internal_pubkey: &vector<u8>,
        merkle_root: Option<address>
    ): BitcoinAddress;

    /// Whether an address follows from a key.
    public native fun verify_bitcoin_address_with_public_key(bitcoin_addr: &BitcoinAddress, pk: &vector<u8>): bool;

    /// Aborts with 1 where the text is no address.
    native fun parse(raw_addr: &vector<u8>): BitcoinAddress;

    fun of_hash(kind: u8, hash: vector<u8>): BitcoinAddress {
        assert!(vector::length(&hash) == HASH_LENGTH, ErrorInvalidAddress);
        let bytes = vector[kind];
        vector::append(&mut bytes, hash);
        BitcoinAddress { bytes }
    }

    fun is_of_hash(addr: &BitcoinAddress, kind: u8): bool {
        vector::length(&addr.bytes) == HASH_LENGTH + 1 && pay_load_type(addr) == kind
    }

    // ---- for tests alone ----

    #[test_only]
    /// An address that nothing had before. Its bytes are of no kind that Bitcoin knows.
    public fun random_address_for_testing(): BitcoinAddress {
        BitcoinAddress { bytes: bcs::to_bytes(&moveos_std::tx_context::fresh_address_for_testing()) }
    }
}
