/// Reading binary canonical serialization: whole values, or one part after the other from the front.
module moveos_std::bcs {
    use std::option::{Self, Option};
    use std::vector;

    friend moveos_std::any;
    friend moveos_std::copyable_any;

    /// The bytes are no value of the type.
    const ErrorInvalidBytes: u64 = 2;
    /// Too few bytes for an address.
    const ErrorInvalidLength: u64 = 3;
    /// A bool that is neither 0 nor 1.
    const ErrorInvalidBool: u64 = 4;
    /// Too few bytes for an integer.
    const ErrorOutOfRange: u64 = 5;
    /// A length of more than five bytes.
    const ErrorLengthOutOfRange: u64 = 6;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorTypeNotMatch: u64 = 1;

    const LENGTH_BYTES_MAX: u64 = 5;

    /// The bytes that are left, last one first, so that reading is popping.
    struct BCS has copy, drop, store {
        bytes: vector<u8>,
    }

    // ---- whole values ----

    /// The encoding of a value.
    public fun to_bytes<MoveValue>(v: &MoveValue): vector<u8> {
        std::bcs::to_bytes(v)
    }

    /// One byte, 0 or 1.
    public fun to_bool(v: vector<u8>): bool {
        decode<bool>(v)
    }

    /// One byte.
    public fun to_u8(v: vector<u8>): u8 {
        decode<u8>(v)
    }

    /// Eight bytes, little-endian.
    public fun to_u64(v: vector<u8>): u64 {
        decode<u64>(v)
    }

    /// Sixteen bytes, little-endian.
    public fun to_u128(v: vector<u8>): u128 {
        decode<u128>(v)
    }

    /// Thirty-two bytes.
    public fun to_address(v: vector<u8>): address {
        decode<address>(v)
    }

    #[data_struct(T)]
    /// A value of a plain data type; aborts unless the bytes are exactly one.
    public fun from_bytes<T>(bytes: vector<u8>): T {
        decode<T>(bytes)
    }

    #[data_struct(T)]
    /// A value of a plain data type, or none unless the bytes are exactly one.
    public fun from_bytes_option<T>(bytes: vector<u8>): Option<T> {
        native_from_bytes<T>(bytes)
    }

    native public(friend) fun native_from_bytes<T>(bytes: vector<u8>): Option<T>;

    fun decode<T>(bytes: vector<u8>): T {
        let value = native_from_bytes<T>(bytes);
        assert!(option::is_some(&value), ErrorInvalidBytes);
        option::destroy_some(value)
    }

    // ---- one part after the other ----

    /// A reader of `bytes`.
    public fun new(bytes: vector<u8>): BCS {
        vector::reverse(&mut bytes);
        BCS { bytes }
    }

    /// The bytes that were not read.
    public fun into_remainder_bytes(bcs: BCS): vector<u8> {
        let BCS { bytes } = bcs;
        vector::reverse(&mut bytes);
        bytes
    }

    /// Reads an address.
    public fun peel_address(bcs: &mut BCS): address {
        assert!(vector::length(&bcs.bytes) >= 32, ErrorInvalidLength);
        decode<address>(take(bcs, 32))
    }

    /// Reads a bool.
    public fun peel_bool(bcs: &mut BCS): bool {
        let byte = peel_u8(bcs);
        assert!(byte < 2, ErrorInvalidBool);
        byte == 1
    }

    /// Reads a u8.
    public fun peel_u8(bcs: &mut BCS): u8 {
        assert!(!vector::is_empty(&bcs.bytes), ErrorOutOfRange);
        vector::pop_back(&mut bcs.bytes)
    }

    /// Reads a u16.
    public fun peel_u16(bcs: &mut BCS): u16 {
        decode<u16>(take(bcs, 2))
    }

    /// Reads a u32.
    public fun peel_u32(bcs: &mut BCS): u32 {
        decode<u32>(take(bcs, 4))
    }

    /// Reads a u64.
    public fun peel_u64(bcs: &mut BCS): u64 {
        decode<u64>(take(bcs, 8))
    }

    /// Reads a u128.
    public fun peel_u128(bcs: &mut BCS): u128 {
        decode<u128>(take(bcs, 16))
    }

    /// Reads a u256.
    public fun peel_u256(bcs: &mut BCS): u256 {
        decode<u256>(take(bcs, 32))
    }

