/// Hashes of Bitcoin: SHA-256 twice, written as text with the bytes in reverse order.
module bitcoin_move::bitcoin_hash {
    use std::hash;
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::address;
    use moveos_std::hex;

    /// Text that is not 64 hexadecimal digits.
    const ErrorInvalidHex: u64 = 1;

    /// Reads the text of a hash.
    public fun from_ascii_bytes(bytes: &vector<u8>): address {
        let hash = from_ascii_bytes_option(bytes);
        assert!(option::is_some(&hash), ErrorInvalidHex);
        option::destroy_some(hash)
    }

    /// Reads the text of a hash, if it is one.
    public fun from_ascii_bytes_option(bytes: &vector<u8>): Option<address> {
        let decoded = hex::decode_option(bytes);
        if (option::is_none(&decoded)) {
            option::none()
        } else {
            let hash = option::destroy_some(decoded);
            vector::reverse(&mut hash);
            address::from_bytes_option(hash)
        }
    }

    /// The text of a hash.
    public fun to_string(hash: address): String {
        let bytes = address::to_bytes(&hash);
        vector::reverse(&mut bytes);
        string::utf8(hex::encode(bytes))
    }

    /// The hash of some bytes.
    public fun sha256d(input: vector<u8>): address {
        address::from_bytes(hash::sha2_256(hash::sha2_256(input)))
    }

    /// The hash of two hashes one after the other: an inner node of a Merkle tree.
    public fun sha256d_concat(left: address, right: address): address {
        let pair = address::to_bytes(&left);
        vector::append(&mut pair, address::to_bytes(&right));
        sha256d(pair)
    }
}
