/// Objects: values of Move structs that live in the state under an id of their own, each with an owner, flags, times and
/// a set of fields. `Object<T>` is the handle of one: whoever holds it may do what its methods allow. The value itself
/// never leaves the state until the object is removed.
///
/// An id is a path of field keys from the root object. Named ids follow from a type, account-named ones from an account
/// and a type, custom ones from a value and a type; fresh ones from the transaction. A field of an object is an object
/// too, of type `DynamicField<Name, Value>`, whose key follows from the name and its type.
///
/// Functions with `private_generics` may be called only by the module that defines the named type arguments: that is how
/// a module keeps the making, changing and taking of its own types to itself.
module moveos_std::object {
    use std::hash;
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::address;
    use moveos_std::bcs;
    use moveos_std::core_addresses;
    use moveos_std::hex;
    use moveos_std::signer;
    use moveos_std::tx_context;
    use moveos_std::type_info;

    friend moveos_std::account;
    friend moveos_std::bag;
    friend moveos_std::event;
    friend moveos_std::genesis;
    friend moveos_std::linked_table;
    friend moveos_std::module_store;
    friend moveos_std::table;
    friend moveos_std::timestamp;
    friend moveos_std::type_table;

    // The natives abort with 1 (the field exists), 2 (not found), 7 (borrowed already), 10 (another type),
    // 14 (any other failure) and 15 (the handle was taken out or is held inside another struct).

    /// The new owner is the system's address.
    const ErrorInvalidOwnerAddress: u64 = 3;
    /// The signer does not own the object.
    const ErrorObjectOwnerNotMatch: u64 = 4;
    /// The object is not shared.
    const ErrorObjectNotShared: u64 = 5;
    /// The object still has fields.
    const ErrorFieldsNotEmpty: u64 = 8;
    /// The object is frozen.
    const ErrorObjectFrozen: u64 = 9;
    /// A child object may have no child objects.
    const ErrorChildObjectTooDeep: u64 = 11;
    /// The root has no parent.
    const ErrorWithoutParent: u64 = 12;
    /// Text that is no object id.
    const ErrorInvalidHex: u64 = 16;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorAlreadyExists: u64 = 1;
    #[test_only] const ErrorNotFound: u64 = 2;
    #[test_only] const ErrorObjectIsBound: u64 = 6;
    #[test_only] const ErrorObjectAlreadyBorrowed: u64 = 7;
    #[test_only] const ErrorTypeMismatch: u64 = 10;
    #[test_only] const ErrorParentNotMatch: u64 = 13;
    #[test_only] const ErrorObjectRuntimeError: u64 = 14;
    #[test_only] const ErrorObjectAlreadyTakenOutOrEmbeded: u64 = 15;

    /// Owner of what nobody owns: shared, frozen and embedded objects, and fields.
    const SYSTEM_OWNER: address = @0x0;
    const FLAG_SHARED: u8 = 1;
    const FLAG_FROZEN: u8 = 2;
    /// Path length from which an object's children are fields only.
    const CHILD_DEPTH: u64 = 2;

    #[data_struct]
    /// Path of field keys from the root object, which itself has the empty path.
    struct ObjectID has copy, drop, store {
        path: vector<address>,
    }

    /// The handle of an object of type `T`.
    struct Object<phantom T> has key, store {
        id: ObjectID,
    }

    /// The value of an object that is a field.
    struct DynamicField<Name, Value> has key, store {
        name: Name,
        value: Value,
    }

    // ---- ids ----

    /// Whether the id is not the root's.
    public fun has_parent(object_id: &ObjectID): bool {
        !is_root(object_id)
    }

    /// The id one step up; aborts for the root.
    public fun parent_id(object_id: &ObjectID): ObjectID {
        let (parent, _) = split(*object_id);
        parent
    }

    /// The id one step down.
    public(friend) fun child_id(parent_id: ObjectID, key: address): ObjectID {
        vector::push_back(&mut parent_id.path, key);
        parent_id
    }

    /// Whether `child` is one step below `parent`.
    public fun is_parent(parent: &ObjectID, child: &ObjectID): bool {
        has_parent(child) && parent_id(child) == *parent
    }

    /// Whether the id is the root's.
    public fun is_root(object_id: &ObjectID): bool {
        vector::is_empty(&object_id.path)
    }

    /// The id directly under the root whose key is `address`.
    public(friend) fun address_to_object_id(address: address): ObjectID {
        ObjectID { path: vector[address] }
    }

    /// The id of the one object that is named by its type.
    public fun named_object_id<T>(): ObjectID {
        address_to_object_id(hash_with_type<T>(vector[]))
    }

