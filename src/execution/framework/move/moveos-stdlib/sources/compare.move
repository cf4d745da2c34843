/// An order on values of any type.
module moveos_std::compare {
    use std::ascii;
    use std::string;
    use std::type_name;
    use std::u256;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::decimal_value::DecimalValue;

    const EQUAL: u8 = 0;
    const LESS_THAN: u8 = 1;
    const GREATER_THAN: u8 = 2;

    /// What `compare` gives for equal values.
    public fun result_equal(): u8 { EQUAL }

    /// What `compare` gives where the first is less.
    public fun result_less_than(): u8 { LESS_THAN }

    /// What `compare` gives where the first is greater.
    public fun result_greater_than(): u8 { GREATER_THAN }

    /// Compares two values: numbers and bools by size, decimal fractions by the number they are, text and bytes from the
    /// front, and everything else by its encoding from the front.
    public fun compare<T>(a: &T, b: &T): u8 {
        let type = type_name::get<T>();
        let left = bcs::to_bytes(a);
        let right = bcs::to_bytes(b);
        if (type == type_name::get<u64>() || type == type_name::get<u128>() || type == type_name::get<u256>()
            || type == type_name::get<u8>() || type == type_name::get<u16>() || type == type_name::get<u32>()
            || type == type_name::get<bool>()) {
            // little-endian and of one width: the order of the bytes from the end is that of the numbers
            std::compare::cmp_bcs_bytes(&left, &right)
        } else if (type == type_name::get<DecimalValue>()) {
            compare_decimals(left, right)
        } else if (type == type_name::get<vector<u8>>() || type == type_name::get<string::String>()
            || type == type_name::get<ascii::String>()) {
            compare_vector_u8(&content(left), &content(right))
        } else {
            compare_vector_u8(&left, &right)
        }
    }

    /// Compares bytes from the front; where one runs out, the longer is greater.
    public fun compare_vector_u8(v1: &vector<u8>, v2: &vector<u8>): u8 {
        let (left_count, right_count) = (vector::length(v1), vector::length(v2));
        let index = 0;
        while (index < left_count && index < right_count) {
            let (left, right) = (*vector::borrow(v1, index), *vector::borrow(v2, index));
            if (left < right) return LESS_THAN;
            if (left > right) return GREATER_THAN;
            index = index + 1;
        };
        if (left_count < right_count) LESS_THAN else if (left_count > right_count) GREATER_THAN else EQUAL
    }

    /// Compares encodings as `std::compare` does.
    public fun cmp_bcs_bytes(v1: &vector<u8>, v2: &vector<u8>): u8 {
        std::compare::cmp_bcs_bytes(v1, v2)
    }

    /// The bytes of an encoded vector of bytes.
    fun content(encoded: vector<u8>): vector<u8> {
        bcs::peel_vec_u8(&mut bcs::new(encoded))
    }

    fun compare_decimals(left: vector<u8>, right: vector<u8>): u8 {
        let (left, right) = (bcs::new(left), bcs::new(right));
        let (left_value, left_places) = (bcs::peel_u256(&mut left), bcs::peel_u8(&mut left));
        let (right_value, right_places) = (bcs::peel_u256(&mut right), bcs::peel_u8(&mut right));
        let left_scaled = left_value * u256::pow(10, right_places);
        let right_scaled = right_value * u256::pow(10, left_places);
        if (left_scaled < right_scaled) LESS_THAN else if (left_scaled > right_scaled) GREATER_THAN else EQUAL
    }
}
