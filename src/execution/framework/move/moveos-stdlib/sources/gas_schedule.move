/// What operations cost: named prices in one object, which the machine reads.
module moveos_std::gas_schedule {
    use std::string::String;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::core_addresses;
    use moveos_std::object;
    use moveos_std::signer;
    use moveos_std::tx_context;

    friend moveos_std::genesis;

    /// No prices were given.
    const ErrorInvalidGasScheduleEntries: u64 = 1;

    const INITIAL_MAX_GAS_AMOUNT: u64 = 1_000_000_000;

    /// Tells the node that prices changed.
    struct GasScheduleUpdated has copy, drop, store {
        last_updated: u64,
    }

    #[data_struct]
    struct GasEntry has copy, drop, store {
        key: String,
        val: u64,
    }

    struct GasSchedule has key {
        /// Counts changes.
        schedule_version: u64,
        /// The most gas that a transaction may ask for.
        max_gas_amount: u64,
        entries: vector<GasEntry>,
    }

    #[data_struct]
    struct GasScheduleConfig has copy, drop, store {
        max_gas_amount: u64,
        entries: vector<GasEntry>,
    }

    /// Makes the object.
    public(friend) fun genesis_init(gas_schedule_config: GasScheduleConfig) {
        let GasScheduleConfig { max_gas_amount, entries } = gas_schedule_config;
        let schedule = object::new_named_object(GasSchedule { schedule_version: 0, max_gas_amount, entries });
        object::transfer_extend(schedule, @moveos_std);
    }

    /// The most gas of a transaction that genesis allows.
    public fun initial_max_gas_amount(): u64 { INITIAL_MAX_GAS_AMOUNT }

    /// The same; `gas_schedule_max_gas_amount` is what holds now.
    public fun max_gas_amount(): u64 { INITIAL_MAX_GAS_AMOUNT }

    /// A set of prices.
    public fun new_gas_schedule_config(max_gas_amount: u64, entries: vector<GasEntry>): GasScheduleConfig {
        GasScheduleConfig { max_gas_amount, entries }
    }

    /// A price.
    public fun new_gas_entry(key: String, val: u64): GasEntry {
        GasEntry { key, val }
    }

    /// Replaces all prices by those of an encoded `GasScheduleConfig`; for system accounts.
    public fun update_gas_schedule(account: &signer, gas_schedule_config: vector<u8>) {
        core_addresses::assert_system_reserved(account);
        assert!(!vector::is_empty(&gas_schedule_config), ErrorInvalidGasScheduleEntries);
        let GasScheduleConfig { max_gas_amount, entries } = bcs::from_bytes<GasScheduleConfig>(gas_schedule_config);
        let object = object::borrow_mut_object_extend<GasSchedule>(object::named_object_id<GasSchedule>());
        let schedule = object::borrow_mut(object);
        schedule.schedule_version = schedule.schedule_version + 1;
        schedule.max_gas_amount = max_gas_amount;
        schedule.entries = entries;
        let system = signer::module_signer<GasScheduleUpdated>();
        tx_context::add_attribute_via_system(&system, GasScheduleUpdated { last_updated: 1 });
    }

    /// The prices that hold now.
    public fun gas_schedule(): &GasSchedule {
        object::borrow(object::borrow_object<GasSchedule>(object::named_object_id<GasSchedule>()))
    }

    /// The most gas that a transaction may ask for.
    public fun gas_schedule_max_gas_amount(schedule: &GasSchedule): u64 {
        schedule.max_gas_amount
    }

    /// How often prices changed.
    public fun gas_schedule_version(schedule: &GasSchedule): u64 {
        schedule.schedule_version
    }

    /// All prices.
    public fun gas_schedule_entries(schedule: &GasSchedule): &vector<GasEntry> {
        &schedule.entries
    }

    // ---- for tests alone ----

    #[test_only]
    /// Replaces all prices.
    public fun update_gas_schedule_for_testing(gas_schedule_config: GasScheduleConfig) {
        update_gas_schedule(&signer::module_signer<GasSchedule>(), bcs::to_bytes(&gas_schedule_config));
    }
}