    /// The id of the one object of type `T` that an account has.
    public fun account_named_object_id<T>(account: address): ObjectID {
        address_to_object_id(hash_with_type<T>(bcs::to_bytes(&account)))
    }

    /// The id that follows from a value, for an object of type `T`.
    public fun custom_object_id<ID: store + copy + drop, T>(id: ID): ObjectID {
        address_to_object_id(hash_with_type<T>(bcs::to_bytes(&id)))
    }

    /// The id that follows from a value, for a child object of type `T`.
    public fun custom_object_id_with_parent<ID: store + copy + drop, T>(parent_id: ObjectID, id: ID): ObjectID {
        child_id(parent_id, hash_with_type<T>(bcs::to_bytes(&id)))
    }

    /// `0x` and 64 digits for each part of the path.
    public fun to_string(id: &ObjectID): String {
        let bytes = vector[];
        vector::for_each_ref(&id.path, |part| vector::append(&mut bytes, bcs::to_bytes(part)));
        let text = string::utf8(b"0x");
        string::append_utf8(&mut text, hex::encode(bytes));
        text
    }

    /// Reads what `to_string` writes. The prefix may be missing; fewer than 64 digits are filled up with zeros on the left;
    /// an incomplete last part is dropped, as the node's own parser does.
    public fun from_string(str: &String): ObjectID {
        let digits = *string::bytes(str);
        if (vector::length(&digits) > 1 && vector::slice(&digits, 0, 2) == b"0x") {
            digits = vector::slice(&digits, 2, vector::length(&digits));
        };
        if (vector::is_empty(&digits)) return ObjectID { path: vector[] };
        let part_digits = address::length() * 2;
        let count = vector::length(&digits);
        if (count < part_digits) {
            let padded = vector[];
            while (count < part_digits) {
                vector::push_back(&mut padded, 48); // '0'
                count = count + 1;
            };
            vector::append(&mut padded, digits);
            digits = padded;
        };
        ObjectID { path: whole_addresses(hex::decode(&digits)) }
    }

    fun whole_addresses(bytes: vector<u8>): vector<address> {
        let width = address::length();
        let end = vector::length(&bytes);
        assert!(end >= width, ErrorInvalidHex);
        let addresses = vector[];
        let start = 0;
        while (end - start >= width) {
            vector::push_back(&mut addresses, address::from_bytes(vector::slice(&bytes, start, start + width)));
            start = start + width;
        };
        addresses
    }

    /// Parent and last key of an id; aborts for the root.
    fun split(object_id: ObjectID): (ObjectID, address) {
        assert!(has_parent(&object_id), ErrorWithoutParent);
        let key = vector::pop_back(&mut object_id.path);
        (object_id, key)
    }

    /// SHA3-256 of bytes and the canonical name of a type: the form of every derived key.
    fun hash_with_type<T>(bytes: vector<u8>): address {
        vector::append(&mut bytes, string::into_bytes(type_info::type_name<T>()));
        bcs::to_address(hash::sha3_256(bytes))
    }

    /// Key of the field with this name.
    fun field_key<Name: store + copy + drop>(name: Name): address {
        hash_with_type<Name>(bcs::to_bytes(&name))
    }

    // ---- making, taking, owning ----

    #[private_generics(T)]
    /// An object with a fresh id.
    public fun new<T: key>(value: T): Object<T> {
        new_with_object_id(address_to_object_id(tx_context::fresh_address()), value)
    }

    #[private_generics(T)]
    /// An object whose id follows from `id`.
    public fun new_with_id<ID: store + copy + drop, T: key>(id: ID, value: T): Object<T> {
        new_with_object_id(custom_object_id<ID, T>(id), value)
    }

    #[private_generics(T)]
    /// The one object that is named by its type.
    public fun new_named_object<T: key>(value: T): Object<T> {
        new_with_object_id(named_object_id<T>(), value)
    }

    #[private_generics(T)]
    /// The one object of its type that an account has.
    public fun new_account_named_object<T: key>(account: address, value: T): Object<T> {
        new_with_object_id(account_named_object_id<T>(account), value)
    }

    /// An object with exactly this id.
    public(friend) fun new_with_object_id<T: key>(id: ObjectID, value: T): Object<T> {
        let (parent, key) = split(id);
        native_add_field<T>(parent, key, value)
    }

    #[private_generics(P, T)]
    /// A child object with a fresh key.
    public fun new_with_parent<P: key, T: key>(parent: &mut Object<P>, value: T): Object<T> {
        new_with_parent_and_key(parent, tx_context::fresh_address(), value)
    }

