/// An order on encoded values.
module std::compare {
    use std::vector;

    const EQUAL: u8 = 0;
    const LESS_THAN: u8 = 1;
    const GREATER_THAN: u8 = 2;

    /// Compares the encodings of two values of one type: 0 equal, 1 less, 2 greater.
    ///
    /// Bytes count from the end, since integers are little-endian; where one runs out, the longer is greater. So it is a
    /// total order, and the natural one for integers of one width only.
    public fun cmp_bcs_bytes(v1: &vector<u8>, v2: &vector<u8>): u8 {
        let left = vector::length(v1);
        let right = vector::length(v2);
        let by_length = cmp_u64(left, right);
        while (left > 0 && right > 0) {
            left = left - 1;
            right = right - 1;
            let by_byte = cmp_u8(*vector::borrow(v1, left), *vector::borrow(v2, right));
            if (by_byte != EQUAL) return by_byte
        };
        by_length
    }

    fun cmp_u8(left: u8, right: u8): u8 {
        if (left < right) LESS_THAN else if (left > right) GREATER_THAN else EQUAL
    }

    fun cmp_u64(left: u64, right: u64): u8 {
        if (left < right) LESS_THAN else if (left > right) GREATER_THAN else EQUAL
    }
}
