/// Abilities of types as bits of a byte.
module moveos_std::ability {
    use std::string::String;

    const COPY: u8 = 1;
    const DROP: u8 = 2;
    const STORE: u8 = 4;
    const KEY: u8 = 8;

    /// Bit of `copy`.
    public fun ability_copy(): u8 { COPY }

    /// Bit of `drop`.
    public fun ability_drop(): u8 { DROP }

    /// Bit of `store`.
    public fun ability_store(): u8 { STORE }

    /// Bit of `key`.
    public fun ability_key(): u8 { KEY }

    /// Whether all bits of `ability` are set.
    public fun has_ability(abilities: u8, ability: u8): bool {
        abilities & ability == ability
    }

    /// Whether `copy` is set.
    public fun has_copy(abilities: u8): bool { has_ability(abilities, COPY) }

    /// Whether `drop` is set.
    public fun has_drop(abilities: u8): bool { has_ability(abilities, DROP) }

    /// Whether `store` is set.
    public fun has_store(abilities: u8): bool { has_ability(abilities, STORE) }

    /// Whether `key` is set.
    public fun has_key(abilities: u8): bool { has_ability(abilities, KEY) }

    /// Abilities of the type with this name; none of them for a struct that cannot be loaded.
    native public fun native_get_abilities(type: String): u8;
}
