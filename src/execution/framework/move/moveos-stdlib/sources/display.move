/// Rules that say how objects of a type are shown: text by name, with places for fields that readers fill in. The rules of
/// a type are one named object.
module moveos_std::display {
    use std::string::String;
    use moveos_std::event;
    use moveos_std::object::{Self, Object};
    use moveos_std::simple_map::{Self, SimpleMap};

    struct Display<phantom T> has key {
        sample_map: SimpleMap<String, String>,
    }

    /// The rules of a type were asked for, to be set.
    struct DisplayCreate<phantom T> has copy, drop {}

    #[private_generics(T)]
    /// The rules of `T`, made first where there are none, for the module that defines `T`.
    public fun display<T: key>(): &mut Object<Display<T>> {
        let id = object::named_object_id<Display<T>>();
        if (!object::exists_object(id)) {
            let rules = object::new_named_object(Display<T> { sample_map: simple_map::new() });
            object::transfer_extend(rules, @moveos_std);
        };
        event::emit(DisplayCreate<T> {});
        object::borrow_mut_object_extend<Display<T>>(id)
    }

    /// Sets the rule of a name.
    public fun set_value<T>(self: &mut Object<Display<T>>, key: String, value: String) {
        simple_map::upsert(&mut object::borrow_mut(self).sample_map, key, value);
    }

    /// The rule of a name; aborts without it.
    public fun borrow_value<T>(self: &Object<Display<T>>, key: &String): &String {
        simple_map::borrow(&object::borrow(self).sample_map, key)
    }

    /// The rule of a name, for change; aborts without it.
    public fun borrow_mut_value<T>(self: &mut Object<Display<T>>, key: &String): &mut String {
        simple_map::borrow_mut(&mut object::borrow_mut(self).sample_map, key)
    }

    /// Drops the rule of a name; aborts without it.
    public fun remove_value<T>(self: &mut Object<Display<T>>, key: &String) {
        simple_map::remove(&mut object::borrow_mut(self).sample_map, key);
    }

    /// All names.
    public fun keys<T>(self: &Object<Display<T>>): vector<String> {
        simple_map::keys(&object::borrow(self).sample_map)
    }

    /// All rules, in the order of the names.
    public fun values<T>(self: &Object<Display<T>>): vector<String> {
        simple_map::values(&object::borrow(self).sample_map)
    }

    /// Whether there is a rule of a name.
    public fun contains_key<T>(self: &Object<Display<T>>, key: &String): bool {
        simple_map::contains_key(&object::borrow(self).sample_map, key)
    }
}
