/// The Bitcoin network that the chain follows, in one shared object, and what differs between networks.
module bitcoin_move::network {
    use std::string::{Self, String};
    use moveos_std::object;

    friend bitcoin_move::genesis;

    /// A network that is none of the four.
    const ErrorUnknownNetwork: u64 = 1;

    const BITCOIN: u8 = 1;
    const TESTNET: u8 = 2;
    const SIGNET: u8 = 3;
    const REGTEST: u8 = 4;

    /// Satoshis that a block of the first epoch makes.
    const FIRST_SUBSIDY: u64 = 5_000_000_000;
    /// Blocks of an epoch: the subsidy halves with each.
    const EPOCH: u32 = 210_000;
    /// The first epoch without a subsidy.
    const LAST_EPOCH: u32 = 33;

    struct BitcoinNetwork has key {
        network: u8,
    }

    /// Makes the object.
    public(friend) fun genesis_init(network: u8) {
        object::to_shared(object::new_named_object(BitcoinNetwork { network }));
    }

    /// The network's number.
    public fun network(): u8 {
        object::borrow(object::borrow_object<BitcoinNetwork>(object::named_object_id<BitcoinNetwork>())).network
    }

    /// Number of the main network.
    public fun network_bitcoin(): u8 { BITCOIN }

    /// Number of the test network.
    public fun network_testnet(): u8 { TESTNET }

    /// Number of the test network with signed blocks.
    public fun network_signet(): u8 { SIGNET }

    /// Number of a network of one's own.
    public fun network_regtest(): u8 { REGTEST }

    /// Whether the chain follows the main network.
    public fun is_mainnet(): bool { network() == BITCOIN }

    /// Whether the chain follows the test network.
    public fun is_testnet(): bool { network() == TESTNET }

    /// Whether the chain follows the test network with signed blocks.
    public fun is_signet(): bool { network() == SIGNET }

    /// The number of a network's name.
    public fun from_str(network: &String): u8 {
        let name = *string::bytes(network);
        if (name == b"bitcoin") return BITCOIN;
        if (name == b"testnet") return TESTNET;
        if (name == b"signet") return SIGNET;
        if (name == b"regtest") return REGTEST;
        abort ErrorUnknownNetwork
    }

    /// The name of a network's number.
    public fun network_name(network: u8): String {
        string::utf8(of_four(network, b"bitcoin", b"testnet", b"signet", b"regtest"))
    }

    /// What the network's addresses of witness programs begin with.
    public fun bech32_hrp(network: u8): String {
        string::utf8(of_four(network, b"bc", b"tb", b"tb", b"bcrt"))
    }

    /// The first block whose inscriptions are never cursed.
    public fun jubilee_height(): u64 {
        of_four(network(), 824544, 2544192, 175392, 110)
    }

    /// The first block that may hold an inscription.
    public fun first_inscription_height(): u64 {
        of_four(network(), 767430, 2413343, 112402, 0)
    }

    /// The satoshis that the block of a height makes.
    public fun subsidy_by_height(height: u64): u64 {
        let epoch = (height as u32) / EPOCH;
        if (epoch < LAST_EPOCH) FIRST_SUBSIDY >> (epoch as u8) else 0
    }

    fun of_four<T: drop>(network: u8, bitcoin: T, testnet: T, signet: T, regtest: T): T {
        if (network == BITCOIN) return bitcoin;
        if (network == TESTNET) return testnet;
        if (network == SIGNET) return signet;
        if (network == REGTEST) return regtest;
        abort ErrorUnknownNetwork
    }
}
