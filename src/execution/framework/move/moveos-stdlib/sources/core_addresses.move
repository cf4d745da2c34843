/// Addresses that belong to the system: 0x0 to the machine, 0x1 to 0xa to packages.
module moveos_std::core_addresses {
    use std::signer;

    /// The signer is not the machine.
    const ErrorNotVM: u64 = 1;
    /// The address is none of 0x1 to 0xa.
    const ErrorNotSystemReservedAddress: u64 = 2;

    /// Aborts unless the machine signs.
    public fun assert_vm(account: &signer) {
        assert!(is_vm(account), ErrorNotVM)
    }

    /// Whether the machine signs.
    public fun is_vm(account: &signer): bool {
        is_vm_address(signer::address_of(account))
    }

    /// Whether the address is the machine's.
    public fun is_vm_address(addr: address): bool {
        addr == @0x0
    }

    /// Aborts unless a system account signs.
    public fun assert_system_reserved(account: &signer) {
        assert_system_reserved_address(signer::address_of(account));
    }

    /// Aborts unless the address is a system account's.
    public fun assert_system_reserved_address(addr: address) {
        assert!(is_system_reserved_address(addr), ErrorNotSystemReservedAddress)
    }

    /// Whether the address is one of 0x1 to 0xa.
    public fun is_system_reserved_address(addr: address): bool {
        // the framework itself signs most often
        addr == @0x3 || addr == @0x2 || addr == @0x4 || addr == @0x1 || addr == @0x5
            || addr == @0x6 || addr == @0x7 || addr == @0x8 || addr == @0x9 || addr == @0xa
    }

    /// Whether the address is the machine's or a system account's.
    public fun is_reserved_address(addr: address): bool {
        is_vm_address(addr) || is_system_reserved_address(addr)
    }

    /// 0x1 to 0xa.
    public fun list_system_reserved_addresses(): vector<address> {
        vector[@0x1, @0x2, @0x3, @0x4, @0x5, @0x6, @0x7, @0x8, @0x9, @0xa]
    }
}
