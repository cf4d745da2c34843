/// A fixed number of flags, fewer than 1024.
module std::bit_vector {
    use std::vector;

    /// The index is not below the length.
    const EINDEX: u64 = 0x20000;
    /// A length of zero, or of 1024 and more.
    const ELENGTH: u64 = 0x20001;

    /// Lengths stay below this.
    const MAX_SIZE: u64 = 1024;

    struct BitVector has copy, drop, store {
        length: u64,
        bit_field: vector<bool>,
    }

    /// `length` flags, none of them set.
    public fun new(length: u64): BitVector {
        assert!(0 < length && length < MAX_SIZE, ELENGTH);
        let bit_field = vector[];
        let index = 0;
        while (index < length) {
            vector::push_back(&mut bit_field, false);
            index = index + 1;
        };
        BitVector { length, bit_field }
    }

    /// Sets a flag.
    public fun set(bitvector: &mut BitVector, bit_index: u64) {
        write(bitvector, bit_index, true);
    }

    /// Clears a flag.
    public fun unset(bitvector: &mut BitVector, bit_index: u64) {
        write(bitvector, bit_index, false);
    }

    /// Moves every flag `amount` places towards index 0; those that enter at the end are clear.
    public fun shift_left(bitvector: &mut BitVector, amount: u64) {
        let length = bitvector.length;
        let index = 0;
        while (index < length) {
            // `amount` may be close to the top of u64, so it is compared with what remains, never added first
            let flag = amount < length - index && *vector::borrow(&bitvector.bit_field, index + amount);
            *vector::borrow_mut(&mut bitvector.bit_field, index) = flag;
            index = index + 1;
        }
    }

    /// Whether a flag is set.
    public fun is_index_set(bitvector: &BitVector, bit_index: u64): bool {
        assert!(bit_index < bitvector.length, EINDEX);
        *vector::borrow(&bitvector.bit_field, bit_index)
    }

    /// Number of flags.
    public fun length(bitvector: &BitVector): u64 {
        bitvector.length
    }

    /// How many flags are set without a gap from `start_index` on.
    public fun longest_set_sequence_starting_at(bitvector: &BitVector, start_index: u64): u64 {
        assert!(start_index < bitvector.length, EINDEX);
        let end = start_index;
        while (end < bitvector.length && *vector::borrow(&bitvector.bit_field, end)) end = end + 1;
        end - start_index
    }

    fun write(bitvector: &mut BitVector, bit_index: u64, flag: bool) {
        assert!(bit_index < bitvector.length, EINDEX);
        *vector::borrow_mut(&mut bitvector.bit_field, bit_index) = flag;
    }

    // ---- for tests alone ----

    #[test_only]
    /// How many flags one element of the field holds.
    public fun word_size(): u64 { 1 }
}
