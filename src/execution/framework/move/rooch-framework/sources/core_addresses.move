/// The framework's own address, which is also that of genesis.
module rooch_framework::core_addresses {
    use std::signer;

    /// Genesis does not sign.
    const ErrorNotGenesisAddress: u64 = 1;
    /// The framework does not sign.
    const ErrorNotRoochFrameworkAddress: u64 = 2;

    /// Aborts unless genesis signs.
    public fun assert_rooch_genesis(account: &signer) {
        assert_rooch_genesis_address(signer::address_of(account))
    }

    /// Aborts unless the address is that of genesis.
    public fun assert_rooch_genesis_address(addr: address) {
        assert!(is_rooch_genesis_address(addr), ErrorNotGenesisAddress)
    }

    /// Whether the address is that of genesis.
    public fun is_rooch_genesis_address(addr: address): bool {
        addr == genesis_address()
    }

    /// Aborts unless the framework signs.
    public fun assert_rooch_framework(account: &signer) {
        assert!(is_rooch_framework_address(signer::address_of(account)), ErrorNotRoochFrameworkAddress)
    }

    /// Whether the address is the framework's.
    public fun is_rooch_framework_address(addr: address): bool {
        addr == @rooch_framework
    }

    /// The address of genesis.
    public fun genesis_address(): address {
        @rooch_framework
    }
}