    /// Reads the number of elements of a vector: seven bits to a byte, lowest first.
    public fun peel_vec_length(bcs: &mut BCS): u64 {
        let length = 0;
        let shift = 0;
        let count = 0;
        loop {
            assert!(count < LENGTH_BYTES_MAX, ErrorLengthOutOfRange);
            let byte = (vector::pop_back(&mut bcs.bytes) as u64);
            length = length | ((byte & 0x7f) << shift);
            if (byte < 0x80) return length;
            shift = shift + 7;
            count = count + 1;
        }
    }

    /// Reads addresses.
    public fun peel_vec_address(bcs: &mut BCS): vector<address> {
        peel_vec(bcs, |reader| peel_address(reader))
    }

    /// Reads bools.
    public fun peel_vec_bool(bcs: &mut BCS): vector<bool> {
        peel_vec(bcs, |reader| peel_bool(reader))
    }

    /// Reads bytes.
    public fun peel_vec_u8(bcs: &mut BCS): vector<u8> {
        let count = peel_vec_length(bcs);
        take(bcs, count)
    }

    /// Reads vectors of bytes.
    public fun peel_vec_vec_u8(bcs: &mut BCS): vector<vector<u8>> {
        peel_vec(bcs, |reader| peel_vec_u8(reader))
    }

    /// Reads u16s.
    public fun peel_vec_u16(bcs: &mut BCS): vector<u16> {
        peel_vec(bcs, |reader| peel_u16(reader))
    }

    /// Reads u32s.
    public fun peel_vec_u32(bcs: &mut BCS): vector<u32> {
        peel_vec(bcs, |reader| peel_u32(reader))
    }

    /// Reads u64s.
    public fun peel_vec_u64(bcs: &mut BCS): vector<u64> {
        peel_vec(bcs, |reader| peel_u64(reader))
    }

    /// Reads u128s.
    public fun peel_vec_u128(bcs: &mut BCS): vector<u128> {
        peel_vec(bcs, |reader| peel_u128(reader))
    }

    /// Reads u256s.
    public fun peel_vec_u256(bcs: &mut BCS): vector<u256> {
        peel_vec(bcs, |reader| peel_u256(reader))
    }

    /// Reads an address that may be absent.
    public fun peel_option_address(bcs: &mut BCS): Option<address> {
        peel_option(bcs, |reader| peel_address(reader))
    }

    /// Reads a bool that may be absent.
    public fun peel_option_bool(bcs: &mut BCS): Option<bool> {
        peel_option(bcs, |reader| peel_bool(reader))
    }

    /// Reads a u8 that may be absent.
    public fun peel_option_u8(bcs: &mut BCS): Option<u8> {
        peel_option(bcs, |reader| peel_u8(reader))
    }

    /// Reads a u16 that may be absent.
    public fun peel_option_u16(bcs: &mut BCS): Option<u16> {
        peel_option(bcs, |reader| peel_u16(reader))
    }

    /// Reads a u32 that may be absent.
    public fun peel_option_u32(bcs: &mut BCS): Option<u32> {
        peel_option(bcs, |reader| peel_u32(reader))
    }

    /// Reads a u64 that may be absent.
    public fun peel_option_u64(bcs: &mut BCS): Option<u64> {
        peel_option(bcs, |reader| peel_u64(reader))
    }

    /// Reads a u128 that may be absent.
    public fun peel_option_u128(bcs: &mut BCS): Option<u128> {
        peel_option(bcs, |reader| peel_u128(reader))
    }

    /// Reads a u256 that may be absent.
    public fun peel_option_u256(bcs: &mut BCS): Option<u256> {
        peel_option(bcs, |reader| peel_u256(reader))
    }

    /// The next `count` bytes.
    fun take(bcs: &mut BCS, count: u64): vector<u8> {
        let left = vector::length(&bcs.bytes);
        assert!(count <= left, ErrorOutOfRange);
        vector::trim_reverse(&mut bcs.bytes, left - count)
    }

    inline fun peel_vec<T>(bcs: &mut BCS, peel: |&mut BCS|T): vector<T> {
        let elements = vector<T>[];
        let left = peel_vec_length(bcs);
        while (left > 0) {
            vector::push_back(&mut elements, peel(bcs));
            left = left - 1;
        };
        elements
    }

    inline fun peel_option<T>(bcs: &mut BCS, peel: |&mut BCS|T): Option<T> {
        if (peel_bool(bcs)) option::some(peel(bcs)) else option::none()
    }
}
