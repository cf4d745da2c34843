module moveos_std::display {
    struct Display<phantom T0> has key {
        sample_map: moveos_std::simple_map::SimpleMap<std::string::String, std::string::String>,
    }

    struct DisplayCreate<phantom T0> has copy, drop {}
}
