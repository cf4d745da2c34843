module rooch_framework::onchain_config {
    struct ConfigUpdateCap has store, key {}

    struct OnchainConfig has key {
        framework_version: u64,
        sequencer: address,
        rooch_dao: address,
    }
}
