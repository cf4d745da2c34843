module moveos_std::ability {
    public native fun native_get_abilities(a0: std::string::String): u8;
}
