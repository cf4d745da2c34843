module rooch_framework::account_authentication {
    struct InstalledAuthValidator has key {
        validators: vector<u64>,
    }
}