    #[private_generics(P, T)]
    /// A child object whose key follows from `id`.
    public fun new_with_parent_and_id<P: key, ID: store + copy + drop, T: key>(
        parent: &mut Object<P>,
        id: ID,
        value: T
    ): Object<T> {
        new_with_parent_and_key(parent, hash_with_type<T>(bcs::to_bytes(&id)), value)
    }

    /// A child object with exactly this key.
    public(friend) fun new_with_parent_and_key<P: key, T: key>(
        parent: &mut Object<P>,
        child_key: address,
        value: T
    ): Object<T> {
        assert!(vector::length(&parent.id.path) < CHILD_DEPTH, ErrorChildObjectTooDeep);
        native_add_field<T>(parent.id, child_key, value)
    }

    /// The value.
    public fun borrow<T: key>(self: &Object<T>): &T {
        let (parent, key) = split(self.id);
        native_borrow_field<T>(parent, key)
    }

    /// The value, for change.
    public fun borrow_mut<T: key>(self: &mut Object<T>): &mut T {
        let (parent, key) = split(self.id);
        native_borrow_mut_field<T>(parent, key)
    }

    /// Whether an object has this id.
    public fun exists_object(object_id: ObjectID): bool {
        let (parent, key) = split(object_id);
        native_contains_field(parent, key)
    }

    /// Whether an object of type `T` has this id.
    public fun exists_object_with_type<T: key>(object_id: ObjectID): bool {
        let (parent, key) = split(object_id);
        native_contains_field_with_value_type<T>(parent, key)
    }

    /// Anybody may look at any object.
    public fun borrow_object<T: key>(object_id: ObjectID): &Object<T> {
        native_borrow_object<T>(object_id)
    }

    /// The owner's handle, for change.
    public fun borrow_mut_object<T: key>(owner: &signer, object_id: ObjectID): &mut Object<T> {
        let object = native_borrow_mut_object<T>(object_id);
        assert!(owner(object) == signer::address_of(owner), ErrorObjectOwnerNotMatch);
        object
    }

    #[private_generics(T)]
    /// The handle for change, whoever owns it, for the module that defines `T`. Frozen objects are refused.
    public fun borrow_mut_object_extend<T: key>(object_id: ObjectID): &mut Object<T> {
        let object = native_borrow_mut_object<T>(object_id);
        assert!(!is_frozen(object), ErrorObjectFrozen);
        object
    }

    /// The owner's handle, by value.
    public fun take_object<T: key + store>(owner: &signer, object_id: ObjectID): Object<T> {
        let object = native_take_object<T>(object_id);
        assert!(owner(&object) == signer::address_of(owner), ErrorObjectOwnerNotMatch);
        object
    }

    #[private_generics(T)]
    /// The handle by value, whoever owns it, for the module that defines `T`. Frozen objects are refused.
    public fun take_object_extend<T: key>(object_id: ObjectID): Object<T> {
        let object = native_take_object<T>(object_id);
        assert!(!is_frozen(&object), ErrorObjectFrozen);
        object
    }

    /// Anybody may change a shared object.
    public fun borrow_mut_object_shared<T: key>(object_id: ObjectID): &mut Object<T> {
        let object = native_borrow_mut_object<T>(object_id);
        assert!(is_shared(object), ErrorObjectNotShared);
        object
    }

    #[private_generics(T)]
    /// Ends an object that has no fields and gives its value.
    public fun remove<T: key>(self: Object<T>): T {
        assert!(field_size(&self) == 0, ErrorFieldsNotEmpty);
        remove_unchecked(self)
    }

    /// Ends an object; fields it still has become unreachable.
    public(friend) fun remove_unchecked<T: key>(self: Object<T>): T {
        let Object { id } = self;
        let (parent, key) = split(id);
        native_remove_field<T>(parent, key)
    }

    /// Drops all fields at once; for system accounts.
    public fun clear_fields_by_system<T: key>(system: &signer, obj: &mut Object<T>) {
        core_addresses::assert_system_reserved(system);
        native_clear_fields<T>(obj.id);
    }

    /// Lets everybody change the object, for good.
    public fun to_shared<T: key>(self: Object<T>) {
        native_to_shared_object(self)
    }

    /// Whether everybody may change the object.
    public fun is_shared<T: key>(self: &Object<T>): bool {
        native_object_flag(self.id) & FLAG_SHARED != 0
    }

    /// Lets nobody change the object any more.
    public fun to_frozen<T: key>(self: Object<T>) {
        native_to_frozen_object(self)
    }

    /// Whether nobody may change the object.
    public fun is_frozen<T: key>(self: &Object<T>): bool {
        native_object_flag(self.id) & FLAG_FROZEN != 0
    }

