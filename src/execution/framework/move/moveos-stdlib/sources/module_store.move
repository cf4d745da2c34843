/// Where modules live: one object, whose child objects are packages by address, whose fields are modules by name. The
/// right to publish a package is an object too, its upgrade capability; whoever owns that may replace the modules.
module moveos_std::module_store {
    use std::string::String;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::core_addresses;
    use moveos_std::event;
    use moveos_std::features;
    use moveos_std::move_module::{Self, MoveModule};
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::tx_context;

    friend moveos_std::genesis;

    /// The package is not on the list of those that may be published.
    const ErrorNotAllowToPublish: u64 = 1;
    /// The sender does not own the package's upgrade capability.
    const ErrorNoUpgradePermission: u64 = 2;
    /// The package has an upgrade capability.
    const ErrorUpgradeCapIssued: u64 = 3;

    /// Packages that may be published while publishing is restricted.
    struct Allowlist has key, store {
        packages: vector<address>,
    }

    struct ModuleStore has key {}

    struct Package has key {
        /// Counts publications; those by genesis do not count.
        version: u64,
    }

    #[data_struct]
    /// What a publishing transaction brings.
    struct PackageData has copy, drop, store {
        package_name: String,
        package_id: address,
        modules: vector<vector<u8>>,
    }

    /// The right to publish a package.
    struct UpgradeCap has key, store {
        package_id: address,
    }

    /// A package was published.
    struct UpgradeEvent has copy, drop, store {
        package_id: address,
        version: u64,
    }

    // ---- reading ----

    /// The id of the one object that holds all packages.
    public fun module_store_id(): ObjectID {
        object::named_object_id<ModuleStore>()
    }

    /// The object that holds all packages.
    public fun borrow_module_store(): &Object<ModuleStore> {
        object::borrow_object<ModuleStore>(module_store_id())
    }

    /// The object that holds all packages, for change.
    public fun borrow_mut_module_store(): &mut Object<ModuleStore> {
        object::borrow_mut_object_shared<ModuleStore>(module_store_id())
    }

    /// The id of a package.
    public fun package_obj_id(package_id: address): ObjectID {
        object::child_id(module_store_id(), package_id)
    }

    /// Whether a package was published.
    public fun exists_package(package_id: address): bool {
        object::exists_object(package_obj_id(package_id))
    }

    /// Whether a module was published.
    public fun exists_module(package_id: address, name: String): bool {
        let id = package_obj_id(package_id);
        object::exists_object(id) && object::contains_field(object::borrow_object<Package>(id), name)
    }

    /// How often a package was published; aborts where it never was.
    public fun package_version(package_id: address): u64 {
        object::borrow(object::borrow_object<Package>(package_obj_id(package_id))).version
    }

    // ---- the right to publish ----

    /// Makes the upgrade capability of any package; for system accounts.
    public fun issue_upgrade_cap_by_system(system: &signer, package_id: address, owner: address) {
        core_addresses::assert_system_reserved(system);
        issue(package_id, owner);
    }

    /// Makes the upgrade capability of the sender's package, before or without publishing it.
    public fun issue_upgrade_cap(sender: &signer, owner: address) {
        issue(signer::address_of(sender), owner);
    }

    /// Whether a package has an upgrade capability.
    public fun is_upgrade_cap_issued(package_id: address): bool {
        object::exists_object(upgrade_cap_id(package_id))
    }

    /// Whether `account` may publish a package.
    public fun has_upgrade_permission(package_id: address, account: address): bool {
        let id = upgrade_cap_id(package_id);
        object::exists_object(id) && object::owner(object::borrow_object<UpgradeCap>(id)) == account
    }

    /// Aborts unless `account` may publish a package.
    public fun ensure_upgrade_permission(package_id: address, account: &signer) {
        assert!(has_upgrade_permission(package_id, signer::address_of(account)), ErrorNoUpgradePermission);
    }

    fun upgrade_cap_id(package_id: address): ObjectID {
        object::account_named_object_id<UpgradeCap>(package_id)
    }

