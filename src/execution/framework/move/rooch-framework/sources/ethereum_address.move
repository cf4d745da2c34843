/// Ethereum addresses: the last 20 bytes of the Keccak-256 of a public key.
module rooch_framework::ethereum_address {
    use std::vector;
    use moveos_std::hash;
    use rooch_framework::ecdsa_k1;

    /// The key is not of 33 bytes.
    const ErrorMalformedPublicKey: u64 = 1;
    /// The key is no point.
    const ErrorDecompressPublicKey: u64 = 2;
    /// The bytes are not 20.
    const ErrorInvaidAddressBytes: u64 = 3;

    const LENGTH: u64 = 20;
    const HASH_LENGTH: u64 = 32;

    #[data_struct]
    struct ETHAddress has copy, drop, store {
        bytes: vector<u8>,
    }

    /// The address of a compressed key.
    public fun new(pub_key: vector<u8>): ETHAddress {
        assert!(vector::length(&pub_key) == ecdsa_k1::public_key_length(), ErrorMalformedPublicKey);
        let point = ecdsa_k1::decompress_pubkey(&pub_key);
        let point_length = ecdsa_k1::uncompressed_public_key_length();
        assert!(vector::length(&point) == point_length, ErrorDecompressPublicKey);
        // the coordinates without the byte that says that both are there
        let digest = hash::keccak256(&vector::slice(&point, 1, point_length));
        ETHAddress { bytes: vector::slice(&digest, HASH_LENGTH - LENGTH, HASH_LENGTH) }
    }

    /// The address of 20 bytes.
    public fun from_bytes(bytes: vector<u8>): ETHAddress {
        assert!(vector::length(&bytes) == LENGTH, ErrorInvaidAddressBytes);
        ETHAddress { bytes }
    }

    /// The bytes.
    public fun as_bytes(addr: &ETHAddress): &vector<u8> {
        &addr.bytes
    }

    /// The bytes, by value.
    public fun into_bytes(addr: ETHAddress): vector<u8> {
        let ETHAddress { bytes } = addr;
        bytes
    }
}
