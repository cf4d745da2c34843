/// Bech32 (BIP-173), bech32m (BIP-350) and Bitcoin's witness programs in them. The natives abort with 1 and 2 where
/// encoding and decoding fail, 3 for an unknown BIP, 4 for an unknown network, 5 for an unknown witness version.
module moveos_std::bech32 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const E_ENCODE_FAILED: u64 = 1;
    #[test_only] const E_DECODE_FAILED: u64 = 2;
    #[test_only] const E_INVALID_BIP_CODE: u64 = 3;
    #[test_only] const E_INVALID_NETWORK: u64 = 4;
    #[test_only] const E_INVALID_WITNESS_VERSION: u64 = 5;

    const BECH32M: u16 = 350;

    /// Text of bytes under a prefix; `bip` is 173, 350, or 0 for none of both checksums.
    native public fun encode(bip: u16, hrp: vector<u8>, data: vector<u8>): vector<u8>;

    /// Text of a witness program on the network with the prefix `bc`, `tb` or `bcrt`.
    native public fun segwit_encode(network: vector<u8>, witness_version: u8, data: vector<u8>): vector<u8>;

    /// Bytes of text that must have this prefix.
    native public fun decode(hrp: vector<u8>, encoded: vector<u8>): vector<u8>;

    /// Program of text that must have this prefix and the witness version of this character.
    native public fun segwit_decode(hrp: vector<u8>, witness_ascii_version: u8, encoded: vector<u8>): vector<u8>;

    /// The number of the BIP of bech32m.
    public fun bech32m_to_bip(): u16 {
        BECH32M
    }
}
