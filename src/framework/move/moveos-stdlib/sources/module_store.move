module moveos_std::module_store {
    struct Allowlist has store, key {
        packages: vector<address>,
    }

    struct ModuleStore has key {}

    struct Package has key {
        version: u64,
    }

    #[data_struct]
    struct PackageData has copy, drop, store {
        package_name: std::string::String,
        package_id: address,
        modules: vector<vector<u8>>,
    }

    struct UpgradeCap has store, key {
        package_id: address,
    }

    struct UpgradeEvent has copy, drop, store {
        package_id: address,
        version: u64,
    }
}
