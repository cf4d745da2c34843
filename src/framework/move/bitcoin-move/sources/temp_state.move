module bitcoin_move::temp_state {
    struct TempState has store {
        names: vector<std::string::String>,
        states: moveos_std::bag::Bag,
    }
}
