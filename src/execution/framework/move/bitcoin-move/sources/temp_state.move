/// Values of contracts that last as long as something else does: one of each type, and a list of the types, whose
/// contracts can be told when the values are gone.
module bitcoin_move::temp_state {
    use std::string::String;
    use std::vector;
    use moveos_std::bag::{Self, Bag};
    use moveos_std::type_info;

    friend bitcoin_move::bbn;
    friend bitcoin_move::ord;
    friend bitcoin_move::utxo;

    /// More values than fit.
    const ErrorMaxTempStateExceeded: u64 = 1;
    /// No value of the type.
    const ErrorTempStateNotFound: u64 = 2;

    const MOST: u64 = 20;

    struct TempState has store {
        names: vector<String>,
        states: Bag,
    }

    /// No values.
    public(friend) fun new(): TempState {
        TempState { names: vector[], states: bag::new_dropable() }
    }

    /// Adds the value of a type.
    public(friend) fun add_state<S: drop + store>(self: &mut TempState, value: S) {
        assert!(vector::length(&self.names) < MOST, ErrorMaxTempStateExceeded);
        let name = type_info::type_name<S>();
        bag::add_dropable(&mut self.states, name, value);
        vector::push_back(&mut self.names, name);
    }

    /// The value of a type.
    public(friend) fun borrow_state<S: drop + store>(self: &TempState): &S {
        bag::borrow(&self.states, present<S>(self))
    }

    /// The value of a type, to change it.
    public(friend) fun borrow_mut_state<S: drop + store>(self: &mut TempState): &mut S {
        let name = present<S>(self);
        bag::borrow_mut(&mut self.states, name)
    }

    /// Takes the value of a type out. What is left of the list of types is this type alone, as on the networks that
    /// run release 27: contracts of other types then hear of no end.
    public(friend) fun remove_state<S: drop + store>(self: &mut TempState): S {
        let name = present<S>(self);
        self.names = vector::remove_value(&mut self.names, &name);
        bag::remove(&mut self.states, name)
    }

    /// Whether there is a value of a type.
    public(friend) fun contains_state<S: drop + store>(self: &TempState): bool {
        bag::contains(&self.states, type_info::type_name<S>())
    }

    /// Ends the values; gives the list of types.
    public(friend) fun remove(self: TempState): vector<String> {
        let TempState { names, states } = self;
        bag::drop(states);
        names
    }

    fun present<S: drop + store>(self: &TempState): String {
        assert!(contains_state<S>(self), ErrorTempStateNotFound);
        type_info::type_name<S>()
    }
}
