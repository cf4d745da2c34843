/// Accounts: objects whose id is their address, with a sequence number, and with resources as fields. A resource is found
/// under the name of its type, so an account has at most one of each.
module moveos_std::account {
    use std::string::String;
    use moveos_std::core_addresses;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::tx_context;
    use moveos_std::type_table;

    /// The address has an account.
    const ErrorAccountAlreadyExists: u64 = 1;
    /// The sequence number is used up.
    const ErrorSequenceNumberTooBig: u64 = 2;
    /// The address is the machine's own.
    const ErrorAddressReserved: u64 = 3;
    /// The account has a resource of this type.
    const ErrorResourceAlreadyExists: u64 = 5;
    /// The account has no resource of this type.
    const ErrorResourceNotExists: u64 = 6;
    /// The function is there for contracts that import it, and can no longer be called.
    const ErrorDeprecateFunction: u64 = 7;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorNotValidSystemReservedAddress: u64 = 4;

    const SEQUENCE_NUMBER_MAX: u64 = 0xFFFF_FFFF_FFFF_FFFF;

    struct Account has key {
        addr: address,
        sequence_number: u64,
    }

    /// The right to sign for an account that has no key.
    struct AccountCap has key, store {
        addr: address,
    }

    // ---- accounts ----

    /// Makes an account at `new_address` and gives its signer; for system accounts.
    public fun create_account_by_system(system: &signer, new_address: address): signer {
        core_addresses::assert_system_reserved(system);
        assert!(!core_addresses::is_vm_address(new_address), ErrorAddressReserved);
        assert!(!exists_at(new_address), ErrorAccountAlreadyExists);
        create_account_object(new_address);
        create_signer(new_address)
    }

    /// Deprecated: always aborts.
    public fun create_account(): Object<Account> {
        abort ErrorDeprecateFunction
    }

    /// Makes an account at a fresh address, and the right to sign for it.
    public fun create_account_and_return_cap(): AccountCap {
        let addr = tx_context::fresh_address();
        create_account_object(addr);
        AccountCap { addr }
    }

    /// How many transactions the account has sent; 0 where there is no account.
    public fun sequence_number(addr: address): u64 {
        if (exists_at(addr)) account_sequence_number(borrow_account(addr)) else 0
    }

    /// Counts one more transaction; for system accounts.
    public fun increment_sequence_number_for_system(system: &signer, sender: address) {
        core_addresses::assert_system_reserved(system);
        let account = object::borrow_mut(borrow_mut_account_of(sender));
        assert!(account.sequence_number < SEQUENCE_NUMBER_MAX, ErrorSequenceNumberTooBig);
        account.sequence_number = account.sequence_number + 1;
    }

    /// Whether there is an account at `addr`.
    public fun exists_at(addr: address): bool {
        object::exists_object(account_object_id(addr))
    }

    /// The signer of any address; for system accounts.
    public fun create_signer_for_system(system: &signer, addr: address): signer {
        core_addresses::assert_system_reserved(system);
        create_signer(addr)
    }

    /// The signer of an account whose handle is at hand.
    public fun create_signer_with_account(account: &mut Object<Account>): signer {
        create_signer(account_address(account))
    }

    /// The signer of the account that a capability stands for.
    public fun create_signer_with_account_cap(cap: &mut AccountCap): signer {
        create_signer(cap.addr)
    }

    native fun create_signer(addr: address): signer;

    /// The id of the account object of an address.
    public fun account_object_id(account: address): ObjectID {
        object::address_to_object_id(account)
    }

    /// The address of an account.
    public fun account_address(self: &Object<Account>): address {
        object::borrow(self).addr
    }

    /// The address that a capability stands for.
    public fun account_cap_address(self: &AccountCap): address {
        self.addr
    }

    /// How many transactions an account has sent.
    public fun account_sequence_number(self: &Object<Account>): u64 {
        object::borrow(self).sequence_number
    }

    /// Deprecated: always aborts.
    public fun destroy_account(_account_obj: Object<Account>) {
        abort ErrorDeprecateFunction
    }

    /// Gives the right to sign up; the account stays.
    public fun destroy_account_cap(account_cap: AccountCap) {
        let AccountCap { addr: _ } = account_cap;
    }

    /// The account of an address; aborts without one.
    public fun borrow_account(account: address): &Object<Account> {
        object::borrow_object<Account>(account_object_id(account))
    }