    /// Gives the object to an account.
    public fun transfer<T: key + store>(self: Object<T>, new_owner: address) {
        transfer_to_account(self, new_owner)
    }

    #[private_generics(T)]
    /// Gives the object to an account, for the module that defines `T`; it needs no `store`.
    public fun transfer_extend<T: key>(self: Object<T>, new_owner: address) {
        transfer_to_account(self, new_owner)
    }

    fun transfer_to_account<T: key>(object: Object<T>, new_owner: address) {
        assert!(new_owner != SYSTEM_OWNER, ErrorInvalidOwnerAddress);
        native_transfer_object(object, new_owner)
    }

    /// The id.
    public fun id<T>(self: &Object<T>): ObjectID {
        self.id
    }

    /// The owner; `0x0` for what nobody owns.
    public fun owner<T: key>(self: &Object<T>): address {
        native_object_owner(self.id)
    }

    /// Whether nobody owns it.
    public fun is_system_owned<T: key>(self: &Object<T>): bool {
        owner(self) == SYSTEM_OWNER
    }

    /// Whether an account owns it.
    public fun is_user_owned<T: key>(self: &Object<T>): bool {
        owner(self) != SYSTEM_OWNER
    }

    /// When the object was made, in milliseconds.
    public fun created_at(object_id: ObjectID): u64 {
        native_object_created_at(object_id)
    }

    /// When its value last changed, in milliseconds.
    public fun updated_at(object_id: ObjectID): u64 {
        native_object_updated_at(object_id)
    }

    // ---- fields ----

    #[private_generics(T)]
    /// Adds a field; aborts if there is one of that name.
    public fun add_field<T: key, Name: copy + drop + store, Value: store>(
        obj: &mut Object<T>,
        name: Name,
        val: Value
    ) {
        add_field_internal<Name, Value>(obj.id, name, val)
    }

    public(friend) fun add_field_internal<Name: copy + drop + store, Value>(
        obj_id: ObjectID,
        name: Name,
        value: Value
    ) {
        let key = field_key(name);
        let Object { id: _ } = native_add_field(obj_id, key, DynamicField<Name, Value> { name, value });
    }

    /// The value of a field; aborts without it.
    public fun borrow_field<T: key, Name: copy + drop + store, Value: store>(obj: &Object<T>, name: Name): &Value {
        borrow_field_internal<Name, Value>(obj.id, name)
    }

    public(friend) fun borrow_field_internal<Name: copy + drop + store, Value>(obj_id: ObjectID, name: Name): &Value {
        &native_borrow_field<DynamicField<Name, Value>>(obj_id, field_key(name)).value
    }

    /// Name and value of the field with this key.
    public(friend) fun borrow_field_with_key_internal<Name: copy + drop + store, Value>(
        obj_id: ObjectID,
        field_key: address
    ): (&Name, &Value) {
        let field = native_borrow_field<DynamicField<Name, Value>>(obj_id, field_key);
        (&field.name, &field.value)
    }

    /// The value of a field, or `default` without it.
    public fun borrow_field_with_default<T: key, Name: copy + drop + store, Value: store>(
        obj: &Object<T>,
        name: Name,
        default: &Value
    ): &Value {
        if (contains_field(obj, name)) borrow_field(obj, name) else default
    }

    #[private_generics(T)]
    /// The value of a field, for change; aborts without it.
    public fun borrow_mut_field<T: key, Name: copy + drop + store, Value: store>(
        obj: &mut Object<T>,
        name: Name
    ): &mut Value {
        borrow_mut_field_internal<Name, Value>(obj.id, name)
    }

    public(friend) fun borrow_mut_field_internal<Name: copy + drop + store, Value>(
        obj_id: ObjectID,
        name: Name
    ): &mut Value {
        &mut native_borrow_mut_field<DynamicField<Name, Value>>(obj_id, field_key(name)).value
    }

    /// Name and value of the field with this key, the value for change.
    public(friend) fun borrow_mut_field_with_key_internal<Name: copy + drop + store, Value>(
        obj_id: ObjectID,
        field_key: address
    ): (&Name, &mut Value) {
        let field = native_borrow_mut_field<DynamicField<Name, Value>>(obj_id, field_key);
        (&field.name, &mut field.value)
    }

    #[private_generics(T)]
    /// The value of a field, for change; adds it with `default` first where it is missing.
    public fun borrow_mut_field_with_default<T: key, Name: copy + drop + store, Value: store + drop>(
        obj: &mut Object<T>,
        name: Name,
        default: Value
    ): &mut Value {
        let id = obj.id;
        if (!contains_field_internal(id, name)) add_field_internal(id, name, default);
        borrow_mut_field_internal<Name, Value>(id, name)
    }

