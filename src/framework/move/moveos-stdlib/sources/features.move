module moveos_std::features {
    struct FeatureStore has key {
        features: vector<u8>,
    }
}
