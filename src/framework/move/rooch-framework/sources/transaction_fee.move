module rooch_framework::transaction_fee {
    struct TransactionFeePool has key {
        fee: moveos_std::object::Object<rooch_framework::coin_store::CoinStore<rooch_framework::gas_coin::RGas>>,
    }
}
