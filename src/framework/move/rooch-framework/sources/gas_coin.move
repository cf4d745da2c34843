module rooch_framework::gas_coin {
    struct RGas has store, key {}
}