    /// The signer's own account, for change.
    public fun borrow_mut_account(account: &signer): &mut Object<Account> {
        borrow_mut_account_of(signer::address_of(account))
    }

    fun borrow_mut_account_of(addr: address): &mut Object<Account> {
        object::borrow_mut_object_extend<Account>(account_object_id(addr))
    }

    fun create_account_object(addr: address) {
        let account = object::new_with_object_id(account_object_id(addr), Account { addr, sequence_number: 0 });
        object::transfer_extend(account, addr);
    }

    // ---- resources, by the account's handle ----

    /// The resource of type `T`; aborts without it.
    public fun account_borrow_resource<T: key>(self: &Object<Account>): &T {
        borrow_field_of<T>(object::id(self))
    }

    #[private_generics(T)]
    /// The resource of type `T`, for change; aborts without it.
    public fun account_borrow_mut_resource<T: key>(self: &mut Object<Account>): &mut T {
        borrow_mut_field_of<T>(object::id(self))
    }

    #[private_generics(T)]
    /// Gives the account a resource; aborts if it has one of this type.
    public fun account_move_resource_to<T: key>(self: &mut Object<Account>, resource: T) {
        add_field_to(object::id(self), resource)
    }

    #[private_generics(T)]
    /// Takes the resource of type `T`; aborts without it.
    public fun account_move_resource_from<T: key>(self: &mut Object<Account>): T {
        remove_field_from<T>(object::id(self))
    }

    /// Whether the account has a resource of type `T`.
    public fun account_exists_resource<T: key>(self: &Object<Account>): bool {
        object::contains_field_internal(object::id(self), type_table::key<T>())
    }

    // ---- resources, by the account's address ----

    /// The resource of type `T` of an account; aborts without it.
    public fun borrow_resource<T: key>(account: address): &T {
        borrow_field_of<T>(object::id(borrow_account(account)))
    }

    #[private_generics(T)]
    /// The resource of type `T` of an account, for change; aborts without it.
    public fun borrow_mut_resource<T: key>(account: address): &mut T {
        borrow_mut_field_of<T>(object::id(borrow_mut_account_of(account)))
    }

    #[private_generics(T)]
    /// Gives the signer's account a resource, making the account first where there is none.
    public fun move_resource_to<T: key>(account: &signer, resource: T) {
        let addr = signer::address_of(account);
        if (!exists_at(addr)) create_account_object(addr);
        add_field_to(object::id(borrow_mut_account_of(addr)), resource)
    }

    #[private_generics(T)]
    /// Takes the resource of type `T` of an account; aborts without it.
    public fun move_resource_from<T: key>(account: address): T {
        remove_field_from<T>(object::id(borrow_mut_account_of(account)))
    }

    /// Whether there is an account with a resource of type `T`.
    public fun exists_resource<T: key>(account: address): bool {
        exists_at(account) && account_exists_resource<T>(borrow_account(account))
    }

    // Handles are borrowed before these run, so a missing or frozen account is refused by the object runtime.

    fun borrow_field_of<T: key>(id: ObjectID): &T {
        let name = type_table::key<T>();
        assert!(object::contains_field_internal(id, name), ErrorResourceNotExists);
        object::borrow_field_internal<String, T>(id, name)
    }

    fun borrow_mut_field_of<T: key>(id: ObjectID): &mut T {
        let name = type_table::key<T>();
        assert!(object::contains_field_internal(id, name), ErrorResourceNotExists);
        object::borrow_mut_field_internal<String, T>(id, name)
    }

    fun add_field_to<T: key>(id: ObjectID, resource: T) {
        let name = type_table::key<T>();
        assert!(!object::contains_field_internal(id, name), ErrorResourceAlreadyExists);
        object::add_field_internal(id, name, resource)
    }

    fun remove_field_from<T: key>(id: ObjectID): T {
        let name = type_table::key<T>();
        assert!(object::contains_field_internal(id, name), ErrorResourceNotExists);
        object::remove_field_internal<Account, String, T>(id, name)
    }

    // ---- for tests alone ----

    #[test_only]
    /// The signer of any address, with or without an account.
    public fun create_signer_for_testing(addr: address): signer {
        create_signer(addr)
    }

    #[test_only]
    /// The signer of an address, which has an account from then on.
    public fun create_account_for_testing(new_address: address): signer {
        if (!exists_at(new_address)) create_account_object(new_address);
        create_signer(new_address)
    }
}
