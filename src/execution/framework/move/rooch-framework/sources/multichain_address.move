/// Addresses of several chains in one type. Numbers of chains are those of SLIP-44 where it has one.
module rooch_framework::multichain_address {
    use moveos_std::bcs;
    use moveos_std::hash;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use rooch_framework::ethereum_address::{Self, ETHAddress};

    /// The address is of another chain.
    const ErrorMultiChainIDMismatch: u64 = 1;

    const BITCOIN: u64 = 0;
    const ETHER: u64 = 60;
    const NOSTR: u64 = 1237;
    const ROOCH: u64 = 20230101;
    const LENGTH: u64 = 31;

    #[data_struct]
    struct MultiChainAddress has copy, drop, store {
        multichain_id: u64,
        raw_address: vector<u8>,
    }

    /// Number of Bitcoin.
    public fun multichain_id_bitcoin(): u64 { BITCOIN }

    /// Number of Ethereum.
    public fun multichain_id_ether(): u64 { ETHER }

    /// Number of Nostr.
    public fun multichain_id_nostr(): u64 { NOSTR }

    /// Number of this chain.
    public fun multichain_id_rooch(): u64 { ROOCH }

    /// A length that older contracts ask for.
    public fun get_length(): u64 { LENGTH }

    /// An address of a chain, whose bytes are not looked at.
    public fun new(multichain_id: u64, raw_address: vector<u8>): MultiChainAddress {
        MultiChainAddress { multichain_id, raw_address }
    }

    /// Reads an encoded address.
    public fun from_bytes(bytes: vector<u8>): MultiChainAddress {
        bcs::from_bytes<MultiChainAddress>(bytes)
    }

    /// An Ethereum address.
    public fun from_eth(eth_address: ETHAddress): MultiChainAddress {
        new(ETHER, ethereum_address::into_bytes(eth_address))
    }

    /// A Bitcoin address.
    public fun from_bitcoin(bitcoin_address: BitcoinAddress): MultiChainAddress {
        new(BITCOIN, bitcoin_address::into_bytes(bitcoin_address))
    }

    /// The chain's number.
    public fun multichain_id(self: &MultiChainAddress): u64 {
        self.multichain_id
    }

    /// The bytes.
    public fun raw_address(self: &MultiChainAddress): &vector<u8> {
        &self.raw_address
    }

    /// Whether it is of this chain.
    public fun is_rooch_address(maddress: &MultiChainAddress): bool {
        maddress.multichain_id == ROOCH
    }

    /// Whether it is of Ethereum.
    public fun is_eth_address(maddress: &MultiChainAddress): bool {
        maddress.multichain_id == ETHER
    }

    /// Whether it is of Bitcoin.
    public fun is_bitcoin_address(maddress: &MultiChainAddress): bool {
        maddress.multichain_id == BITCOIN
    }

    /// The address of this chain.
    public fun into_rooch_address(maddress: MultiChainAddress): address {
        bcs::to_address(into_raw_of(maddress, ROOCH))
    }

    /// The Ethereum address.
    public fun into_eth_address(maddress: MultiChainAddress): ETHAddress {
        ethereum_address::from_bytes(into_raw_of(maddress, ETHER))
    }

    /// The Bitcoin address.
    public fun into_bitcoin_address(maddress: MultiChainAddress): BitcoinAddress {
        bitcoin_address::new(into_raw_of(maddress, BITCOIN))
    }

    /// The address of this chain that follows from any: itself, or BLAKE2b-256 of its bytes.
    public fun mapping_to_rooch_address(maddress: MultiChainAddress): address {
        if (is_rooch_address(&maddress)) return into_rooch_address(maddress);
        bcs::to_address(hash::blake2b256(&maddress.raw_address))
    }

    fun into_raw_of(maddress: MultiChainAddress, chain: u64): vector<u8> {
        let MultiChainAddress { multichain_id, raw_address } = maddress;
        assert!(multichain_id == chain, ErrorMultiChainIDMismatch);
        raw_address
    }
}
