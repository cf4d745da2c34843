module rooch_framework::coin_migration {
    struct AccountMigrationEvent has copy, drop, store {
        account: address,
    }

    struct CoinStoreMigrationEvent has copy, drop, store {
        account: address,
        coin_type: std::string::String,
        balance: u256,
        was_frozen: bool,
    }

    struct MigrationState has store, key {
        migrated_accounts: moveos_std::table::Table<address, bool>,
    }

    struct MigrationUpdateCap has store, key {}
}
