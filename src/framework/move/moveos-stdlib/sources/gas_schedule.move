module moveos_std::gas_schedule {
    #[data_struct]
    struct GasEntry has copy, drop, store {
        key: std::string::String,
        val: u64,
    }

    struct GasSchedule has key {
        schedule_version: u64,
        max_gas_amount: u64,
        entries: vector<GasEntry>,
    }

    #[data_struct]
    struct GasScheduleConfig has copy, drop, store {
        max_gas_amount: u64,
        entries: vector<GasEntry>,
    }

    struct GasScheduleUpdated has copy, drop, store {
        last_updated: u64,
    }
}