    #[private_generics(T)]
    /// Sets a field, whether it was there or not.
    public fun upsert_field<T: key, Name: copy + drop + store, Value: store + drop>(
        obj: &mut Object<T>,
        name: Name,
        value: Value
    ) {
        let id = obj.id;
        if (contains_field_internal(id, name)) {
            *borrow_mut_field_internal<Name, Value>(id, name) = value
        } else {
            add_field_internal(id, name, value)
        }
    }

    #[private_generics(T)]
    /// Ends a field and gives its value; aborts without it.
    public fun remove_field<T: key, Name: copy + drop + store, Value: store>(obj: &mut Object<T>, name: Name): Value {
        remove_field_internal<T, Name, Value>(obj.id, name)
    }

    public(friend) fun remove_field_internal<T: key, Name: copy + drop + store, Value>(
        obj_id: ObjectID,
        name: Name
    ): Value {
        let DynamicField { name: _, value } = native_remove_field<DynamicField<Name, Value>>(obj_id, field_key(name));
        value
    }

    /// Whether there is a field of this name.
    public fun contains_field<T: key, Name: copy + drop + store>(obj: &Object<T>, name: Name): bool {
        contains_field_internal(obj.id, name)
    }

    public(friend) fun contains_field_internal<Name: copy + drop + store>(obj_id: ObjectID, name: Name): bool {
        native_contains_field(obj_id, field_key(name))
    }

    /// Whether there is a field of this name whose value is a `Value`.
    public fun contains_field_with_type<T: key, Name: copy + drop + store, Value: store>(
        obj: &Object<T>,
        name: Name
    ): bool {
        native_contains_field_with_value_type<DynamicField<Name, Value>>(obj.id, field_key(name))
    }

    /// Number of fields, child objects included.
    public fun field_size<T: key>(obj: &Object<T>): u64 {
        native_object_size(obj.id)
    }

    /// Keys of up to `limit` fields after the field `name`, or from the start; in the order of keys, which are hashes.
    public(friend) fun list_field_keys<T: key, Name: copy + drop + store>(
        obj: &Object<T>,
        name: Option<Name>,
        limit: u64
    ): vector<address> {
        let cursor = option::map(name, |cursor_name| field_key(cursor_name));
        native_list_field_keys(obj.id, cursor, limit)
    }

    // ---- the object runtime ----

    native fun native_object_owner(object_id: ObjectID): address;

    native fun native_object_size(object_id: ObjectID): u64;

    native fun native_object_flag(object_id: ObjectID): u8;

    native fun native_object_created_at(object_id: ObjectID): u64;

    native fun native_object_updated_at(object_id: ObjectID): u64;

    native fun native_transfer_object<T: key>(obj: Object<T>, new_owner: address);

    native fun native_to_shared_object<T: key>(obj: Object<T>);

    native fun native_to_frozen_object<T: key>(obj: Object<T>);

    native fun native_clear_fields<T: key>(object_id: ObjectID);

    native fun native_borrow_object<T: key>(object_id: ObjectID): &Object<T>;

    native fun native_borrow_mut_object<T: key>(object_id: ObjectID): &mut Object<T>;

    native fun native_take_object<T: key>(object_id: ObjectID): Object<T>;

    native fun native_add_field<V>(obj_id: ObjectID, key: address, val: V): Object<V>;

    native fun native_borrow_field<V>(obj_id: ObjectID, key: address): &V;

    native fun native_borrow_mut_field<V>(obj_id: ObjectID, key: address): &mut V;

    native fun native_contains_field(obj_id: ObjectID, key: address): bool;

    native fun native_contains_field_with_value_type<V>(obj_id: ObjectID, key: address): bool;

    native fun native_remove_field<V>(obj_id: ObjectID, key: address): V;

    native fun native_list_field_keys(obj_id: ObjectID, cursor: Option<address>, limit: u64): vector<address>;

    // ---- for tests alone ----

    #[test_only]
    /// The id with this path.
    public fun new_object_id_for_test(path: vector<address>): ObjectID {
        ObjectID { path }
    }

    #[test_only]
    /// An id that no object has.
    public fun derive_object_id_for_test(): ObjectID {
        address_to_object_id(tx_context::fresh_address())
    }

    #[test_only]
    /// Ends an object of any type with its fields, and gives its value.
    public fun drop_unchecked<T: key>(self: Object<T>): T {
        remove_unchecked(self)
    }
}
