module moveos_std::decimal_value {
    #[data_struct]
    struct DecimalValue has copy, drop, store {
        value: u256,
        decimal: u8,
    }
}
