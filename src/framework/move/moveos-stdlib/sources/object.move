module moveos_std::object {
    struct DynamicField<T0, T1> has store, key {
        name: T0,
        value: T1,
    }

    struct Object<phantom T0> has store, key {
        id: ObjectID,
    }

    #[data_struct]
    struct ObjectID has copy, drop, store {
        path: vector<address>,
    }

    native fun native_add_field<T0>(a0: ObjectID, a1: address, a2: T0): Object<T0>;

    native fun native_borrow_field<T0>(a0: ObjectID, a1: address): &T0;

    native fun native_borrow_mut_field<T0>(a0: ObjectID, a1: address): &mut T0;

    native fun native_borrow_mut_object<T0: key>(a0: ObjectID): &mut Object<T0>;

    native fun native_borrow_object<T0: key>(a0: ObjectID): &Object<T0>;

    native fun native_clear_fields<T0: key>(a0: ObjectID);

    native fun native_contains_field(a0: ObjectID, a1: address): bool;

    native fun native_contains_field_with_value_type<T0>(a0: ObjectID, a1: address): bool;

    native fun native_list_field_keys(a0: ObjectID, a1: std::option::Option<address>, a2: u64): vector<address>;

    native fun native_object_created_at(a0: ObjectID): u64;

    native fun native_object_flag(a0: ObjectID): u8;

    native fun native_object_owner(a0: ObjectID): address;

    native fun native_object_size(a0: ObjectID): u64;

    native fun native_object_updated_at(a0: ObjectID): u64;

    native fun native_remove_field<T0>(a0: ObjectID, a1: address): T0;

    native fun native_take_object<T0: key>(a0: ObjectID): Object<T0>;

    native fun native_to_frozen_object<T0: key>(a0: Object<T0>);

    native fun native_to_shared_object<T0: key>(a0: Object<T0>);

    native fun native_transfer_object<T0: key>(a0: Object<T0>, a1: address);
}