    fun issue(package_id: address, owner: address) {
        assert!(!is_upgrade_cap_issued(package_id), ErrorUpgradeCapIssued);
        object::transfer_extend(object::new_account_named_object(package_id, UpgradeCap { package_id }), owner);
    }

    // ---- publishing ----

    /// Publishes an encoded `PackageData`. The first time, the sender must be the package's address, or own an upgrade
    /// capability that was made before; from then on, own it.
    public entry fun publish_package_entry(account: &signer, package_bytes: vector<u8>) {
        let PackageData { package_name: _, package_id, modules } = bcs::from_bytes<PackageData>(package_bytes);
        if (features::module_publishing_allowlist_enabled()) ensure_in_allowlist(package_id);
        if (exists_package(package_id) || is_upgrade_cap_issued(package_id)) {
            ensure_upgrade_permission(package_id, account)
        } else {
            let sender = signer::address_of(account);
            assert!(sender == package_id, ErrorNoUpgradePermission);
            issue(package_id, sender)
        };
        let is_upgrade = publish_modules_internal(
            borrow_mut_module_store(),
            package_id,
            move_module::new_batch(modules)
        );
        tx_context::set_module_upgrade_flag(is_upgrade);
    }

    /// Verifies modules, stores them, and has the `init` functions of new ones run afterwards. Tells whether the package
    /// was there before.
    public(friend) fun publish_modules_internal(
        module_store_object: &mut Object<ModuleStore>,
        package_id: address,
        modules: vector<MoveModule>
    ): bool {
        let (names, names_with_init, indices) = move_module::sort_and_verify_modules(&modules, package_id);
        let id = package_obj_id(package_id);
        let is_upgrade = object::exists_object(id);
        if (!is_upgrade) {
            let package = object::new_with_parent_and_key(module_store_object, package_id, Package { version: 0 });
            object::transfer_extend(package, package_id);
        };
        let package = object::borrow_mut_object_extend<Package>(id);
        vector::zip_ref(&names, &indices, |name, index| {
            let name = *name;
            let move_module = vector::borrow(&modules, *index);
            if (object::contains_field(package, name)) {
                let replaced: MoveModule = object::remove_field(package, name);
                move_module::check_comatibility(move_module, &replaced)
            } else if (vector::contains(&names_with_init, &name)) {
                move_module::request_init_functions(vector[move_module::module_id_from_name(package_id, name)])
            };
            object::add_field(package, name, *move_module)
        });
        let content = object::borrow_mut(package);
        content.version = content.version + 1;
        event::emit(UpgradeEvent { package_id, version: content.version });
        is_upgrade
    }

    /// Lets nobody publish a package any more.
    public fun freeze_package(package: Object<Package>) {
        object::to_frozen(package)
    }

    // ---- the list of those who may publish ----

    /// Makes the list, empty.
    public(friend) fun init_module_store() {
        object::to_shared(object::new_named_object(Allowlist { packages: vector[] }));
    }

    /// Puts a package on the list; for system accounts.
    public fun add_to_allowlist(account: &signer, package_id: address) {
        core_addresses::assert_system_reserved(account);
        let packages = &mut borrow_mut_allowlist().packages;
        if (!vector::contains(packages, &package_id)) vector::push_back(packages, package_id);
    }

    /// Takes a package off the list; for system accounts.
    public fun remove_from_allowlist(account: &signer, package_id: address) {
        core_addresses::assert_system_reserved(account);
        vector::remove_value(&mut borrow_mut_allowlist().packages, &package_id);
    }

    /// Whether a package is on the list.
    public fun is_in_allowlist(package_id: address): bool {
        let allowlist = object::borrow_object<Allowlist>(object::named_object_id<Allowlist>());
        vector::contains(&object::borrow(allowlist).packages, &package_id)
    }

    fun borrow_mut_allowlist(): &mut Allowlist {
        object::borrow_mut(object::borrow_mut_object_shared<Allowlist>(object::named_object_id<Allowlist>()))
    }

    fun ensure_in_allowlist(package_id: address) {
        let allowed = core_addresses::is_system_reserved_address(package_id) || is_in_allowlist(package_id);
        assert!(allowed, ErrorNotAllowToPublish);
    }
}
